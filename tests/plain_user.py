"""Root may read and write everything; a test of permissions gives that power up for a while."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

OVERRIDING = 1 << 1 | 1 << 2
"""CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH: permissions do not hold for whoever has them."""
_VERSION = 0x20080522


class _Header(ctypes.Structure):
    _fields_ = (("version", ctypes.c_uint32), ("pid", ctypes.c_int))


class _Data(ctypes.Structure):
    _fields_ = (("effective", ctypes.c_uint32), ("permitted", ctypes.c_uint32), ("inheritable", ctypes.c_uint32))


@contextmanager
def as_a_plain_user() -> Iterator[None]:
    """Permissions hold for this thread, also where the tests run as root; skipped where that cannot be had."""
    if os.geteuid() != 0:
        yield
        return
    try:
        libc = ctypes.CDLL(None, use_errno=True)
        header, data = _Header(_VERSION, 0), (_Data * 2)()
        taken = libc.capget(ctypes.byref(header), data) == 0
    except (OSError, AttributeError):
        taken = False
    if not taken:
        pytest.skip("this root cannot give up its power over files")
    before = data[0].effective
    data[0].effective = before & ~OVERRIDING
    if libc.capset(ctypes.byref(header), data) != 0:
        pytest.skip("this root cannot give up its power over files")
    try:
        yield
    finally:
        data[0].effective = before
        libc.capset(ctypes.byref(header), data)

"""Loading of what a command needs, without looking for cycles in it."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def loading() -> Iterator[None]:
    """What is imported inside stays for good, so it is not searched for cycles, neither while it is loaded nor later.

    That takes 6 % of a small analysis. It is done by the command line alone: a program that uses BLADE as a library has
    its own objects, and they are not ours to set aside. A second command of one process finds what it needs loaded: to
    set aside once more would keep the garbage of the first for good.
    """
    if gc.get_freeze_count():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()

"""Loading of what a command needs, without looking for cycles in it."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def loading() -> Iterator[None]:
    """What is imported inside stays for good, so it is not searched for cycles, neither while it is loaded nor later.

    That takes 6 % of a small analysis. It is done by the command line alone: a program that uses BLADE as a library has
    its own objects, and they are not ours to set aside.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()

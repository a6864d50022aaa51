"""How often Python looks for cycles while rows are read."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

FEW_COLLECTIONS = (100_000, 50, 50)
"""As the command line has it, for whoever reads runs from a program of their own."""


@contextmanager
def seldom_collected() -> Iterator[None]:
    """Python looks for cycles after every few hundred new objects, and rows make none: while they are read, seldom."""
    before = gc.get_threshold()
    if before[0]:
        gc.set_threshold(max(before[0], FEW_COLLECTIONS[0]), *FEW_COLLECTIONS[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)

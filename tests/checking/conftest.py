"""The texts of the runs, read once: most of the time of a check goes into looking for quotes in them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from blade.checking import quotes


@pytest.fixture(scope="package", autouse=True)
def _texts_read_once() -> Iterator[None]:
    """A file is known by its place, its size and the time of its last change."""
    read = quotes._texts
    texts_by_key: dict[tuple[object, ...], list[tuple[int, dict[str, Any], list[str]]]] = {}

    def remembered(path: str, places: dict[int, str]) -> Iterator[tuple[int, dict[str, Any], list[str]]]:
        state = Path(path).stat()
        key = (path, state.st_size, state.st_mtime_ns, *sorted(places))
        if key not in texts_by_key:
            texts_by_key[key] = list(read(path, places))
        yield from texts_by_key[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(quotes, "_texts", remembered)
        yield

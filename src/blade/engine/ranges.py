"""Cuts a plain file into ranges that are read apart from each other."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

from blade.files.lines import seek_line
from blade.files.remote_paths import open_raw

LARGEST = 32 << 20
SMALLEST = 4 << 20
PARTS = 8


def cut(start: int, end: int) -> list[tuple[int, int]]:
    """Ranges of about 32 MB; a smaller file in eight, so that two processes end together. Lines may lie across them."""
    size = min(LARGEST, max(SMALLEST, -(-(end - start) // PARTS)))
    return [(place, min(place + size, end)) for place in range(start, end, size)]


def cut_at_lines(path: Path, start: int, end: int) -> list[tuple[int, int]]:
    """The same ranges, moved to where lines begin."""
    with open_raw(path) as stream:
        places = [start, *(seek_line(stream, begin) for begin, _ in cut(start, end)[1:]), end]
    return [(begin, stop) for begin, stop in pairwise(places) if begin < stop]

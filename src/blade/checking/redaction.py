"""Files that were redacted after a report was made: that its sizes and fingerprints are others now is no error."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path, PurePath
from typing import Protocol

from blade.counting.run import Run
from blade.extract.error_claims import is_redacted
from blade.files.lines import UNREADABLE, open_bytes

OF_THE_FILE = frozenset({"Size", "Fingerprint"})
"""Columns of the inventory that speak of a file's bytes; its rows stay what they are."""
FILE = "File"


_QUOTE = re.compile(r"“([^”]*)”")
_CUT = "…"


def same_before_redaction(stated: str, printed: str) -> bool:
    """Whether two texts are alike but for quotes with a redacted part, each cut at its length.

    What was taken out of them had another length than the mark that stands for it.
    """
    if _QUOTE.sub("“”", stated) != _QUOTE.sub("“”", printed):
        return False
    return all(_same_quote(*quotes) for quotes in zip(_QUOTE.findall(stated), _QUOTE.findall(printed), strict=True))


def _same_quote(stated: str, printed: str) -> bool:
    if stated == printed:
        return True
    both_cut = stated.endswith(_CUT) and printed.endswith(_CUT)
    shorter, longer = sorted((stated.rstrip(f"{_CUT} "), printed.rstrip(f"{_CUT} ")), key=len)
    return both_cut and is_redacted(shorter.encode()) and longer.startswith(shorter)


class RedactedRow(Protocol):
    """A piece or a statement of a report, as far as it may be a row of the inventory."""

    @property
    def kind(self) -> str: ...
    @property
    def columns(self) -> tuple[str, ...]: ...
    @property
    def cells(self) -> tuple[str, ...]: ...


class Redaction:
    """Looks into a file only where a report says something else of it."""

    def __init__(self, runs: Sequence[Run]) -> None:
        self._runs = runs
        self._known: dict[Path, bool] = {}

    @cached_property
    def _files(self) -> list[Path]:
        listed = (file.path for run in self._runs for file in (*run.files, *run.raw.listed))
        return list(dict.fromkeys(Path(path) for path in listed))

    def blurs(self, row: RedactedRow) -> frozenset[str]:
        """The columns of a row that cannot be held against anything, because its file was redacted."""
        if row.kind != "row" or FILE not in row.columns or not OF_THE_FILE & set(row.columns):
            return frozenset()
        place = row.columns.index(FILE)
        file_name = row.cells[place].strip("` ") if place < len(row.cells) else ""
        parts = PurePath(file_name).parts
        files = [file for file in self._files if parts and file.parts[-len(parts) :] == parts]
        return OF_THE_FILE if any(self._redacted(file) for file in files) else frozenset()

    def _redacted(self, file: Path) -> bool:
        if file not in self._known:
            try:
                with open_bytes(file) as stream:
                    self._known[file] = any(is_redacted(line) for line in stream)
            except UNREADABLE:
                self._known[file] = False
        return self._known[file]

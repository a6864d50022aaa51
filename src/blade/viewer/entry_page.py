"""One entry of a transcript in full, a stretch at a time: the page behind "show all" of a long text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from blade.errors import NotFound
from blade.viewer import params
from blade.viewer.selection import selection_of
from blade.viewer.transcript import open_transcript, shifted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from blade.index.tables import Index

STRETCH = 200_000


def entry_page(index: Index, query: Mapping[str, str]) -> dict[str, Any]:
    """The entry that the address names, from a character on."""
    attempt = params.attempt_asked(index, query)
    anchor = query.get("entry", "")
    entry = next((candidate for candidate in open_transcript(attempt).entries if candidate.anchor == anchor), None)
    if entry is None:
        raise NotFound(f"The transcript has no entry '{anchor[:100]}'.", "")
    begin = min(params.number_asked(query, "begin"), len(entry.part.text))
    end = min(begin + STRETCH, len(entry.part.text))
    return {
        "chosen": selection_of(query),
        "attempt": attempt,
        "entry": entry,
        "begin": begin,
        "end": end,
        "total": len(entry.part.text),
        "words": entry.part.text[begin:end],
        "marks": shifted(entry.marks, begin, end),
        "stretch": STRETCH,
    }

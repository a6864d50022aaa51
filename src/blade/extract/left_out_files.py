"""What became of edits where a patch is handed in: whether they were taken, and which written file the patch lacks."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import Any

from blade.extract.attempt import Attempt
from blade.extract.commands import Deed, file_name
from blade.extract.prefilter import holds_any
from blade.extract.row_texts import RowText
from blade.extract.text import clip
from blade.late_regex import late_regex

LONGEST = 120
MOST_NAMES = 30
_DEFINED = late_regex(
    r"\b(?:def|func|fn|function|class|struct|interface|trait|enum|module|type)\s+(?:\([^()\n]*\)\s*)?([A-Za-z_]\w{2,})"
)
_MISSES = late_regex(
    r"cannot find|can't find|could not find|not found|no module|undefined|undeclared|unresolved|no such file|"
    r"does not exist|cannot load|failed to (?:load|resolve|import)|ModuleNotFoundError|ImportError|cannot import|"
    r"file not found|is not defined|symbol:",
    re.IGNORECASE,
)
_WORD = late_regex(r"[\w-]+")
_HINTS = (
    "cannot",
    "can't",
    "not f",
    "no mod",
    "undef",
    "undecl",
    "unresolved",
    "no such",
    "not exist",
    "failed",
    "Error",
    "not def",
    "symbol:",
)


def edits(attempt: Attempt, patches: Collection[str]) -> dict[str, Any]:
    """`edits`: calls that edit, those that failed, whether the last of them did; `missed_file`: see `_left_out`.

    `patches` are the texts that the rollout hands in.
    """
    works = [work for work in attempt.works.values() if any(deed.kind == "edit" for deed in work.deeds)]
    record: dict[str, Any] = {
        "edits": [len(works), sum(work.call.failed for work in works), int(bool(works) and works[-1].call.failed)]
    }
    written = [deed for work in works if not work.call.failed for deed in work.deeds if deed.on_code and deed.creates]
    left_out = _left_out(written, patches, attempt.texts()) if written else None
    return record | ({"missed_file": left_out} if left_out else {})


def _left_out(written: Collection[Deed], patches: Collection[str], texts: Collection[RowText]) -> list[str] | None:
    """A file of code that was written and stands in no patch, with the line in which the verifier misses it."""
    for deed in written:
        name = file_name(deed.path)
        if any(name in patch for patch in patches):
            continue
        names = frozenset({name.rsplit(".", 1)[0], *_DEFINED.findall(deed.new)[:MOST_NAMES]})
        line = next(_missing_lines(names, texts, patches), None)
        if line is not None:
            return [clip(deed.path, LONGEST), clip(line, LONGEST)]
    return None


def _missing_lines(names: frozenset[str], texts: Collection[RowText], patches: Collection[str]) -> Iterator[str]:
    """Lines of the verifier that miss something of that name."""
    for text in texts:
        if text.text in patches or not holds_any(text.text, _HINTS):
            continue
        for line in text.text.split("\n"):
            if _MISSES.search(line) and not names.isdisjoint(_WORD.findall(line)):
                yield " ".join(line.split())

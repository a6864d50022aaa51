"""Whether a row does what its key asks: its answer is the expected one, or its changes are the expected ones."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

import polars as pl

from blade.diagnosis.cases import loaded_record
from blade.extract.same_answer import same

FEWEST_ROWS = 20
Work = tuple[Hashable, Hashable]
"""What a row came to, and what was expected of it; None where that is not told."""
NOTHING: Work = (None, None)


def works(frame: pl.DataFrame) -> list[Work]:
    """What each row came to beside its key: the answers where they are told, else the changes that were made."""
    answers = list(zip(frame["answer"].to_list(), frame["gold"].to_list(), strict=True))
    if sum(answer is not None and gold is not None for answer, gold in answers) >= FEWEST_ROWS:
        return [(_plain(answer), _plain(gold)) for answer, gold in answers]
    return [_changes(loaded_record(text)) if text else NOTHING for text in frame["observed"].to_list()]


def met(work: Work) -> bool | None:
    """Whether what a row came to is its key; None where no key is told."""
    result, key = work
    if key is None:
        return None
    return result is not None and (result == key or (isinstance(result, str) and same(result, key)))


def _changes(record: Mapping[str, Any]) -> Work:
    """Digests of the changes that the environment accepted, and of those that were expected."""
    if "expected" not in record:
        return NOTHING
    accepted_digests = sorted(digest for _, digest, accepted, *_ in record.get("changes", ()) if accepted)
    return tuple(accepted_digests), tuple(sorted(digest for _, digest in record["expected"]))


def _plain(text: str | None) -> str | None:
    return None if text is None else " ".join(text.split()).casefold()

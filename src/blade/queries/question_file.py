"""Questions with their ids, and the small file that keeps them: one line of JSON per question.

The id is made of the question and of the data, so that it changes when either does. The counts are kept only to be
read: whoever checks a report counts again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import orjson

from blade.errors import InputError, UsageError

FILE = "queries.jsonl"
LETTERS = 8
Counts = Mapping[str, Mapping[str, float]]
"""Run → name → number; the empty name stands for all runs together."""


@dataclass(frozen=True)
class Query:
    """A question: its kind, and what was asked, without what was left at its default."""

    kind: str
    params: Mapping[str, Any]

    def id(self, digests: Mapping[str, str]) -> str:
        """Of the question and the data, in whatever order the runs are given."""
        ingredients = [self.kind, dict(sorted(self.params.items())), sorted(digests.items())]
        return sha256(orjson.dumps(ingredients, option=orjson.OPT_SORT_KEYS)).hexdigest()[:LETTERS]


@dataclass(frozen=True)
class KeptQuery:
    """A question that was kept, and what it counted then."""

    id: str
    query: Query
    counts: Counts


def place_of(target: Path | None) -> Path:
    """The file that keeps questions: the one given, the one in the folder given, else the one in this folder."""
    if target is None:
        return Path(FILE)
    return target if target.suffix == ".jsonl" else target / FILE


def keep(query: Query, digests: Mapping[str, str], counts: Counts, place: Path) -> str:
    """Write the question down where it is not yet, and return its id."""
    name = query.id(digests)
    try:
        if place.exists() and any(
            entry_kept.id == name and entry_kept.counts == counts for entry_kept in load([place])
        ):
            return name
        place.parent.mkdir(parents=True, exist_ok=True)
        entry = {"id": name, "kind": query.kind, "asked": query.params, "counts": counts}
        with place.open("ab") as stream:
            stream.write(orjson.dumps(entry, option=orjson.OPT_SORT_KEYS) + b"\n")
    except OSError as error:
        hint = "Give another file with -o, or ask with --no-keep."
        raise UsageError(f"{place}: cannot be written ({error.strerror or error}).", hint) from None
    return name


def load(places: Iterable[Path]) -> list[KeptQuery]:
    """Every question that some files keep, in order."""
    queries = []
    for place in places:
        try:
            lines = place.read_bytes().splitlines()
        except OSError as error:
            hint = "Give the file that `blade grep` and `blade count` wrote."
            raise InputError(f"{place}: cannot be read ({error.strerror or error}).", hint) from None
        for number, line in enumerate(lines, 1):
            if line.strip():
                queries.append(_read(line, place, number))
    return queries


def _read(line: bytes, place: Path, number: int) -> KeptQuery:
    try:
        entry = orjson.loads(line)
        return KeptQuery(str(entry["id"]), Query(str(entry["kind"]), dict(entry["asked"])), dict(entry["counts"]))
    except (ValueError, KeyError, TypeError):
        hint = "Take the line out, and ask the question again."
        raise InputError(f"{place}:{number}: no question of BLADE.", hint) from None

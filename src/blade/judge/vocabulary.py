"""The things a benchmark's reports speak of, and what they are called. All of it comes from the data.

With runs: the names of runs, models, tasks, levels of slices, modes, statuses, buckets. Without them: the first columns
of the golden report's tables, and what stands in brackets behind a name ("cid016 (Bug Fixing)").
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from blade.judge.words import content
from blade.model import Analysis, Bucket, Status

MOST_NAMES = 4_000
LONG_NAME = 4
MOSTLY = 0.7
_BRACKET = re.compile(r"([\w./&-]+)\s+\(([A-Z][\w/& -]{3,40})\)")
_CLEAN = re.compile(r"\s*\([^)]*\)\s*$")
_PIECES = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class Thing:
    """Something that has a name: its class (the field, "mode", "bucket") and the name itself."""

    kind: str
    name: str


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """Things and the stems of each way to call them."""

    names: Mapping[Thing, tuple[tuple[str, ...], ...]]

    @cached_property
    def _by_first(self) -> dict[str, list[tuple[tuple[str, ...], Thing]]]:
        made: dict[str, list[tuple[tuple[str, ...], Thing]]] = {}
        for thing, ways in self.names.items():
            for way in ways:
                if way and len(way) < LONG_NAME:
                    made.setdefault(way[0], []).append((way, thing))
        return made

    @cached_property
    def _long(self) -> list[tuple[frozenset[str], Thing]]:
        return [
            (frozenset(way), thing) for thing, ways in self.names.items() for way in ways if len(set(way)) >= LONG_NAME
        ]

    def things(self, text: str) -> frozenset[Thing]:
        """Everything that a text names."""
        return _things(self, text)

    def look(self, text: str) -> frozenset[Thing]:
        stems = pieces_of(text)
        found: set[Thing] = set()
        for place, first in enumerate(stems):
            for way, thing in self._by_first.get(first, ()):
                if stems[place : place + len(way)] == way:
                    found.add(thing)
        there = set(stems)
        for way_set, thing in self._long:
            if len(way_set & there) >= MOSTLY * len(way_set):
                found.add(thing)
        return frozenset(found)


@lru_cache(maxsize=50_000)
def _things(vocabulary: Vocabulary, text: str) -> frozenset[Thing]:
    return vocabulary.look(text)


@lru_cache(maxsize=50_000)
def pieces_of(text: str) -> tuple[str, ...]:
    """Stems of all words, and the parts that hold digits as they stand: "cid007", "difficulty 3"."""
    made: list[str] = []
    for piece in _PIECES.findall(text):
        stems = content(piece)
        made += stems if stems and not any(char.isdigit() for char in piece) else [piece.lower()]
    return tuple(made)


def conflict(one: Iterable[Thing], other: Iterable[Thing]) -> bool:
    """Whether both name things of one class, and none in common."""
    ours, theirs = _by_kind(frozenset(one)), _by_kind(frozenset(other))
    return any(not ours[kind] & theirs[kind] for kind in ours.keys() & theirs.keys())


@lru_cache(maxsize=50_000)
def _by_kind(things: frozenset[Thing]) -> dict[str, set[str]]:
    made: dict[str, set[str]] = {}
    for thing in things:
        made.setdefault(thing.kind, set()).add(thing.name)
    return made


def of_analysis(analysis: Analysis) -> Vocabulary:
    made: dict[Thing, set[tuple[str, ...]]] = {}

    def add(kind: str, name: str, *ways: str) -> None:
        told = made.setdefault(Thing(kind, name), set())
        told.update((pieces_of(way)) for way in (name, *ways) if pieces_of(way))

    for run in analysis.runs:
        add("run", run.name, *(run.provenance.models if len(run.provenance.models) == 1 else ()))
        for line in run.slices:
            field_name, level = str(line["field"]), str(line["level"])
            ways = (f"{field_name} {level}",) if level.isdecimal() or len(level) < 3 else (level,)
            made.setdefault(Thing(field_name, level), set()).update((pieces_of(way)) for way in ways)
    for mode in analysis.modes:
        add("mode", mode.id, mode.name, mode.name.partition(":")[0], mode.detector or mode.id)
    for status in Status:
        add("status", status.value)
    for bucket in Bucket:
        made[Thing("bucket", bucket.value)] = {(bucket.value,)}
    return Vocabulary({thing: tuple(sorted(ways)) for thing, ways in list(made.items())[:MOST_NAMES]})


def of_tables(tables: Sequence[tuple[str, Sequence[str]]], text: str) -> Vocabulary:
    """From a report alone: (title of the first column, its cells) of each table."""
    made: dict[Thing, set[tuple[str, ...]]] = {}
    for title, labels in tables:
        kind = " ".join(pieces_of(title))
        for label in labels if kind else ():
            clean = _CLEAN.sub("", label).strip()
            stems = pieces_of(clean)
            if stems and stems[0] not in {"total", "other"} and not clean[:1].isdigit():
                made.setdefault(Thing(kind, clean.lower()), set()).add(stems)
    alone: dict[tuple[str, ...], Thing] = {
        ways: thing for thing, told in made.items() for ways in told if len(ways) == 1
    }
    for match in _BRACKET.finditer(text):
        thing = alone.get(pieces_of(match[1]))
        if thing is not None:
            made[thing].add(pieces_of(match[2]))
    return Vocabulary({thing: tuple(sorted(ways)) for thing, ways in list(made.items())[:MOST_NAMES]})

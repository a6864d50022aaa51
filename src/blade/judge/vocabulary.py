"""The things a benchmark's reports speak of, and what they are called. All of it comes from the data.

With runs: the names of runs, models, tasks, levels of slices, modes, statuses, buckets. Without them: the first columns
of the golden report's tables, and what stands in brackets behind a name ("cid016 (Bug Fixing)").
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from blade.frozen import frozen
from blade.judge.words import content
from blade.model import Analysis, Bucket, Status

MOST_NAMES = 4_000
LONG_NAME = 4
MOSTLY = 0.7
_BRACKET = re.compile(r"([\w./&-]+)\s+\(([A-Z][\w/& -]{3,40})\)")
_CLEAN = re.compile(r"\s*\([^)]*\)\s*$")
_PIECES = re.compile(r"[^\W_]+")


@frozen
class Entity:
    """Something that has a name: its class (the field, "mode", "bucket") and the name itself."""

    kind: str
    name: str


@dataclass(frozen=True, eq=False)
class EntityVocabulary:
    """Things and the stems of each way to call them."""

    names: Mapping[Entity, tuple[tuple[str, ...], ...]]

    @cached_property
    def _by_first(self) -> dict[str, list[tuple[tuple[str, ...], Entity]]]:
        entities_by_first: dict[str, list[tuple[tuple[str, ...], Entity]]] = {}
        for entity, spellings in self.names.items():
            for spelling in spellings:
                if spelling and len(spelling) < LONG_NAME:
                    entities_by_first.setdefault(spelling[0], []).append((spelling, entity))
        return entities_by_first

    @cached_property
    def _long(self) -> list[tuple[frozenset[str], Entity]]:
        return [
            (frozenset(spelling), entity)
            for entity, spellings in self.names.items()
            for spelling in spellings
            if len(set(spelling)) >= LONG_NAME
        ]

    def entities(self, text: str) -> frozenset[Entity]:
        """Everything that a text names."""
        return _entities_in(self, text)

    def look(self, text: str) -> frozenset[Entity]:
        stems = pieces_of(text)
        entities: set[Entity] = set()
        for place, first in enumerate(stems):
            for spelling, entity in self._by_first.get(first, ()):
                if stems[place : place + len(spelling)] == spelling:
                    entities.add(entity)
        stems_there = set(stems)
        for way_set, entity in self._long:
            if len(way_set & stems_there) >= MOSTLY * len(way_set):
                entities.add(entity)
        return frozenset(entities)


@lru_cache(maxsize=50_000)
def _entities_in(vocabulary: EntityVocabulary, text: str) -> frozenset[Entity]:
    return vocabulary.look(text)


@lru_cache(maxsize=50_000)
def pieces_of(text: str) -> tuple[str, ...]:
    """Stems of all words, and the parts that hold digits as they stand: "cid007", "difficulty 3"."""
    word_pieces: list[str] = []
    for piece in _PIECES.findall(text):
        stems = content(piece)
        word_pieces += stems if stems and not any(char.isdigit() for char in piece) else [piece.lower()]
    return tuple(word_pieces)


def conflict(left: Iterable[Entity], right: Iterable[Entity]) -> bool:
    """Whether both name things of one class, and none in common."""
    left_kinds, right_kinds = _by_kind(frozenset(left)), _by_kind(frozenset(right))
    return any(not left_kinds[kind] & right_kinds[kind] for kind in left_kinds.keys() & right_kinds.keys())


@lru_cache(maxsize=50_000)
def _by_kind(entities: frozenset[Entity]) -> dict[str, set[str]]:
    names_by_kind: dict[str, set[str]] = {}
    for entity in entities:
        names_by_kind.setdefault(entity.kind, set()).add(entity.name)
    return names_by_kind


def of_analysis(analysis: Analysis) -> EntityVocabulary:
    spellings_by_entity: dict[Entity, set[tuple[str, ...]]] = {}

    def add(kind: str, name: str, *spellings: str) -> None:
        spellings_of_entity = spellings_by_entity.setdefault(Entity(kind, name), set())
        spellings_of_entity.update((pieces_of(spelling)) for spelling in (name, *spellings) if pieces_of(spelling))

    for run in analysis.runs:
        add("run", run.name, *(run.provenance.models if len(run.provenance.models) == 1 else ()))
        for line in run.slices:
            field_name, level = str(line["field"]), str(line["level"])
            spellings = (f"{field_name} {level}",) if level.isdecimal() or len(level) < 3 else (level,)
            spellings_by_entity.setdefault(Entity(field_name, level), set()).update(
                (pieces_of(spelling)) for spelling in spellings
            )
    for mode in analysis.modes:
        add("mode", mode.id, mode.name, mode.name.partition(":")[0], mode.detector or mode.id)
    for status in Status:
        add("status", status.value)
    for bucket in Bucket:
        spellings_by_entity[Entity("bucket", bucket.value)] = {(bucket.value,)}
    return EntityVocabulary(
        {entity: tuple(sorted(spellings)) for entity, spellings in list(spellings_by_entity.items())[:MOST_NAMES]}
    )


def of_tables(tables: Sequence[tuple[str, Sequence[str]]], text: str) -> EntityVocabulary:
    """From a report alone: (title of the first column, its cells) of each table."""
    spellings_by_entity: dict[Entity, set[tuple[str, ...]]] = {}
    for title, labels in tables:
        kind = " ".join(pieces_of(title))
        for label in labels if kind else ():
            clean = _CLEAN.sub("", label).strip()
            stems = pieces_of(clean)
            if stems and stems[0] not in {"total", "other"} and not clean[:1].isdigit():
                spellings_by_entity.setdefault(Entity(kind, clean.lower()), set()).add(stems)
    alone: dict[tuple[str, ...], Entity] = {
        spelling: entity
        for entity, spelling_set in spellings_by_entity.items()
        for spelling in spelling_set
        if len(spelling) == 1
    }
    for match in _BRACKET.finditer(text):
        entity = alone.get(pieces_of(match[1]))
        if entity is not None:
            spellings_by_entity[entity].add(pieces_of(match[2]))
    return EntityVocabulary(
        {entity: tuple(sorted(spelling)) for entity, spelling in list(spellings_by_entity.items())[:MOST_NAMES]}
    )

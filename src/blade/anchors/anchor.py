"""An anchor fact: one thing a good report must know, as a sentence and as a predicate over the rollouts.

The file keeps the keys of the upstream helper (`id`, `fact`, `difficulty`, `mean_score`); what else is known stands
beside them. A file that has only those keys is read as text anchors.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, field, fields
from pathlib import Path
from typing import Any

import orjson

from blade.errors import InputError, NotFound
from blade.frozen import frozen
from blade.renderers import json

KINDS = (
    "concentration",
    "exclusivity",
    "extreme",
    "contrast",
    "paired",
    "task_set",
    "task",
    "decision",
    "verifier",
    "data",
    "manual",
)
DIFFICULTIES = ("high", "medium", "low")
FROM_RUNS = "from-runs"
TEXT_ONLY = "text-only"


@frozen
class Predicate:
    """What the fact says, so that a program can hold it against the runs: measure(scope) comparator value."""

    scope: Mapping[str, Any]
    """run, task, field and level, mode, detector, bucket, status: whatever narrows it down."""
    measure: str
    """count, share, rate, passes, difference, quote, …"""
    comparator: str
    """==, >=, <=, max, min, contains, all, none."""
    value: Any
    tolerance: float = 0.0


@frozen
class Anchor:
    """One fact. `weight` shares one vote among the facts of a cluster; `stated` tells whether the report says it."""

    id: str
    fact: str
    difficulty: str = "medium"
    mean_score: float = 0.0
    kind: str = "manual"
    predicate: Predicate | None = None
    entities: tuple[str, ...] = ()
    aliases: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    polarity: int = 1
    citations: tuple[Mapping[str, Any], ...] = ()
    guessability: float | None = None
    stability: float | None = None
    cluster: str = ""
    weight: float = 1.0
    stated: bool | None = None
    review: Mapping[str, Any] | None = None

    def data(self) -> dict[str, Any]:
        """The record as it is written: upstream's keys first."""
        return asdict(self)


@frozen
class Anchors:
    """A file of anchor facts."""

    benchmark: str
    model: str
    extraction_method: str
    generated_at: str
    facts: tuple[Anchor, ...]
    review_required: bool = True
    notes: tuple[str, ...] = ()

    def data(self) -> dict[str, Any]:
        data = {
            "benchmark": self.benchmark,
            "model": self.model,
            "extraction_method": self.extraction_method,
            "generated_at": self.generated_at,
            "review_required": self.review_required,
            "anchor_facts": [anchor.data() for anchor in self.facts],
        }
        return data | ({"notes": list(self.notes)} if self.notes else {})


def dump(anchors: Anchors) -> bytes:
    """Indented JSON that ends in a newline; the same facts give the same bytes."""
    return json.dump(json.plain(anchors.data()))


def load(path: str | Path) -> Anchors:
    """A file of anchor facts, ours or one that has only upstream's keys."""
    place = Path(path)
    try:
        content = place.read_bytes()
    except OSError as error:
        reason = "there is nothing at this path" if isinstance(error, FileNotFoundError) else error.strerror or error
        raise NotFound(f"{place}: {reason}.", "Give a file that `blade extract-anchor-facts` wrote.") from None
    try:
        value = orjson.loads(content.removeprefix(b"\xef\xbb\xbf"))
    except orjson.JSONDecodeError as error:
        raise InputError(f"{place}: not JSON ({error}).", "Give a file of anchor facts.") from None
    return parse(value, str(place))


def parse(value: Any, source: str = "anchor facts") -> Anchors:
    """Anchor facts out of parsed JSON: an object with `anchor_facts`, or the bare list."""
    head: Mapping[str, Any] = value if isinstance(value, Mapping) else {}
    records = head.get("anchor_facts") if head else value
    if not isinstance(records, list):
        raise InputError(
            f"{source}: no list of anchor facts.",
            'Wanted: {"anchor_facts": [{"id": "B1", "fact": "…", "difficulty": "high"}]}.',
        )
    facts = tuple(_anchor(record, place, source) for place, record in enumerate(records, 1))
    notes = head.get("notes")
    return Anchors(
        str(head.get("benchmark") or ""),
        str(head.get("model") or head.get("model_name") or ""),
        str(head.get("extraction_method") or ""),
        str(head.get("generated_at") or ""),
        facts,
        bool(head.get("review_required", True)),
        tuple(str(note) for note in notes) if isinstance(notes, list) else (),
    )


def _anchor(record: Any, place: int, source: str) -> Anchor:
    if not isinstance(record, Mapping) or not isinstance(record.get("fact"), str) or not record["fact"].strip():
        raise InputError(f"{source}: record {place} has no `fact`.", "Each record needs a sentence under `fact`.")
    values = {item.name: record[item.name] for item in fields(Anchor) if record.get(item.name) is not None}
    values["id"] = str(values.get("id", f"B{place}"))
    for name in ("difficulty", "kind", "cluster"):
        if name in values:
            values[name] = str(values[name])
    for name in ("mean_score", "guessability", "stability", "weight"):
        if name in values and not _number(values[name]):
            raise InputError(f"{source}: record {place}: `{name}` is not a number.", "Write a number, or leave it out.")
    values["polarity"] = -1 if values.get("polarity") == -1 else 1
    values["predicate"] = _predicate(values.get("predicate"))
    values["entities"] = _texts(values.get("entities"))
    aliases = values.get("aliases")
    values["aliases"] = {str(k): _texts(v) for k, v in aliases.items()} if isinstance(aliases, Mapping) else {}
    values["citations"] = tuple(item for item in _items(values.get("citations")) if isinstance(item, Mapping))
    for name, expected_type in (("review", Mapping), ("stated", bool)):
        if not isinstance(values.get(name), expected_type):
            values.pop(name, None)
    return Anchor(**values)


def _predicate(value: Any) -> Predicate | None:
    """None for text anchors and for what is no predicate: such a fact is matched by its words."""
    if not isinstance(value, Mapping) or not isinstance(value.get("scope"), Mapping):
        return None
    tolerance = value.get("tolerance")
    return Predicate(
        dict(value["scope"]),
        str(value.get("measure") or ""),
        str(value.get("comparator") or "=="),
        value.get("value"),
        float(tolerance) if isinstance(tolerance, (int, float)) else 0.0,
    )


def _number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def _items(value: Any) -> Sequence[Any]:
    return value if isinstance(value, (list, tuple)) else ()


def _texts(value: Any) -> tuple[str, ...]:
    return tuple(str(item) for item in _items(value))

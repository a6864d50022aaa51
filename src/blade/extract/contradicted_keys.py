"""A key that contradicts the environment's own records: a person or a thing described alike but for one value.

Only objects inside of an argument count, such as a passenger or an item: the arguments themselves say what is to be
changed. Where the value of the key was shown to the model anywhere, the key may ask for the change.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from typing import Any

from blade.extract.against_reference import plain
from blade.extract.attempt import Attempt
from blade.extract.json_spans import Path, dotted
from blade.extract.shown_values import shown
from blade.extract.text import clip, parsed

FEWEST_ALIKE = 2
LONGEST_ANSWER = 50_000
LONGEST_VALUE = 60
MOST = 4
DEEPEST = 6
Record = Mapping[str, Any]


def contradicted_keys(attempt: Attempt) -> dict[str, Any]:
    """`contradicted`: `[tool, argument, expected value, value of the record, tool that shows the record, its item]`."""
    if attempt.changes is None or not attempt.lost:
        return {}
    described = [
        (name, path, described)
        for name, arguments in attempt.changes.expected.values()
        for path, described in _objects(plain(arguments))
        if path and len(_plain_values(described)) > FEWEST_ALIKE
    ]
    if not described:
        return {}
    contradictions: dict[tuple[str, str], list[Any]] = {}
    for tool, item, record in _records(attempt):
        values = _plain_values(record)
        for name, path, wanted in described:
            field = _only_difference(_plain_values(wanted), values)
            if field and shown(attempt, wanted[field]) is False:
                sides = (clip(str(side[field]), LONGEST_VALUE) for side in (wanted, record))
                contradictions.setdefault((name, dotted((*path, field))), [*sides, tool, item])
    entries = [[*argument, *sides] for argument, sides in contradictions.items()]
    return {"contradicted": entries[:MOST]} if entries else {}


def _only_difference(wanted: Record, record: Record) -> str | None:
    """The one field in which two descriptions of the same thing differ; None where they differ in more or in none."""
    common = wanted.keys() & record.keys()
    unlike = [field for field in common if wanted[field] != record[field]]
    alike = [field for field in common if wanted[field] == record[field] and len(str(wanted[field])) > 1]
    return unlike[0] if len(unlike) == 1 and len(alike) >= FEWEST_ALIKE else None


def _plain_values(record: Record) -> dict[str, Any]:
    return {field: value for field, value in record.items() if isinstance(value, (str, int, float))}


def _objects(value: Any) -> Iterator[tuple[Path, Record]]:
    """Every object in a value with its path; what is nested deeper than a description is left."""
    pending: deque[tuple[Path, Any]] = deque([((), value)])
    while pending:
        path, inner = pending.popleft()
        if isinstance(inner, Mapping):
            yield path, inner
        if isinstance(inner, (Mapping, list)) and len(path) < DEEPEST:
            parts = inner.items() if isinstance(inner, Mapping) else enumerate(inner)
            pending += [((*path, key), part) for key, part in parts if isinstance(part, (Mapping, list))]


def _records(attempt: Attempt) -> Iterator[tuple[str, int, Record]]:
    """The objects in the answers of calls that went well and change nothing: what the environment holds."""
    for call in attempt.answered:
        text = call.answer.text if call.answer is not None and not call.failed and not call.changes else ""
        if text[:1] in {"{", "["} and len(text) <= LONGEST_ANSWER:
            yield from ((call.name, call.step.item, record) for _, record in _objects(parsed(text)))

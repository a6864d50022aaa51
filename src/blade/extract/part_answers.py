"""A task graded by named parts: of each part the expected value, the one handed in, the verdict and what was read."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, TypeAlias

from blade.extract.attempt import Attempt
from blade.extract.checks import flags_of
from blade.extract.field_roles import HEAVY, field_name
from blade.extract.names import is_gold, words
from blade.extract.text import clip, squeeze
from blade.frozen import frozen

MOST_PARTS = 12
MOST_NAMES = 60
LONGEST = 40
Scalar: TypeAlias = str | int | float | bool | None
_SCALARS = (str, int, float, bool, type(None))
_EXPECTED = frozenset("expected reference truth target gold golden".split())
_NO_ANSWERS = frozenset(
    "tol tolerance tolerances weight weights points point score scores unit units type types error errors diff "
    "difference delta distance similarity confidence precision decimals reason reasons feedback".split()
)
_ANSWERS = frozenset("answer answers value values".split())
_VERDICT = frozenset("correct right match matches matched ok pass passed verdict verdicts correctness".split())
_READ = frozenset("parsed extracted normalized normalised read cleaned canonical converted".split())
"""Words for what the verifier made of an answer."""


@frozen
class _Record:
    """A field that holds named values, one for each part."""

    name: str
    values: Mapping[str, Scalar]

    def shared(self, names: Collection[str]) -> int:
        return sum(name in names for name in self.values)

    def texts(self) -> int:
        return sum(isinstance(value, str) for value in self.values.values())

    def are_flags(self) -> bool:
        return all(isinstance(value, bool) for value in self.values.values() if value is not None)

    def has_numbers(self) -> bool:
        return any(isinstance(value, (int, float)) and not isinstance(value, bool) for value in self.values.values())


def part_answers(attempt: Attempt) -> dict[str, Any]:
    """`parts`: of each part its name, the expected value, the one handed in, whether it counts, what was read of it."""
    records = [(name, record) for name, record in _records(attempt.row) if 0 < len(record) <= MOST_NAMES]
    verdicts = [(place, flags) for place, (_, record) in enumerate(records) if (flags := _flags(record))]
    if not verdicts:
        return {}
    verdict, flags = max(verdicts, key=lambda entry: _rank(records[entry[0]][0]))
    values = [_Record(name, _scalars(record)) for place, (name, record) in enumerate(records) if place != verdict]
    expected = _expected(values, flags)
    if expected is None:
        return {}
    answers = _answers(values, expected, flags)
    if not answers:
        return {}
    readings = [record.values for record in answers[1:] if record.has_numbers() or _READ & set(words(record.name))]
    reading = readings[0] if readings else {}
    parts = [
        [
            clip(name, LONGEST),
            _text(expected.values[name]) or "",
            _text(answers[0].values.get(name)),
            passed,
            _text(reading.get(name)),
        ]
        for name, passed in flags.items()
        if name in expected.values
    ]
    return {"parts": _most_telling(parts)} if parts else {}


def _records(row: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The records of a row and of what it holds, with their names."""
    for key, value in row.items():
        if type(value) is dict and key not in HEAVY:
            yield key, value
            if len(value) <= MOST_NAMES:
                yield from ((name, record) for name, record in value.items() if type(record) is dict)


def _flags(record: dict[str, Any]) -> dict[str, bool] | None:
    first = next(iter(record.values()))
    return flags_of(record) if first is None or isinstance(first, (bool, dict)) else None


def _rank(name: str) -> tuple[bool, bool]:
    """Of several records of flags the verdict is the one named so, and never the key."""
    return not _is_key(name), not _VERDICT.isdisjoint(words(name))


def _scalars(record: Mapping[str, Any]) -> dict[str, Scalar]:
    """The plain values of a record by their names; those of groups stand one level deeper, as flags do."""
    values: dict[str, Scalar] = {}
    for key, value in record.items():
        if isinstance(value, dict):
            inner = {f"{field_name(key)}.{field_name(name)}": deep for name, deep in value.items()}
        else:
            inner = {field_name(key): value}
        values |= {name: deep for name, deep in inner.items() if isinstance(deep, _SCALARS)}
    return values


def _expected(records: Sequence[_Record], flags: Collection[str]) -> _Record | None:
    """The record of the expected values: what is named for it plainly comes before what is called `answers`."""
    keys = [
        record
        for record in records
        if _is_key(record.name) and 2 * record.shared(flags) > len(flags) and _is_of_parts(record, flags)
    ]
    return max(keys, key=lambda record: (_is_plain_key(record.name), record.shared(flags)), default=None)


def _answers(records: Sequence[_Record], expected: _Record, flags: Collection[str]) -> list[_Record]:
    """The records of what was handed in, the one as it was written first."""
    handed_in = [
        record
        for record in records
        if record is not expected
        and record.shared(flags)
        and record.are_flags() <= expected.are_flags()
        and _is_of_parts(record, flags)
        and not _is_plain_key(record.name)
        and _NO_ANSWERS.isdisjoint(words(record.name))
    ]
    return sorted(handed_in, key=lambda record: (not _READ.isdisjoint(words(record.name)), -record.texts()))


def _is_of_parts(record: _Record, flags: Collection[str]) -> bool:
    """Whether the names of a record are mostly those of the parts; of a single part they are its name."""
    if len(flags) == 1:
        return set(record.values) == set(flags)
    return 2 * record.shared(flags) > len(record.values)


@lru_cache(maxsize=4096)
def _is_plain_key(name: str) -> bool:
    name_words = set(words(name))
    if not name_words.isdisjoint(_NO_ANSWERS):
        return False
    return bool(name_words & _EXPECTED) or bool(name_words & {"key", "keys", "correct"} and name_words & _ANSWERS)


@lru_cache(maxsize=4096)
def _is_key(name: str) -> bool:
    return _is_plain_key(name) or is_gold(name)


def _text(value: Scalar) -> str | None:
    """A value as a short text; None where it is missing or blank."""
    if value is None:
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        value = int(value)
    return clip(squeeze(str(value)), LONGEST) or None


def _most_telling(parts: Sequence[list[Any]]) -> list[list[Any]]:
    """The parts; of very many the wrong ones and the last right ones, in their order."""
    places = sorted(range(len(parts)), key=lambda place: (parts[place][3], -place if parts[place][3] else place))
    return [parts[place] for place in sorted(places[:MOST_PARTS])]

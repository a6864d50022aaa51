"""Which lists or records of a run are its checks: they have one state in passes and another one in failures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from blade.extract.checks import CHECK_NAMES, CheckFields, checks_of, flags_of
from blade.extract.learned_samples import (
    DEEPEST,
    FEWEST,
    HALF,
    MOST_FIELDS,
    MOSTLY,
    NEARLY_ALL,
    NO_TASK_FIELDS,
    STAMPS,
    Sample,
    record_fields,
    share_of,
    value_at,
)

MOST_STATES = 6
LONGEST_WORD = 20


def have_checks(rows: Sequence[dict[str, Any]]) -> bool:
    return share_of(rows, lambda row: next(checks_of(row), None)) > 0.25


def have_failing_checks(rows: Sequence[dict[str, Any]]) -> bool:
    """Whether half of these failures have a check that names tell and that is not met: else others decide, too."""
    return share_of(rows, lambda row: any(one.passed < one.total for one in checks_of(row))) >= HALF


def learned_checks(passes: Sequence[Sample], failures: Sequence[Sample]) -> CheckFields | None:
    """The checks of a run: a list of them, a record of flags, or a record of words."""
    return _listed_checks(passes, failures) or _flag_checks(passes, failures) or _word_checks(passes, failures)


def _listed_checks(passes: Sequence[Sample], failures: Sequence[Sample]) -> CheckFields | None:
    """A list whose entries have all the same state in passes, while most failures have another one among theirs."""
    samples = [*passes, *failures]
    for field in record_fields(samples):
        entries = [entry for sample in samples for entry in sample.records.get(field, ())]
        if len(entries) <= len(samples):  # a check that stands alone says what the verdict says
            continue
        whole = _whole(entries, str)
        states = [key for key in whole if 1 < _different(entries, key) <= MOST_STATES] if len(whole) > 1 else []
        for state in [*states, *_whole(entries, (int, float))] if whole else ():
            passing = Counter(entry.get(state) for sample in passes for entry in sample.records.get(field, ()))
            word, number = next(((value or "", rows) for value, rows in passing.most_common(1)), ("", 0))
            failing = [sample for sample in failures if sample.records.get(field)]
            if (
                number > 0
                and number >= NEARLY_ALL * passing.total()
                and len(failing) >= FEWEST
                and share_of(failing, partial(_has_another, field, state, word)) >= MOSTLY
            ):
                return CheckFields(field, _name_of(entries, [key for key in whole if key != state]), state, word)
    return None


def _flag_checks(passes: Sequence[Sample], failures: Sequence[Sample]) -> CheckFields | None:
    """A record of flags that are all set in passes, while one at least is not in half of the failures that have it."""
    fields = dict.fromkeys(name for sample in passes for name in flag_records(sample.row, "", 0))
    for field in fields:
        passing, failing = (
            [flags for sample in samples if (flags := _flags_at(sample, field))] for samples in (passes, failures)
        )
        if (
            min(len(passing), len(failing)) >= max(FEWEST, HALF * min(len(passes), len(failures)))
            and sum(map(len, passing)) > 1.5 * len(passing)
            and share_of(passing, lambda flags: all(flags.values())) >= NEARLY_ALL
            and share_of(failing, lambda flags: not all(flags.values())) >= HALF
        ):
            return CheckFields(field, "", "", 1.0)
    return None


def _word_checks(passes: Sequence[Sample], failures: Sequence[Sample]) -> CheckFields | None:
    """A record of words that are all the same in passes, while most failures hold another one beside it."""
    for field in dict.fromkeys(name for sample in passes for name in _word_records(sample.row, "", 0)):
        passing, failing = (
            [record for sample in samples if _is_of_words(record := value_at(sample.row, field))]
            for samples in (passes, failures)
        )
        if min(len(passing), len(failing)) < max(FEWEST, HALF * min(len(passes), len(failures))):
            continue
        of_passes = Counter(word for record in passing for word in record.values())
        word, number = of_passes.most_common(1)[0]
        co_occurring = Counter(
            state for record in failing if word in record.values() for state in set(record.values()) - {word}
        )
        different = {state for record in failing for state in record.values()}
        if (
            number >= NEARLY_ALL * of_passes.total() > 1.5 * len(passing)
            and len(different) <= MOST_STATES
            and co_occurring.total() >= HALF * len(failing)
        ):
            return CheckFields(field, "", "", word, tuple(sorted(co_occurring)))
    return None


def _word_records(holder: Mapping[str, Any], prefix: str, depth: int) -> Iterator[str]:
    """The records of a row that hold several short words and nothing else."""
    for number, (name, value) in enumerate(holder.items()):
        if number >= MOST_FIELDS or "." in name or name.startswith(STAMPS) or (not depth and name in NO_TASK_FIELDS):
            continue
        if isinstance(value, dict):
            if _is_of_words(value):
                yield prefix + name
            elif depth < DEEPEST:
                yield from _word_records(value, f"{prefix}{name}.", depth + 1)


def _is_of_words(record: Any) -> bool:
    return (
        isinstance(record, dict)
        and len(record) > 1
        and all(isinstance(word, str) and 0 < len(word) <= LONGEST_WORD for word in record.values())
    )


def flag_records(holder: Mapping[str, Any], prefix: str, depth: int) -> Iterator[str]:
    """The records of a row that hold flags alone, the outer one before those in it."""
    for number, (name, value) in enumerate(holder.items()):
        if number >= MOST_FIELDS or "." in name or name.startswith(STAMPS) or (not depth and name in NO_TASK_FIELDS):
            continue
        if isinstance(value, dict):
            if flags_of(value):
                yield prefix + name
            if depth < DEEPEST:
                yield from flag_records(value, f"{prefix}{name}.", depth + 1)


def _flags_at(sample: Sample, field: str) -> dict[str, bool]:
    record = value_at(sample.row, field)
    return (flags_of(record) if isinstance(record, dict) else None) or {}


def _whole(entries: Sequence[Mapping[str, Any]], kinds: type | tuple[type, ...]) -> list[str]:
    """The keys that nearly every entry has with a value of this kind."""
    keys = Counter(key for entry in entries for key, value in entry.items() if isinstance(value, kinds))
    return [key for key, number in keys.items() if number >= NEARLY_ALL * len(entries)]


def _name_of(entries: Sequence[Mapping[str, Any]], keys: Sequence[str]) -> str:
    """The key that names a check: one that is called so, else the one with most values."""
    named = [key for key in CHECK_NAMES if key in keys]
    return named[0] if named else max(keys, key=partial(_different, entries))


def _has_another(field: str, state: str, word: Any, sample: Sample) -> bool:
    return any(entry.get(state) != word for entry in sample.records[field])


def _different(entries: Sequence[Mapping[str, Any]], key: str) -> int:
    """How many different values a key has."""
    return len({entry.get(key) for entry in entries})

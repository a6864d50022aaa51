"""The sub-checks of a verdict: rubric items, unit tests, instructions, each with its name and whether it passed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import islice
from typing import Any

from blade.extract.field_roles import field_name, where
from blade.extract.logs import is_log
from blade.extract.names import words
from blade.extract.text import clip, squeeze
from blade.frozen import frozen
from blade.late_regex import late_regex

_SKIP = {"responses_create_params", "response", "judge_evaluations", "judge_response", "config", "tools"}
LONGEST_NAME = 160
"""Tests of one file differ in the last words of their names."""
LONGEST_LABEL = 60
_DEEPEST = 5
_WIDEST = 60
_MOST = 300
_GROUPS = frozenset(
    "check checks result results rubric rubrics test tests criteria judgements judgments evaluations validation item "
    "items instruction instructions list assertions cases subtasks milestones components steps report details verdicts "
    "grades marks".split()
)
_VERDICTS = (
    "passed", "pass", "success", "correct", "is_correct", "met", "satisfied", "criteria_met", "fulfilled", "ok",
    "verdict", "status", "result", "outcome", "judgement", "judgment", "score", "reward",
)  # fmt: skip
CHECK_NAMES = (
    "name", "criterion", "criteria", "check", "test", "title", "instruction", "requirement", "rule", "rubric",
    "description", "question", "label", "metric", "id", "key", "cid", "criterion_id",
)  # fmt: skip
_TELLS = frozenset("match matched met passed pass correct success satisfied fulfilled ok found present".split())
"""The last word of a flag that tells whether a check passed: `action_match`, `is_met`."""
_MET = ("met", "passed", "satisfied", "fulfilled", "criteria_met")
"""Flags that only a check has."""
_EARNED = ("score", "points", "earned", "awarded", "points_awarded", "points_earned", "grade", "value")
_POSSIBLE = ("max", "max_score", "max_points", "maximum", "possible", "points_possible", "out_of", "weight")
_POINTS = ("points", "pts", "weight", "awarded", "points_awarded", "points_earned")
_IDS = ("cid", "criterion_id", "id", "key", "name", "criterion")
_GOOD = frozenset("good passed pass yes true met satisfied success ok correct fulfilled present 1".split())
_BAD = frozenset(
    "bad failed fail no false unmet unsatisfied error incorrect failure missing 0 wa wrong tle tl re rte mle ml ce ole "
    "crash crashed timeout wrong_answer time_limit_exceeded runtime_error compile_error memory_limit_exceeded".split()
) | {"not met", "not ok", "wrong answer", "time limit exceeded", "runtime error", "compile error"}
_PAIRS = (("success", "failure"), ("passed", "failed"))
_TOTAL = frozenset("total expected".split())
_PASSED = frozenset("passed pass correct".split())
_FILLER = frozenset("num n count number of".split())
_COUNTED = frozenset("check checks test tests criteria criterion rubrics assertions cases subtasks milestones".split())
_SUMMARY = late_regex(r"\b(\d{1,9}) failed, (\d{1,9}) passed|TESTS=(\d{1,9}) PASS=(\d{1,9}) FAIL=(\d{1,9})\b")
_SKIP_LINE = late_regex(r"(?:\[\d+\] )?[^\s:]+\.\w{1,5}:\d+: \S")
"""How a test runner reports a test that it skipped: how often, the file, the line, and the reason; no name."""
_FAILED = late_regex(r"^(?:FAILED|not ok \d+ -?) ?([^\s][^\n]{0,120})", re.MULTILINE)

_PASSED_LINE = late_regex(r"^PASSED ([^\s][^\n]{0,120})", re.MULTILINE)


@frozen
class Check:
    name: str
    passed: bool
    field: str
    """Dotted name of the place in the row that says so."""


@frozen
class Checks:
    """The sub-checks of one verdict. Where only their number is told, `checks` is empty."""

    field: str
    passed: int
    total: int
    checks: tuple[Check, ...] = ()
    named: bool = False
    """Whether every one stands there by itself, and not only their number."""
    skipped: tuple[str, ...] = ()
    """Lines that report a skipped test and stand among the passed ones: nothing was checked."""
    paired: bool = False
    """Whether they are told as a list of those that pass and one of those that fail."""
    listed: bool = False
    """Whether they are the entries of a list, each with its name and its state."""

    @property
    def several(self) -> bool:
        """One check that stands alone is no set of checks."""
        return self.total > 1 or not self.named

    @property
    def partly(self) -> bool:
        return 0 < self.passed < self.total


@frozen
class CheckFields:
    """A list of checks: where it stands, which keys of an entry name the check and its state, and what passed is.

    Without such keys it is a record whose keys name the checks and whose flags or words tell their states.
    """

    field: str
    name: str
    state: str
    passed: str | float
    failed: tuple[str, ...] = ()
    """The words for what failed, of a record of words: a check with any other word never ran."""


def checks_of(row: dict[str, Any], learned: CheckFields | None = None) -> Iterator[Checks]:
    """Every set of sub-checks in a row: named ones as they come, numbers without names last."""
    if learned is not None:
        yield from _learned_checks(row, learned)
    numbers: list[Checks] = []
    single: list[Checks] = []
    has_set = False
    for prefix, holder in _holders(row, "", 0):
        for key, value in holder.items() if len(holder) <= _WIDEST else islice(holder.items(), _WIDEST):
            kind = type(value)
            if kind is not dict and kind is not list and kind is not str:
                continue
            if key in _SKIP:
                continue
            if kind is not str:
                name = prefix + field_name(key)
                checks = _named_checks(holder, key, value, name, row, of_group=_is_group(prefix))
                listed = kind is list and type(value[0]) is dict if checks else False
                if len(checks) == 1 and listed:
                    single.append(_checks_of(name, checks, listed=True))
                elif checks:
                    has_set = True
                    yield _checks_of(name, checks, paired=kind is dict and _pair(value) is not None, listed=listed)
            elif "passed" in value or "PASS=" in value:
                name = prefix + field_name(key)
                if is_log(name):
                    numbers.extend(_summary(name, value[-2000:]))
        numbers.extend(counted_checks(prefix, holder))
    if has_set:  # one check alone says what the verdict says, beside others it is a part of it
        yield from single
    yield from numbers


def _learned_checks(row: dict[str, Any], learned: CheckFields) -> Iterator[Checks]:
    """The checks of a list whose words were learned from passes and failures."""
    entries: Any = row
    for part in learned.field.split("."):
        entries = entries.get(part) if isinstance(entries, dict) else None
    if isinstance(entries, dict) and not learned.state:
        flags = (words_as_flags(entries, learned) if learned.failed else flags_of(entries)) or {}
        checks = [Check(clip(name, LONGEST_NAME), flag, f"{learned.field}.{name}") for name, flag in flags.items()]
        if checks:
            yield _checks_of(learned.field, checks)
    if not isinstance(entries, list):
        return
    checks = [
        Check(
            clip(squeeze(str(entry.get(learned.name))), LONGEST_NAME),
            entry.get(learned.state) == learned.passed,
            f"{learned.field}.{place}.{learned.state}",
        )
        for place, entry in enumerate(entries[:_MOST])
        if isinstance(entry, dict) and learned.state in entry
    ]
    if checks:
        yield _checks_of(learned.field, checks, listed=True)


def flags_of(record: dict[str, Any]) -> dict[str, bool] | None:
    """The flags of a record by their names, those that are not set left out; None where it holds anything else.

    Flags may stand in groups, one level deeper.
    """
    flags: dict[str, bool] = {}
    for key, value in record.items():
        inner = value.items() if isinstance(value, dict) else ((None, value),)
        for name, flag in inner:
            if flag is not None and not isinstance(flag, bool):
                return None
            if flag is not None:
                flags[field_name(key) if name is None else f"{field_name(key)}.{field_name(name)}"] = flag
    return flags


def words_as_flags(record: dict[str, Any], learned: CheckFields) -> dict[str, bool]:
    """The states of a record of words by the names of the checks, without those that never ran."""
    states = {learned.passed, *learned.failed}
    return {
        field_name(key): word == learned.passed
        for key, word in record.items()
        if isinstance(word, str) and word in states
    }


def joined(sets: Sequence[Checks]) -> list[Checks]:
    """The sets, those that stand side by side as lists of what passes and what fails made one, with what fails first.

    Tests that should pass now and tests that should still pass are parts of one verdict, and so are lists of checks, in
    one record or of other names.
    """
    siblings: dict[tuple[bool, str], list[Checks]] = {}
    names = [check.name for checks in sets if checks.listed for check in checks.checks]
    are_parts = len(set(names)) == len(names)
    for checks in sets:
        parent = checks.field.rpartition(".")[0]
        if checks.paired or (checks.listed and (parent or are_parts)):
            holder = "" if checks.listed and are_parts else parent
            siblings.setdefault((checks.paired, holder), []).append(checks)
    parts = [group[0] if len(group) == 1 else _joined(holder, group) for (_, holder), group in siblings.items()]
    grouped = {id(checks) for group in siblings.values() for checks in group}
    return [*parts, *(checks for checks in sets if id(checks) not in grouped)] if parts else list(sets)


def _joined(parent: str, sets: Sequence[Checks]) -> Checks:
    checks = tuple(sorted((check for part in sets for check in part.checks), key=lambda check: check.passed))
    passed, total = (sum(getattr(part, name) for part in sets) for name in ("passed", "total"))
    return Checks(parent or sets[0].field, passed, total, checks, named=True, paired=True)


def _holders(holder: dict[str, Any], prefix: str, depth: int) -> Iterator[tuple[str, dict[str, Any]]]:
    yield prefix, holder
    if depth >= _DEEPEST or len(holder) > _MOST:
        return
    for key, value in holder.items():
        if isinstance(value, dict) and key not in _SKIP and not key.startswith("ng_"):
            yield from _holders(value, f"{prefix}{field_name(key)}.", depth + 1)


def _is_group(prefix: str) -> bool:
    """Whether a record stands in one of checks: `checks.hidden` holds checks, whatever it is called."""
    parent = prefix.rstrip(".").rpartition(".")[2]
    return bool(parent) and not _GROUPS.isdisjoint(words(parent)[-1:])


def _named_checks(
    holder: dict[str, Any], key: str, value: Any, name: str, row: dict[str, Any], *, of_group: bool = False
) -> list[Check]:
    if not isinstance(value, (dict, list)):
        return []
    grouped = not _GROUPS.isdisjoint(words(key))
    if isinstance(value, dict):
        grouped = grouped or (of_group and len(value) > 1 and all(isinstance(word, str) for word in value.values()))
        if pair := _pair(value):
            good, bad = pair
            return [*_listed(value[good], f"{name}.{good}", True), *_listed(value[bad], f"{name}.{bad}", False)]
        if grouped and len(value) <= _MOST:
            verdicts = [(inner, verdict(value_inside)) for inner, value_inside in value.items()]
            if any(passed is not None for _, passed in verdicts) and all(
                passed is not None or _is_outcome_of_a_test(inner, value[inner]) for inner, passed in verdicts
            ):
                return [Check(inner, bool(passed), f"{name}.{field_name(inner)}") for inner, passed in verdicts]
    if not isinstance(value, list) or not 0 < len(value) <= _MOST or not (grouped or _is_of_verdicts(value)):
        return []
    if len(value) > 1 and all(isinstance(inner, bool) for inner in value):
        names = _names_beside(holder, key, len(value))
        return [Check(names[place], inner, f"{name}.{place}") for place, inner in enumerate(value)]
    if all(isinstance(inner, dict) for inner in value):
        names = _names_beside(holder, key, len(value))
        items = [(inner, _item(inner, f"{name}.{place}", names[place])) for place, inner in enumerate(value)]
        if not any(check is not None for _, check in items) or (len(items) == 1 and not _called(value[0])):
            return []
        penalties = _penalties(row)
        return [
            replace(check, passed=not check.passed) if _is_penalty(inner, penalties) else check
            for inner, check in items
            if check is not None
        ]
    return []


def _is_of_verdicts(entries: list[Any]) -> bool:
    """Whether each of several entries has a name and a flag that only a check has, whatever the list is called."""
    return len(entries) > 1 and all(
        isinstance(entry, dict) and _called(entry) and any(isinstance(entry.get(flag), bool) for flag in _MET)
        for entry in entries
    )


def _is_outcome_of_a_test(name: str, word: Any) -> bool:
    """Whether a record of tests has a word of its own for one that did not pass: "collect", "setup", "skipped"."""
    return "test" in name.lower() and isinstance(word, str) and 0 < len(word) < LONGEST_LABEL and word.isalpha()


def _penalties(row: dict[str, Any]) -> set[str]:
    """The ids of the criteria of the row whose points are negative: to meet one is to lose points."""
    lists = (value for _, holder in _holders(row, "", 0) for value in holder.values() if isinstance(value, list))
    entries = (entry for value in lists for entry in value[:_MOST] if isinstance(entry, dict) and _costs(entry))
    return {text for entry in entries for label in _IDS if isinstance(text := entry.get(label), str) and text}


def _is_penalty(item: dict[str, Any], penalties: set[str]) -> bool:
    return _costs(item) or any(item.get(label) in penalties for label in _IDS if isinstance(item.get(label), str))


def _costs(item: dict[str, Any]) -> bool:
    """Whether an entry gives or takes points, and takes them."""
    points = (item.get(name) for name in _POINTS)
    return any(isinstance(value, (int, float)) and not isinstance(value, bool) and value < 0 for value in points)


def states_results(row: dict[str, Any]) -> bool:
    """Whether some list of the row holds the result of a check, even of a single one, which is no set of checks."""
    return any(
        isinstance(entry, dict) and _item(entry, "", "") is not None
        for _, holder in _holders(row, "", 0)
        for key, value in holder.items()
        if isinstance(value, list) and key not in _SKIP and not _GROUPS.isdisjoint(words(key))
        for entry in value[:_MOST]
    )


def failing_texts(row: dict[str, Any]) -> Iterator[str]:
    """What lists of checks say of those that fail: every text of their entries but the names."""
    for _, holder in _holders(row, "", 0):
        for key, value in holder.items():
            if not isinstance(value, list) or key in _SKIP or _GROUPS.isdisjoint(words(key)):
                continue
            for entry in value[:_MOST]:
                check = _item(entry, "", "") if isinstance(entry, dict) else None
                if check is not None and not check.passed:
                    verdict_key = _verdict_key(entry)
                    for name, text in entry.items():
                        if isinstance(text, str) and name not in CHECK_NAMES and name != verdict_key:
                            yield text


def _pair(value: dict[str, Any]) -> tuple[str, str] | None:
    """The names of the list of what passes and of the list of what fails."""
    for good, bad in _PAIRS:
        if isinstance(value.get(good), list) and isinstance(value.get(bad), list):
            return good, bad
    return None


def _item(item: dict[str, Any], name: str, otherwise: str) -> Check | None:
    """One entry of a list of checks. What it is called, and whether it passed, may stand one level deeper."""
    if "responses_create_params" in item:
        return None
    inner = {key: value for key, value in item.items() if isinstance(value, dict)}
    verdict_key = _verdict_key(item) or next(
        (f"{key}.{deep}" for key, value in inner.items() if (deep := _verdict_key(value))), ""
    )
    if not verdict_key:
        return None
    holder, _, last = verdict_key.rpartition(".")
    passed = _passes(inner[holder] if holder else item, last)
    called = _called(item) or next(filter(None, map(_called, inner.values())), "")
    return Check(clip(squeeze(called), 80) or otherwise, passed, f"{name}.{verdict_key}")


def _verdict_key(item: dict[str, Any]) -> str:
    """The key of an entry that says whether it passed: a verdict, a flag, or points that can be held against all."""
    for key in _VERDICTS:
        if verdict(item.get(key)) is not None:
            return key
    for key, value in item.items():
        if isinstance(value, bool) and words(key)[-1:] and words(key)[-1] in _TELLS:
            return key
    return next((key for key in _EARNED if _share(item, key) is not None), "")


def _passes(item: dict[str, Any], key: str) -> bool:
    by_word = verdict(item[key])
    return by_word if by_word is not None else _share(item, key) == 1


def _share(item: dict[str, Any], key: str) -> float | None:
    """How much of all points an entry earned; None where it does not say both."""
    earned = item.get(key)
    possible = next((value for name in _POSSIBLE if (value := item.get(name)) is not None), None)
    numbers = [value for value in (earned, possible) if isinstance(value, (int, float)) and not isinstance(value, bool)]
    if len(numbers) < 2 or not 0 <= numbers[0] <= numbers[1] or not numbers[1]:
        return None
    return numbers[0] / numbers[1]


def _called(item: dict[str, Any]) -> str:
    return next((text for label in CHECK_NAMES if isinstance(text := item.get(label), str) and text), "")


def verdict(value: Any) -> bool | None:
    """Whether a value says passed or failed; None where it says neither."""
    if isinstance(value, bool):
        return value
    if isinstance(value, (int, float)):
        return value == 1 if value in {0, 1} else None
    word = value.strip().lower() if isinstance(value, str) and len(value) < 20 else ""
    return True if word in _GOOD else False if word in _BAD else None


def _listed(names: list[Any], field: str, passed: bool) -> list[Check]:
    names = names[:_MOST]
    return [Check(clip(squeeze(str(name)), LONGEST_NAME), passed, f"{field}.{at}") for at, name in enumerate(names)]


def _names_beside(holder: dict[str, Any], key: str, size: int) -> list[str]:
    """Names in a list of the same length beside the verdicts, or of its entries, else numbers."""
    for other_key, value in holder.items():
        if other_key == key or not isinstance(value, list) or len(value) != size:
            continue
        if set(words(other_key)) & set(words(key)) and all(isinstance(entry, str) and entry for entry in value):
            return [clip(squeeze(inner), 80) for inner in value]
        called = (
            [_called(entry) for entry in value if isinstance(entry, dict)]
            if not _GROUPS.isdisjoint(words(other_key))
            else []
        )
        if len(called) == size and all(called):
            return [clip(squeeze(inner), 80) for inner in called]
    return _own_labels(holder[key]) or [f"number {place + 1}" for place in range(size)]


def _own_labels(entries: list[Any]) -> list[str]:
    """The first short texts by which the entries of a list differ, whatever their field is called."""
    for field in entries[0] if isinstance(entries[0], dict) else ():
        values = [entry.get(field) if isinstance(entry, dict) else None for entry in entries]
        labels = [value for value in values if isinstance(value, str) and 0 < len(value) <= LONGEST_LABEL]
        if len(set(labels)) == len(entries) > 1 and not any(verdict(label) is not None for label in labels):
            return labels
    return []


def _checks_of(name: str, checks: list[Check], *, paired: bool = False, listed: bool = False) -> Checks:
    """A set without what only reports a skipped test; where nothing else is named, the set as it stands."""
    skipped = tuple(check.name for check in checks if check.passed and _SKIP_LINE.match(check.name))
    run = [check for check in checks if check.name not in skipped] or checks
    passed = sum(check.passed for check in run)
    return Checks(name, passed, len(run), tuple(run), named=True, skipped=skipped, paired=paired, listed=listed)


@lru_cache(maxsize=65536)
def _counted_thing(key: str) -> tuple[str, frozenset[str]]:
    """Whether a field counts all that there is or what passed, and of which thing: `n_passed` of `n_criteria`."""
    key_words = frozenset(words(key))
    have = key_words - _FILLER
    if have & _TOTAL:
        return "total", have - _TOTAL
    if have and have <= _COUNTED and key_words & _FILLER:
        return "total", frozenset()
    return ("passed", have - _PASSED) if have & _PASSED else ("", have)


def _counts_something(key: str) -> bool:
    return bool(_counted_thing(key)[0])


def counted_checks(prefix: str, holder: dict[str, Any]) -> Iterator[Checks]:
    """Pairs of numbers that tell how many of how many passed."""
    passed: dict[frozenset[str], tuple[str, int]] = {}
    total: dict[frozenset[str], int] = {}
    for key in where(holder, _counts_something):
        value = holder[key]
        if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
            counts, stem = _counted_thing(key)
            if counts == "total":
                total[stem] = value
            elif counts == "passed":
                passed[stem] = (key, value)
    for stem, (key, value) in passed.items():
        if stem in total and value <= total[stem] and total[stem] > 1:
            yield Checks(prefix + field_name(key), value, total[stem])


def _summary(name: str, text: str) -> Iterator[Checks]:
    for match in _SUMMARY.finditer(text):
        failed, passed = (int(part) for part in (match.group(1), match.group(2)) if part) if match.group(1) else (
            int(match.group(5)), int(match.group(4)),
        )  # fmt: skip
        checks = [Check(clip(squeeze(line.split(" - ")[0]), 80), False, name) for line in _FAILED.findall(text)[:20]]
        passing = _PASSED_LINE.findall(text)
        if len(passing) == passed and len(checks) == failed:  # of some alone nobody could say of how many they are
            checks += [Check(clip(squeeze(line), 80), True, name) for line in passing]
        yield Checks(name, passed, failed + passed, tuple(checks))

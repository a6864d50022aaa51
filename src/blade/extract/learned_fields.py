"""Which fields of a run hold the key, the answer, the expected actions and the checks, where no name says it.

Benchmarks name their fields as they like. What a field does tells, too: a key is the same in all attempts at a task,
and in passes, seldom in failures, it equals another field or stands in the final message; expected actions name tools
that were called; checks have one state in passes and another one in failures. A few hundred rows show that. What they
do not show clearly is not taken.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import orjson

from blade.extract.answer_key import LONGEST, Key, key_of
from blade.extract.checks import CheckFields
from blade.extract.learned_checks import flag_records, have_checks, have_failing_checks, learned_checks
from blade.extract.learned_samples import (
    FEWEST,
    HALF,
    MOSTLY,
    NEARLY_ALL,
    Sample,
    by_task,
    is_of_the_task,
    plain_value,
    record_fields,
    sample_of,
    share_of,
    value_at,
    with_tasks,
)
from blade.extract.names import is_exit_code, words
from blade.extract.reference import ActionFields, reference_actions
from blade.extract.same_answer import same
from blade.extract.text import canonical
from blade.extract.verdict import answer_field, gold_fields, reward_facts
from blade.frozen import frozen

APART = 0.35
"""By so much of the passes more than of the failures."""
SELDOM = 0.6
SOME = 0.05
MOST_COUNTED = 20
LOOKED_AT = 60
"""Rows in which names are looked for."""


@frozen
class LearnedFields:
    """The dotted names of fields by what they do; empty where a name tells it or nothing shows it."""

    key: str = ""
    answer: str = ""
    actions: ActionFields | None = None
    checks: CheckFields | None = None
    is_result: bool = False
    """Whether the verifier works the answer out of what is handed in: without one, nothing was left unread."""
    no_keys: frozenset[str] = frozenset()
    """Fields with the name of a key that hold what was handed in, another one in each attempt at a task."""
    changing: frozenset[str] = frozenset()
    """Tools of the expected actions that passes do not call where they are not expected: they change something."""

    def __bool__(self) -> bool:
        return bool(self.key or self.answer or self.actions or self.checks or self.no_keys)

    def cache_key(self) -> str:
        """The same words for the same fields in every process."""
        sets = f"{sorted(self.changing)}|{sorted(self.no_keys)}"
        return f"{self.key}|{self.answer}|{self.is_result}|{self.actions}|{self.checks}|{sets}"

    def by_role(self) -> dict[str, str]:
        """What each field is, in words."""
        roles = {
            "key": self.key,
            "answer": self.answer,
            "expected actions": self.actions.field if self.actions else "",
            "checks": f"{self.checks.field}, '{self.checks.passed}' passes" if self.checks else "",
            "no key": ", ".join(sorted(self.no_keys)),
        }
        return {role: field for role, field in roles.items() if field}


NO_FIELDS = LearnedFields()


def is_untold(rows: Sequence[dict[str, Any]]) -> bool:
    """Whether something that could be learned is told by no name: asked of a few rows before many are looked at."""
    samples = [sample_of(place, row, passed=False) for place, row in enumerate(rows)]
    with_actions = _have_actions(rows)
    if not with_actions and not (_have_key(rows) and _have_answer(rows)) and any(sample.scalars for sample in samples):
        return True
    has_lists = any(sample.records or any(flag_records(sample.row, "", 0)) for sample in samples)
    return has_lists and not (with_actions and have_checks(rows))


def is_told(inputs: Sequence[dict[str, Any]]) -> bool:
    """Whether the inputs of a run tell by name what was expected: its rows need not."""
    return _have_actions(inputs) or share_of(inputs, gold_fields) > 0.5


def learn(rows: Iterable[dict[str, Any]], reward_field: str | None = None) -> LearnedFields:
    """What the fields of these rows are, as far as passes and failures show it and names do not."""
    rewarded = [(row, reward) for row in rows if (reward := reward_facts(row, reward_field)["reward"]) is not None]
    best = max((reward for _, reward in rewarded), default=0.0)
    samples = with_tasks([sample_of(place, row, passed=reward >= best) for place, (row, reward) in enumerate(rewarded)])
    passes = [sample for sample in samples if sample.passed]
    failures = [sample for sample in samples if not sample.passed]
    tasks = {sample.task for sample in samples}
    if min(len(passes), len(failures), len(tasks)) < FEWEST:
        return NO_FIELDS
    first_rows = [sample.row for sample in samples[:LOOKED_AT]]
    with_actions = _have_actions(first_rows)
    actions = None if with_actions else _actions(samples)
    explained = have_checks(first_rows) and have_failing_checks([sample.row for sample in failures])
    checks = None if explained else learned_checks(passes, failures)
    no_keys = _no_keys(samples)
    key, answer = ("", "") if actions or with_actions else _key_and_answer(samples, no_keys)
    is_result = bool(answer) and share_of(passes, partial(_is_stated, answer)) < HALF
    return LearnedFields(key, answer, actions, checks, is_result, no_keys, _changing_tools(samples, actions))


def _have_key(rows: Sequence[dict[str, Any]], no_keys: Collection[str] = ()) -> bool:
    return share_of(rows, lambda row: _named_key(row, no_keys)) > 0.5


def _named_key(row: dict[str, Any], no_keys: Collection[str] = ()) -> Key | None:
    """The key that a row names."""
    return key_of({name: value for name, value in gold_fields(row).items() if name not in no_keys})


def _no_keys(samples: Sequence[Sample]) -> frozenset[str]:
    """Fields with the name of a key whose value is, in failures too, what was handed in, and differs by attempt."""
    values: dict[str, list[tuple[Sample, str]]] = {}
    for sample in samples:
        for name, value in gold_fields(sample.row).items():
            values.setdefault(name, []).append((sample, str(value).casefold()))
    return frozenset(name for name, pairs in values.items() if _differ(pairs) and _are_handed_in(pairs))


def _differ(pairs: Sequence[tuple[Sample, str]]) -> bool:
    """Whether the attempts at most tasks that have several have several values."""
    tasks: dict[Any, list[str]] = {}
    for sample, text in pairs:
        tasks.setdefault(sample.task, []).append(text)
    several = [texts for texts in tasks.values() if len(texts) > 1]
    return len(several) >= FEWEST and share_of(several, lambda texts: len(set(texts)) > 1) > HALF


def _are_handed_in(pairs: Sequence[tuple[Sample, str]]) -> bool:
    failures = [(sample, text) for sample, text in pairs if not sample.passed]
    return len(failures) >= FEWEST and share_of(failures, lambda pair: pair[1] in pair[0].handed_in) >= MOSTLY


def _have_answer(rows: Sequence[dict[str, Any]]) -> bool:
    return share_of(rows, answer_field) > 0.5


def _have_actions(rows: Sequence[dict[str, Any]]) -> bool:
    return share_of(rows, reference_actions) > 0.5


def _key_and_answer(samples: Sequence[Sample], no_keys: Collection[str]) -> tuple[str, str]:
    """The key and the answer that the verifier read, where one of them or both have no telling name."""
    rows = [sample.row for sample in samples[:LOOKED_AT]]
    has_key = _have_key(rows, no_keys)
    if has_key and _have_answer(rows):
        return "", ""
    present = Counter(name for sample in samples for name in sample.scalars)
    names = [name for name, number in present.items() if number >= HALF * len(samples) and not _is_code(name)]
    of_tasks = [name for name in names if _is_key(name, [sample for sample in samples if name in sample.scalars])]
    named_key = next((key.field for row in rows if (key := _named_key(row, no_keys))), "") if has_key else ""
    named_answer = next((pair[0] for row in rows if (pair := answer_field(row))), "") if _have_answer(rows) else ""
    keys = [named_key] if named_key else of_tasks
    answers = [named_answer] if named_answer else [name for name in names if name not in of_tasks]
    best = max(
        (
            (_apart_where(key, samples, partial(_are_equal, key, answer)), -place, key, answer)
            for place, (key, answer) in enumerate((key, answer) for key in keys for answer in answers)
        ),
        default=(0.0, 0, "", ""),
    )
    if best[0] >= APART and not _counts(samples, best[2], best[3]):
        return "" if named_key else best[2], "" if named_answer else best[3]
    if named_key or named_answer:
        return "", ""
    unasked = [key for key in keys if share_of(samples, partial(_is_asked, key)) < 1 - MOSTLY]
    stated = [(_apart(samples, partial(_is_stated, key)), -place, key) for place, key in enumerate(unasked)]
    share, _, field = max(stated, default=(0.0, 0, ""))
    return (field, "") if share >= APART else ("", "")


def _is_code(field: str) -> bool:
    """Whether a field by its name holds how a process ended: equal codes are no answer."""
    return is_exit_code(field) or words(field)[-1:] in {("rc",), ("retcode",), ("signal",)}


def _is_key(field: str, having: Sequence[Sample]) -> bool:
    """Whether the rows that have a field have one value for each task, and no value is that of nearly all tasks."""
    if not is_of_the_task(having, partial(_text_of, field=field)):
        return False
    values = Counter(_text_of(task[0], field) for task in by_task(having))
    return max(values.values()) <= MOSTLY * values.total()


def _apart_where(field: str, samples: Sequence[Sample], test: Callable[[Sample], bool]) -> float:
    """The same over the rows that have a field, if most passes do: tasks of another kind may have none."""
    having = [sample for sample in samples if field in sample.scalars]
    passes = sum(sample.passed for sample in samples)
    return _apart(having, test) if sum(sample.passed for sample in having) >= HALF * passes else 0.0


def _apart(samples: Sequence[Sample], test: Callable[[Sample], bool]) -> float:
    """By how much more often passes than failures show something; 0 where it is not mostly there in passes."""
    passes = share_of([sample for sample in samples if sample.passed], test)
    failures = share_of([sample for sample in samples if not sample.passed], test)
    return passes - failures if passes >= MOSTLY and failures <= SELDOM else 0.0


def _counts(samples: Sequence[Sample], key: str, answer: str) -> bool:
    """Whether two fields are how many there are and how many passed: whole numbers, in failures always fewer.

    Small numbers are also taken the other way round.
    """
    failures = [(_text_of(sample, answer), _text_of(sample, key)) for sample in samples if not sample.passed]
    numbers = [(int(one), int(other)) for one, other in failures if one.isdecimal() and other.isdecimal()]
    small = all(max(pair) <= MOST_COUNTED for pair in numbers)
    fewer, more = (all(sign * (one - other) > 0 for one, other in numbers) for sign in (-1, 1))
    return len(numbers) >= FEWEST and (fewer or (small and more))


def _are_equal(key: str, answer: str, sample: Sample) -> bool:
    one, other = _text_of(sample, key), _text_of(sample, answer)
    return bool(one and other) and same(other, one)


def _text_of(sample: Sample, field: str) -> str:
    text = sample.scalars.get(field)
    if text is None:
        value = plain_value(sample.row, field)
        text = "" if value is None else str(value)
    return text.strip() if len(text) <= LONGEST else ""


def _is_asked(key: str, sample: Sample) -> bool:
    """Whether the prompt holds the text of a field: what a task is about is named in its answers, and is no key."""
    return _text_of(sample, key).casefold() in sample.prompt


def _is_stated(key: str, sample: Sample) -> bool:
    """Whether the final message states a key, by itself and not as a part of a word or of a number."""
    text = _text_of(sample, key).casefold()
    at = sample.final.find(text) if len(text) > 1 else -1
    if at < 0:
        return False
    before, after = sample.final[:at][-1:], sample.final[at + len(text) :][:1]
    return not (before.isalnum() and text[0].isalnum()) and not (after.isalnum() and text[-1].isalnum())


def _actions(samples: Sequence[Sample]) -> ActionFields | None:
    """A list that names tools with arguments, the same in all attempts at a task, and not done in many failures."""
    tools = {name for sample in samples for name in sample.calls}
    for field in record_fields(samples):
        entries = [entry for sample in samples for entry in sample.records.get(field, ())]
        shapes = Counter(shape for entry in entries if (shape := _action_shape(entry, tools)) is not None)
        if not shapes or len(entries) < FEWEST:
            continue
        (tool, arguments), number = shapes.most_common(1)[0]
        if number < 0.9 * len(entries):
            continue
        learned = ActionFields(field, tool, arguments, choices=_are_choices(entries, arguments, samples))
        if is_of_the_task(samples, partial(_records_text, field)) and _is_left_undone(samples, learned):
            return learned
    return None


def _are_choices(entries: Sequence[Mapping[str, Any]], arguments: str, samples: Sequence[Sample]) -> bool:
    """Whether nearly every expected argument is a list, of what is right, while those of calls mostly are none."""
    expected = [value for entry in entries if isinstance(made := entry.get(arguments), dict) for value in made.values()]
    calling = [sample for sample in samples if sample.calls][:LOOKED_AT]
    given = [value for sample in calling for value in _given_values(sample.row)]
    as_lists = partial(share_of, test=lambda value: isinstance(value, list))
    return bool(expected) and as_lists(expected) >= NEARLY_ALL and as_lists(given) < HALF


def _given_values(row: dict[str, Any]) -> Iterator[Any]:
    """The arguments of the calls of a row."""
    output = value_at(row, "response.output")
    for item in output if isinstance(output, list) else ():
        if isinstance(item, dict) and isinstance(text := item.get("arguments"), str):
            try:
                made = orjson.loads(text)
            except orjson.JSONDecodeError:
                continue
            yield from made.values() if isinstance(made, dict) else ()


def _changing_tools(samples: Sequence[Sample], actions: ActionFields | None) -> frozenset[str]:
    """Tools that change something: what only looks something up is called in passes though no key asks for it.

    Where that is so of nearly all of many tools, the key judges every call, and the few of which it is not known count.
    """
    if actions is None:
        return frozenset()
    tools_of = {id(sample): _expected_tools(sample, actions) for sample in samples}
    passes = [sample for sample in samples if sample.passed]
    changing, looking = set[str](), set[str]()
    for tool in set[str]().union(*(tools_of[id(sample)] for sample in passes)):
        unasked = [sample for sample in passes if tool not in tools_of[id(sample)]]
        if len(unasked) >= FEWEST:
            often = sum(tool in sample.calls for sample in unasked) > SOME * len(unasked)
            (looking if often else changing).add(tool)
    if len(changing) >= FEWEST and not looking:
        changing |= set[str]().union(*tools_of.values())
    return frozenset(changing)


def _expected_tools(sample: Sample, actions: ActionFields) -> set[str]:
    return {str(entry.get(actions.tool)) for entry in sample.records.get(actions.field, ())}


def _records_text(field: str, sample: Sample) -> bytes:
    return canonical(sample.records.get(field))


def _is_left_undone(samples: Sequence[Sample], actions: ActionFields) -> bool:
    """Whether failures lack an action of the list: a list of what was done lacks none."""
    failures = [sample for sample in samples if not sample.passed and sample.records.get(actions.field)]
    return share_of(failures, partial(_lacks, actions)) > SOME


def _lacks(actions: ActionFields, sample: Sample) -> bool:
    return any(entry.get(actions.tool) not in sample.calls for entry in sample.records[actions.field])


def _action_shape(entry: Mapping[str, Any], tools: set[str]) -> tuple[str, str] | None:
    """The key that names a tool and the one that holds its arguments, where an entry has one of each."""
    tool = [name for name, value in entry.items() if isinstance(value, str) and value in tools]
    arguments = [name for name, value in entry.items() if isinstance(value, dict) or _is_object(value)]
    return (tool[0], arguments[0]) if len(tool) == len(arguments) == 1 else None


def _is_object(value: Any) -> bool:
    if not isinstance(value, str) or value.lstrip()[:1] != "{":
        return False
    try:
        return isinstance(orjson.loads(value), dict)
    except orjson.JSONDecodeError:
        return False

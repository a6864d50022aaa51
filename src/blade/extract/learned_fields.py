"""Which fields of a run hold the key, the answer, the expected actions and the checks, where no name says it.

Benchmarks name their fields as they like. What a field does tells, too: a key is the same in all attempts at a task,
and in passes, seldom in failures, it equals another field or stands in the final message; expected actions name tools
that were called; checks have one state in passes and another one in failures. A few hundred rows show that. What they
do not show clearly is not taken.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import orjson

from blade.extract.answer_key import LONGEST, Key, key_of
from blade.extract.checks import CHECK_NAMES, CheckFields, checks_of, flags_of
from blade.extract.field_roles import HEAVY
from blade.extract.names import is_exit_code, words
from blade.extract.reference import ActionFields, reference_actions
from blade.extract.same_answer import same
from blade.extract.text import canonical
from blade.extract.verdict import REWARD_FIELDS, answer_field, gold_fields, reward_facts
from blade.frozen import frozen
from blade.task_names import ID_FIELDS

FEWEST = 8
"""So many passes and so many failures must show it, and so many tasks."""
MOSTLY, HALF, SEVERAL = 0.8, 0.5, 0.75
NEARLY_ALL = 0.95
APART = 0.35
"""By so much of the passes more than of the failures."""
SELDOM = 0.6
SOME = 0.05
MOST_STATES = 6
MOST_FIELDS = 60
MOST_OF_RECORD = 12
"""A record with more values is no expectation of one task."""
LONGEST_WORD = 20
MOST_COUNTED = 20
LOOKED_AT = 60
"""Rows in which names are looked for."""
_DEEPEST = 2
_STAMPS = ("_ng_", "ng_", "_translated")
_NO_FIELDS = HEAVY | {"agent_ref", "skills_ref", *REWARD_FIELDS}


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


def value_at(row: Any, field: str) -> Any:
    """The value under a dotted name; None where there is none."""
    for part in field.split("."):
        row = row.get(part) if isinstance(row, dict) else None
    return row


def plain_value(row: Any, field: str) -> Any:
    """The value under a dotted name; of a table with one cell that cell, other tables and objects as their JSON."""
    value = value_at(row, field)
    while isinstance(value, list) and len(value) == 1:
        value = value[0]
    return canonical(value).decode() if isinstance(value, (list, dict)) and value else value


@frozen
class _Sample:
    """One row, as far as it tells what its fields do."""

    task: Any
    passed: bool
    row: dict[str, Any]
    scalars: dict[str, str]
    records: dict[str, list[dict[str, Any]]]
    """Lists of objects, empty ones too."""
    prompt: str
    final: str
    """The last message of the model, as the prompt in small letters."""
    handed_in: str
    """The same with the last call and what it is given."""
    calls: list[str]


def is_untold(rows: Sequence[dict[str, Any]]) -> bool:
    """Whether something that could be learned is told by no name: asked of a few rows before many are looked at."""
    samples = [_sample(place, row, passed=False) for place, row in enumerate(rows)]
    with_actions = _have_actions(rows)
    if not with_actions and not (_have_key(rows) and _have_answer(rows)) and any(sample.scalars for sample in samples):
        return True
    has_lists = any(sample.records or any(_flag_records(sample.row, "", 0)) for sample in samples)
    return has_lists and not (with_actions and _have_checks(rows))


def is_told(inputs: Sequence[dict[str, Any]]) -> bool:
    """Whether the inputs of a run tell by name what was expected: its rows need not."""
    return _have_actions(inputs) or _share(inputs, gold_fields) > 0.5


def learn(rows: Iterable[dict[str, Any]], reward_field: str | None = None) -> LearnedFields:
    """What the fields of these rows are, as far as passes and failures show it and names do not."""
    rewarded = [(row, reward) for row in rows if (reward := reward_facts(row, reward_field)["reward"]) is not None]
    best = max((reward for _, reward in rewarded), default=0.0)
    samples = _with_tasks([_sample(place, row, passed=reward >= best) for place, (row, reward) in enumerate(rewarded)])
    passes = [sample for sample in samples if sample.passed]
    failures = [sample for sample in samples if not sample.passed]
    tasks = {sample.task for sample in samples}
    if min(len(passes), len(failures), len(tasks)) < FEWEST:
        return NO_FIELDS
    first_rows = [sample.row for sample in samples[:LOOKED_AT]]
    with_actions = _have_actions(first_rows)
    actions = None if with_actions else _actions(samples)
    checks = (
        None
        if _have_checks(first_rows)
        else _checks(passes, failures) or _flags(passes, failures) or _words(passes, failures)
    )
    no_keys = _no_keys(samples)
    key, answer = ("", "") if actions or with_actions else _key_and_answer(samples, no_keys)
    is_result = bool(answer) and _share(passes, partial(_is_stated, answer)) < HALF
    return LearnedFields(key, answer, actions, checks, is_result, no_keys, _changing_tools(samples, actions))


def _share(rows: Sequence[Any], test: Callable[[Any], object]) -> float:
    return sum(bool(test(row)) for row in rows) / len(rows) if rows else 0.0


def _have_key(rows: Sequence[dict[str, Any]], no_keys: Collection[str] = ()) -> bool:
    return _share(rows, lambda row: _named_key(row, no_keys)) > 0.5


def _named_key(row: dict[str, Any], no_keys: Collection[str] = ()) -> Key | None:
    """The key that a row names."""
    return key_of({name: value for name, value in gold_fields(row).items() if name not in no_keys})


def _no_keys(samples: Sequence[_Sample]) -> frozenset[str]:
    """Fields with the name of a key whose value is, in failures too, what was handed in, and differs by attempt."""
    values: dict[str, list[tuple[_Sample, str]]] = {}
    for sample in samples:
        for name, value in gold_fields(sample.row).items():
            values.setdefault(name, []).append((sample, str(value).casefold()))
    return frozenset(name for name, pairs in values.items() if _differ(pairs) and _are_handed_in(pairs))


def _differ(pairs: Sequence[tuple[_Sample, str]]) -> bool:
    """Whether the attempts at most tasks that have several have several values."""
    tasks: dict[Any, list[str]] = {}
    for sample, text in pairs:
        tasks.setdefault(sample.task, []).append(text)
    several = [texts for texts in tasks.values() if len(texts) > 1]
    return len(several) >= FEWEST and _share(several, lambda texts: len(set(texts)) > 1) > HALF


def _are_handed_in(pairs: Sequence[tuple[_Sample, str]]) -> bool:
    failures = [(sample, text) for sample, text in pairs if not sample.passed]
    return len(failures) >= FEWEST and _share(failures, lambda pair: pair[1] in pair[0].handed_in) >= MOSTLY


def _have_answer(rows: Sequence[dict[str, Any]]) -> bool:
    return _share(rows, answer_field) > 0.5


def _have_actions(rows: Sequence[dict[str, Any]]) -> bool:
    return _share(rows, reference_actions) > 0.5


def _have_checks(rows: Sequence[dict[str, Any]]) -> bool:
    return _share(rows, lambda row: next(checks_of(row), None)) > 0.25


def _sample(place: int, row: dict[str, Any], *, passed: bool) -> _Sample:
    scalars: dict[str, str] = {}
    records: dict[str, list[dict[str, Any]]] = {}
    for name, value in _fields(row, "", 0):
        if isinstance(value, list):
            if all(isinstance(entry, dict) for entry in value):
                records[name] = value
            elif len(text := str(plain_value(row, name))) <= LONGEST:
                scalars[name] = text
        elif isinstance(value, dict):
            if len(text := canonical(value).decode()) <= LONGEST:
                scalars[name] = text
        elif len(text := str(value)) <= LONGEST:
            scalars[name] = text
    output = value_at(row, "response.output")
    items = [item for item in output if isinstance(item, dict)] if isinstance(output, list) else []
    calls = [tool for item in items if isinstance(tool := item.get("name"), str) and "arguments" in item]
    final = next((item for item in reversed(items) if item.get("role") == "assistant"), {})
    asked = value_at(row, "responses_create_params.input")
    prompt = " ".join(map(_words_of, asked)) if isinstance(asked, list) else str(asked or "")
    closing, last = _words_of(final), next((item for item in reversed(items) if "arguments" in item), {})
    handed_in = f"{closing}\n{str(last.get('arguments') or '').casefold()}"
    task = row.get("_ng_task_index", place)
    return _Sample(task, passed, row, scalars, records, prompt.casefold(), closing, handed_in, calls)


def _with_tasks(samples: list[_Sample]) -> list[_Sample]:
    """Where no index names the tasks, an id does, else the prompt: several rows have each, and there are several."""
    if any("_ng_task_index" in sample.row for sample in samples):
        return samples
    ids = [[str(value_at(sample.row, field) or "") for sample in samples] for field in ID_FIELDS]
    for names in (*ids, [sample.prompt for sample in samples]):
        if all(names) and FEWEST <= len(set(names)) <= SEVERAL * len(names):
            return [replace(sample, task=name) for sample, name in zip(samples, names, strict=True)]
    return samples


def _fields(holder: Mapping[str, Any], prefix: str, depth: int) -> Iterator[tuple[str, Any]]:
    """The fields of a row that may be meant: plain values and lists, some levels down."""
    for number, (name, value) in enumerate(holder.items()):
        if number >= MOST_FIELDS or "." in name or name.startswith(_STAMPS) or (not depth and name in _NO_FIELDS):
            continue
        if isinstance(value, dict):
            if depth and len(value) <= MOST_OF_RECORD:
                yield prefix + name, value
            if depth < _DEEPEST:
                yield from _fields(value, f"{prefix}{name}.", depth + 1)
        elif isinstance(value, (str, int, float, list)) and not isinstance(value, bool):
            yield prefix + name, value


def _words_of(item: Any) -> str:
    """The text of a message, in small letters."""
    content = item.get("content") if isinstance(item, dict) else None
    parts = content if isinstance(content, list) else [content]
    texts = [part.get("text") if isinstance(part, dict) else part for part in parts]
    return " ".join(text for text in texts if isinstance(text, str)).casefold()


def _by_task(samples: Iterable[_Sample]) -> list[list[_Sample]]:
    tasks: dict[Any, list[_Sample]] = {}
    for sample in samples:
        tasks.setdefault(str(sample.task), []).append(sample)
    return list(tasks.values())


def _is_of_the_task(samples: Sequence[_Sample], value_of: Callable[[_Sample], Any]) -> bool:
    """Whether all attempts at a task have one value, and tasks have several."""
    values = [[value_of(sample) for sample in task] for task in _by_task(samples)]
    several = [task for task in values if len(task) > 1]
    constant = _share(several, lambda task: all(value == task[0] for value in task)) if several else 1.0
    return constant >= NEARLY_ALL and len({str(task[0]) for task in values}) > 1


def _key_and_answer(samples: Sequence[_Sample], no_keys: Collection[str]) -> tuple[str, str]:
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
    unasked = [key for key in keys if _share(samples, partial(_is_asked, key)) < 1 - MOSTLY]
    stated = [(_apart(samples, partial(_is_stated, key)), -place, key) for place, key in enumerate(unasked)]
    share, _, field = max(stated, default=(0.0, 0, ""))
    return (field, "") if share >= APART else ("", "")


def _is_code(field: str) -> bool:
    """Whether a field by its name holds how a process ended: equal codes are no answer."""
    return is_exit_code(field) or words(field)[-1:] in {("rc",), ("retcode",), ("signal",)}


def _is_key(field: str, having: Sequence[_Sample]) -> bool:
    """Whether the rows that have a field have one value for each task, and no value is that of nearly all tasks."""
    if not _is_of_the_task(having, partial(_text_of, field=field)):
        return False
    values = Counter(_text_of(task[0], field) for task in _by_task(having))
    return max(values.values()) <= MOSTLY * values.total()


def _apart_where(field: str, samples: Sequence[_Sample], test: Callable[[_Sample], bool]) -> float:
    """The same over the rows that have a field, if most passes do: tasks of another kind may have none."""
    having = [sample for sample in samples if field in sample.scalars]
    passes = sum(sample.passed for sample in samples)
    return _apart(having, test) if sum(sample.passed for sample in having) >= HALF * passes else 0.0


def _apart(samples: Sequence[_Sample], test: Callable[[_Sample], bool]) -> float:
    """By how much more often passes than failures show something; 0 where it is not mostly there in passes."""
    passes = _share([sample for sample in samples if sample.passed], test)
    failures = _share([sample for sample in samples if not sample.passed], test)
    return passes - failures if passes >= MOSTLY and failures <= SELDOM else 0.0


def _counts(samples: Sequence[_Sample], key: str, answer: str) -> bool:
    """Whether two fields are how many there are and how many passed: whole numbers, in failures always fewer.

    Small numbers are also taken the other way round.
    """
    failures = [(_text_of(sample, answer), _text_of(sample, key)) for sample in samples if not sample.passed]
    numbers = [(int(one), int(other)) for one, other in failures if one.isdecimal() and other.isdecimal()]
    small = all(max(pair) <= MOST_COUNTED for pair in numbers)
    fewer, more = (all(sign * (one - other) > 0 for one, other in numbers) for sign in (-1, 1))
    return len(numbers) >= FEWEST and (fewer or (small and more))


def _are_equal(key: str, answer: str, sample: _Sample) -> bool:
    one, other = _text_of(sample, key), _text_of(sample, answer)
    return bool(one and other) and same(other, one)


def _text_of(sample: _Sample, field: str) -> str:
    text = sample.scalars.get(field)
    if text is None:
        value = plain_value(sample.row, field)
        text = "" if value is None else str(value)
    return text.strip() if len(text) <= LONGEST else ""


def _is_asked(key: str, sample: _Sample) -> bool:
    """Whether the prompt holds the text of a field: what a task is about is named in its answers, and is no key."""
    return _text_of(sample, key).casefold() in sample.prompt


def _is_stated(key: str, sample: _Sample) -> bool:
    """Whether the final message states a key, by itself and not as a part of a word or of a number."""
    text = _text_of(sample, key).casefold()
    at = sample.final.find(text) if len(text) > 1 else -1
    if at < 0:
        return False
    before, after = sample.final[:at][-1:], sample.final[at + len(text) :][:1]
    return not (before.isalnum() and text[0].isalnum()) and not (after.isalnum() and text[-1].isalnum())


def _actions(samples: Sequence[_Sample]) -> ActionFields | None:
    """A list that names tools with arguments, the same in all attempts at a task, and not done in many failures."""
    tools = {name for sample in samples for name in sample.calls}
    for field in _record_fields(samples):
        entries = [entry for sample in samples for entry in sample.records.get(field, ())]
        shapes = Counter(shape for entry in entries if (shape := _action_shape(entry, tools)) is not None)
        if not shapes or len(entries) < FEWEST:
            continue
        (tool, arguments), number = shapes.most_common(1)[0]
        if number < 0.9 * len(entries):
            continue
        learned = ActionFields(field, tool, arguments, choices=_are_choices(entries, arguments, samples))
        if _is_of_the_task(samples, partial(_records_text, field)) and _is_left_undone(samples, learned):
            return learned
    return None


def _are_choices(entries: Sequence[Mapping[str, Any]], arguments: str, samples: Sequence[_Sample]) -> bool:
    """Whether nearly every expected argument is a list, of what is right, while those of calls mostly are none."""
    expected = [value for entry in entries if isinstance(made := entry.get(arguments), dict) for value in made.values()]
    given = [value for sample in samples[:LOOKED_AT] for value in _given_values(sample.row)]
    as_lists = partial(_share, test=lambda value: isinstance(value, list))
    return bool(expected and given) and as_lists(expected) >= NEARLY_ALL and as_lists(given) < HALF


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


def _changing_tools(samples: Sequence[_Sample], actions: ActionFields | None) -> frozenset[str]:
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


def _expected_tools(sample: _Sample, actions: ActionFields) -> set[str]:
    return {str(entry.get(actions.tool)) for entry in sample.records.get(actions.field, ())}


def _records_text(field: str, sample: _Sample) -> bytes:
    return canonical(sample.records.get(field))


def _is_left_undone(samples: Sequence[_Sample], actions: ActionFields) -> bool:
    """Whether failures lack an action of the list: a list of what was done lacks none."""
    failures = [sample for sample in samples if not sample.passed and sample.records.get(actions.field)]
    return _share(failures, partial(_lacks, actions)) > SOME


def _lacks(actions: ActionFields, sample: _Sample) -> bool:
    return any(entry.get(actions.tool) not in sample.calls for entry in sample.records[actions.field])


def _record_fields(samples: Sequence[_Sample]) -> list[str]:
    """The lists of objects that most rows have, in the order of the rows."""
    present = Counter(name for sample in samples for name in sample.records)
    return [name for name, number in present.items() if number >= 0.5 * len(samples)]


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


def _checks(passes: Sequence[_Sample], failures: Sequence[_Sample]) -> CheckFields | None:
    """A list whose entries have all the same state in passes, while most failures have another one among theirs."""
    samples = [*passes, *failures]
    for field in _record_fields(samples):
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
                and _share(failing, partial(_has_another, field, state, word)) >= MOSTLY
            ):
                return CheckFields(field, _name_of(entries, [key for key in whole if key != state]), state, word)
    return None


def _flags(passes: Sequence[_Sample], failures: Sequence[_Sample]) -> CheckFields | None:
    """A record of flags that are all set in passes, while one at least is not in half of the failures that have it."""
    fields = dict.fromkeys(name for sample in passes for name in _flag_records(sample.row, "", 0))
    for field in fields:
        passing, failing = (
            [flags for sample in samples if (flags := _flags_at(sample, field))] for samples in (passes, failures)
        )
        if (
            min(len(passing), len(failing)) >= max(FEWEST, HALF * min(len(passes), len(failures)))
            and sum(map(len, passing)) > 1.5 * len(passing)
            and _share(passing, lambda flags: all(flags.values())) >= NEARLY_ALL
            and _share(failing, lambda flags: not all(flags.values())) >= HALF
        ):
            return CheckFields(field, "", "", 1.0)
    return None


def _words(passes: Sequence[_Sample], failures: Sequence[_Sample]) -> CheckFields | None:
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
        if number >= MOST_FIELDS or "." in name or name.startswith(_STAMPS) or (not depth and name in _NO_FIELDS):
            continue
        if isinstance(value, dict):
            if _is_of_words(value):
                yield prefix + name
            elif depth < _DEEPEST:
                yield from _word_records(value, f"{prefix}{name}.", depth + 1)


def _is_of_words(record: Any) -> bool:
    return (
        isinstance(record, dict)
        and len(record) > 1
        and all(isinstance(word, str) and 0 < len(word) <= LONGEST_WORD for word in record.values())
    )


def _flag_records(holder: Mapping[str, Any], prefix: str, depth: int) -> Iterator[str]:
    """The records of a row that hold flags alone, the outer one before those in it."""
    for number, (name, value) in enumerate(holder.items()):
        if number >= MOST_FIELDS or "." in name or name.startswith(_STAMPS) or (not depth and name in _NO_FIELDS):
            continue
        if isinstance(value, dict):
            if flags_of(value):
                yield prefix + name
            if depth < _DEEPEST:
                yield from _flag_records(value, f"{prefix}{name}.", depth + 1)


def _flags_at(sample: _Sample, field: str) -> dict[str, bool]:
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


def _has_another(field: str, state: str, word: Any, sample: _Sample) -> bool:
    return any(entry.get(state) != word for entry in sample.records[field])


def _different(entries: Sequence[Mapping[str, Any]], key: str) -> int:
    """How many different values a key has."""
    return len({entry.get(key) for entry in entries})

"""Rows as samples from which the roles of fields are learned: plain fields, records, what was said and called."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from blade.extract.answer_key import LONGEST
from blade.extract.field_roles import HEAVY
from blade.extract.text import canonical
from blade.extract.verdict import REWARD_FIELDS
from blade.frozen import frozen
from blade.late_regex import late_regex
from blade.task_names import ID_FIELDS

FEWEST = 8
"""So many passes and so many failures must show it, and so many tasks."""
MOSTLY, HALF, SEVERAL = 0.8, 0.5, 0.75
NEARLY_ALL = 0.95
MOST_FIELDS = 60
MOST_OF_RECORD = 12
"""A record with more values is no expectation of one task."""
DEEPEST = 2
LOOKED_AT = 20_000
_NAMED_CALL = late_regex(r'"(?:name|tool|tool_name|function)"\s*:\s*"([A-Za-z_][\w.-]{0,79})"')
"""A call that a message writes as JSON."""
STAMPS = ("_ng_", "ng_", "_translated")
NO_TASK_FIELDS = HEAVY | {"agent_ref", "skills_ref", *REWARD_FIELDS}


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
class Sample:
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


def sample_of(place: int, row: dict[str, Any], *, passed: bool) -> Sample:
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
    calls = calls or _NAMED_CALL.findall(_words_of(final, lower=False)[:LOOKED_AT])
    asked = value_at(row, "responses_create_params.input")
    prompt = " ".join(map(_words_of, asked)) if isinstance(asked, list) else str(asked or "")
    closing, last = _words_of(final), next((item for item in reversed(items) if "arguments" in item), {})
    handed_in = f"{closing}\n{str(last.get('arguments') or '').casefold()}"
    task = row.get("_ng_task_index", place)
    return Sample(task, passed, row, scalars, records, prompt.casefold(), closing, handed_in, calls)


def with_tasks(samples: list[Sample]) -> list[Sample]:
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
        if number >= MOST_FIELDS or "." in name or name.startswith(STAMPS) or (not depth and name in NO_TASK_FIELDS):
            continue
        if isinstance(value, dict):
            if depth and len(value) <= MOST_OF_RECORD:
                yield prefix + name, value
            if depth < DEEPEST:
                yield from _fields(value, f"{prefix}{name}.", depth + 1)
        elif isinstance(value, (str, int, float, list)) and not isinstance(value, bool):
            yield prefix + name, value


def _words_of(item: Any, *, lower: bool = True) -> str:
    """The text of a message, in small letters."""
    content = item.get("content") if isinstance(item, dict) else None
    parts = content if isinstance(content, list) else [content]
    texts = [part.get("text") if isinstance(part, dict) else part for part in parts]
    words = " ".join(text for text in texts if isinstance(text, str))
    return words.casefold() if lower else words


def by_task(samples: Iterable[Sample]) -> list[list[Sample]]:
    tasks: dict[Any, list[Sample]] = {}
    for sample in samples:
        tasks.setdefault(str(sample.task), []).append(sample)
    return list(tasks.values())


def is_of_the_task(samples: Sequence[Sample], value_of: Callable[[Sample], Any]) -> bool:
    """Whether all attempts at a task have one value, and tasks have several."""
    values = [[value_of(sample) for sample in task] for task in by_task(samples)]
    several = [task for task in values if len(task) > 1]
    constant = share_of(several, lambda task: all(value == task[0] for value in task)) if several else 1.0
    return constant >= NEARLY_ALL and len({str(task[0]) for task in values}) > 1


def share_of(rows: Sequence[Any], test: Callable[[Any], object]) -> float:
    return sum(bool(test(row)) for row in rows) / len(rows) if rows else 0.0


def record_fields(samples: Sequence[Sample]) -> list[str]:
    """The lists of objects that most rows have, in the order of the rows."""
    present = Counter(name for sample in samples for name in sample.records)
    return [name for name, number in present.items() if number >= 0.5 * len(samples)]

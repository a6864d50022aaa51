"""What stands in the fields of rows, nested and long ones too: one pass, and memory that does not grow with the file.

The facts of a run keep short scalars only. A skill must also tell of lists, objects and long texts, so the rows are
read once more; of each field only counts, a few short examples and at most a thousand hashes are kept.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import orjson
from xxhash import xxh3_64_intdigest

from blade.extract.field_roles import field_name
from blade.extract.numbers import LARGEST, number

MOST_FIELDS = 600
WIDEST = 60
DEEPEST = 4
TRANSCRIPT_DEEPEST = 3
MOST_ITEMS = 50
MOST_LEVELS = 50
MOST_DISTINCT = 1000
MOST_TASKS = 2000
EXAMPLES = 3
SHORT = 60
TRANSCRIPT = ("responses_create_params", "response", "ng_")
_INNER = {"response", "responses_create_params"}
"""A judge's own transcript inside a field: told of, not listed."""
_TYPES = {"str": "str", "int": "int", "float": "float", "bool": "bool", "list": "list", "dict": "object"}


@dataclass(slots=True)
class ProfileLevel:
    """Rows that have one value, and their scores."""

    rows: int = 0
    total: float = 0.0
    squares: float = 0.0

    def add(self, score: float) -> None:
        self.rows += 1
        self.total += score
        self.squares += score * score

    @property
    def mean(self) -> float:
        return self.total / self.rows


@dataclass(slots=True)
class ProfileRow:
    """What is known of a row beside its JSON."""

    score: float | None = None
    task: Any = None
    run: int = 0


@dataclass(slots=True)
class Field:
    """Running counts of one field. `rows` counts rows, `types` counts values (a list has several per row)."""

    name: str
    rows: int = 0
    types: Counter[str] = field(default_factory=Counter)
    levels: dict[str, ProfileLevel] | None = field(default_factory=dict)
    sizes: tuple[int, int] | None = None
    scored: ProfileLevel = field(default_factory=ProfileLevel)
    nulls: ProfileLevel = field(default_factory=ProfileLevel)
    equal: int = 0
    numeric: int = 0
    sums: list[float] = field(default_factory=lambda: [0.0] * 5)
    examples: list[Any] = field(default_factory=list)
    wide: bool = False
    repeated: bool = False
    constant: bool = True
    _distinct: set[int] = field(default_factory=set)
    _by_task: dict[Any, int] = field(default_factory=dict)
    _by_run: dict[int, int | None] = field(default_factory=dict)
    _last: int = -1

    @property
    def distinct(self) -> int:
        return len(self._distinct)

    @property
    def many(self) -> bool:
        """Whether there are more values than were counted."""
        return len(self._distinct) >= MOST_DISTINCT

    @property
    def of_run(self) -> bool:
        """Whether it is the same on all rows of a run and differs between runs: a setting."""
        marks = set(self._by_run.values())
        return len(marks) > 1 and None not in marks

    @property
    def listed(self) -> bool:
        return "[]" in self.name

    def add(self, row: int, value: Any, line: ProfileRow) -> None:
        if row != self._last:
            self._last = row
            self.rows += 1
        kind = "null" if value is None else _TYPES.get(type(value).__name__, "other")
        self.types[kind] += 1
        if isinstance(value, (str, list, dict)):
            size = len(value)
            low, high = self.sizes or (size, size)
            self.sizes = (min(low, size), max(high, size))
        text = _text(value)
        mark = xxh3_64_intdigest(text)
        if len(self._distinct) < MOST_DISTINCT and mark not in self._distinct:
            self._distinct.add(mark)
            self._example(value)
        if not self.listed:
            self._of_task(line.task, mark)
            if self._by_run.setdefault(line.run, mark) != mark:
                self._by_run[line.run] = None
            self._with_score(value, text, line.score)

    def _example(self, value: Any) -> None:
        if len(self.examples) < EXAMPLES and isinstance(value, (str, int, float)) and value != "":
            self.examples.append(value[:SHORT] if isinstance(value, str) else value)

    def _of_task(self, task: Any, mark: int) -> None:
        """Whether all attempts at a task agree; the first two thousand tasks are enough to tell."""
        if task is None:
            return
        before = self._by_task.get(task)
        if before is not None:
            self.repeated = True
            self.constant = self.constant and before == mark
        elif len(self._by_task) < MOST_TASKS:
            self._by_task[task] = mark

    def _with_score(self, value: Any, text: bytes, score: float | None) -> None:
        if score is None:
            return
        self.scored.add(score)
        if value is None:
            self.nulls.add(score)
        if self.levels is not None:
            key = _level(value, text)
            if key is None or (key not in self.levels and len(self.levels) >= MOST_LEVELS):
                self.levels = None
            else:
                self.levels.setdefault(key, ProfileLevel()).add(score)
        measure = number(value)
        if measure is not None and abs(measure) < LARGEST:
            self.numeric += 1
            self.equal += measure == score
            for place, term in enumerate((measure, measure * measure, score, score * score, measure * score)):
                self.sums[place] += term


def _level(value: Any, text: bytes) -> str | None:
    """What a value counts as beside the score: itself if short, for a list or an object whether it holds anything."""
    if isinstance(value, (list, dict)):
        return "filled" if value else "empty"
    if isinstance(value, str):
        return text.decode("utf-8", "replace") if len(text) <= SHORT else None
    return "null" if value is None else str(value)


def _text(value: Any) -> bytes:
    if isinstance(value, str):
        return value.encode("utf-8", "surrogatepass")
    try:
        return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
    except TypeError:
        return repr(value).encode("utf-8", "replace")


class Profile:
    """The fields of many rows, by dotted name; `name[]` stands for the items of a list."""

    def __init__(self) -> None:
        self.rows = 0
        self.scored = ProfileLevel()
        self.fields: dict[str, Field] = {}
        self.dropped: set[str] = set()
        self._children: dict[str, set[str]] = {}

    def add(self, row: dict[str, Any], line: ProfileRow) -> None:
        self.rows += 1
        if line.score is not None:
            self.scored.add(line.score)
        for key, value in row.items():
            self._walk(field_name(key), value, 1, line)

    def _walk(self, name: str, value: Any, depth: int, line: ProfileRow) -> None:
        field = self._field(name)
        if field is None:
            return
        field.add(self.rows, value, line)
        limit = _deepest(name)
        if depth >= limit:
            return
        if isinstance(value, dict) and not field.wide:
            self._enter(field, value, depth, line)
        elif isinstance(value, list):
            for item in value[:MOST_ITEMS]:
                self._walk(f"{name}[]", item, depth if isinstance(item, dict) else limit, line)

    def _enter(self, holder: Field, value: dict[str, Any], depth: int, line: ProfileRow) -> None:
        """Into an object, unless its keys are data themselves: then it is a map, and they are not fields."""
        keys = self._children.setdefault(holder.name, set())
        keys.update(value if len(value) <= WIDEST else list(value)[: WIDEST + 1])
        if len(keys) > WIDEST:
            holder.wide = True
            self._forget(holder.name)
            return
        for key, inner in value.items():
            deeper = DEEPEST if key in _INNER else depth + 1
            self._walk(f"{holder.name}.{field_name(key)}", inner, deeper, line)

    def _field(self, name: str) -> Field | None:
        field = self.fields.get(name)
        if field is None:
            if len(self.fields) >= MOST_FIELDS:
                self.dropped.add(name.split(".", 1)[0])
                return None
            field = self.fields[name] = Field(name)
        return field

    def _forget(self, holder: str) -> None:
        for name in [name for name in self.fields if name.startswith(f"{holder}.")]:
            del self.fields[name]

    def ordered(self) -> Iterator[Field]:
        """Fields in order of name, an object before what it holds."""
        for name in sorted(self.fields, key=lambda name: name.replace("[]", "\x01").replace(".", "\x02")):
            yield self.fields[name]


def _deepest(name: str) -> int:
    if name.startswith(("response.usage", "responses_create_params.metadata")):
        return DEEPEST
    return TRANSCRIPT_DEEPEST if name.startswith(TRANSCRIPT) else DEEPEST

"""Suggests a field map for unknown rows: a role for a field only where its name and its values both speak for it.

It is written as a page of YAML with its reasons.
"""

from __future__ import annotations

import itertools
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from blade.errors import InputError
from blade.frozen import frozen
from blade.translate.chat import as_json
from blade.translate.documents import as_rows
from blade.translate.foreign_run import BadRecord
from blade.translate.rollout_row import score_of
from blade.translate.tables import is_table, parsed_text, table_rows

TASK = (
    "task_id instance_id problem_id problem_idx question_id example_id doc_id sample_id item_id case_id "
    "test_id qid uid uuid id key index idx question prompt input problem"
).split()
SCORE = (
    "reward score is_resolved is_correct correct passed success resolved accuracy acc exact_match em points "
    "grade f1 pass rating"
).split()
ATTEMPT = (
    "attempt attempt_id trial trial_id repeat repetition rollout_index run_index sample_index seed epoch n".split()
)
EXPECTED = (
    "expected expected_answer expected_output gold gold_answer ground_truth reference target answer_key label "
    "gts gold_calls answer"
).split()
OUTPUT = (
    "messages trajectory trace transcript output completion response generation model_output prediction "
    "raw_output answer"
).split()
PROMPT = "prompt messages input question problem instruction instructions query".split()
ERROR = "error error_message exception failure_reason failure_type".split()
MODEL = "model model_name model_id".split()
MEASURES = {
    "usage": {
        "input": "input_tokens prompt_tokens num_input_tokens tokens_in".split(),
        "output": "output_tokens completion_tokens num_output_tokens num_generated_tokens tokens_out".split(),
    },
    "time": {
        "seconds": "seconds latency_s duration_s elapsed_s latency_seconds duration_seconds elapsed_seconds".split(),
        "total_ms": "latency_ms duration_ms elapsed_ms total_ms".split(),
    },
}
"""What an attempt cost, by the names that say in which unit."""
FULL = 0.98
HALF = 0.5
FEWEST, MOST = 2, 50
MOST_SLICES = 6
_NO_SCORE = {
    "token",
    "tokens",
    "time",
    "latency",
    "cost",
    "count",
    "id",
    "index",
    "seconds",
    "duration",
    "memory",
    "step",
}
_NO_TASK = {"token", "tokens", "cost", "time", "latency"}
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")


@dataclass(slots=True)
class FieldValues:
    """The values of one field over the rows that were looked at."""

    name: str
    rows: int
    values: dict[int, Any] = field(default_factory=dict)

    @property
    def fill(self) -> float:
        return len(self.values) / self.rows if self.rows else 0.0

    @property
    def distinct(self) -> int:
        return len({as_json(value) for value in self.values.values()})

    @property
    def words(self) -> list[str]:
        return [word.lower() for word in _WORD.findall(self.name.rpartition(".")[2])]

    def rank(self, names: Sequence[str]) -> int | None:
        """The place of the name in a list of names, in whatever case it is written."""
        spellings = [name.replace("_", "") for name in names]
        own = "".join(self.words)
        return spellings.index(own) if own in spellings else None


@frozen
class Suggestion:
    """A line of the map: the role, the field, and why."""

    role: str
    field: str
    why: str


def columns_of(rows: Sequence[Mapping[str, Any]]) -> list[FieldValues]:
    """The fields of rows, two levels deep."""
    suggestions: dict[str, FieldValues] = {}
    for place, row in enumerate(rows):
        for name, value in _flat(row):
            if value is not None and value != "":
                suggestions.setdefault(name, FieldValues(name, len(rows))).values[place] = value
    return list(suggestions.values())


def _flat(row: Mapping[str, Any]) -> Iterable[tuple[str, Any]]:
    for name, value in row.items():
        inner = parsed_text(value)
        if isinstance(inner, Mapping):
            yield from ((f"{name}.{key}", value_inside) for key, value_inside in inner.items())
        else:
            yield str(name), value


def suggest(rows: Sequence[Mapping[str, Any]]) -> list[Suggestion]:
    """The roles that the fields of some rows have, in the order of a map; without a score there is no map to use."""
    columns = columns_of(rows)
    suggestions: dict[str, Suggestion] = {}

    def take(role: str, names: Sequence[str], fits: Callable[[FieldValues], str]) -> None:
        used_fields = {suggestion.field for suggestion in suggestions.values()}
        ranked = [(rank, column) for column in columns if (rank := column.rank(names)) is not None]
        for _, column in sorted(ranked, key=lambda pair: (pair[0], len(pair[1].name))):
            reason = "" if column.name in used_fields else fits(column)
            if reason:
                suggestions[role] = Suggestion(role, column.name, reason)
                return

    take("attempt", ATTEMPT, lambda column: _attempt(column, columns))
    numbers = columns_by_name(columns).get(suggestions["attempt"].field) if "attempt" in suggestions else None
    take("task", TASK, lambda column: _task(column, numbers))
    take("score", SCORE, _score)
    take("output", OUTPUT, _output)
    take("prompt", PROMPT, _texts)
    take("expected", EXPECTED, lambda column: f"filled in {_share(column)}" if column.fill >= HALF else "")
    take("error", ERROR, lambda column: f"filled in {_share(column)}" if column.fill < FULL else "")
    take("model", MODEL, lambda column: f"{column.distinct} in all" if column.distinct <= MOST else "")
    if "attempt" in suggestions and "task" not in suggestions:
        del suggestions["attempt"]
    order = ("task", "attempt", "score", "expected", "prompt", "output", "error", "model")
    return [suggestions[role] for role in order if role in suggestions]


def columns_by_name(columns: Iterable[FieldValues]) -> dict[str, FieldValues]:
    return {column.name: column for column in columns}


def _share(column: FieldValues) -> str:
    return f"{len(column.values)} of {column.rows} rows"


def _attempt(column: FieldValues, columns: Sequence[FieldValues]) -> str:
    """Only where tasks repeat, and task and attempt together name every row."""
    if (
        column.fill < FULL
        or column.distinct < FEWEST
        or any(score_of(value) is None for value in column.values.values())
    ):
        return ""
    for task in columns:
        if task.rank(TASK) is not None and _unique(task, None) < FULL and _unique(task, column) >= FULL:
            return f"with {task.name} it names {_unique(task, column):.0%} of the rows"
    return ""


def _task(column: FieldValues, attempt: FieldValues | None) -> str:
    if column.fill < FULL or column.distinct < FEWEST or set(column.words) & _NO_TASK:
        return ""
    alone, with_attempt = _unique(column, None), _unique(column, attempt) if attempt else 0.0
    if max(alone, with_attempt) >= FULL:
        return f"filled in {_share(column)}; " + ("one row each" if alone >= FULL else "one row each with the attempt")
    repeated = column.rows / column.distinct
    return (
        f"filled in {_share(column)}; {column.distinct} tasks, {repeated:.1f} rows each"
        if column.rank(TASK) == 0
        else ""
    )


def _unique(column: FieldValues, second_column: FieldValues | None) -> float:
    keys = {
        (as_json(value), as_json(second_column.values.get(place)) if second_column else "")
        for place, value in column.values.items()
    }
    return len(keys) / column.rows if column.rows else 0.0


def _score(column: FieldValues) -> str:
    if set(column.words) & _NO_SCORE:
        return ""
    scores = [score for value in column.values.values() if (score := score_of(value)) is not None]
    if len(scores) < HALF * column.rows or len(set(scores)) < FEWEST:
        return ""
    if len(scores) > MOST and len(set(scores)) == len(scores):
        return ""  # another number on every row is a measure, not a verdict
    in_unit = all(0 <= score <= 1 for score in scores)
    return f"{len(scores)} numbers from {min(scores):g} to {max(scores):g}" + ("" if in_unit else "; its own scale")


def _output(column: FieldValues) -> str:
    values = [parsed_text(value) for value in column.values.values()]
    chats = sum(isinstance(value, list) and any("role" in message for message in as_rows(value)) for value in values)
    if chats >= HALF * len(values) > 0:
        return "lists of messages"
    return _texts(column)


def _texts(column: FieldValues) -> str:
    texts = [value for value in column.values.values() if isinstance(value, (str, list))]
    if column.fill < HALF or len(texts) < HALF * len(column.values) or column.distinct < FEWEST:
        return ""
    length = sum(len(text if isinstance(text, str) else as_json(text)) for text in texts)
    return f"texts, {length // len(texts):,} characters on average"


def suggested_slices(rows: Sequence[Mapping[str, Any]], used_fields: Iterable[str], task: str, score: str) -> list[str]:
    """Fields that are the same on all rows of a task and have a few levels; neither a measure nor another verdict."""
    columns = columns_by_name(columns_of(rows))
    task_column = columns.get(task)
    names = []
    for name, column in columns.items():
        if (
            name in set(used_fields)
            or task_column is None
            or column.fill < FULL
            or not FEWEST <= column.distinct <= MOST
            or set(column.words) & _NO_SCORE
            or _tells_the_score(column, columns.get(score))
        ):
            continue
        if column.distinct * 2 > column.rows or any(
            isinstance(task_values, (list, dict, float)) for task_values in column.values.values()
        ):
            continue
        levels: defaultdict[str, set[str]] = defaultdict(set)
        for place, value in column.values.items():
            levels[as_json(task_column.values.get(place))].add(as_json(value))
        if (
            all(len(task_values) == 1 for task_values in levels.values())
            and max(len(as_json(v)) for v in column.values.values()) < MOST
        ):
            names.append(name)
    return names[:MOST_SLICES]


def _tells_the_score(column: FieldValues, score: FieldValues | None) -> bool:
    """Whether every level has one score, and some level many rows: a verdict in other words, no property of tasks."""
    scores: defaultdict[str, list[float | None]] = defaultdict(list)
    for place, value in column.values.items():
        scores[as_json(value)].append(score_of(score.values.get(place)) if score else None)
    several = len({of_level[0] for of_level in scores.values()}) > 1
    return several and all(len(set(of_level)) == 1 for of_level in scores.values())


def suggested_verdicts(rows: Sequence[Mapping[str, Any]], used_fields: Iterable[str], score: str) -> list[str]:
    """Fields of a few words that tell the score and more than it: why an attempt failed."""
    columns = columns_by_name(columns_of(rows))
    scores = columns.get(score)
    names = []
    for name, column in columns.items():
        texts = [value for value in column.values.values() if isinstance(value, str)]
        words = len(texts) == len(column.values) and any(score_of(text) is None for text in texts)
        few = FEWEST < column.distinct <= MOST and column.distinct * 2 <= column.rows
        if name not in set(used_fields) and column.fill >= FULL and words and few and _tells_the_score(column, scores):
            names.append(name)
    return names[:MOST_SLICES]


def suggested_measures(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Lines of the map for tokens and time, where fields of such names hold numbers."""
    columns = [column for column in columns_of(rows) if column.fill >= HALF and _counts(column)]
    lines = []
    for key, names in MEASURES.items():
        ranked = {
            name: [column for column in columns if column.rank(spellings) is not None]
            for name, spellings in names.items()
        }
        fields = {
            name: min(fitting, key=lambda column: (column.rank(names[name]) or 0, column.name)).name
            for name, fitting in ranked.items()
            if fitting
        }
        if fields:
            lines.append(f"{key}: {{{', '.join(f'{name}: {field}' for name, field in fields.items())}}}")
    return lines


def _counts(column: FieldValues) -> bool:
    return all((number := score_of(value)) is not None and number >= 0 for value in column.values.values())


LOOK = 2000
MOST_NAMED = 40


def map_page(file: Path, rows_path: str = "") -> str:
    """The map that the rows of a file suggest; where no field could be the score, an error that lists the fields."""
    if not is_table(file):
        raise InputError(f"{file}: no table of rows.", "Wanted: a .jsonl, .json, .csv, .tsv or .parquet file.")
    rows = [row for _, row in itertools.islice(table_rows(file, rows_path), LOOK) if not isinstance(row, BadRecord)]
    if not rows:
        raise InputError(
            f"{file}: no rows where they were looked for.", "Say where they stand in the document: --rows results[]."
        )
    suggestions = {suggestion.role: suggestion for suggestion in suggest(rows)}
    missing = [role for role in ("task", "score") if role not in suggestions]
    if missing:
        fields = ", ".join(column.name for column in columns_of(rows)[:MOST_NAMED])
        raise InputError(
            f"{file}: no field could be the {missing[0]} of a row. The rows have: {fields}."
            + (_ungraded(columns_of(rows)) if missing[0] == "score" else ""),
            f"Write `{missing[0]}: FIELD` into a map yourself, or add such a field to the rows.",
        )
    return "\n".join(_lines(suggestions, rows, rows_path)) + "\n"


def _ungraded(columns: Sequence[FieldValues]) -> str:
    """Says where an answer stands beside what is expected: nobody graded it, and BLADE does not."""
    parts = [{*column.name.lower().split(".")} for column in columns]
    pair = [
        next((column.name for column, own in zip(columns, parts, strict=True) if own & {*names}), "")
        for names in (EXPECTED, OUTPUT)
    ]
    if not all(pair) or pair[0] == pair[1]:
        return ""
    return f" {pair[1]} stands beside {pair[0]}, but no row says how well they agree: BLADE does not grade."


def _lines(suggestions: dict[str, Suggestion], rows: list[dict[str, Any]], rows_path: str) -> list[str]:
    lines = [f"# suggested from {len(rows):,} rows; read it, keep it as blade-map.yaml beside the data, or use --map"]
    if rows_path:
        lines.append(f"rows: {rows_path}")
    width = max(len(f"{suggestion.role}: {suggestion.field}") for suggestion in suggestions.values()) + 2
    lines += [
        f"{f'{suggestion.role}: {suggestion.field}':<{width}}# {suggestion.why}" for suggestion in suggestions.values()
    ]
    lines += suggested_measures(rows)
    used_fields = [suggestion.field for suggestion in suggestions.values()]
    slices = suggested_slices(rows, used_fields, suggestions["task"].field, suggestions["score"].field)
    if slices:
        lines.append(f"slices: [{', '.join(slices)}]")
    verdicts = suggested_verdicts(rows, used_fields, suggestions["score"].field)
    if verdicts:
        lines.append(f"keep: [{', '.join(verdicts)}]")
    return lines

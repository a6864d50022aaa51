"""Which fields mislead: constant where they should vary, a copy of another, stuck at one value, never counting?"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

import polars as pl

from blade.counting.columns import Column
from blade.counting.spending import tells_seconds
from blade.diagnosis.cases import RunCases
from blade.document import Block, Bullets, Paragraph, Sentence, say
from blade.extract.names import is_pass_flag, words
from blade.wording import count, listed

TITLE = "Fields that mislead"
ORDER = 130
FEWEST_ROWS = 20
FEWEST_VALUES = 5
NEARLY_ALL = 0.95
MOST_SHOWN = 6
MOST_RUNS = 3
CONSTANT, STUCK, COPY, FLAG, PLACEHOLDER = "constant", "stuck", "copy", "flag", "placeholder"
_SETTINGS = frozenset(
    "max min limit timeout budget allowed default param params config temperature per threshold cap quota".split()
)
_CALLS, _TURNS = frozenset({"call", "calls"}), frozenset({"turn", "turns", "step", "steps", "iterations"})
_TOKENS, _TIME = frozenset({"token", "tokens"}), frozenset({"seconds", "duration", "elapsed", "latency", "runtime"})
_COUNTING = frozenset("num n count used taken total number made".split())
_HELD_AGAINST = {"calls": "calls", "acts": "turns", "output_chars": "characters of output"}
_USAGE = ("input_tokens", "output_tokens", "total_tokens")
Values = dict[int, float]


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Measures that contradict what the transcripts show, and pairs of measures that are one, with their runs."""
    entries: defaultdict[tuple[str, str, str], list[dict[str, Any]]] = defaultdict(list)
    for run in runs:
        frame = run.run.facts
        if frame.height < FEWEST_ROWS:
            continue
        measures = _measures(run.run.columns, frame)
        for name, values in measures.items():
            if first := _held_against_transcripts(name, values, frame):
                entries[first["problem"], name, ""].append({"run": run.run.name, **first})
        for name, other, rows in _copies(measures):
            entries[COPY, name, other].append({"run": run.run.name, "rows": rows})
        for name, value, rows in _flags(run.run.columns, frame):
            entries[FLAG, name, ""].append({"run": run.run.name, "rows": rows, "value": value})
    if not entries:
        return None
    told: list[dict[str, Any]] = [
        {"field": name, "problem": problem, "other": other, "runs": some}
        for (problem, name, other), some in entries.items()
    ]
    told.sort(key=lambda entry: (-sum(run["rows"] for run in entry["runs"]), entry["field"]))
    return {"fields": told}


def _measures(columns: Sequence[Column], frame: pl.DataFrame) -> dict[str, Values]:
    """Fields of numbers that count or time what an attempt did, by row; the usage of the response among them."""
    entries = {column.name: _numbers(column) for column in columns if _measure(column.name)}
    for name in _USAGE:
        values = {row: float(value) for row, value in enumerate(frame[name].to_list()) if value}
        entries.setdefault(f"response.usage.{name}", values)
    return {
        name: values for name, values in entries.items() if len(values) >= max(FEWEST_ROWS, NEARLY_ALL * frame.height)
    }


def _measure(name: str) -> str:
    """The column of the facts that a measure can be held against; `time` where there is none; empty for all else."""
    have = set(words(name))
    if have & _SETTINGS or "responses_create_params" in name or "config" in name:
        return ""
    if have & _TOKENS and have & {"input", "prompt"}:
        return "time"  # what was asked is not held against what was answered
    if have & _TOKENS and not have & {"cached", "cache", "reasoning"}:
        return "output_chars"
    if have & _CALLS and have & (_COUNTING | {"tool"}):
        return "calls"
    if have & _TURNS and have & _COUNTING:
        return "acts"
    timed = have & _TIME or ("time" in have and have & {"s", "ms", "run", "execution", "verification", "total"})
    return "time" if timed else ""


def _numbers(column: Column) -> Values:
    values = [
        float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None
        for value in column.values
    ]
    pairs = zip(column.rows.tolist(), column.codes.tolist(), strict=True)
    return {row: value for row, code in pairs if (value := values[code]) is not None}


def _held_against_transcripts(name: str, values: Values, frame: pl.DataFrame) -> dict[str, Any] | None:
    """A measure that is one value in all rows, or in most and never above it, while what it measures varies."""
    against = _measure(name)
    if tells_seconds(name) and len(set(values.values())) == 1:
        return {"problem": PLACEHOLDER, "value": next(iter(values.values())), "rows": len(values)}
    if against not in _HELD_AGAINST:
        return None
    shown = frame[against].to_list()
    own = [float(shown[row]) for row in values if shown[row]]
    if len(own) < FEWEST_ROWS or len(set(own)) < FEWEST_VALUES:
        return None
    counts = Counter(values.values())
    value, many = counts.most_common(1)[0]
    told = {"value": value, "rows": many, "of": len(values), "against": against, "shown": [min(own), max(own)]}
    if len(counts) == 1:
        return {"problem": CONSTANT, **told}
    at_top = [float(shown[row]) for row, entry in values.items() if entry == value and shown[row]]
    stuck = 2 * many > len(values) and value == max(counts) and len(set(at_top)) >= FEWEST_VALUES
    return {"problem": STUCK, **told} if stuck else None


def _copies(measures: Mapping[str, Values]) -> Iterator[tuple[str, str, int]]:
    """Pairs of measures with different names and the same values in all rows."""
    varied = {name: values for name, values in measures.items() if len(set(values.values())) >= FEWEST_VALUES}
    for name, other in combinations(sorted(varied), 2):
        if set(words(name)) != set(words(other)) and varied[name] == varied[other]:
            yield name, other, len(varied[name])


def _flags(columns: Sequence[Column], frame: pl.DataFrame) -> Iterator[tuple[str, bool, int]]:
    """Verdict flags that are one value in all rows though some pass and some fail."""
    outcomes = {bool(passed) for passed in frame["passed"].to_list() if passed is not None}
    if len(outcomes) < 2:
        return
    for column in columns:
        told = [value for value in column.values if isinstance(value, bool)]
        if is_pass_flag(column.name) and len(told) == len(column.values) == 1 and len(column.rows) >= FEWEST_ROWS:
            yield column.name, told[0], len(column.rows)


def tell(answer: Mapping[str, Any]) -> list[Block]:
    items = [Paragraph((_words(entry),)) for entry in answer["fields"][:MOST_SHOWN]]
    more = len(answer["fields"]) - MOST_SHOWN
    if more > 0:
        items.append(Paragraph((say("{more} in analysis.json.", more=count(more, "more field")),)))
    return [Bullets(tuple(items))]


def _words(entry: Mapping[str, Any]) -> Sentence:
    if entry["problem"] == COPY:
        return say(
            "“{field}” and “{other}” have the same number in all {rows}: one is a copy of the other.",
            field=entry["field"],
            other=entry["other"],
            rows=_rows(entry["runs"]),
        )
    if entry["problem"] == FLAG:
        value = "true" if entry["runs"][0]["value"] else "false"
        return say(
            "“{field}” is {value} in all {rows}, though some pass and some fail: it is not a verdict.",
            field=entry["field"],
            value=value,
            rows=_rows(entry["runs"]),
        )
    if entry["problem"] == PLACEHOLDER:
        return say(
            "“{field}” is {rows}: a placeholder and no time; it is not used.",
            field=entry["field"],
            rows=listed([f"{run['value']:,.10g} in all {run['rows']:,} rows of {run['run']}" for run in entry["runs"]]),
        )
    parts = []
    for run in entry["runs"][:MOST_RUNS]:
        low, high = run["shown"]
        where = f"all {run['of']:,}" if run["problem"] == CONSTANT else f"{run['rows']:,} of {run['of']:,}"
        parts.append(
            f"{run['value']:,.10g} in {where} rows of {run['run']}, where the transcripts show {low:,.0f} to "
            f"{high:,.0f} {_HELD_AGAINST[run['against']]}"
        )
    if len(entry["runs"]) > MOST_RUNS:
        parts.append(f"alike in {count(len(entry['runs']) - MOST_RUNS, 'more run')}")
    return say(
        "“{field}” is {parts}: it "
        + ("does not count" if entry["problem"] == CONSTANT else "stops at its largest value")
        + "; do not rely on it.",
        field=entry["field"],
        parts=listed(parts),
    )


def _rows(runs: Sequence[Mapping[str, Any]]) -> str:
    if len(runs) > MOST_RUNS:
        return f"{sum(run['rows'] for run in runs):,} rows of {len(runs)} runs"
    return listed([f"{run['rows']:,} rows of {run['run']}" for run in runs])

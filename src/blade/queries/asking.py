"""Asks a question of an index: the same whether somebody asks it now or a report is checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import polars as pl

from blade.errors import UsageError
from blade.index.tables import Index
from blade.queries import tally
from blade.queries.conditions import Condition, condition, pattern, select
from blade.queries.contrast import Contrast, contrast
from blade.queries.kept import Counts, Query
from blade.queries.matrix import Matrix, matrix
from blade.queries.tally import Tally
from blade.queries.texts import Match, search


@dataclass(frozen=True)
class Answer:
    """What a question found. `rows` are the rollouts that are meant; `counts` is what a report may cite."""

    counts: Counts
    rows: pl.DataFrame
    found: Mapping[str, Tally] = field(default_factory=dict)
    among: Mapping[str, Tally] = field(default_factory=dict)
    matches: Mapping[int, Match] = field(default_factory=dict)
    matrix: Matrix | None = None
    contrast: Contrast | None = None
    groups: tuple[Mapping[str, Any], ...] = ()


def ask(index: Index, query: Query) -> Answer:
    """The answer; a question of a kind that is not known is an error."""
    if query.kind not in _KINDS:
        raise UsageError(f"No question is of the kind '{query.kind}'.", f"There are: {', '.join(_KINDS)}.")
    return _KINDS[query.kind](index, query.asked)


def _conditions(index: Index, asked: Mapping[str, Any]) -> list[Condition]:
    """The plain filters that several questions share, and the condition given."""
    made = []
    if asked.get("run"):
        unknown = [name for name in asked["run"] if name not in index.runs]
        if unknown:
            raise UsageError(f"No run is named '{unknown[0]}'.", f"Runs here: {', '.join(index.runs)}.")
        made.append(f"run in ({_listed(asked['run'])})")
    if asked.get("task"):
        made.append(f"task in ({_listed(asked['task'])})")
    if asked.get("outcome"):
        made.append({"failed": "failed and not void", "passed": "passed and not void"}[asked["outcome"]])
    if asked.get("where"):
        made.append(asked["where"])
    return [condition(text) for text in made]


def _listed(values: Sequence[str]) -> str:
    return ", ".join("'" + value.replace("'", "''") + "'" for value in values)


def _grep(index: Index, asked: Mapping[str, Any]) -> Answer:
    rows = select(index, _conditions(index, asked)).rows
    sought = pattern(asked["pattern"], asked.get("actor", ()), ignore_case=asked.get("ignore_case", False))
    found = {place: match for place, (match,) in search(rows, [sought]) if match is not None}
    places = sorted(found)
    made = _answer(index, asked, rows[places], rows, {new: found[old] for new, old in enumerate(places)})
    told = {run: {**many, "matches": 0.0} for run, many in made.counts.items()}
    for place, run in enumerate(made.rows["run"].to_list()):
        for name in {run, tally.ALL} & set(told):
            told[name]["matches"] += made.matches[place].times
    return replace(made, counts=told)


def _count(index: Index, asked: Mapping[str, Any]) -> Answer:
    rows = select(index, _conditions(index, {name: asked[name] for name in asked if name != "where"})).rows
    met = select(index, _conditions(index, asked))
    made = _answer(index, asked, met.rows, rows, met.matches)
    groups = _groups(met.rows, asked.get("by", ()), asked.get("of"))
    told = {run: dict(found) for run, found in made.counts.items()}
    for group in groups:
        for name, value in group["counts"].items():
            key = ", ".join(f"{column} {level}" for column, level in group["levels"].items() if column != "run")
            if key or asked.get("of"):
                told.setdefault(group["levels"].get("run", tally.ALL), {})[f"{key}: {name}".removeprefix(": ")] = value
    return Answer(told, met.rows, made.found, made.among, met.matches, groups=groups)


def _answer(
    index: Index, asked: Mapping[str, Any], met: pl.DataFrame, rows: pl.DataFrame, matches: Mapping[int, Match]
) -> Answer:
    runs = [run for run in index.runs if not asked.get("run") or run in asked["run"]]
    found, among = tally.by_run(met, runs), tally.by_run(rows, runs)
    return Answer(tally.counts(found, among), met, found, among, matches)


def _groups(rows: pl.DataFrame, by: Sequence[str], of: str | None) -> tuple[Mapping[str, Any], ...]:
    """The tally of every group, the largest first; of a column its extent, too."""
    unknown = [name for name in (*by, *([of] if of else [])) if name not in rows.columns]
    if unknown:
        raise UsageError(f"No column is named '{unknown[0]}'.", "The columns: blade count --columns RUN…")
    if of is not None and not rows[of].dtype.is_numeric():
        raise UsageError(f"The column '{of}' holds no numbers.", "The columns: blade count --columns RUN…")
    lists = [name for name in by if rows[name].dtype == pl.List(pl.String)]
    if lists:
        rows = rows.explode(lists[0])
    parts = rows.partition_by(by, maintain_order=True) if by else [rows] if of else []
    made = []
    for part in parts:
        numbers = _extent(part[of]) if of else {}
        levels = {name: part[name][0] for name in by}
        made.append({"levels": levels, "counts": tally.tally(part).data() | numbers})
    made.sort(key=lambda group: (-group["counts"]["rollouts"], [str(level) for level in group["levels"].values()]))
    return tuple(made)


def _extent(values: pl.Series) -> dict[str, float]:
    known = values.drop_nulls().cast(pl.Float64)
    if known.is_empty():
        return {}
    return {
        "known": len(known),
        "sum": float(known.sum()),
        "mean": float(known.mean()),  # type: ignore[arg-type]
        "least": float(known.min()),  # type: ignore[arg-type]
        "median": float(known.median()),  # type: ignore[arg-type]
        "most": float(known.max()),  # type: ignore[arg-type]
    }


def _tasks(index: Index, asked: Mapping[str, Any]) -> Answer:
    made = matrix(index, asked, select(index, _conditions(index, asked)).rows)
    rows = index.rollouts.filter(pl.col("task").is_in([line.task for line in made.lines])).collect()
    return Answer(made.counts(), rows, matrix=made)


def _contrast(index: Index, asked: Mapping[str, Any]) -> Answer:
    made = contrast(index, asked)
    return Answer(made.counts(), pl.concat([made.first, made.second]), contrast=made)


_KINDS = {"tasks": _tasks, "grep": _grep, "count": _count, "contrast": _contrast}

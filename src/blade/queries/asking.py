"""Asks a question of an index: the same whether somebody asks it now or a report is checked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import polars as pl

from blade.errors import UsageError
from blade.index.tables import Index
from blade.queries import tally
from blade.queries.conditions import Condition, condition, pattern, quoted, select, with_whole_names
from blade.queries.contrast import GroupContrast, contrast
from blade.queries.matrix import TaskMatrix, matrix
from blade.queries.question_file import Counts, Query
from blade.queries.tally import OutcomeCounts
from blade.queries.texts import TextMatch, search
from blade.run_names import run_named
from blade.task_names import task_named

CONDITIONS = ("where", "of", "first", "second")
"""The parts of a question that are conditions."""


@dataclass(frozen=True)
class QueryAnswer:
    """What a question found. `rows` are the rollouts that are meant; `counts` is what a report may cite."""

    counts: Counts
    rows: pl.DataFrame
    matching: Mapping[str, OutcomeCounts] = field(default_factory=dict)
    searched: Mapping[str, OutcomeCounts] = field(default_factory=dict)
    matches: Mapping[int, TextMatch] = field(default_factory=dict)
    matrix: TaskMatrix | None = None
    contrast: GroupContrast | None = None
    groups: tuple[Mapping[str, Any], ...] = ()


def ask(index: Index, query: Query) -> QueryAnswer:
    """The answer; a question of a kind that is not known is an error."""
    if query.kind not in _KINDS:
        raise UsageError(f"No question is of the kind '{query.kind}'.", f"There are: {', '.join(_KINDS)}.")
    return _KINDS[query.kind](index, _with_whole_names(query.params, index))


def _with_whole_names(params: Mapping[str, Any], index: Index) -> dict[str, Any]:
    """What was asked, with the whole names of the runs and tasks that options and conditions name by short ones."""
    runs = index.runs
    named = {name: [run_named(run, runs) for run in params[name]] for name in ("run", "pair") if params.get(name)}
    texts = {name: with_whole_names(params[name], runs) for name in CONDITIONS if params.get(name)}
    if params.get("task"):
        tasks = set(index.tasks["task"].to_list())
        named["task"] = [task_named(task, tasks) or task for task in params["task"]]
    return {**params, **named, **texts}


def _conditions(params: Mapping[str, Any]) -> list[Condition]:
    """The plain filters that several questions share, and the condition given."""
    texts = []
    if params.get("run"):
        texts.append(f"run in ({_listed(params['run'])})")
    if params.get("task"):
        texts.append(f"task in ({_listed(params['task'])})")
    if params.get("outcome"):
        texts.append({"failed": "failed and not void", "passed": "passed and not void"}[params["outcome"]])
    if params.get("where"):
        texts.append(params["where"])
    return [condition(text) for text in texts]


def _listed(values: Sequence[str]) -> str:
    return ", ".join(map(quoted, values))


def _grep(index: Index, params: Mapping[str, Any]) -> QueryAnswer:
    rows = select(index, _conditions(params)).rows
    sought = pattern(params.get("pattern", ""), params.get("actor", ()), ignore_case=params.get("ignore_case", False))
    matching = {place: match for place, (match,) in search(rows, [sought]) if match is not None}
    places = sorted(matching)
    answer = _answer(index, params, rows[places], rows, {new: matching[old] for new, old in enumerate(places)})
    counts_by_run = {run: {**run_counts, "matches": 0.0} for run, run_counts in answer.counts.items()}
    for place, run in enumerate(answer.rows["run"].to_list()):
        for name in {run, tally.ALL} & set(counts_by_run):
            counts_by_run[name]["matches"] += answer.matches[place].times
    return replace(answer, counts=counts_by_run)


def _count(index: Index, params: Mapping[str, Any]) -> QueryAnswer:
    column, whole = _whole(index, params.get("of"))
    without = {name: params[name] for name in params if name != "where"}
    rows = select(index, [*_conditions(without), *whole]).rows
    selection = select(index, [*_conditions(without), *whole, condition(params["where"])])
    answer = _answer(index, params, selection.rows, rows, selection.matches)
    groups = _groups(selection.rows, params.get("by", ()), column)
    groups = _with_wholes(groups, rows, params["by"]) if whole and params.get("by") else groups
    counts_by_run = {run: dict(run_counts) for run, run_counts in answer.counts.items()}
    for group in groups:
        for name, value in group["counts"].items():
            key = ", ".join(f"{column} {level}" for column, level in group["levels"].items() if column != "run")
            if key or column:
                counts_by_run.setdefault(group["levels"].get("run", tally.ALL), {})[
                    f"{key}: {name}".removeprefix(": ")
                ] = value
    return QueryAnswer(
        counts_by_run, selection.rows, answer.matching, answer.searched, selection.matches, groups=groups
    )


def _whole(index: Index, of: str | None) -> tuple[str | None, list[Condition]]:
    """What `of` means: a column of numbers whose extent is asked, or the condition of those among whom is counted."""
    if of is None:
        return None, []
    columns = index.rollouts.collect_schema()
    if of in columns and columns[of].is_numeric():
        return of, []
    if of in columns and columns[of] != pl.Boolean:
        hint = "Give a column of numbers, or a condition such as: not void"
        raise UsageError(f"The column '{of}' holds no numbers.", hint)
    return None, [condition(of)]


def _with_wholes(
    groups: Sequence[Mapping[str, Any]], rows: pl.DataFrame, by: Sequence[str]
) -> tuple[Mapping[str, Any], ...]:
    """Groups with how many rollouts each is counted among."""
    wholes = {tuple(group["levels"].values()): group["counts"]["rollouts"] for group in _groups(rows, by, None)}
    return tuple(
        {**group, "counts": {**group["counts"], "of_rollouts": wholes[tuple(group["levels"].values())]}}
        for group in groups
    )


def words_elsewhere(index: Index, query: Query) -> dict[str, int]:
    """Where nobody of the actors asked for says the words: whose words hold them, in how many rollouts."""
    params = {name: value for name, value in query.params.items() if name != "actor"}
    if query.kind != "grep" or params == query.params:
        return {}
    answer = _grep(index, params)
    return dict(Counter(match.actor for match in answer.matches.values()).most_common())


def _answer(
    index: Index,
    params: Mapping[str, Any],
    selection: pl.DataFrame,
    rows: pl.DataFrame,
    matches: Mapping[int, TextMatch],
) -> QueryAnswer:
    runs = [run for run in index.runs if not params.get("run") or run in params["run"]]
    matching, searched = tally.by_run(selection, runs), tally.by_run(rows, runs)
    return QueryAnswer(tally.counts(matching, searched), selection, matching, searched, matches)


def _groups(rows: pl.DataFrame, by: Sequence[str], of: str | None) -> tuple[Mapping[str, Any], ...]:
    """The tally of every group, the largest first; of a column its extent, too."""
    unknown = [name for name in by if name not in rows.columns]
    if unknown:
        raise UsageError(f"No column is named '{unknown[0]}'.", "The columns: blade count --columns RUN…")
    lists = [name for name in by if rows[name].dtype == pl.List(pl.String)]
    if lists:
        rows = rows.explode(lists[0])
    parts = rows.partition_by(by, maintain_order=True) if by else [rows] if of else []
    groups = []
    for part in parts:
        numbers = _extent(part[of]) if of else {}
        levels = {name: part[name][0] for name in by}
        groups.append({"levels": levels, "counts": tally.tally(part).data() | numbers})
    groups.sort(key=lambda group: (-group["counts"]["rollouts"], [str(level) for level in group["levels"].values()]))
    return tuple(groups)


def _extent(values: pl.Series) -> dict[str, float]:
    numbers = values.drop_nulls().cast(pl.Float64)
    if numbers.is_empty():
        return {}
    return {
        "known": len(numbers),
        "sum": float(numbers.sum()),
        "mean": float(numbers.mean()),  # type: ignore[arg-type]
        "least": float(numbers.min()),  # type: ignore[arg-type]
        "median": float(numbers.median()),  # type: ignore[arg-type]
        "most": float(numbers.max()),  # type: ignore[arg-type]
    }


def _tasks(index: Index, params: Mapping[str, Any]) -> QueryAnswer:
    task_matrix = matrix(index, params, select(index, _conditions(params)).rows)
    rows = index.rollouts.filter(pl.col("task").is_in([line.task for line in task_matrix.lines])).collect()
    return QueryAnswer(task_matrix.counts(), rows, matrix=task_matrix)


def _contrast(index: Index, params: Mapping[str, Any]) -> QueryAnswer:
    groups = contrast(index, params)
    return QueryAnswer(groups.counts(), pl.concat([groups.first, groups.second]), contrast=groups)


_KINDS = {"tasks": _tasks, "grep": _grep, "count": _count, "contrast": _contrast}

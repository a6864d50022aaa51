"""Counts that a report cites, counted again over the runs that it is held against."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import polars as pl

from blade.checking import CitedCounts, ids
from blade.counting.run import Run
from blade.errors import BladeError
from blade.files.remote_paths import real_path
from blade.index.build_index import build
from blade.index.tables import Index
from blade.model import Analysis
from blade.queries import tally
from blade.queries.asking import QueryAnswer, ask
from blade.queries.question_file import FILE, load

_NUMBERS = re.compile(r"\d+(?:\.\d+)?")


def files_beside(report: Path, target: Path | None) -> list[Path]:
    """The file given; else those beside the report and in this folder, as far as they are there."""
    if target is not None:
        return [target]
    places = dict.fromkeys(real_path(place) for place in (report.parent / FILE, Path(FILE)))
    return [place for place in places if place.is_file()]


def prove(text: str, places: Sequence[Path], runs: Sequence[Run], analysis: Analysis) -> dict[str, CitedCounts]:
    """Every id that a text cites and some file keeps, with what its question counts now."""
    cited_ids = set(ids(text))
    queries = {entry.id: entry for entry in load(places) if entry.id in cited_ids} if cited_ids else {}
    if not queries:
        return {}
    index = build(runs, analysis)
    digests = index.facts["digests"]
    counted_again = {}
    for name, entry in queries.items():
        if entry.query.id(digests) != name:
            counted_again[name] = CitedCounts(problem="the question was asked of other runs, or other names of them")
            continue
        try:
            answer = ask(index, entry.query)
            sought = frozenset(_NUMBERS.findall(str(dict(entry.query.params))))
            of_passes = str(entry.query.params.get("where", "")).strip().lower() == "passed"
            counted_again[name] = CitedCounts(answer.counts, "", counts_by_task(answer, index), sought, of_passes)
        except BladeError as error:
            counted_again[name] = CitedCounts(problem=f"the question cannot be asked: {error.message}")
    return counted_again


def counts_by_task(answer: QueryAnswer, index: Index) -> dict[str, dict[str, dict[str, float]]]:
    """Task → run → what an answer finds of its rollouts, of all that it has: so that "3 of 5 attempts at T" is proved.

    The empty name stands for all runs. Only questions that pick rollouts or tasks out have such counts.
    """
    if answer.matrix is not None:
        return answer.matrix.counts_by_task()
    if not answer.matching or answer.rows.is_empty():
        return {}
    chosen = answer.rows.select("run", "task", "passed", "void")
    tasks = chosen["task"].unique()
    attempts = index.rollouts.filter(pl.col("task").is_in(tasks.to_list())).select(chosen.columns).collect()
    by_task: dict[str, dict[str, dict[str, float]]] = {}
    for (task,), rows in attempts.partition_by("task", as_dict=True).items():
        runs = rows["run"].unique(maintain_order=True).to_list()
        picked = tally.by_run(chosen.filter(pl.col("task") == task), runs)
        by_task[task] = tally.counts(picked, tally.by_run(rows, runs))
    return by_task

"""The questions as Python: each returns a data frame, and the id under which its counts can be cited.

bench = blade.workbench("runs/baseline", "runs/candidate")
bench.tasks(moved="lost")
bench.count("failed and not void", by=["run", "label"])
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import polars as pl

from blade import api
from blade.counting.run import Run
from blade.evidence import open_row
from blade.findings import Annotation
from blade.index.open_index import open_index
from blade.options import Options
from blade.queries import report_parts
from blade.queries.asking import QueryAnswer, ask
from blade.queries.brief import brief_lines
from blade.queries.compact import compact
from blade.queries.conditions import columns, condition, with_whole_names
from blade.queries.noting import annotate, draft_of, write_note
from blade.queries.page import TOKENS
from blade.queries.question_file import Query, keep, place_of
from blade.queries.reading_list import random_failures, reading_list

__all__ = ["Workbench", "workbench"]
_PLACE = ("run", "task", "attempt", "passed", "void")


def workbench(*paths: str | Path, options: Options | None = None) -> Workbench:
    """Runs that can be asked; what was worked out about them is kept on disk, as the command line keeps it."""
    return Workbench(tuple(str(path) for path in paths), options or Options())


class Workbench:
    """Runs, and the questions that can be asked of them."""

    def __init__(self, paths: Sequence[str], options: Options) -> None:
        self.paths = tuple(paths)
        self.options = options
        self.index = open_index(self.paths, options)
        self.last: Query | None = None
        self._answer: QueryAnswer | None = None
        self._read_runs: list[Run] = []

    @property
    def runs(self) -> list[str]:
        return self.index.runs

    @property
    def rollouts(self) -> pl.DataFrame:
        """The wide table: a line per rollout, with all columns that conditions may name."""
        return self.index.rollouts.collect()

    def columns(self) -> pl.DataFrame:
        """What conditions may name: column, type, and what it holds."""
        rows = list(columns(self.index))
        return pl.DataFrame(rows, schema=["column", "type", "holds"], orient="row")

    def tasks(self, **filters: Any) -> pl.DataFrame:
        """Tasks against runs: task, run, passes, judged, void. The filters are the options of `blade tasks`."""
        matrix = self._ask("tasks", filters).matrix
        assert matrix is not None  # noqa: S101 - of this kind of question
        rows = [(line.task, run, *cell) for line in matrix.lines for run, cell in line.cells.items()]
        return pl.DataFrame(rows, schema=["task", "run", "passes", "judged", "void"], orient="row")

    def grep(self, pattern: str, **filters: Any) -> pl.DataFrame:
        """Rollouts in whose texts a pattern stands, with the first words that match and who wrote them."""
        answer = self._ask("grep", {"pattern": pattern, **filters})
        matches = [answer.matches[place] for place in range(answer.rows.height)]
        words = {name: [getattr(match, name) for match in matches] for name in ("actor", "place", "quote", "times")}
        return answer.rows.select(_PLACE).with_columns(pl.Series(name, values) for name, values in words.items())

    def count(
        self, where: str, *, by: Sequence[str] = (), of: str | None = None, run: Sequence[str] = ()
    ) -> pl.DataFrame:
        """How many rollouts meet a condition, run by run; or group by group."""
        params = {"where": where, "by": list(by), "of": of, "run": list(run)}
        answer = self._ask("count", {name: value for name, value in params.items() if value})
        if answer.groups:
            return pl.DataFrame([{**group["levels"], **group["counts"]} for group in answer.groups])
        return pl.DataFrame([{"run": name or "all runs", **counts} for name, counts in answer.counts.items()])

    def find(self, where: str) -> pl.DataFrame:
        """The rollouts that meet a condition, with all their columns."""
        return self._ask("count", {"where": where}).rows

    def contrast(self, first: str, second: str) -> pl.DataFrame:
        """What separates two groups of rollouts: the features, how many of each group have them, p and q."""
        contrast = self._ask("contrast", {"first": first, "second": second}).contrast
        assert contrast is not None  # noqa: S101 - of this kind of question
        schema = ["name", "kind", "first", "of_first", "second", "of_second", "p", "q", "within"]
        return pl.DataFrame([asdict(feature) for feature in contrast.features], schema=schema)

    def reading_list(self, limit: int = 6, *, where: str = "", at_random: bool = False) -> pl.DataFrame:
        """Which rollouts to read next, and why."""
        picker = random_failures if at_random else reading_list
        picks = picker(self.index, limit, [condition(with_whole_names(where, self.runs))] if where else [])
        names = ["run", "task", "attempt", "outcome", "why"]
        return pl.DataFrame([[getattr(pick, name) for name in names] for pick in picks], schema=names, orient="row")

    def show(self, task: str, *, run: str | None = None, attempt: int | None = None, tokens: int = TOKENS) -> str:
        """A transcript, shortened to a budget of tokens; what stands between the marks is data."""
        rollout = api.find_rollout(self._runs(), task, attempt=attempt, run=run).rollout
        return compact(open_row(rollout.source), tokens)

    def brief(self, *tasks: str, run: str | None = None, attempt: int | None = None, tokens: int = TOKENS) -> str:
        """A line for each step, of many tasks at once; * in a task stands for any letters."""
        return "\n".join(brief_lines(self._runs(), tasks, tokens, run, attempt))

    def report(self, *sections: str, pair: Sequence[str] = (), tokens: int = TOKENS) -> str:
        """Sections of the report as Markdown, of all runs or of a pair."""
        index = open_index(self.paths, self.options, pair=pair) if pair else self.index
        chosen = report_parts.choose(index, sections, pair=bool(pair))
        return "\n".join(report_parts.shortened(chosen, tokens)).rstrip() + "\n"

    def note(self, task: str, *, file: str | Path | None = None, **note: Any) -> Annotation:
        """Note what was read in a rollout; it must be asked anew (`blade.workbench`) before answers know of it."""
        annotation, beside = annotate(self._runs(), draft_of({"task": task, **note}))
        write_note(annotation, Path(file) if file is not None else beside)
        return annotation

    @property
    def citation(self) -> str:
        """The id of the last question, as a report cites it."""
        return f"[q:{self.last.id(self.index.facts['digests'])}]" if self.last else ""

    def keep(self, place: str | Path | None = None) -> str:
        """Keep the last question in queries.jsonl, of a folder or here, so that `blade check` can ask it again."""
        if self.last is not None and self._answer is not None:
            file = place_of(Path(place) if place is not None else None)
            keep(self.last, self.index.facts["digests"], self._answer.counts, file)
        return self.citation

    def _ask(self, kind: str, params: Mapping[str, Any]) -> QueryAnswer:
        self.last = Query(kind, dict(params))
        self._answer = ask(self.index, self.last)
        return self._answer

    def _runs(self) -> list[Run]:
        if not self._read_runs:
            self._read_runs = api.read(*self.paths, options=self.options)
        return self._read_runs

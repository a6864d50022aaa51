"""What a sentence speaks of: words like "score", "pass@4" or the level of a slice, and the values behind it."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import combinations
from typing import Any

from blade.checking.numbers import Figure, Figures, Path, Printed, leaves
from blade.checking.word_stems import stems_of
from blade.frozen import frozen
from blade.model import Analysis, Change, RunAnalysis, TaskResult
from blade.renderers import json

SCORES = (("score",), ("micro",), ("score_as_found",), ("score_zero_fill",), ("evaluable", "score"))
MORE_SCORES = (*SCORES, ("evaluable", "micro"), ("pass_at_k", "1"))
INTERVALS = (("score_interval",), ("pass_rate_interval",), ("evaluable", "score_interval"))
MEASURES: tuple[tuple[re.Pattern[str], tuple[Path, ...]], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), places)
    for pattern, places in (
        (r"\bscor(?:e|es|ed|ing)\b|\baccuracy\b|\bmean reward\b|\baverage\b|\boverall\b", MORE_SCORES),
        (r"\b(?:pass|success|solve) rates?\b|\bpass(?:es|ed)?\b(?!@|\^)|\bsolve[sd]?\b|\bfail(?:s|ed)?\b", MORE_SCORES),
        (r"\bcoverage\b|\bcovers?\b", (("coverage",),)),
        (r"\bconsisten\w*|\bevery time\b|\balways\b", (("consistency",),)),
        (r"\bat least once\b|\bever pass", (("any_at_n",),)),
        (r"\bretr(?:y|ies)\b", (("retry_value",),)),
        (r"\bdisagree\w*|\bflak\w*", (("flakiness",),)),
    )
)
KEYED = (
    (re.compile(r"\bpass@(\d+)", re.IGNORECASE), "pass_at_k"),
    (re.compile(r"\bpass\^(\d+)", re.IGNORECASE), "pass_hat_k"),
    (re.compile(r"\bmajority@(\d+)", re.IGNORECASE), "majority_at_k"),
    (re.compile(r"\bbest[ -]of[ -](\d+)", re.IGNORECASE), "best_of_k"),
)
_RANGE = re.compile(r"interval|\bCI\b|between|bound|\bto\b|±|–|\[", re.IGNORECASE)
_SHARE = re.compile(
    r"\b(?:always|sometimes|never|missing|infrastructure|outage|truncat|cut off|timed|time-?outs?|broke)",
    re.IGNORECASE,
)
LISTED = ("runs", "changes", "modes", "funnel", "labels", "counterfactuals", "health", "contrasts", "investigation")
Compared = Callable[[str, str], Change | None]
NO_POINTS = frozenset(
    ("p", "p_adjusted", "churn_p", "flips", "lfdr", "passport", "shared_outputs", "tasks", "rollouts")
)
NO_COUNTS = frozenset(
    ("fields", "flips", "evidence", "components", "beta_binomial", "repeats_needed", "late_words", "attempt", "limits")
)
"""Figures of single rows and tasks, and those behind others: no number of a sentence on the run is one of them."""
PASSING = re.compile(r"\b(?:pass|solv|succeed|fail|success)\w*", re.IGNORECASE)


@frozen
class Named:
    """The values that a sentence may mean: of each measure the first, and all that its words allow."""

    meant: tuple[Figure, ...] = ()
    allowed: tuple[Figure, ...] = ()

    def nearest(self, number: Printed) -> Figure:
        """What was meant most likely: of the measures named, the value next to the number."""
        scale = 1 if number.unit == "plain" else 100
        return min(self.meant, key=lambda figure: abs(abs(figure.value) * scale - abs(number.value)))


class Values:
    """The values of an analysis, by run, by task and by change; made when they are first asked for."""

    def __init__(self, analysis: Analysis, compared: Compared | None = None) -> None:
        self.analysis = analysis
        self._compared = compared
        self._pairs: dict[frozenset[str], Change | None] = {}
        self.runs: Mapping[str, RunAnalysis] = {run.name: run for run in analysis.runs}
        self.tasks = {task.task: task for task in analysis.tasks}
        self._of_run: dict[str, Figures] = {}

    @cached_property
    def models(self) -> frozenset[str]:
        """The models of all runs."""
        return frozenset(model for run in self.runs.values() for model in run.provenance.models)

    def change_of(self, one: str, other: str) -> Change | None:
        """What changed between two runs: as the analysis has it, else compared now, the first as baseline."""
        pair = frozenset((one, other))
        if pair not in self._pairs:
            analysed = (change for change in self.analysis.changes if {change.base, change.candidate} == pair)
            change = next(analysed, None)
            if change is None and len(pair) == 2 and self._compared is not None:
                change = self._compared(one, other)
            self._pairs[pair] = change
        return self._pairs[pair]

    def place_of(self, change: Change) -> Path:
        """Where a change stands in the analysis; one that was compared now stands in the answer of `report --pair`."""
        is_known = change in self.analysis.changes
        return (
            ("changes", self.analysis.changes.index(change)) if is_known else ("pairs", change.base, change.candidate)
        )

    def changes_between(self, runs: Sequence[str]) -> Figures:
        """What a number in points may stand for, of these runs too where they were not compared in the analysis."""
        pairs = [change for one, two in combinations(runs, 2) if (change := self.change_of(one, two)) is not None]
        figures = [
            figure
            for change in pairs
            if change not in self.analysis.changes
            for figure in leaves(json.change_data(change), self.place_of(change))
            if not NO_POINTS & set(figure.path)
        ]
        turned = [Figure(-figure.value, figure.path) for figure in figures]
        return Figures([*self.changes, *figures, *turned])

    @cached_property
    def listed(self) -> dict[str, Any]:
        """What the analysis lists by run, as data: without tasks and single findings."""
        document = json.document(self.analysis)
        return {name: document[name] for name in LISTED}

    def of_run(self, name: str) -> Figures:
        """Every value that speaks of the run, and of its changes against others."""
        if name not in self._of_run:
            run = self.runs[name]
            figures = [*leaves(json.run_data(run), ("runs", name)), *_shares(run)]
            for place, change in enumerate(self.analysis.changes):
                if name in {change.base, change.candidate}:
                    figures += leaves(json.change_data(change), ("changes", place))
            self._of_run[name] = Figures(figure for figure in figures if not NO_COUNTS & set(figure.path))
        return self._of_run[name]

    def diagnosed(self, runs: Sequence[str], words: str) -> Figures:
        """What the diagnosis counts of runs and the words name: costs of ways of failing, scores without them."""
        stems = stems_of(words)
        run_scores = {run.metrics["score"] for run in self.analysis.runs if run.metrics["score"] is not None}
        figures: list[Figure] = []
        for item in self.analysis.counterfactuals:
            score = item.get("score")
            if score is None or item.get("run", "") not in {"", *runs} or not stems & stems_of(str(item["name"])):
                continue
            figures += [Figure(score - run_score, ("counterfactuals",)) for run_score in run_scores]
            figures += [Figure(score, ("counterfactuals",))] if score not in run_scores else []
        for key, items in (("modes", self.analysis.modes), ("interventions", self.analysis.interventions)):
            records = [dataclasses.asdict(item) for item in items]
            figures += leaves([item for item in records if stems & stems_of(str(item))], (key,))
        return Figures(figures)

    @cached_property
    def differences(self) -> list[Figure]:
        """The scores and the slices of every two runs, one less the other."""
        figures = []
        for change in self.analysis.changes:
            base, candidate = self.runs[change.base], self.runs[change.candidate]
            path: Path = ("changes", self.analysis.changes.index(change), "delta")
            for places in MORE_SCORES:
                base_value, two = _at(base.metrics, places), _at(candidate.metrics, places)
                figures += [Figure(two - base_value, path)] if base_value is not None and two is not None else []
            levels = {(line["field"], line["level"]): line["score"] for line in base.slices}
            for line in candidate.slices:
                before = levels.get((line["field"], line["level"]))
                if before is not None and line["score"] is not None:
                    figures.append(Figure(line["score"] - before, path))
        return figures

    @cached_property
    def changes(self) -> Figures:
        """What a number in points may stand for."""
        deltas = [
            figure
            for place, change in enumerate(self.analysis.changes)
            for figure in leaves(json.change_data(change), ("changes", place))
            if not NO_POINTS & set(figure.path)
        ]
        worth = [
            Figure(run.metrics[key], ("runs", run.name, "metrics", key))
            for run in self.analysis.runs
            for key in ("retry_value", "mde")
            if run.metrics.get(key) is not None
        ]
        other_places = {"contrasts": self.analysis.contrasts, "health": self.analysis.health}
        other_figures = [figure for figure in leaves(other_places) if not NO_POINTS & set(figure.path)]
        return Figures([*deltas, *worth, *other_figures, *self.differences])

    def named(self, text: str, name: str) -> Named:
        """The values of the measures that a text names, for one run."""
        run = self.runs[name]
        groups = [*_keyed(run, text), *_sliced(run, text)]
        for pattern, places in MEASURES:
            if pattern.search(text):
                groups.append(
                    [fig for place in places for fig in leaves(_value(run.metrics, place), _path(name, place))]
                )
        groups = [group for group in groups if group]
        figures = [figure for group in groups for figure in group]
        if figures and _RANGE.search(text):
            figures += [fig for place in INTERVALS for fig in leaves(_value(run.metrics, place), _path(name, place))]
            figures += leaves(run.denominator.bounds, ("runs", name, "denominator", "bounds"))
        if figures and _SHARE.search(text):
            figures += _shares(run)
        return Named(tuple(group[0] for group in groups), tuple(figures))

    def scores(self, name: str) -> Figures:
        """The score of a run by every way to count its rollouts."""
        metrics = self.runs[name].metrics
        return Figures(figure for place in MORE_SCORES for figure in leaves(_value(metrics, place), _path(name, place)))

    def of_task(self, task: str, name: str) -> list[Figure]:
        result = self.result(task, name)
        if result is None:
            return []
        at: Path = ("tasks", task, "runs", name)
        figures = [Figure(float(value), (*at, key)) for key, value in _counts(result).items() if value is not None]
        if result.mean is not None:
            figures += [Figure(result.mean, (*at, "mean")), Figure(1 - result.mean, (*at, "mean"))]
        return figures

    def verdicts(self, name: str) -> tuple[int, int, int]:
        """How many rollouts of a run pass, how many were judged, and how many there are."""
        results = [task.runs[name] for task in self.analysis.tasks if name in task.runs]
        judged = sum(letter in "pf" for result in results for letter in result.outcomes)
        return sum(result.passes or 0 for result in results), judged, sum(result.attempts for result in results)

    def result(self, task: str, name: str) -> TaskResult | None:
        task_result = self.tasks.get(task)
        return task_result.runs.get(name) if task_result else None


def _counts(result: TaskResult) -> dict[str, float | None]:
    fails = None if result.passes is None else result.attempts - result.passes
    return {
        "passes": result.passes,
        "attempts": result.attempts,
        "expected": result.expected,
        "fails": fails,
        "rate_above": result.rate_above,
    }


def _keyed(run: RunAnalysis, text: str) -> Iterator[list[Figure]]:
    for pattern, key in KEYED:
        for match in pattern.finditer(text):
            places = [key, *(["majority_first_k"] if key == "majority_at_k" else [])]
            values = [(place, run.metrics[place].get(match[1])) for place in places]
            figures = [
                Figure(v, ("runs", run.name, "metrics", place, match[1])) for place, v in values if v is not None
            ]
            if figures:
                yield figures


def _sliced(run: RunAnalysis, text: str) -> Iterator[list[Figure]]:
    """Values of a slice whose level stands in the text as a word; a number needs its field before it."""
    words = set(re.findall(r"\w+", text.lower()))
    for place, line in enumerate(run.slices):
        level = str(line["level"]).lower()
        alone = level in words and not level.isdecimal()
        if alone or re.search(rf"{re.escape(str(line['field']).lower())}\W+{re.escape(level)}\b", text.lower()):
            figures = {key: line[key] for key in ("score", "interval") if line.get(key) is not None}
            yield list(leaves(figures, ("runs", run.name, "slices", place)))


def _shares(run: RunAnalysis) -> Iterator[Figure]:
    """Buckets as shares of tasks, statuses as shares of rollouts."""
    for key, count in (run.buckets or {}).items():
        if run.tasks:
            yield Figure(count / run.tasks, ("runs", run.name, "buckets", key))
    for key, count in run.statuses.items():
        if run.rollouts:
            yield Figure(count / run.rollouts, ("runs", run.name, "statuses", key))


def _path(name: str, place: Path) -> Path:
    return ("runs", name, "metrics", *place)


def _at(metrics: Mapping[str, Any], place: Path) -> float | None:
    value = _value(metrics, place)
    return value if isinstance(value, (int, float)) else None


def _value(metrics: Any, place: Path) -> Any:
    for key in place:
        metrics = metrics.get(str(key)) if isinstance(metrics, Mapping) else None
    return metrics


def passes_once(result: TaskResult) -> bool:
    return bool(result.passes)


def passes_always(result: TaskResult) -> bool:
    return result.passes == result.attempts


def wholes(run: RunAnalysis) -> set[int | None]:
    chain = run.denominator
    return {run.tasks, run.rollouts, chain.expected, chain.started, chain.finished, chain.graded, chain.counted}

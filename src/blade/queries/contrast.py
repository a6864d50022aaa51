"""Two groups of rollouts against each other: what goes with the one and not with the other.

Features are what the wide table holds: tools, findings, checks, fields and numbers. Where enough tasks have rollouts of
both groups, rollouts are compared with those of their own task only. What separates is a trace, not a cause. How the
groups end is told apart from what separates them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import Any

import polars as pl

from blade.counting.run import Run
from blade.diagnosis.cases import RunCases, all_cases
from blade.diagnosis.phrases import find_words, separating_phrases
from blade.errors import UsageError
from blade.index.tables import Index
from blade.queries.conditions import condition, select
from blade.queries.tally import tally
from blade.queries.texts import writer
from blade.registry import plugins
from blade.stats.contrast import FEWEST_TASKS, strata, tables
from blade.stats.multiple import benjamini_hochberg
from blade.stats.rank_contrast import rank_p
from blade.stats.strata import exact_p, risk_difference

LEVEL = 0.05
"""False discovery rate of what is told to separate."""
MOST_LEVELS = 12
FEWEST = 3
_LISTS = {"tools": "calls {}", "findings": "rule {}", "checks_failed": "fails the check {}", "errors": "tool says {}"}
_LEFT_OUT = {"task", "attempt", "output_hash", "path", "line", "offset", "length", "created_at", "counted"}
_LEFT_OUT |= {"mode_id", "rule", "confidence", "row_key", "read"}
_OUTCOME = {"passed", "failed", "score", "bucket"}
_VERDICT = {"label", "mode", "shape", "changes_right", "verdict_wrong", "mechanism", "blame", "checks_failed", "answer"}
"""What is told of failures alone, or only says how the work differs from the key."""
_OF_THE_KEY = {"reference", "key", "stage"}
_TRANSCRIPT = set(
    "ends_on items messages calls calls_failed outputs thoughts user_turns output_chars final_chars last_call_failed "
    "tool_message first_call streak errors tools findings mode shape changes_made changes_right changes_refused".split()
)
"""What only a transcript tells."""


@dataclass(frozen=True)
class Feature:
    """One feature in both groups: rollouts that have it, or the medians of a number."""

    name: str
    kind: str  # binary or numeric
    first: float
    of_first: int
    second: float
    of_second: int
    p: float
    q: float = 1.0
    within: float | None = None
    """How far A is above B within tasks: the difference of shares, or of a number the share of tasks where A has more
    less the share where B has; None where rollouts are compared as they are."""

    @property
    def above(self) -> float:
        """How far A is above B: within tasks, else as the rollouts are."""
        if self.within is not None:
            return self.within
        return self.first / self.of_first - self.second / self.of_second


@dataclass(frozen=True)
class GroupContrast:
    """`features` are those that separate, the surest first; `tested` were tried; `overlap` rollouts are in both groups.

    `left_out` are features that were not tried, by why.
    """

    first: pl.DataFrame
    second: pl.DataFrame
    overlap: int
    within_tasks: int
    tested: int
    features: tuple[Feature, ...]
    left_out: Mapping[str, tuple[str, ...]]
    passing: Feature | None = None
    """The passes of the judged rollouts; None where the conditions tell them, or nothing was judged on one side."""

    def counts(self) -> dict[str, dict[str, float]]:
        """What a report may cite, as groups of all runs."""
        counts: dict[str, float] = {}
        for letter, rows in (("A", self.first), ("B", self.second)):
            counts |= {f"{letter}: {name}": value for name, value in tally(rows).data().items()}
        for feature in (*((self.passing,) if self.passing else ()), *self.features):
            kind = "rollouts" if feature.kind == "binary" else "median"
            counts |= {f"A {feature.name}: {kind}": feature.first, f"B {feature.name}: {kind}": feature.second}
            counts |= {f"{feature.name}: p": feature.p}
            if feature.kind == "binary" or feature.within is not None:
                counts |= {f"{feature.name}: points": feature.above}
        return {"": counts}


def contrast(index: Index, params: Mapping[str, Any]) -> GroupContrast:
    """The features that separate the rollouts of two conditions; those that the conditions name are not tried."""
    key = ["path", "line"]
    first, second = (select(index, [condition(params[name])]).rows for name in ("first", "second"))
    overlap = first.join(second, on=key, how="semi").height
    first, second = first.join(second, on=key, how="anti"), second.join(first, on=key, how="anti")
    for letter, rows in (("A", first), ("B", second)):
        if rows.is_empty():
            hint = "Try each condition with `blade count`."
            raise UsageError(f"No rollout is in group {letter} alone.", hint)
    rows = pl.concat([first, second])
    member = [True] * first.height + [False] * second.height
    keys, within = _keys(rows, member)
    condition_text = f"{params['first']} {params['second']}".lower()
    left_out = {} if params.get("all") else _left_out(rows, member, condition_text)
    names = {name for group in left_out.values() for name in group}
    candidates = [
        replace(feature, within=feature.within if within else None)
        for feature in _features(rows, member, keys, condition_text, names)
    ]
    rates = benjamini_hochberg([feature.p for feature in candidates])
    separating = [replace(feature, q=q) for feature, q in zip(candidates, rates, strict=True) if q <= LEVEL]
    separating.sort(
        key=lambda feature: (
            feature.p,
            -abs(feature.first / feature.of_first - feature.second / feature.of_second),
            feature.name,
        )
    )
    features = tuple(_once(separating))
    passing = None if _names_outcome(condition_text) else _passing(rows, member, keys, within_tasks=bool(within))
    return GroupContrast(first, second, overlap, within, len(candidates), features, left_out, passing)


def _names_outcome(condition_text: str) -> bool:
    return any(name in condition_text for name in _OUTCOME)


def _passing(rows: pl.DataFrame, member: Sequence[bool], keys: Sequence[str], *, within_tasks: bool) -> Feature | None:
    """How often the judged rollouts of both groups pass."""
    passed = [None if void else bool(good) for good, void in rows.select("passed", "void").iter_rows()]
    sizes = [
        sum(good is not None for good, one in zip(passed, member, strict=True) if one is side) for side in (True, False)
    ]
    if not all(sizes):
        return None
    first, second = (
        sum(bool(good) for good, one in zip(passed, member, strict=True) if one is side) for side in (True, False)
    )
    counts = tables(keys, member, passed)
    p = exact_p(counts)
    within = risk_difference([(a, c, b, d) for a, b, c, d in counts]) if within_tasks else None
    return Feature("passed", "binary", first, sizes[0], second, sizes[1], 1.0 if p is None else p, within=within)


RESTATES, ONE_SIDED, SETTINGS = (
    "restate the verdict",
    "are read from transcripts, which one group has not",
    "are settings of the runs",
)


def _left_out(rows: pl.DataFrame, member: Sequence[bool], condition_text: str) -> dict[str, tuple[str, ...]]:
    """Features that say nothing new: parts of the verdict, what one side cannot have, what names the runs again."""
    left_out: dict[str, tuple[str, ...]] = {}
    if not _names_outcome(condition_text):
        left_out[RESTATES] = tuple(sorted(_OUTCOME & set(rows.columns) | set(_copies_of_the_outcome(rows))))
    else:
        fields = {name for name in rows.columns if name.startswith("row_") and writer(name[4:]) == "verifier"}
        rules = {_LISTS["findings"].format(name) for name in _verdict_rules(rows)}
        left_out[RESTATES] = tuple(sorted(((_VERDICT | fields) & set(rows.columns)) | rules))
    sides = [rows.filter(pl.Series([in_first is side for in_first in member])) for side in (True, False)]
    if any((side["items"].max() or 0) == 0 for side in sides):
        left_out[ONE_SIDED] = tuple(sorted(_TRANSCRIPT & set(rows.columns)))
    if not set(sides[0]["run"].to_list()) & set(sides[1]["run"].to_list()):
        left_out[SETTINGS] = tuple(sorted(_settings(rows)))
    return {why: names for why, names in left_out.items() if names}


def _copies_of_the_outcome(rows: pl.DataFrame) -> Iterator[str]:
    """Fields of the row that tell of every judged rollout whether it passed, and nothing else."""
    judged = rows.filter(~pl.col("void"))
    for name in judged.columns:
        values = judged[name]
        if name.startswith("row_") and values.dtype in {pl.String, pl.Boolean} and not values.null_count():
            levels = judged.group_by(name).agg(pl.col("passed").n_unique())
            if levels.height == 2 == judged["passed"].n_unique() and levels["passed"].max() == 1:
                yield name


def _verdict_rules(rows: pl.DataFrame) -> list[str]:
    """Rules that hold the work against the key or read the verifier's words, and fire on no pass."""
    on_passes = set(rows.filter(pl.col("passed") & ~pl.col("void"))["findings"].explode().drop_nulls().to_list())
    return [
        name
        for name, rule in plugins("detectors").items()
        if (getattr(rule, "NEEDS", "") in _OF_THE_KEY or "verifier" in rule.READS) and name not in on_passes
    ]


def _settings(rows: pl.DataFrame) -> Iterator[str]:
    """Texts of the rows that are the same all over each run, or that no two runs share: its model, its files."""
    for name in rows.columns:
        if rows[name].dtype != pl.String or not (name.startswith("row_") or name in {"model", "machine"}):
            continue
        same = rows.group_by("run").agg(pl.col(name).n_unique())[name].max() == 1
        runs_of_a_value = rows.drop_nulls(name).group_by(name).agg(pl.col("run").n_unique())["run"].max()
        if same or (runs_of_a_value == 1 and writer(name.removeprefix("row_")) != "verifier"):
            yield name


def _keys(rows: pl.DataFrame, member: Sequence[bool]) -> tuple[list[str], int]:
    """What rollouts are compared within: their task where enough tasks are in both groups, else nothing."""
    tasks = rows["task"].to_list()
    mixed = {task for task, in_first in zip(tasks, member, strict=True) if in_first}
    mixed &= {task for task, in_first in zip(tasks, member, strict=True) if not in_first}
    return (tasks, len(mixed)) if len(mixed) >= FEWEST_TASKS else ([""] * len(tasks), 0)


def _features(
    rows: pl.DataFrame, member: Sequence[bool], keys: Sequence[str], condition_text: str, left_out: set[str]
) -> Iterator[Feature]:
    outcome = _names_outcome(condition_text)
    for name in rows.columns:
        if name in _LEFT_OUT | left_out or name in condition_text or (outcome and name in _OUTCOME):
            continue
        column = rows[name]
        if column.dtype == pl.List(pl.String):
            if name in _LISTS:
                features = _of_list(name, column, member, keys)
                yield from (feature for feature in features if feature.name not in left_out)
        elif column.dtype == pl.Boolean:
            yield from _binary(name.replace("_", " "), column.to_list(), member, keys)
        elif column.dtype == pl.String:
            levels = sorted(column.drop_nulls().unique().to_list())
            for level in levels if 1 < len(levels) <= MOST_LEVELS else ():
                yield from _binary(f"{name} = {level}", (column == level).to_list(), member, keys)
        elif column.dtype.is_numeric():
            yield from _numeric(name, column.cast(pl.Float64).to_list(), member, keys)


def _of_list(name: str, column: pl.Series, member: Sequence[bool], keys: Sequence[str]) -> Iterator[Feature]:
    counts = column.explode().drop_nulls().value_counts().filter(pl.col("count") >= FEWEST).sort(column.name)
    for value in counts[column.name].to_list():
        has = column.list.contains(value).fill_null(value=False).to_list()
        yield from _binary(_LISTS[name].format(value), has, member, keys)


def _binary(name: str, has: Sequence[bool | None], member: Sequence[bool], keys: Sequence[str]) -> Iterator[Feature]:
    counts = tables(keys, member, has)
    p = exact_p(counts)
    if p is not None:
        pairs = [(in_first, feature) for in_first, feature in zip(member, has, strict=True) if feature is not None]
        of_first = sum(in_first for in_first, _ in pairs)
        first, second = (
            sum(bool(feature) for in_first, feature in pairs if in_first is side) for side in (True, False)
        )
        if first + second >= FEWEST:
            within = risk_difference([(a, c, b, d) for a, b, c, d in counts])
            yield Feature(name, "binary", first, of_first, second, len(pairs) - of_first, p, within=within)


def _numeric(
    name: str, values: Sequence[float | None], member: Sequence[bool], keys: Sequence[str]
) -> Iterator[Feature]:
    mixed_strata = strata(keys, member, values)
    if not mixed_strata or len({value for value in values if value is not None}) < 2:
        return
    p = rank_p(mixed_strata)
    if p is not None:
        sides = [
            pl.Series([v for in_first, v in zip(member, values, strict=True) if in_first is side])
            for side in (True, False)
        ]
        medians = [float(side.drop_nulls().median() or 0.0) for side in sides]  # type: ignore[arg-type]
        sizes = [len(side.drop_nulls()) for side in sides]
        signs = [(fmean(one) > fmean(two)) - (fmean(one) < fmean(two)) for one, two in mixed_strata]
        yield Feature(name, "numeric", medians[0], sizes[0], medians[1], sizes[1], p, within=fmean(signs))


def _once(features: Sequence[Feature]) -> Iterator[Feature]:
    """Features with the same counts and the same p are one thing under several names: the first is told."""
    signatures = set()
    for feature in features:
        signature = (feature.kind, feature.first, feature.second, feature.of_first, feature.of_second)
        if signature not in signatures:
            signatures.add(signature)
            yield feature


@dataclass(frozen=True)
class GroupPhrase:
    """A phrase that one group holds more often: who says it, and in how many rollouts of each."""

    actor: str
    words: str
    first: int
    second: int
    p: float


def separating_words(runs: Sequence[Run], mixed_strata: GroupContrast, limit: int) -> list[GroupPhrase]:
    """Phrases of three words that one group holds more often than the other, as failures are held against passes."""
    sides = dict.fromkeys(mixed_strata.first.select("path", "line").iter_rows(), True)
    sides |= dict.fromkeys(mixed_strata.second.select("path", "line").iter_rows(), False)
    grouped = []
    for run in runs:
        (in_first,) = all_cases([run], [])
        cases = tuple(replace(case, passed=sides.get(case.place[:2])) for case in in_first.cases)
        grouped.append(RunCases(run, cases))
    members = [case for run in grouped for case in run.cases if case.passed is not None]
    separating: list[GroupPhrase] = []
    for feature in separating_phrases(grouped, members):
        if len(separating) < limit and find_words([feature]):
            first = sum(bool(case.passed) for case in feature.cases)
            actor = feature.actor.removesuffix("_phrases")
            separating.append(GroupPhrase(actor, feature.words, first, len(feature.cases) - first, feature.chosen.p))
    return separating

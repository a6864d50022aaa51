"""Two groups of rollouts against each other: what goes with the one and not with the other.

Features are what the wide table holds: tools, findings, checks, fields and numbers. Where enough tasks have rollouts of
both groups, rollouts are compared with those of their own task only. What separates is a trace, not a cause.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import polars as pl

from blade.counting.run import Run
from blade.diagnosis.cases import RunCases, all_cases
from blade.diagnosis.phrases import find_words, separating_phrases
from blade.errors import UsageError
from blade.index.tables import Index
from blade.queries.conditions import condition, select
from blade.queries.tally import tally
from blade.stats.contrast import FEWEST_TASKS, strata, tables
from blade.stats.multiple import benjamini_hochberg
from blade.stats.rank_contrast import rank_p
from blade.stats.strata import exact_p

LEVEL = 0.05
"""False discovery rate of what is told to separate."""
MOST_LEVELS = 12
FEWEST = 3
_LISTS = {"tools": "calls {}", "findings": "rule {}", "checks_failed": "fails the check {}", "errors": "tool says {}"}
_LEFT_OUT = {"task", "attempt", "output_hash", "path", "line", "offset", "length", "created_at", "counted"}
_LEFT_OUT |= {"mode_id", "rule", "confidence"}
_OUTCOME = {"passed", "failed", "score", "bucket"}


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


@dataclass(frozen=True)
class Contrast:
    """`features` are those that separate, the surest first; `tested` were tried; `both` rollouts are in both groups."""

    first: pl.DataFrame
    second: pl.DataFrame
    both: int
    within_tasks: int
    tested: int
    features: tuple[Feature, ...]

    def counts(self) -> dict[str, dict[str, float]]:
        """What a report may cite, as groups of all runs."""
        made: dict[str, float] = {}
        for letter, rows in (("A", self.first), ("B", self.second)):
            made |= {f"{letter}: {name}": value for name, value in tally(rows).data().items()}
        for one in self.features:
            kind = "rollouts" if one.kind == "binary" else "median"
            made |= {f"A {one.name}: {kind}": one.first, f"B {one.name}: {kind}": one.second}
        return {"": made}


def contrast(index: Index, asked: Mapping[str, Any]) -> Contrast:
    """The features that separate the rollouts of two conditions; those that the conditions name are not tried."""
    key = ["path", "line"]
    first, second = (select(index, [condition(asked[name])]).rows for name in ("first", "second"))
    both = first.join(second, on=key, how="semi").height
    first, second = first.join(second, on=key, how="anti"), second.join(first, on=key, how="anti")
    for letter, rows in (("A", first), ("B", second)):
        if rows.is_empty():
            hint = "Try each condition with `blade count`."
            raise UsageError(f"No rollout is in group {letter} alone.", hint)
    rows = pl.concat([first, second])
    member = [True] * first.height + [False] * second.height
    keys, within = _keys(rows, member)
    named = f"{asked['first']} {asked['second']}".lower()
    tried = list(_features(rows, member, keys, named))
    rates = benjamini_hochberg([one.p for one in tried])
    told = [replace(one, q=q) for one, q in zip(tried, rates, strict=True) if q <= LEVEL]
    told.sort(key=lambda one: (one.p, -abs(one.first / one.of_first - one.second / one.of_second), one.name))
    return Contrast(first, second, both, within, len(tried), tuple(_once(told)))


def _keys(rows: pl.DataFrame, member: Sequence[bool]) -> tuple[list[str], int]:
    """What rollouts are compared within: their task where enough tasks are in both groups, else nothing."""
    tasks = rows["task"].to_list()
    mixed = {task for task, own in zip(tasks, member, strict=True) if own}
    mixed &= {task for task, own in zip(tasks, member, strict=True) if not own}
    return (tasks, len(mixed)) if len(mixed) >= FEWEST_TASKS else ([""] * len(tasks), 0)


def _features(rows: pl.DataFrame, member: Sequence[bool], keys: Sequence[str], named: str) -> Iterator[Feature]:
    outcome = any(name in named for name in _OUTCOME)
    for name in rows.columns:
        if name in _LEFT_OUT or name in named or (outcome and name in _OUTCOME):
            continue
        column = rows[name]
        if column.dtype == pl.List(pl.String):
            if name in _LISTS:
                yield from _of_list(name, column, member, keys)
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
    p = exact_p(tables(keys, member, has))
    if p is not None:
        known = [(own, one) for own, one in zip(member, has, strict=True) if one is not None]
        of_first = sum(own for own, _ in known)
        first, second = (sum(bool(one) for own, one in known if own is side) for side in (True, False))
        if first + second >= FEWEST:
            yield Feature(name, "binary", first, of_first, second, len(known) - of_first, p)


def _numeric(
    name: str, values: Sequence[float | None], member: Sequence[bool], keys: Sequence[str]
) -> Iterator[Feature]:
    found = strata(keys, member, values)
    if not found or len({value for value in values if value is not None}) < 2:
        return
    p = rank_p(found)
    if p is not None:
        sides = [pl.Series([v for own, v in zip(member, values, strict=True) if own is side]) for side in (True, False)]
        medians = [float(side.drop_nulls().median() or 0.0) for side in sides]  # type: ignore[arg-type]
        sizes = [len(side.drop_nulls()) for side in sides]
        yield Feature(name, "numeric", medians[0], sizes[0], medians[1], sizes[1], p)


def _once(features: Sequence[Feature]) -> Iterator[Feature]:
    """Features with the same counts and the same p are one thing under several names: the first is told."""
    seen = set()
    for one in features:
        same = (one.kind, one.first, one.second, one.of_first, one.of_second)
        if same not in seen:
            seen.add(same)
            yield one


@dataclass(frozen=True)
class Words:
    """A phrase that one group holds more often: who says it, and in how many rollouts of each."""

    actor: str
    words: str
    first: int
    second: int
    p: float


def separating_words(runs: Sequence[Run], found: Contrast, most: int) -> list[Words]:
    """Phrases of three words that one group holds more often than the other, as failures are held against passes."""
    sides = dict.fromkeys(found.first.select("path", "line").iter_rows(), True)
    sides |= dict.fromkeys(found.second.select("path", "line").iter_rows(), False)
    grouped = []
    for run in runs:
        (own,) = all_cases([run], [])
        cases = tuple(replace(case, passed=sides.get(case.place[:2])) for case in own.cases)
        grouped.append(RunCases(run, cases))
    meant = [case for run in grouped for case in run.cases if case.passed is not None]
    told = []
    for one in separating_phrases(grouped, meant):
        if len(told) < most and find_words(one):
            first = sum(bool(case.passed) for case in one.cases)
            actor = one.actor.removesuffix("_phrases")
            told.append(Words(actor, one.words, first, len(one.cases) - first, one.chosen.p))
    return told

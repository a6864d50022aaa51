"""Where things are: ways of failing held against properties of tasks."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from blade.anchors.candidate import (
    DISTRIBUTION,
    About,
    Candidate,
    about,
    cited,
    level_entity,
    level_words,
    mark_entity,
    of,
)
from blade.anchors.chance import (
    STABLE,
    SURE,
    Bools,
    Floats,
    dice,
    draws,
    familywise,
    moved_counts,
    share,
    shuffles,
    tries,
)
from blade.anchors.table import Ints, RolloutMark, RolloutTable, SliceField
from blade.frozen import frozen
from blade.wording import percent

FEWEST = 5
MOSTLY = 0.6
LIFT = 1.3
NEAR = 0.1
FEWEST_TASKS = 6


@frozen
class SliceCells:
    """Failures by level and mark of one field, as they are and as chance deals them."""

    table: RolloutTable
    field: SliceField
    marks: list[RolloutMark]
    tasks_with_level: Ints
    """The tasks that have a level."""
    tasks: Floats
    """Failures of each of them with each mark; the last column counts all failures."""
    observed: Floats
    moved: Floats
    weights: Floats

    def in_level(self, level: int) -> Bools:
        return np.asarray(self.field.of_task[self.tasks_with_level] == level)

    def about(self, level: int, place: int) -> About:
        mark, name = self.marks[place], self.field.levels[level]
        scope: dict[str, object] = {"run": self.table.run, mark.sort: mark.id, "field": self.field.name, "level": name}
        scope |= {"count": int(self.observed[level, place]), "of": int(self.observed[:, place].sum())}
        return about(
            scope,
            mark_entity(mark),
            level_entity(self.field, level),
            topic=(mark.id, f"{self.field.name}={name}"),
            share=float(self.observed[level, place]) / self.table.passed.size,
        )

    def though(self, level: int) -> str:
        """The other side of a concentration: a level that does better than the rest."""
        rates = self.table.passes[self.tasks_with_level] / np.maximum(self.table.attempts[self.tasks_with_level], 1)
        in_level = self.in_level(level)
        if not self.table.judged or in_level.all() or not in_level.any():
            return ""
        rate_inside, rate_outside = rates[in_level].mean(), rates[~in_level].mean()
        resampled_rates = [
            (self.weights @ (rates * side)) / np.maximum(self.weights @ side, 1e-9) for side in (in_level, ~in_level)
        ]
        if rate_inside <= rate_outside or (resampled_rates[0] > resampled_rates[1]).mean() < STABLE:
            return ""
        return (
            f", although it passes more ({percent(float(rate_inside))}) than the rest ({percent(float(rate_outside))})"
        )


def where_facts(table: RolloutTable, seed: int) -> Iterator[Candidate]:
    """Concentrations and exclusions of every field."""
    for field in table.fields:
        cells = _cells(table, field, dice(seed, f"where|{table.run}|{field.name}"))
        if cells is not None:
            yield from _full(cells)
            yield from _empty(cells)


def _cells(table: RolloutTable, field: SliceField, rng: np.random.Generator) -> SliceCells | None:
    tasks_with_level = np.flatnonzero(field.of_task >= 0)
    marks = table.of_failures(FEWEST)
    if not marks or tasks_with_level.size < FEWEST_TASKS:
        return None
    columns = [*(mark.rows & table.failed for mark in marks), table.failed]
    counts = np.stack([table.per_task(rows) for rows in columns], axis=1)[tasks_with_level].astype(np.float64)
    levels, level_count = field.of_task[tasks_with_level], len(field.levels)
    observed = moved_counts(levels, level_count, counts, np.arange(tasks_with_level.size)[None])[0]
    moved = moved_counts(
        levels, level_count, counts, shuffles(rng, tasks_with_level.size, tries(level_count * counts.shape[1]))
    )
    return SliceCells(table, field, marks, tasks_with_level, counts, observed, moved, draws(rng, tasks_with_level.size))


def _excess(counts: Floats) -> Floats:
    """Failures with a mark above what the level's share of all failures lets expect: (data set, level, mark)."""
    totals = counts.sum(axis=1, keepdims=True)
    expected = counts[:, :, -1:] * totals[:, :, :-1] / np.maximum(totals[:, :, -1:], 1.0)
    return np.asarray(counts[:, :, :-1] - expected)


def _full(cells: SliceCells) -> Iterator[Candidate]:
    """Levels that hold most, or an outsized part, of what fails in one way."""
    observed, permuted = _excess(cells.observed[None])[0], _excess(cells.moved)
    adjusted = familywise(observed.ravel(), permuted.reshape(permuted.shape[0], -1)).reshape(observed.shape)
    totals, fails = cells.observed.sum(axis=0), cells.observed[:, -1]
    for level, place in np.argwhere(adjusted <= SURE).tolist():
        count, total = cells.observed[level, place], totals[place]
        if count < FEWEST or count / total < LIFT * fails[level] / totals[-1]:
            continue
        if count / total >= MOSTLY:
            guess = share(cells.moved[:, level, place] >= (count / total - NEAR) * total)
            yield from _concentration(cells, level, place).tried(guess, _is_majority(cells, level, place))
        elif (fact := _outsized(cells, level, place)) is not None:
            guess = share(permuted[:, level, place] >= (1 - NEAR) * observed[level, place])
            yield from fact.tried(guess, _twice(cells, level, place))


def _is_majority(cells: SliceCells, level: int, place: int) -> Bools:
    mark_in_level = cells.weights @ (cells.tasks[:, place] * cells.in_level(level))
    total = cells.weights @ cells.tasks[:, place]
    return np.asarray(mark_in_level > 0.5 * total)


def _twice(cells: SliceCells, level: int, place: int) -> Bools:
    """Whether the rate inside stays well above the rate outside."""
    in_level = cells.in_level(level)
    mark_in_level, fails = (cells.weights @ (cells.tasks[:, column] * in_level) for column in (place, -1))
    outside, failures_outside = (cells.weights @ (cells.tasks[:, column] * ~in_level) for column in (place, -1))
    return np.asarray(mark_in_level * np.maximum(failures_outside, 1) > 1.5 * outside * np.maximum(fails, 1))


def _concentration(cells: SliceCells, level: int, place: int) -> Candidate:
    count, total = int(cells.observed[level, place]), int(cells.observed[:, place].sum())
    failure_share = float(cells.observed[level, -1] / cells.observed[:, -1].sum())
    mark, though = cells.marks[place], cells.though(level)
    share_text = f"All {total:,}" if count == total else of(count, total)
    return Candidate(
        "exclusivity" if count == total else "concentration",
        DISTRIBUTION,
        f"{share_text} failed rollouts of `{cells.table.run}` that {mark.words} are in "
        f"{level_words(cells.field, level)}, which holds only {percent(failure_share)} of its failures{though}.",
        cells.about(level, place),
        "share",
        "all" if count == total else "==",
        count / total,
        0.02,
        contrary=bool(though),
        citations=cited(mark, cells.table, cells.tasks_with_level[cells.in_level(level)].tolist()),
        causal=1,
    )


def _outsized(cells: SliceCells, level: int, place: int) -> Candidate | None:
    count, fails = int(cells.observed[level, place]), int(cells.observed[level, -1])
    outside, failures_outside = (
        int(cells.observed[:, column].sum() - cells.observed[level, column]) for column in (place, -1)
    )
    if not failures_outside or count / fails < 2 * outside / failures_outside:
        return None
    mark, though = cells.marks[place], cells.though(level)
    return Candidate(
        "contrast",
        DISTRIBUTION,
        f"In {level_words(cells.field, level)}, {of(count, fails)} failures of `{cells.table.run}` {mark.words}, "
        f"against {of(outside, failures_outside)} elsewhere{though}.",
        cells.about(level, place),
        "share",
        "==",
        count / fails,
        0.02,
        contrary=bool(though),
        citations=cited(mark, cells.table, cells.tasks_with_level[cells.in_level(level)].tolist()),
        causal=1,
    )


def _empty(cells: SliceCells) -> Iterator[Candidate]:
    """Levels in which a way of failing never occurs though it should have, by their number of failures."""
    observed, permuted = -_excess(cells.observed[None])[0], -_excess(cells.moved)
    adjusted = familywise(observed.ravel(), permuted.reshape(permuted.shape[0], -1)).reshape(observed.shape)
    for level, place in np.argwhere((adjusted <= SURE) & (cells.observed[:, :-1] == 0) & (observed >= FEWEST)).tolist():
        mark, total, fails = cells.marks[place], int(cells.observed[:, place].sum()), int(cells.observed[level, -1])
        fact = Candidate(
            "exclusivity",
            DISTRIBUTION,
            f"None of the {fails:,} failures of `{cells.table.run}` in {level_words(cells.field, level)} "
            f"{_singular(mark)}, the way of {of(total, int(cells.observed[:, -1].sum()))} failures in all.",
            cells.about(level, place),
            "count",
            "none",
            0,
            polarity=-1,
            contrary=True,
            causal=1,
        )
        expected = cells.weights @ (cells.tasks[:, -1] * cells.in_level(level))
        rate = (cells.weights @ cells.tasks[:, place]) / np.maximum(cells.weights @ cells.tasks[:, -1], 1)
        yield from fact.tried(share(cells.moved[:, level, place] == 0), expected * rate >= FEWEST / 2)


def _singular(mark: RolloutMark) -> str:
    first, _, remainder = mark.words.partition(" ")
    return f"{first}s {remainder}"

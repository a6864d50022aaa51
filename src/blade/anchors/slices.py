"""Where things are: ways of failing held against properties of tasks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

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
from blade.anchors.table import Field, Ints, Mark, Table
from blade.wording import percent

FEWEST = 5
MOSTLY = 0.6
LIFT = 1.3
NEAR = 0.1
FEWEST_TASKS = 6


@dataclass(frozen=True, slots=True)
class Cells:
    """Failures by level and mark of one field, as they are and as chance deals them."""

    table: Table
    field: Field
    marks: list[Mark]
    known: Ints
    """The tasks that have a level."""
    tasks: Floats
    """Failures of each of them with each mark; the last column counts all failures."""
    seen: Floats
    moved: Floats
    drawn: Floats

    def inside(self, level: int) -> Bools:
        return np.asarray(self.field.of_task[self.known] == level)

    def about(self, level: int, place: int) -> About:
        mark, name = self.marks[place], self.field.levels[level]
        scope: dict[str, object] = {"run": self.table.run, mark.sort: mark.id, "field": self.field.name, "level": name}
        scope |= {"count": int(self.seen[level, place]), "of": int(self.seen[:, place].sum())}
        return about(
            scope,
            mark_entity(mark),
            level_entity(self.field, level),
            topic=(mark.id, f"{self.field.name}={name}"),
            share=float(self.seen[level, place]) / self.table.passed.size,
        )

    def though(self, level: int) -> str:
        """The other side of a concentration: a level that does better than the rest."""
        rates = self.table.passes[self.known] / np.maximum(self.table.attempts[self.known], 1)
        inside = self.inside(level)
        if not self.table.judged or inside.all() or not inside.any():
            return ""
        here, there = rates[inside].mean(), rates[~inside].mean()
        drawn = [(self.drawn @ (rates * side)) / np.maximum(self.drawn @ side, 1e-9) for side in (inside, ~inside)]
        if here <= there or (drawn[0] > drawn[1]).mean() < STABLE:
            return ""
        return f", although it passes more ({percent(float(here))}) than the rest ({percent(float(there))})"


def where_facts(table: Table, seed: int) -> Iterator[Candidate]:
    """Concentrations and exclusions of every field."""
    for field in table.fields:
        cells = _cells(table, field, dice(seed, f"where|{table.run}|{field.name}"))
        if cells is not None:
            yield from _full(cells)
            yield from _empty(cells)


def _cells(table: Table, field: Field, rng: np.random.Generator) -> Cells | None:
    known = np.flatnonzero(field.of_task >= 0)
    marks = table.of_failures(FEWEST)
    if not marks or known.size < FEWEST_TASKS:
        return None
    columns = [*(mark.rows & table.failed for mark in marks), table.failed]
    counts = np.stack([table.per_task(rows) for rows in columns], axis=1)[known].astype(np.float64)
    levels, many = field.of_task[known], len(field.levels)
    seen = moved_counts(levels, many, counts, np.arange(known.size)[None])[0]
    moved = moved_counts(levels, many, counts, shuffles(rng, known.size, tries(many * counts.shape[1])))
    return Cells(table, field, marks, known, counts, seen, moved, draws(rng, known.size))


def _excess(counts: Floats) -> Floats:
    """Failures with a mark above what the level's share of all failures lets expect: (data set, level, mark)."""
    totals = counts.sum(axis=1, keepdims=True)
    expected = counts[:, :, -1:] * totals[:, :, :-1] / np.maximum(totals[:, :, -1:], 1.0)
    return np.asarray(counts[:, :, :-1] - expected)


def _full(cells: Cells) -> Iterator[Candidate]:
    """Levels that hold most, or an outsized part, of what fails in one way."""
    seen, permuted = _excess(cells.seen[None])[0], _excess(cells.moved)
    adjusted = familywise(seen.ravel(), permuted.reshape(permuted.shape[0], -1)).reshape(seen.shape)
    totals, fails = cells.seen.sum(axis=0), cells.seen[:, -1]
    for level, place in np.argwhere(adjusted <= SURE).tolist():
        count, total = cells.seen[level, place], totals[place]
        if count < FEWEST or count / total < LIFT * fails[level] / totals[-1]:
            continue
        if count / total >= MOSTLY:
            guess = share(cells.moved[:, level, place] >= (count / total - NEAR) * total)
            yield from _concentration(cells, level, place).tried(guess, _most(cells, level, place))
        elif (made := _outsized(cells, level, place)) is not None:
            guess = share(permuted[:, level, place] >= (1 - NEAR) * seen[level, place])
            yield from made.tried(guess, _twice(cells, level, place))


def _most(cells: Cells, level: int, place: int) -> Bools:
    inside = cells.drawn @ (cells.tasks[:, place] * cells.inside(level))
    whole = cells.drawn @ cells.tasks[:, place]
    return np.asarray(inside > 0.5 * whole)


def _twice(cells: Cells, level: int, place: int) -> Bools:
    """Whether the rate inside stays well above the rate outside."""
    here = cells.inside(level)
    inside, fails = (cells.drawn @ (cells.tasks[:, column] * here) for column in (place, -1))
    outside, others = (cells.drawn @ (cells.tasks[:, column] * ~here) for column in (place, -1))
    return np.asarray(inside * np.maximum(others, 1) > 1.5 * outside * np.maximum(fails, 1))


def _concentration(cells: Cells, level: int, place: int) -> Candidate:
    count, total = int(cells.seen[level, place]), int(cells.seen[:, place].sum())
    rest = float(cells.seen[level, -1] / cells.seen[:, -1].sum())
    mark, though = cells.marks[place], cells.though(level)
    told = f"All {total:,}" if count == total else of(count, total)
    return Candidate(
        "exclusivity" if count == total else "concentration",
        DISTRIBUTION,
        f"{told} failed rollouts of `{cells.table.run}` that {mark.words} are in {level_words(cells.field, level)}, "
        f"which holds only {percent(rest)} of its failures{though}.",
        cells.about(level, place),
        "share",
        "all" if count == total else "==",
        count / total,
        0.02,
        contrary=bool(though),
        citations=cited(mark, cells.table, cells.known[cells.inside(level)].tolist()),
        causal=1,
    )


def _outsized(cells: Cells, level: int, place: int) -> Candidate | None:
    count, fails = int(cells.seen[level, place]), int(cells.seen[level, -1])
    outside, others = (int(cells.seen[:, column].sum() - cells.seen[level, column]) for column in (place, -1))
    if not others or count / fails < 2 * outside / others:
        return None
    mark, though = cells.marks[place], cells.though(level)
    return Candidate(
        "contrast",
        DISTRIBUTION,
        f"In {level_words(cells.field, level)}, {of(count, fails)} failures of `{cells.table.run}` {mark.words}, "
        f"against {of(outside, others)} elsewhere{though}.",
        cells.about(level, place),
        "share",
        "==",
        count / fails,
        0.02,
        contrary=bool(though),
        citations=cited(mark, cells.table, cells.known[cells.inside(level)].tolist()),
        causal=1,
    )


def _empty(cells: Cells) -> Iterator[Candidate]:
    """Levels in which a way of failing never occurs though it should have, by their number of failures."""
    seen, permuted = -_excess(cells.seen[None])[0], -_excess(cells.moved)
    adjusted = familywise(seen.ravel(), permuted.reshape(permuted.shape[0], -1)).reshape(seen.shape)
    for level, place in np.argwhere((adjusted <= SURE) & (cells.seen[:, :-1] == 0) & (seen >= FEWEST)).tolist():
        mark, total, fails = cells.marks[place], int(cells.seen[:, place].sum()), int(cells.seen[level, -1])
        made = Candidate(
            "exclusivity",
            DISTRIBUTION,
            f"None of the {fails:,} failures of `{cells.table.run}` in {level_words(cells.field, level)} "
            f"{_singular(mark)}, the way of {of(total, int(cells.seen[:, -1].sum()))} failures in all.",
            cells.about(level, place),
            "count",
            "none",
            0,
            polarity=-1,
            contrary=True,
            causal=1,
        )
        expected = cells.drawn @ (cells.tasks[:, -1] * cells.inside(level))
        rate = (cells.drawn @ cells.tasks[:, place]) / np.maximum(cells.drawn @ cells.tasks[:, -1], 1)
        yield from made.tried(share(cells.moved[:, level, place] == 0), expected * rate >= FEWEST / 2)


def _singular(mark: Mark) -> str:
    first, _, rest = mark.words.partition(" ")
    return f"{first}s {rest}"

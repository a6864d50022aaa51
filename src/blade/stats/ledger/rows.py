"""What the ledger reads: rows of two runs, and what it makes of them: counts and sums per task.

Sums are exact (fsum), and tasks stand in an order made of their contents. So neither the order of the rows nor the
names of the tasks can move a number, and swapping the runs keeps the order. Of two runs that are mirror images of each
other none comes first by contents; their tasks are resampled in both orders, as seen from either run.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import fields

import numpy as np
import numpy.typing as npt

from blade.frozen import frozen

Floats = npt.NDArray[np.float64]
Booleans = npt.NDArray[np.bool_]
Positions = npt.NDArray[np.intp]

CLASSES = ("missing", "infrastructure", "verifier_error", "truncation", "malformed", "tool")
"""What can hit a row. The columns of every [task, class] array stand in this order."""

STATUSES: dict[str, str | None] = {
    "missing": "missing",
    "infrastructure": "infrastructure",
    "verifier_error": "verifier_error",
    "timed_out": "truncation",
    "truncated": "truncation",
    "malformed": "malformed",
    "broken_tool": "tool",
    "ok": None,
}
"""The class of a status; None is a clean row. `missing` is for absent expected rows counted as 0, and only for them."""


@frozen
class LedgerRow:
    """One rollout that the score counts."""

    task: Hashable
    reward: float
    status: str = "ok"
    mode: str | None = None  # failure mode of a clean row below a full reward
    out_tokens: int | None = None
    max_tokens: int | None = None
    rescored: float | None = None  # its reward under the verifier of the other run


@frozen
class LedgerRun:
    rows: Sequence[LedgerRow]
    expected: AbstractSet[Hashable] | None = None  # the tasks its manifest expects; None: no manifest


@frozen
class ClassCounts:
    """One run by task, rewards on the unit scale. Tasks without rows have zeros."""

    n: Floats
    mean: Floats  # of the rewards as written
    count: Floats  # [task, class] rows hit
    total: Floats  # [task, class] their rewards, free of a verifier change where rows were re-scored
    clean: Floats  # rows not hit
    clean_total: Floats  # their rewards, likewise
    loss: Floats  # [task, mode] what clean rows lack to a full reward
    failed: Floats  # [task, mode] clean rows that lack something; where both runs were re-scored, as written
    passes: Floats  # rows with a full reward as written
    rescored: Floats  # rows scored by both verifiers
    disputed: Floats  # of these, rows on which the verifiers differ
    long_rows: Floats  # rows the smaller cap of the two runs would have cut
    long_total: Floats  # their rewards

    def take(self, tasks: npt.NDArray[np.intp]) -> ClassCounts:
        return ClassCounts(*(getattr(self, f.name)[tasks] for f in fields(self)))


_Cell = tuple[float | tuple[float, ...], ...]
"""The fields of Cells for one task, comparable."""


@frozen
class LedgerPair:
    """Two runs over the union of their tasks, in an order made of contents."""

    tasks: tuple[Hashable, ...]
    base: ClassCounts
    candidate: ClassCounts
    modes: tuple[str | None, ...]  # the last is None: no mode known
    low: float  # rewards = low + scale * unit rewards
    scale: float
    capped: str | None  # "base" or "candidate": the run with the smaller token cap, where that can be known
    two_sided: bool  # rows of both runs were re-scored
    orders: tuple[Positions, ...]  # in which tasks are resampled: one, or two where the runs mirror each other


def pair(base: LedgerRun, candidate: LedgerRun, unit: tuple[float, float] | None = None) -> LedgerPair:
    """Summarise two runs.

    `unit` is the rewards of nothing and of everything achieved; None takes (0, 1), widened to the rewards seen. Raises
    ValueError on an unknown status or a reward that is not a finite number.
    """
    low, high = _unit(base, candidate) if unit is None else unit
    if not high > low:
        raise ValueError(f"a unit of reward from {low} to {high}")
    mode_names = {r.mode for run in (base, candidate) for r in run.rows if r.status == "ok" and r.mode is not None}
    modes = (*sorted(mode_names), None)
    sides = [any(r.rescored is not None for r in run.rows) for run in (base, candidate)]
    capped, token_limit = _capped(base, candidate)
    grouped = [_by_task(run.rows) for run in (base, candidate)]
    cells_by_run = [
        {t: _cell(rows, modes, (low, high), token_limit, share=0.5 if all(sides) else 1.0) for t, rows in g.items()}
        for g in grouped
    ]
    blank = _cell([], modes, (0.0, 1.0), token_limit, share=1.0)
    orders = _orders(cells_by_run, base, candidate)
    tasks = orders[0]
    position = {task: i for i, task in enumerate(tasks)}
    cells = [_stack([cell.get(t, blank) for t in tasks], blank) for cell in cells_by_run]
    return LedgerPair(
        tasks=tasks,
        base=cells[0],
        candidate=cells[1],
        modes=modes,
        low=low,
        scale=high - low,
        capped=capped,
        two_sided=all(sides),
        orders=tuple(np.array([position[t] for t in order], dtype=np.intp) for order in orders),
    )


def _unit(base: LedgerRun, candidate: LedgerRun) -> tuple[float, float]:
    rewards = [r.reward for run in (base, candidate) for r in run.rows]
    rewards += [r.rescored for run in (base, candidate) for r in run.rows if r.rescored is not None]
    if not all(map(math.isfinite, rewards)):
        raise ValueError("a reward is not a finite number; a row without one is not counted by the score")
    return min(0.0, *rewards, 0.0), max(1.0, *rewards, 1.0)


def _capped(base: LedgerRun, candidate: LedgerRun) -> tuple[str | None, float]:
    """The run with the smaller token cap, and the cap.

    None unless each run has one known cap, they differ, and nine in ten rows that ran out in the capped run ran out of
    tokens, not of time.
    """
    caps = [{r.max_tokens for r in run.rows if r.max_tokens is not None} for run in (base, candidate)]
    if len(caps[0]) != 1 or len(caps[1]) != 1 or caps[0] == caps[1]:
        return None, math.inf
    values = [float(next(iter(cap))) for cap in caps]
    name, run = ("base", base) if values[0] < values[1] else ("candidate", candidate)
    out = [r.status for r in run.rows if STATUSES.get(r.status) == "truncation"]
    if out.count("truncated") < 0.9 * len(out):
        return None, math.inf
    return name, min(values)


def _by_task(rows: Iterable[LedgerRow]) -> dict[Hashable, list[LedgerRow]]:
    grouped: dict[Hashable, list[LedgerRow]] = defaultdict(list)
    for row in rows:
        if row.status not in STATUSES:
            raise ValueError(f"no status {row.status!r}; there are {', '.join(STATUSES)}")
        grouped[row.task].append(row)
    return grouped


def _cell(
    rows: Sequence[LedgerRow], modes: Sequence[str | None], unit: tuple[float, float], token_limit: float, share: float
) -> _Cell:
    """The fields of Cells for one task. A re-scored row counts `share` of its other reward and the rest of its own."""
    by_class: dict[str | None, list[float]] = {name: [] for name in (*CLASSES, None)}
    by_mode: dict[str | None, list[float]] = {name: [] for name in modes}
    failed = dict.fromkeys(modes, 0)
    scores, long = [], []
    disputed = 0
    for row in rows:
        score = (row.reward - unit[0]) / (unit[1] - unit[0])
        rescored = score if row.rescored is None else (row.rescored - unit[0]) / (unit[1] - unit[0])
        disputed += rescored != score
        y = rescored if share == 1.0 else (score + rescored) / 2.0
        kind = STATUSES[row.status]
        by_class[kind].append(y)
        scores.append(score)
        if kind is None and y < 1.0:
            by_mode[row.mode].append(1.0 - y)
            failed[row.mode] += share == 1.0 or score < 1.0
        if row.out_tokens is not None and row.out_tokens >= token_limit and kind in {None, "truncation", "malformed"}:
            long.append(y)
    n = len(rows)
    return (
        n,
        math.fsum(scores) / n if n else 0.0,
        tuple(len(by_class[name]) for name in CLASSES),
        tuple(math.fsum(by_class[name]) for name in CLASSES),
        len(by_class[None]),
        math.fsum(by_class[None]),
        tuple(math.fsum(by_mode[name]) for name in modes),
        tuple(failed[name] for name in modes),
        sum(y >= 1.0 for y in scores),
        sum(row.rescored is not None for row in rows),
        disputed,
        len(long),
        math.fsum(long),
    )


def _orders(
    cells_by_run: Sequence[dict[Hashable, _Cell]], base: LedgerRun, candidate: LedgerRun
) -> list[tuple[Hashable, ...]]:
    """Tasks sorted by contents, seen from whichever run comes first by contents; names only part equal contents.

    Where neither comes first, both orders; which of them leads is for the names to say, so that it stays if runs swap.
    """
    expected = [run.expected or frozenset() for run in (candidate, base)]  # by the run that may lack the task
    keys = [
        {t: (*cell, t in expected_tasks) for t, cell in cells.items()}
        for cells, expected_tasks in zip(cells_by_run, expected, strict=True)
    ]
    names = {t: (type(t).__name__, repr(t)) for t in {**cells_by_run[0], **cells_by_run[1]}}
    straight = {t: (keys[0].get(t, ()), keys[1].get(t, ())) for t in names}
    swapped = {t: (candidate_cell, base_cell) for t, (base_cell, candidate_cell) in straight.items()}
    sorted_straight, sorted_swapped = sorted(straight.values()), sorted(swapped.values())
    views = (
        [straight, swapped]
        if sorted_straight == sorted_swapped
        else [straight if sorted_straight < sorted_swapped else swapped]
    )
    orders = {tuple(sorted(names, key=lambda t: (view[t], names[t]))) for view in views}
    return sorted(orders, key=lambda order: [names[t] for t in order])


def _stack(cells: Sequence[_Cell], blank: _Cell) -> ClassCounts:
    shapes = [(len(cells), *np.shape(value)) for value in blank]
    return ClassCounts(*(np.array([c[i] for c in cells], dtype=np.float64).reshape(s) for i, s in enumerate(shapes)))

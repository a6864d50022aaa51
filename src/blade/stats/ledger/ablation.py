"""What could be won back from one run if a class of hits or a failure mode were gone."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from blade.stats.ledger.composition import Weighting, total
from blade.stats.ledger.rows import CLASSES, STATUSES, Cells, Floats, Row, Run, pair
from blade.stats.ledger.selection import clean_rate, would_pass
from blade.stats.ledger.theta import ASSUMED


@dataclass(frozen=True, slots=True)
class Recovery:
    """One line: a class, a failure mode, or everything."""

    label: str
    ceiling: float  # score over the least affected rows of each task; rises with repeats, so a ceiling
    model: float | None  # points to plan with: what hit rows would have scored more; None for failure modes
    bounds: tuple[float, float] | None  # the same at theta = 0 and theta = 1
    rollouts: int


@dataclass(frozen=True, slots=True)
class Recoverable:
    score: float | None
    oracle: float | None  # share of tasks with a full reward in any row: the best one can pick
    lines: tuple[Recovery, ...]  # classes in order, then modes, then "all"


def recoverable(
    run: Run,
    modes: Sequence[str] = (),
    theta: Mapping[str, float] | None = None,
    weighting: Weighting = "macro",
    unit: tuple[float, float] | None = None,
) -> Recoverable:
    """The table of one run. `modes` are the failure modes to list; classes without rows are left out.

    Ceiling: each task keeps its rows free of the label, or all if none is. Model: sum_t w_t q (psi - mu), psi at the
    theta given or assumed; a task without clean rows takes the mean clean rate of the others.
    """
    run = Run([replace(row, rescored=None) for row in run.rows])
    summary = pair(run, Run(()), unit)
    low, scale = summary.low, summary.scale
    cells = summary.base
    if not cells.n.any():
        return Recoverable(None, None, ())
    raw = cells.n if weighting == "micro" else np.ones(len(cells.n))
    weight = dict(zip(summary.tasks, (raw / raw.sum()).tolist(), strict=True))
    rows = _by_task(run.rows)
    labels = [name for name in CLASSES if cells.count[:, CLASSES.index(name)].any()]
    known = [mode for mode in modes if any(_label(r) == mode for r in run.rows)]
    groups = [(label, {label}) for label in (*labels, *known)]
    groups += [("all", {*labels, *known})] if groups else []
    lines = []
    for label, members in groups:
        count = sum(_label(row) in members for row in run.rows)
        ceiling = _ceiling(rows, weight, members)
        columns = [CLASSES.index(name) for name in labels if label in {name, "all"}]
        model, bounds = None, None
        if columns and (label != "all" or not known):
            model = scale * _model(cells, columns, theta or {}, weight.values(), None)
            ends = [scale * _model(cells, columns, theta or {}, weight.values(), end) for end in (0.0, 1.0)]
            bounds = (min(ends), max(ends))
        lines.append(Recovery(label, ceiling, model, bounds, count))
    score = low + scale * total(np.array(list(weight.values())) * cells.mean)
    oracle = total(np.array(list(weight.values())) * (cells.passes > 0))
    return Recoverable(score, oracle, tuple(lines))


def _label(row: Row) -> str | None:
    return row.mode if row.status == "ok" else STATUSES[row.status]


def _by_task(rows: Iterable[Row]) -> dict[Hashable, list[Row]]:
    grouped: dict[Hashable, list[Row]] = {}
    for row in rows:
        grouped.setdefault(row.task, []).append(row)
    return grouped


def _ceiling(rows: Mapping[Hashable, Sequence[Row]], weight: Mapping[Hashable, float], members: set[str]) -> float:
    means = []
    for task, group in rows.items():
        kept = [r.reward for r in group if _label(r) not in members] or [r.reward for r in group]
        means.append(weight[task] * math.fsum(kept) / len(kept))
    return math.fsum(means)


def _model(
    cells: Cells, columns: Sequence[int], theta: Mapping[str, float], weight: Iterable[float], end: float | None
) -> float:
    """sum_t w_t q (psi - mu) over these classes; `end` sets their theta."""
    used = np.array([theta.get(name, ASSUMED[name]) for name in CLASSES])
    if end is not None:
        used[list(columns)] = end
    shares = cells.count / cells.n[:, None]
    rate = clean_rate(cells.clean_total / cells.n, shares, used)
    seen = cells.clean > 0
    rate = np.where(seen, rate, total(rate[seen]) / float(seen.sum()) if seen.any() else 0.0)
    gain: Floats = shares * would_pass(rate, used) - cells.total / cells.n[:, None]
    return total(np.array(list(weight)) * gain[:, list(columns)].sum(axis=1))

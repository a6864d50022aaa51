"""Whether a mode became more or less common between the first and the last run, task by task.

The score may stay the same while the ways of failing change. The share of a task's attempts that show a mode's sign is
held against the same task in the other run; the tasks with more and with fewer are weighed by the exact sign test. Each
attempt counts under every sign it shows: one that is counted under the nearest alone would hide the others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from blade.diagnosis.cases import RunCases
from blade.findings import Mode
from blade.stats.binomial import sign_p
from blade.stats.multiple import holm

LEVEL = 0.05
NO_SIGN = "unexplained"
"""The rollouts that no rule knows share no sign: that they became more says nothing."""


def with_shifts(modes: Sequence[Mode], runs: Sequence[RunCases]) -> tuple[Mode, ...]:
    """The modes, each with how it moved; as they are where there is nothing to compare."""
    if len(runs) < 2:
        return tuple(modes)
    base, last = (_shares(run) for run in (runs[0], runs[-1]))
    shared = base.keys() & last.keys()
    found = [_signs(mode.id, [(base[task], last[task]) for task in shared]) for mode in modes]
    p = [sign_p(more, fewer) for more, fewer in found]
    return tuple(
        replace(mode, shift=_shift(more, fewer, single, adjusted) if mode.id != NO_SIGN else None)
        for mode, (more, fewer), single, adjusted in zip(modes, found, p, holm(p), strict=True)
    )


def _shares(run: RunCases) -> dict[str, Mapping[str, float]]:
    """Task → mode → the share of its attempts that show its sign."""
    made: dict[str, Mapping[str, float]] = {}
    for task, cases in run.by_task().items():
        counted = Counter(sign for case in cases for sign in case.signs)
        made[task] = {mode: many / len(cases) for mode, many in counted.items()}
    return made


def _signs(mode: str, pairs: Sequence[tuple[Mapping[str, float], Mapping[str, float]]]) -> tuple[int, int]:
    moved = [after.get(mode, 0.0) - before.get(mode, 0.0) for before, after in pairs]
    return sum(value > 0 for value in moved), sum(value < 0 for value in moved)


def _shift(more: int, fewer: int, p: float, adjusted: float) -> dict[str, Any]:
    return {
        "more": more,
        "fewer": fewer,
        "p": p,
        "p_adjusted": adjusted,
        "beyond_chance": adjusted <= LEVEL,
    }

"""Whether a mode became more or less common between the first and the last run, task by task.

The score may stay the same while the ways of failing change. The share of a task's attempts that show a mode's sign is
held against the same task in the other run; the tasks with more and with fewer are weighed by the exact sign test. Each
attempt counts under every sign it shows: one that is counted under the nearest alone would hide the others. Attempts
that did not run or were not judged can show no sign of the work, and a run without the records that a sign is read from
shows none: neither is held against the other run.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from blade.diagnosis.cases import RunCases
from blade.diagnosis.recorded import told_alike
from blade.findings import Mode
from blade.stats.binomial import sign_p
from blade.stats.multiple import holm

LEVEL = 0.05
NO_SIGN = "unexplained"
"""The rollouts that no rule knows share no sign: that they became more says nothing."""
OUTSIDE = frozenset({"infrastructure", "verifier", "data"})
"""Kinds of modes that rollouts show which were not judged."""
Shares = dict[str, Mapping[str, float]]


def with_shifts(modes: Sequence[Mode], runs: Sequence[RunCases]) -> tuple[Mode, ...]:
    """The modes, each with how it moved; as they are where there is nothing to compare."""
    if len(runs) < 2:
        return tuple(modes)
    ends = (runs[0], runs[-1])
    all_shares, judged_shares = (tuple(_shares(run, judged=alone) for run in ends) for alone in (False, True))
    task_moves = [_signs(mode.id, *(all_shares if mode.kind in OUTSIDE else judged_shares)) for mode in modes]
    p = [sign_p(rising, falling) for rising, falling in task_moves]
    return tuple(
        replace(mode, shift=_shift(rising, falling, single, adjusted) if _comparable(mode, ends) else None)
        for mode, (rising, falling), single, adjusted in zip(modes, task_moves, p, holm(p), strict=True)
    )


def _comparable(mode: Mode, runs: Sequence[RunCases]) -> bool:
    recorded = all(mode.runs[run.run.name]["recorded"] for run in runs)
    return mode.id != NO_SIGN and recorded and told_alike(mode.id, runs)


def _shares(run: RunCases, *, judged: bool) -> Shares:
    """Task → mode → the share of its attempts, or of those that were judged, that show its sign."""
    shares: Shares = {}
    for task, every in run.by_task().items():
        cases = [case for case in every if case.evaluable and case.stage_lost is None] if judged else every
        if not cases:
            continue
        sign_counts = Counter(sign for case in cases for sign in case.signs)
        shares[task] = {mode: attempts / len(cases) for mode, attempts in sign_counts.items()}
    return shares


def _signs(mode: str, base: Shares, last: Shares) -> tuple[int, int]:
    shared = base.keys() & last.keys()
    moved = [last[task].get(mode, 0.0) - base[task].get(mode, 0.0) for task in shared]
    return sum(value > 0 for value in moved), sum(value < 0 for value in moved)


def _shift(rising: int, falling: int, p: float, adjusted: float) -> dict[str, Any]:
    return {
        "more": rising,
        "fewer": falling,
        "p": p,
        "p_adjusted": adjusted,
        "beyond_chance": adjusted <= LEVEL,
    }

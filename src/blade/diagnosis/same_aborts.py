"""Tasks that end in the same abort in every run: the benchmark's or the harness's, and no outage to run again.

A limit counts also where most runs meet it in every attempt and none of the others passes: who gives up early, or fails
before the limit, does not show that the task fits into it.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Sequence

from blade.diagnosis.cases import Case, RunCases
from blade.diagnosis.copies import independent_runs
from blade.frozen import frozen
from blade.signatures import template
from blade.stats.scipy_functions import special

SURE = 0.01
FEWEST_RUNS = 2
CUT = frozenset({"timed_out", "truncated"})
MOST_RUNS = 2 / 3


@frozen
class SameAbort:
    """One way to end before the end, and the tasks in which every attempt of every run, or of most, ends so."""

    kind: str
    tasks: dict[str, str]
    """Key → label."""
    cases: tuple[Case, ...]
    common: int
    """Tasks that all runs attempted."""
    expected: float
    """So many tasks would be lost in all runs if each run lost its own at random."""
    p: float
    fewest_runs: int
    """In each of the tasks every attempt of at least so many runs ends so."""
    words: str
    """What most of the rollouts say of their end, masked; empty where they say different things or nothing."""

    @property
    def cut(self) -> bool:
        return self.kind in CUT


def same_aborts(runs: Sequence[RunCases]) -> list[SameAbort]:
    """The aborts that hit the same tasks in all runs more often than chance would, those of most tasks first."""
    tasks = [run.by_task() for run in independent_runs(runs) if run.cases]
    if len(tasks) < FEWEST_RUNS:
        return []
    common = [key for key in tasks[0] if all(key in other for other in tasks[1:])]
    lost: defaultdict[str, list[set[str]]] = defaultdict(lambda: [set() for _ in tasks])
    for place, known in enumerate(tasks):
        for key in common:
            kinds = {_kind(case) for case in known[key]}
            if len(kinds) == 1 and (kind := kinds.pop()):
                lost[kind][place].add(key)
    aborts = [_abort(kind, sets, tasks, common) for kind, sets in lost.items()]
    return sorted(filter(None, aborts), key=lambda abort: (-len(abort.tasks), abort.kind))


def _kind(case: Case) -> str:
    """How an attempt ended before its end; empty for one that was judged, or cut only where every failure ends."""
    if case.passed or case.only_spent:
        return ""
    if case.stage_lost is not None:
        return case.stage_lost
    return case.state if not case.evaluable or case.state in CUT else ""


def _abort(
    kind: str,
    sets: Sequence[set[str]],
    tasks: Sequence[dict[str, list[Case]]],
    common: Sequence[str],
) -> SameAbort | None:
    needed = max(FEWEST_RUNS, math.ceil(MOST_RUNS * len(sets))) if kind in CUT else len(sets)
    runs_of = {key: sum(key in lost for lost in sets) for key in common}
    chosen = [key for key in common if runs_of[key] >= needed and not _passes(tasks, key)]
    chance = _chance([len(lost) / len(common) for lost in sets], needed)
    p = float(special.bdtrc(len(chosen) - 1, len(common), chance)) if chosen and chance < 1 else 1.0
    if p > SURE:
        return None
    cases = tuple(case for key in chosen for known in tasks for case in known[key] if _kind(case) == kind)
    reasons = Counter(template(case.reason) for case in cases if case.reason)
    words, many = reasons.most_common(1)[0] if reasons else ("", 0)
    return SameAbort(
        kind,
        {key: tasks[0][key][0].label for key in chosen},
        cases,
        len(common),
        chance * len(common),
        p,
        min(runs_of[key] for key in chosen),
        words if 2 * many > len(cases) else "",
    )


def _passes(tasks: Sequence[dict[str, list[Case]]], key: str) -> bool:
    return any(case.passed for known in tasks for case in known[key])


def _chance(shares: Sequence[float], needed: int) -> float:
    """How likely so many runs or more lose one task, if each loses its own at random."""
    by_runs = [1.0]
    for share in shares:
        lose, keep = [0.0, *(share * part for part in by_runs)], [*((1 - share) * part for part in by_runs), 0.0]
        by_runs = [first + second for first, second in zip(lose, keep, strict=True)]
    return sum(by_runs[needed:])

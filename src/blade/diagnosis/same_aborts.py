"""Tasks that end in the same abort in every run: the benchmark's or the harness's, and no outage to run again."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from scipy import special

from blade.diagnosis.cases import Case, RunCases
from blade.signatures import template

SURE = 0.01
FEWEST_RUNS = 2
CUT = frozenset({"timed_out", "truncated"})


@dataclass(frozen=True, slots=True)
class SameAbort:
    """One way to end before the end, and the tasks in which every attempt of every run ends so."""

    kind: str
    tasks: dict[str, str]
    """Key → label."""
    cases: tuple[Case, ...]
    common: int
    """Tasks that all runs attempted."""
    expected: float
    """So many tasks would be lost in all runs if each run lost its own at random."""
    p: float
    words: str
    """What most of the rollouts say of their end, masked; empty where they say different things or nothing."""

    @property
    def cut(self) -> bool:
        return self.kind in CUT


def same_aborts(runs: Sequence[RunCases]) -> list[SameAbort]:
    """The aborts that hit the same tasks in all runs more often than chance would, those of most tasks first."""
    tasks = [run.by_task() for run in runs if run.cases]
    if len(tasks) < FEWEST_RUNS:
        return []
    common = [key for key in tasks[0] if all(key in other_tasks for other_tasks in tasks[1:])]
    tasks_lost: defaultdict[str, list[set[str]]] = defaultdict(lambda: [set() for _ in tasks])
    for place, run_tasks in enumerate(tasks):
        for key in common:
            kinds = {_kind(case) for case in run_tasks[key]}
            if len(kinds) == 1 and (kind := kinds.pop()):
                tasks_lost[kind][place].add(key)
    tested = [_abort(kind, sets, tasks, common) for kind, sets in tasks_lost.items()]
    aborts = [abort for abort in tested if abort is not None]
    return sorted(aborts, key=lambda abort: (-len(abort.tasks), abort.kind))


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
    everywhere = set.intersection(*sets)
    chance = math.prod(len(keys) / len(common) for keys in sets)
    p = float(special.bdtrc(len(everywhere) - 1, len(common), chance)) if everywhere and chance < 1 else 1.0
    if p > SURE:
        return None
    aborted_keys = [key for key in common if key in everywhere]
    cases = tuple(case for key in aborted_keys for run_tasks in tasks for case in run_tasks[key])
    reasons = Counter(template(case.reason) for case in cases if case.reason)
    words, times = reasons.most_common(1)[0] if reasons else ("", 0)
    labels = {key: tasks[0][key][0].label for key in aborted_keys}
    return SameAbort(kind, labels, cases, len(common), chance * len(common), p, words if 2 * times > len(cases) else "")

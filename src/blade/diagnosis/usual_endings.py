"""How the rollouts of a run usually end: what nearly every failure does at its end, or most passes too, is no cause."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence

from blade.diagnosis.cases import Case, RunCases
from blade.model import Status

LIMIT = "turn_limit"
ENDS = ("ends_on_tool_output", LIMIT)
SILENT = "empty_final"
RECORDED_ENDS = (*ENDS, SILENT)
"""Rules about the end that tell of the record where passes bear them too."""
CUT = f"status_{Status.TRUNCATED.value}"
USUAL = 0.95
COMMON = 0.5
FEWEST = 10
FEWEST_PASSES = 5
FEWEST_TRIED = 3
ENDINGS = "endings"
"""Under this name a run keeps how its failures end, once all runs were looked at."""


def usual_ending(failing: Sequence[Case]) -> frozenset[str]:
    """Rules about the end that fire on nearly every failure of a run: attempts that stop only by passing all end there.

    They then say how failures end and not why, so that whatever else was noticed stands nearer to the cause.
    """
    if len(failing) < FEWEST:
        return frozenset()
    ends = {name for name in ENDS if sum(name in case.fired() for case in failing) >= USUAL * len(failing)}
    return frozenset(ends | ({CUT} if ends else set()))


def endings_of_passes(cases: Sequence[Case]) -> frozenset[str]:
    """Rules about the end that fire on most passes as well: so rollouts are recorded here, and no failure is told.

    An end without a message tells nothing either where it is at least half as common in passes as in failures.
    """
    passes = [case for case in cases if case.passed]
    if len(passes) < FEWEST_PASSES:
        return frozenset()
    fired = Counter(name for case in passes for name in case.fired())
    failures = [case for case in cases if case.failing]
    failed = Counter(name for case in failures for name in case.fired())
    return frozenset(
        name
        for name in RECORDED_ENDS
        if fired[name] >= COMMON * len(passes)
        or (name != LIMIT and fired[name] >= FEWEST_PASSES and _as_often(fired[name], passes, failed[name], failures))
    )


def _as_often(passing: int, passes: Sequence[Case], failing: int, failures: Sequence[Case]) -> bool:
    return passing * len(failures) >= COMMON * failing * len(passes)


def stopped_by_checks(runs: Sequence[RunCases]) -> frozenset[int]:
    """Failing cases, by identity, that a check stops whether or not they come to their end.

    So it is where a check that they fail is failed by every judged attempt of every run, and where an attempt at the
    same task that did come to its end passes and fails the very same checks.
    """
    tasks: dict[str, list[Case]] = {}
    for run in runs:
        for case in run.cases:
            if case.evaluable and case.stage_lost is None and case.checks:
                tasks.setdefault(case.key, []).append(case)
    stopped: set[int] = set()
    for cases in tasks.values():
        failed = {id(case): frozenset(name for name, passed in case.checks.items() if not passed) for case in cases}
        always = frozenset.intersection(*failed.values()) if len(cases) >= FEWEST_TRIED else frozenset()
        ended = {failed[id(case)] for case in cases if not _is_cut(case) and any(case.checks.values())}
        stopped |= {id(case) for case in cases if case.failing and (always or failed[id(case)] in ended)}
    return frozenset(stopped)


def _is_cut(case: Case) -> bool:
    late = case.state in {Status.TRUNCATED.value, Status.TIMED_OUT.value}
    return late or any(name in case.fired() for name in ENDS)


def spent_limits(runs: Sequence[RunCases]) -> dict[str, frozenset[str]]:
    """Run → how its failures end. What ends one run's failures at its limit does so in others of the same agent."""
    own_endings = {run.run.name: usual_ending(run.failing) - endings_of_passes(run.cases) for run in runs}
    agents = {run.run.name: getattr(run.run, "agent", None) for run in runs}
    shared: dict[str | None, frozenset[str]] = {}
    for name, ends in own_endings.items():
        if LIMIT in ends:
            shared[agents[name]] = shared.get(agents[name], frozenset()) | ends
    endings = {name: ends | shared.get(agents[name], frozenset()) for name, ends in own_endings.items()}
    for run in runs:
        run.known[ENDINGS] = endings[run.run.name]
    return endings


def only_spent(case: Case, ending: Collection[str]) -> bool:
    """Whether a rollout was cut only as every failure is: at a limit that nothing but a pass comes before."""
    return case.state == Status.TRUNCATED.value and LIMIT in ending and LIMIT in case.fired()

"""What the rollouts of a mode name, such as an option, a call, a tool or an error, and which of that recurs.

A rule whose `value` is a name out of the rollouts says what it is (`NAMES`); the values of the others are words of our
own, which say nothing about the rows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence

from blade.diagnosis.cases import Case, RunCases
from blade.findings import Mode, NamedValue, NamedValues
from blade.registry import plugins

FEWEST = 3
"""What fewer rollouts name does not recur."""
SHARE = 0.05
"""Of a mode's rollouts: what a smaller share names stands for none of the others."""
MOST_VALUES = 20
MOST_TASKS = 50
TOOL = "tool"
FEW_RUNS = 2


def noun_of(detector: str | None) -> str:
    """What a rule's values are, in the singular; empty where they are no names out of the rollouts."""
    rule = plugins("detectors").get(detector or "")
    return "" if rule is None or getattr(rule, "SPLIT", False) else getattr(rule, "NAMES", "")


def named_value(case: Case, detector: str | None) -> str:
    """What a rule names in a rollout; empty where it names nothing, or where the other rollouts put it in its place.

    What was settled afterwards bears the name that another rule saw (`diagnosis.run_wide_evidence`).
    """
    sighting = case.fired().get(detector or "")
    return sighting.value if sighting is not None and sighting is case.sightings.get(detector or "") else ""


def named_values(mode: str, detector: str | None, runs: Sequence[RunCases]) -> NamedValues | None:
    """What several rollouts of a mode name, the commonest first; None where nothing recurs.

    The only tool that is ever called tells no rollout from another.
    """
    noun = noun_of(detector)
    cases = [case for run in runs for case in run.failing if case.mode == mode] if noun else []
    if len(cases) < FEWEST or (noun == TOOL and _calls_one_tool(cases)):
        return None
    by_value: dict[str, list[Case]] = {}
    for case in cases:
        if value := named_value(case, detector):
            by_value.setdefault(value, []).append(case)
    passing = [case for run in runs for case in run.cases if case.passed]
    in_passes = Counter(named_value(case, detector) for case in passing)
    failing = sum(len(run.failing) for run in runs)
    ordered = sorted(by_value.items(), key=lambda pair: (-len(pair[1]), pair[0]))
    recurring = [pair for pair in ordered if len(pair[1]) >= FEWEST][:MOST_VALUES]
    if not recurring:
        return None
    common = tuple(
        _named(value, of_value, in_passes[value], is_sign=in_passes[value] * failing < len(of_value) * len(passing))
        for value, of_value in recurring
    )
    rarer = max((len(of_value) for _, of_value in ordered[len(common) :]), default=0)
    return NamedValues(noun, len(cases), len(by_value), common, rarer)


def _calls_one_tool(cases: Sequence[Case]) -> bool:
    return len({action.partition("(")[0] for case in cases for action in case.actions}) <= 1


def _named(value: str, cases: Sequence[Case], passes: int, *, is_sign: bool) -> NamedValue:
    tasks = Counter(case.label for case in cases)
    ordered = sorted(tasks, key=lambda task: (-tasks[task], task))
    return NamedValue(
        value,
        len(cases),
        dict(sorted(Counter(case.run for case in cases).items())),
        tuple(ordered[:MOST_TASKS]),
        len(tasks),
        passes,
        is_sign or not passes,
    )


def commonest_value(named: NamedValues | None, runs: Collection[str], rollouts: int) -> NamedValue | None:
    """What most of a mode's so many rollouts of some runs name, and passes do not name as often; None if few do."""
    if named is None:
        return None
    candidates = [(sum(value.runs.get(run, 0) for run in runs), value) for value in named.common if value.is_sign]
    times, best = max(candidates, key=lambda pair: pair[0], default=(0, None))
    return best if times >= max(FEWEST, SHARE * rollouts) else None


def shown_runs(runs: Sequence[str]) -> Sequence[str]:
    """The runs that a summary speaks of: of two the last, of more all."""
    return runs[-1:] if len(runs) <= FEW_RUNS else runs


def told_value(mode: Mode, runs: Sequence[str]) -> tuple[int, NamedValue, int] | None:
    """What most rollouts of a mode name in the runs that a summary speaks of: its place, itself, its rollouts there."""
    spoken = shown_runs(runs)
    best = commonest_value(mode.named, spoken, sum(mode.runs[run]["rollouts"] for run in spoken))
    if best is None or mode.named is None:
        return None
    return mode.named.common.index(best), best, sum(best.runs.get(run, 0) for run in spoken)

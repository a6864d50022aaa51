"""The parameter that passing attempts gave to a tool where a failing one filtered its records by eye.

One attempt alone shows which filters a tool offers, not which of them does the task; the passes of the same task do.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from blade.diagnosis.cases import Case, RunCases
from blade.findings import Sighting, State
from blade.wording import listed

RULE = "manual_filter"
MOST_NAMED = 3
PAGING = frozenset("page page_size size limit offset cursor sort sort_by order order_by".split())


def name_filters(runs: Sequence[RunCases]) -> Sequence[RunCases]:
    """The same runs; each such sighting names the parameters of the passes, of its own run before those of others."""
    hits = [case for run in runs for case in run.failing if _fires(case)]
    hit_tasks = {case.key for case in hits}
    passes: dict[str, list[Case]] = {}
    for run in runs if hit_tasks else ():
        for case in run.cases:
            if case.key in hit_tasks and case.passed and case.evaluable:
                passes.setdefault(case.key, []).append(case)
    for case in hits:
        task_passes = passes.get(case.key, [])
        run_passes = [passing for passing in task_passes if passing.run == case.run]
        sighting = case.sightings[RULE]
        parameters = _usual_parameters(sighting, run_passes or task_passes, case)
        if parameters:
            case.sightings = {**case.sightings, RULE: _named_sighting(sighting, parameters)}
    return runs


def _fires(case: Case) -> bool:
    sighting = case.sightings.get(RULE)
    return sighting is not None and sighting.state is State.FIRED


def _usual_parameters(sighting: Sighting, passes: Sequence[Case], case: Case) -> list[str]:
    """What most passes gave to the tool and no call of the failing attempt did: what was noticed first, then by use."""
    tool, _, old_parameter = sighting.value.rpartition(".")
    own_arguments = set(_argument_counts([case], tool))
    used = {
        name: attempts
        for name, attempts in _argument_counts(passes, tool).items()
        if name not in own_arguments and name not in PAGING
    }
    often = [name for name, attempts in used.items() if 2 * attempts > len(passes)]
    return sorted(often, key=lambda name: (name != old_parameter, -used[name], name))[:MOST_NAMED]


def _argument_counts(cases: Iterable[Case], tool: str) -> Mapping[str, int]:
    """The names of the arguments that a tool was given, each with the attempts that gave it."""
    counts: Counter[str] = Counter()
    for case in cases:
        argument_lists = (
            action.partition("(")[2].rstrip(")") for action in case.actions if action.partition("(")[0] == tool
        )
        counts.update({name.strip() for names in argument_lists for name in names.split(",") if name.strip()})
    return counts


def _named_sighting(sighting: Sighting, parameters: Sequence[str]) -> Sighting:
    tool, _, old = sighting.value.rpartition(".")
    words = f"without {listed([repr(name) for name in parameters])}, which passing attempts give"
    return replace(
        sighting, detail=sighting.detail.replace(f"without '{old}'", words, 1), value=f"{tool}.{parameters[0]}"
    )

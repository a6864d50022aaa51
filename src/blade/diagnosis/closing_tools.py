"""Tools that end a rollout by design, such as handing the case to a person: an end on their output cuts nothing off."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from blade.diagnosis.cases import Case, RunCases

RULE = "ends_on_tool_output"
FEWEST, FEWEST_PASSES = 5, 2
NEARLY_ALL = 0.9


def forget_designed_ends(runs: Sequence[RunCases]) -> Sequence[RunCases]:
    """The same runs; a tool after which hardly any rollout goes on, and some pass, breaks none of them off."""
    cases = [case for run in runs for case in run.cases if case.tools]
    closing_tools = _closing_tools(cases)
    for case in cases:
        if RULE in case.sightings and case.tools[-1] in closing_tools:
            case.sightings = {name: item for name, item in case.sightings.items() if name != RULE}
            case.show({name: sighting for name, sighting in case.fired().items() if name != RULE})
    return runs


def _closing_tools(cases: Sequence[Case]) -> frozenset[str]:
    callers = Counter(tool for case in cases for tool in set(case.tools))
    ending = [case for case in cases if RULE in case.fired()]
    last = Counter(case.tools[-1] for case in ending)
    passing = Counter(case.tools[-1] for case in ending if case.passed)
    return frozenset(
        tool
        for tool, rollouts in last.items()
        if rollouts >= max(FEWEST, NEARLY_ALL * callers[tool]) and passing[tool] >= FEWEST_PASSES and len(callers) > 1
    )

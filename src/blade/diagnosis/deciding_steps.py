"""The step that parts passing from failing attempts of one task: a call that one side alone makes.

So few attempts prove nothing, but without such a step nothing shows that the same work was now known and now not.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from blade.diagnosis.cases import Case, RunCases
from blade.diagnosis.groups import Group, Signal
from blade.extract.artefacts import PATCH_DIGEST
from blade.wording import count

FEWEST = 2
"""So many passing and so many failing attempts at least."""
RARE = 0.1
"""A call that more of the run's other rollouts make is part of any work."""
MOST_CALLS = 2


def deciding_calls(run: RunCases) -> tuple[list[dict[str, Any]], list[float]]:
    """The tasks with such a call; and of every task that may have one the chance that it has one, outcomes shuffled."""
    if "deciding calls" not in run.known:
        run.known["deciding calls"] = _deciding_calls(run)
    return run.known["deciding calls"]  # type: ignore[no-any-return]


def _deciding_calls(run: RunCases) -> tuple[list[dict[str, Any]], list[float]]:
    cases = [case for case in _judged_cases(run.cases) if not case.observed.get("midway")]  # these show no absence
    heads = {id(case): frozenset(case.observed.get("heads", ())) for case in cases}
    common = Counter(head for case_heads in heads.values() for head in case_heads)
    groups: dict[str, list[Case]] = {}
    for case in cases:
        groups.setdefault(case.key, []).append(case)
    deciding, chances = [], []
    for group in groups.values():
        passing = [case for case in group if case.passed]
        failing = [case for case in group if not case.passed]
        if len(passing) < FEWEST or len(failing) < FEWEST or not all(heads[id(case)] for case in group):
            continue
        if not _patches(passing).isdisjoint(_patches(failing)):
            continue  # equal work with two verdicts: no call decides
        rarity_limit = RARE * (len(cases) - len(group)) + len(group)
        in_passes = _only(passing, failing, heads, common, rarity_limit)
        in_failures = _only(failing, passing, heads, common, rarity_limit)
        rare_heads = [frozenset(head for head in heads[id(case)] if common[head] <= rarity_limit) for case in group]
        chances.append(_chance(rare_heads, len(passing)))
        if in_passes or in_failures:
            deciding.append(
                {
                    "run": run.run.name,
                    "key": group[0].key,
                    "task": group[0].label,
                    "passing": [case.attempt for case in passing],
                    "failing": [case.attempt for case in failing],
                    "in_passes": in_passes[:MOST_CALLS],
                    "in_failures": in_failures[:MOST_CALLS],
                    "rarest": min(common[head] for head in (*in_passes, *in_failures)),
                }
            )
    return deciding, chances


def _judged_cases(cases: Sequence[Case]) -> list[Case]:
    return [case for case in cases if case.evaluable and case.stage_lost is None and case.passed is not None]


def _patches(cases: Sequence[Case]) -> set[tuple[str, int]]:
    """What is handed in as a patch, by field and digest."""
    patches = [case.observed.get("patches", {}).items() for case in cases]
    return {(field, patch[PATCH_DIGEST]) for fields in patches for field, patch in fields if patch}


def _chance(heads_by_case: Sequence[frozenset[str]], passes: int) -> float:
    """Of all ways to choose the attempts that pass, the share in which all of one side and nobody else make a call."""
    everyone = frozenset(range(len(heads_by_case)))
    makers = {
        frozenset(place for place, heads in enumerate(heads_by_case) if head in heads)
        for head in frozenset[str]().union(*heads_by_case)
    }
    sides = {side for holders in makers for side in (holders, everyone - holders) if len(side) == passes}
    return len(sides) / math.comb(len(heads_by_case), passes)


def _only(
    calling_side: Sequence[Case],
    silent_side: Sequence[Case],
    heads: Mapping[int, frozenset[str]],
    common: Counter[str],
    rarity_limit: float,
) -> list[str]:
    """Calls of all of those and of none of the others, the rarest in the run first."""
    shared = frozenset.intersection(*(heads[id(case)] for case in calling_side))
    shared -= frozenset.union(*(heads[id(case)] for case in silent_side))
    return sorted((head for head in shared if common[head] <= rarity_limit), key=lambda head: (common[head], head))


def deciding_step(group: Group, run: RunCases) -> Signal | None:
    """What is done now and then: the task passes and fails in one run, and a step parts the two."""
    failing = [case for case in group.answering if case.actions]
    if not group.passing or not failing or 2 * len(failing) < len(group.failing):
        return None
    words = _parting_call(group, run)
    if not words:
        return None
    reason = f"passes {len(group.passing)} of {count(group.evaluable, 'attempt')}; {words}"
    return Signal("deciding_step", "repeats", {"UK": 1.4}, 0.8, tuple(failing), reason)


def _parting_call(group: Group, run: RunCases) -> str:
    entry = next((call for call in deciding_calls(run)[0] if call["key"] == group.key), None)
    if entry is None:
        return ""
    if entry["in_passes"]:
        return f"the passing ones call “{entry['in_passes'][0]}”, the failing ones do not"
    return f"the failing ones call “{entry['in_failures'][0]}”, the passing ones do not"

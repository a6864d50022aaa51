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
    wanted = {case.key for case in hits}
    passes: dict[str, list[Case]] = {}
    for run in runs if wanted else ():
        for case in run.cases:
            if case.key in wanted and case.passed and case.evaluable:
                passes.setdefault(case.key, []).append(case)
    for case in hits:
        found = passes.get(case.key, [])
        own = [other for other in found if other.run == case.run]
        seen = case.sightings[RULE]
        named = _named(seen, own or found, case)
        if named:
            case.sightings = {**case.sightings, RULE: _told(seen, named)}
    return runs


def _fires(case: Case) -> bool:
    seen = case.sightings.get(RULE)
    return seen is not None and seen.state is State.FIRED


def _named(seen: Sighting, passes: Sequence[Case], case: Case) -> list[str]:
    """What most passes gave to the tool and no call of the failing attempt did: what was noticed first, then by use."""
    tool, _, noticed = seen.value.rpartition(".")
    mine = set(_given([case], tool))
    used = {name: many for name, many in _given(passes, tool).items() if name not in mine and name not in PAGING}
    often = [name for name, many in used.items() if 2 * many > len(passes)]
    return sorted(often, key=lambda name: (name != noticed, -used[name], name))[:MOST_NAMED]


def _given(cases: Iterable[Case], tool: str) -> Mapping[str, int]:
    """The names of the arguments that a tool was given, each with the attempts that gave it."""
    found: Counter[str] = Counter()
    for case in cases:
        given = (action.partition("(")[2].rstrip(")") for action in case.actions if action.partition("(")[0] == tool)
        found.update({name.strip() for names in given for name in names.split(",") if name.strip()})
    return found


def _told(seen: Sighting, named: Sequence[str]) -> Sighting:
    tool, _, old = seen.value.rpartition(".")
    words = f"without {listed([repr(name) for name in named])}, which passing attempts give"
    return replace(seen, detail=seen.detail.replace(f"without '{old}'", words, 1), value=f"{tool}.{named[0]}")

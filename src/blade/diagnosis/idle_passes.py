"""Passes in which no change was accepted, though the key lists one: what is asked for holds anyway, or is not checked.

Left out are changes that the environment refuses: who leaves one out has left out nothing. A pass with any other
accepted change may have reached the state in another way.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from blade.diagnosis.cases import Case, RunCases
from blade.diagnosis.effective_key import refused_changes

FEWEST = 2


def idle_passes(runs: Sequence[RunCases]) -> dict[str, list[Case]]:
    """Such passes of every run; none at all where there are too few to tell of."""
    refused = refused_changes(runs)
    idle = {run.run.name: [case for case in run.observing("expected") if _passes_idle(case, refused)] for run in runs}
    return idle if sum(map(len, idle.values())) >= FEWEST else {name: [] for name in idle}


def idle_tasks(runs: Sequence[RunCases]) -> dict[str, str]:
    """The tasks of such passes by their key, with their label: they tell no agent from one that does nothing."""
    return {case.key: case.label for cases in idle_passes(runs).values() for case in cases}


def _passes_idle(case: Case, refused: Mapping[int, Any]) -> bool:
    changes = case.observed.get("changes") if case.passed else None
    if changes is None or any(change[2] for change in changes):
        return False
    return any(digest not in refused for _, digest in case.observed["expected"])

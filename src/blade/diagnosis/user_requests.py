"""What simulated users ask for of what their instructions hold, over all rollouts."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from blade.diagnosis.cases import Case
from blade.extract.names import first_word

FEWEST_SPOKEN = 5
NEARLY_ALWAYS = 0.9
FEWEST_SILENT = 3
Seen = Mapping[str, Any]


def spoken_verbs(rows: Sequence[tuple[Case, Seen]]) -> set[str]:
    """Verbs that users say in nearly all passes which made such a change, where their instruction holds the verb."""
    instructed_passes: Counter[str] = Counter()
    saying: Counter[str] = Counter()
    for case, observed in rows:
        changed_verbs = {first_word(change[0]) for change in observed.get("changes", ()) if change[2] and change[3]}
        for verb, instructed, spoken in observed.get("requests", ()) if not case.failing else ():
            instructed_passes[verb] += instructed and verb in changed_verbs
            saying[verb] += spoken and instructed and verb in changed_verbs
    return {
        verb
        for verb, all_ in instructed_passes.items()
        if all_ >= FEWEST_SPOKEN and saying[verb] >= NEARLY_ALWAYS * all_
    }


def silent_tasks(rows: Sequence[tuple[Case, Seen]]) -> set[tuple[str, str]]:
    """Tasks and verbs that the instruction of several rollouts holds and the user of none says."""
    spoken_by_task: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
    for case, observed in rows:
        for verb, instructed, spoken in observed.get("requests", ()):
            if instructed:
                spoken_by_task[case.key, verb].append(spoken)
    return {task for task, spoken in spoken_by_task.items() if len(spoken) >= FEWEST_SILENT and not any(spoken)}

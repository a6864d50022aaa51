"""Does an accepted change show in its answer? A tool that keeps returning the old value may not make the change."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from blade.diagnosis.cases import Case, RunCases
from blade.document import Block, Bullets, Paragraph, Sentence, say
from blade.questions import in_order, judged, task_list
from blade.wording import amount, count, fact

TITLE = "Changes that their answers do not show"
ORDER = 72
WEIGHT = 1.5
FEWEST_CALLS = 10
FEWEST_TASKS = 3
MOSTLY = 0.5
"""Of the calls with such an argument: where fewer get another value back, the answers tell of something else, too."""
MOST_FIELDS = 4


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Arguments that accepted calls of several tasks ask for, and that the answers mostly show with another value."""
    cases: defaultdict[str, list[Case]] = defaultdict(list)
    for run in runs:
        for case in judged(run):
            for name in case.observed.get("returned") or ():
                cases[name].append(case)
    entries = [entry for name, of_name in cases.items() if (entry := _entry(name, of_name)) is not None]
    entries.sort(key=lambda entry: (-entry["other"], entry["argument"]))
    return {"fields": entries[:MOST_FIELDS]} if entries else None


def _entry(name: str, cases: Sequence[Case]) -> dict[str, Any] | None:
    counts = [case.observed["returned"][name] for case in cases]
    same, other = (sum(entry[place] for entry in counts) for place in (0, 1))
    odd = [(case, entry) for case, entry in zip(cases, counts, strict=True) if entry[1]]
    tasks = in_order(case.label for case, _ in odd)
    if other < max(FEWEST_CALLS, MOSTLY * (same + other)) or len(set(tasks)) < FEWEST_TASKS:
        return None
    case, entry = odd[0]
    tool, _, argument = name.rpartition(".")
    return {
        "tool": tool,
        "argument": argument,
        "same": same,
        "other": other,
        "rollouts": len(odd),
        "passes": sum(bool(odd_case.passed) for odd_case, _ in odd),
        "tasks": tasks,
        "example": {
            "run": case.run, "task": case.label, "attempt": case.attempt, "item": entry[2], "asked": entry[3],
            "shown": entry[4],
        },
    }  # fmt: skip


def tell(answer: Mapping[str, Any]) -> list[Block]:
    return [Bullets(tuple(Paragraph((_words(place, entry),)) for place, entry in enumerate(answer["fields"])))]


def _words(place: int, entry: Mapping[str, Any]) -> Sentence:
    path = ("investigation", "returned_values", "fields", place)
    calls = entry["same"] + entry["other"]
    example = entry["example"]
    return say(
        "{tool} accepts a “{argument}” and answers with another one in {other} of {calls} that name it, in {rollouts} "
        "({passes} of them pass; {tasks}): in task {task} of {run}, attempt {attempt}, “{asked}” was asked for and "
        "“{shown}” came back. Either the environment does not make this change, or its answer shows the record as it "
        "was; look before a verdict rests on it.",
        tool=entry["tool"],
        argument=entry["argument"],
        other=amount(entry["other"], *path, "other"),
        calls=count(calls, "call"),
        rollouts=fact(count(entry["rollouts"], "rollout"), entry["rollouts"], *path, "rollouts"),
        passes=amount(entry["passes"], *path, "passes"),
        tasks=task_list(entry["tasks"]),
        task=example["task"],
        run=example["run"],
        attempt=str(example["attempt"]),
        asked=example["asked"],
        shown=example["shown"],
    )

"""Which tasks that nobody passes have a fault in their own data: a missing figure, a placeholder, a broken key?"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from blade.diagnosis.cases import Case, RunCases
from blade.document import Advice, Block, Bullets, Paragraph, Sentence, say
from blade.questions import OF_THE_EVALUATION, by_task, in_order, judged, task_list
from blade.registry import plugins
from blade.wording import count, fact, printable

TITLE = "Tasks with a fault in their data"
ORDER = 66
WEIGHT = OF_THE_EVALUATION
DATA = "data"
FEWEST = 2
MOSTLY = 0.5
MOST = 4
LIKELY = 0.7
_PATH = ("investigation", "faulty_data", "faults")


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """By rule the tasks that no judged rollout passes and most of whose rollouts show the fault."""
    hit: defaultdict[str, list[list[Case]]] = defaultdict(list)
    for cases in by_task([case for run in runs for case in judged(run)]).values():
        if len(cases) < FEWEST or any(case.passed for case in cases):
            continue
        rules = {rule for case in cases for rule in case.fired() if plugins("detectors")[rule].FAMILY == DATA}
        for rule in rules:
            showing = [case for case in cases if rule in case.fired()]
            if len(showing) > MOSTLY * len(cases):
                hit[rule].append(showing)
    faults = [_fault(rule, tasks) for rule, tasks in hit.items()]
    faults.sort(key=lambda fault: (-fault["rollouts"], fault["rule"]))
    return {"faults": faults[:MOST]} if faults else None


def _fault(rule: str, tasks: Sequence[Sequence[Case]]) -> dict[str, Any]:
    first = tasks[0][0]
    return {
        "rule": rule,
        "title": plugins("detectors")[rule].TITLE,
        "tasks": in_order(cases[0].label for cases in tasks),
        "rollouts": sum(map(len, tasks)),
        "detail": first.fired()[rule].detail,
        "task": first.label,
    }


def tell(answer: Mapping[str, Any]) -> list[Block]:
    return [Bullets(tuple(Paragraph((_words(place, fault),)) for place, fault in enumerate(answer["faults"])))]


def brief(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    yield _words(0, answer["faults"][0])


def _words(place: int, fault: Mapping[str, Any]) -> Sentence:
    tasks = len(fault["tasks"])
    return say(
        "{title} in {tasks} that no run passes ({list}; {rollouts}): in {task} {detail}.",
        title=fault["title"][:1].upper() + fault["title"][1:],
        tasks=fact(count(tasks, "task"), tasks, *_PATH, place, "tasks"),
        list=task_list(fault["tasks"]),
        rollouts=fact(count(fault["rollouts"], "rollout"), fault["rollouts"], *_PATH, place, "rollouts"),
        task=fault["task"],
        detail=printable(fault["detail"]),
    )


def advise(answer: Mapping[str, Any]) -> Iterator[Advice]:
    for place, fault in enumerate(answer["faults"]):
        yield Advice(
            "data",
            "Repair the data of these tasks or leave them out of the score",
            say(
                "{title} in {tasks} ({list}).",
                title=fault["title"][:1].upper() + fault["title"][1:],
                tasks=fact(count(len(fault["tasks"]), "task"), len(fault["tasks"]), *_PATH, place, "tasks"),
                list=task_list(fault["tasks"]),
            ),
            fault["rollouts"],
            LIKELY,
        )

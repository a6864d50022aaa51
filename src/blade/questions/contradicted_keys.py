"""Does a key contradict the environment's own records: the same person or thing, with one value that nobody shows?"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from blade.diagnosis.cases import Case, RunCases
from blade.document import Advice, Block, Bullets, Paragraph, Sentence, say
from blade.findings import TaskFault
from blade.health import Item
from blade.health import item as health_item
from blade.questions import by_task, judged, task_list
from blade.wording import amount, count, fact, printable

TITLE = "Keys that contradict the records"
ORDER = 79
WEIGHT = 1.5
MOST = 6


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Tasks that nobody passes and whose key describes a record otherwise than the tools show it."""
    tasks = by_task([case for run in runs for case in judged(run)])
    entries = [entry for cases in tasks.values() for entry in _entries(cases)]
    entries.sort(key=lambda entry: (-entry["rollouts"], entry["task"], entry["argument"]))
    return {"tasks": entries} if entries else None


def _entries(cases: Sequence[Case]) -> Iterator[dict[str, Any]]:
    """Who passes has shown that the key can be met."""
    if any(case.passed for case in cases):
        return
    alike: defaultdict[tuple[str, ...], list[str]] = defaultdict(list)
    for case in cases:
        for tool, argument, expected, recorded, reader, _ in case.observed.get("contradicted", ()):
            alike[tool, argument, expected, recorded].append(reader)
    for (tool, argument, expected, recorded), readers in alike.items():
        yield {
            "task": cases[0].label,
            "tool": tool,
            "argument": argument,
            "expected": expected,
            "recorded": recorded,
            "reader": readers[0],
            "rollouts": len(readers),
            "judged": len(cases),
        }


def tell(answer: Mapping[str, Any]) -> list[Block]:
    items = [Paragraph((_words(place, entry),)) for place, entry in enumerate(answer["tasks"][:MOST])]
    blocks: list[Block] = [Bullets(tuple(items))]
    left = [entry["task"] for entry in answer["tasks"][MOST:]]
    if left:
        blocks.append(Paragraph((say("The same in {tasks}.", tasks=task_list(left)),)))
    return blocks


def _words(place: int, entry: Mapping[str, Any]) -> Sentence:
    at = ("investigation", "contradicted_keys", "tasks", place)
    return say(
        "Task {task}: the key expects {argument} “{expected}” of {tool}, but {reader} shows the same record with "
        "“{recorded}” (in {rollouts} of {judged}, and none passes). No prompt, message or tool's answer holds the "
        "expected value there: the key is probably wrong.",
        task=entry["task"],
        argument=entry["argument"],
        expected=printable(entry["expected"]),
        tool=entry["tool"],
        reader=entry["reader"],
        recorded=printable(entry["recorded"]),
        rollouts=amount(entry["rollouts"], *at, "rollouts"),
        judged=fact(count(entry["judged"], "judged rollout"), entry["judged"], *at, "judged"),
    )


def _reason(entry: Mapping[str, Any]) -> str:
    return f"the key expects a value of {entry['argument']} that contradicts the record ({entry['reader']} shows it)"


def faults(answer: Mapping[str, Any]) -> dict[str, TaskFault]:
    """Task → why its failures are not the model's."""
    return {entry["task"]: TaskFault(_reason(entry)) for entry in answer["tasks"]}


def brief(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    tasks = list(dict.fromkeys(entry["task"] for entry in answer["tasks"]))
    yield say(
        "The key of {many} contradicts the environment's own records: {tasks}.",
        many=count(len(tasks), "task"),
        tasks=task_list(tasks, MOST),
    )


def health(answer: Mapping[str, Any]) -> Iterator[Item]:
    for entry in answer["tasks"]:
        yield health_item("suspect_gold", "high", f"Task {entry['task']}: {_reason(entry)}.", tasks=[entry["task"]])


def advise(answer: Mapping[str, Any]) -> Iterator[Advice]:
    tasks = list(dict.fromkeys(entry["task"] for entry in answer["tasks"]))
    rollouts = sum(entry["judged"] for entry in answer["tasks"])
    yield Advice(
        "data",
        f"Correct the key of {'task' if len(tasks) == 1 else 'tasks'} {task_list(tasks)} by the environment's records",
        say(
            "{rollouts} there fail against a value that the records contradict and nothing shows.",
            rollouts=count(rollouts, "rollout"),
        ),
        rollouts,
        0.8,
    )

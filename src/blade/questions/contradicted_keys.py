"""Does a key contradict the environment's own records: the same person or thing, with one value that nobody shows?"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from blade.diagnosis.cases import Case, RunCases
from blade.document import Advice, Block, Bullets, Paragraph, Sentence, say
from blade.findings import TaskFault
from blade.health import Item
from blade.health import item as health_item
from blade.questions import by_task, judged, task_list
from blade.wording import amount, count, fact, listed, printable

TITLE = "Keys that contradict the records"
ORDER = 79
WEIGHT = 1.5
MOST = 6


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Tasks that nobody passes and whose key describes a record otherwise than the tools show it."""
    if not any(run.observing("contradicted") for run in runs):
        return None
    tasks = by_task([case for run in runs for case in judged(run)])
    doubted = {run.run.name for run in runs if run.mixed_up_rows}
    entries = [entry for cases in tasks.values() for entry in _entries(cases, doubted)]
    entries.sort(key=lambda entry: (-entry["rollouts"], entry["task"], entry["argument"]))
    return {"tasks": entries} if entries else None


def _entries(cases: Sequence[Case], doubted: Collection[str]) -> Iterator[dict[str, Any]]:
    """Who passes has shown that the key can be met. `doubted` are runs whose rows name other tasks than their own."""
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
            "alone": sum(_differs_alone(case.observed, tool, argument) for case in cases),
            "doubted_id": any(case.run in doubted for case in cases),
        }


def _differs_alone(observed: Mapping[str, Any], tool: str, argument: str) -> bool:
    """Whether a rollout makes every expected change and no other, but for this one value."""
    unlike, missing = observed.get("unlike", ()), observed.get("left_out", ())
    others = {change[1] for change in observed.get("changes", ()) if change[2] and not change[3]}
    return [entry[:2] for entry in unlike] == [[tool, argument]] and len(missing) == len(others) == 1


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
        ("The row that names task {task}" if entry["doubted_id"] else "Task {task}")
        + ": the key expects {argument} “{expected}” of {tool}, but {reader} shows the same record with "
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
        tasks=f"that {_keys(answer['tasks'])}" if _doubted(answer) else task_list(tasks, MOST),
    )


def _doubted(answer: Mapping[str, Any]) -> bool:
    """Whether rows name other tasks than their own: then no key may be told by the id of its rows."""
    return any(entry["doubted_id"] for entry in answer["tasks"])


def _keys(entries: Sequence[Mapping[str, Any]]) -> str:
    values = [f"{entry['argument']} “{printable(entry['expected'])}” of {entry['tool']}" for entry in entries[:MOST]]
    return f"with {listed(values)}"


def health(answer: Mapping[str, Any]) -> Iterator[Item]:
    for entry in answer["tasks"]:
        yield health_item("suspect_gold", "high", f"Task {entry['task']}: {_reason(entry)}.", tasks=[entry["task"]])


def _rest(alone: int, rollouts: int) -> str:
    """How many of the failures differ from the key in nothing else."""
    if alone == rollouts:
        return "nothing else differs from the key there"
    if not alone:
        return f"{'it differs' if rollouts == 1 else 'all of them differ'} from the key elsewhere, too"
    return f"{alone:,} of them {'differs' if alone == 1 else 'differ'} in nothing else, the rest would still fail"


def advise(answer: Mapping[str, Any]) -> Iterator[Advice]:
    """Worth the rollouts that nothing else fails."""
    entries = answer["tasks"]
    tasks = list(dict.fromkeys(entry["task"] for entry in entries))
    concerned = f"{'task' if len(tasks) == 1 else 'tasks'} {task_list(tasks)}"
    key = f"the key {_keys(entries)}" if _doubted(answer) else f"the key of {concerned}"
    alone, rollouts = (sum(entry[part] for entry in entries) for part in ("alone", "judged"))
    yield Advice(
        "data",
        f"Correct {key} by the environment's records",
        say(
            "{rollouts} there {fail} against a value that the records contradict and nothing shows; {rest}.",
            rollouts=count(rollouts, "rollout"),
            fail="fails" if rollouts == 1 else "fail",
            rest=_rest(alone, rollouts),
        ),
        alone,
        0.8,
    )

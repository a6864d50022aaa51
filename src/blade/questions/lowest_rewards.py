"""Where nothing says what a pass is: which tasks have the lowest rewards, and which number of the row is the reward?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from blade.diagnosis.cases import Case, RunCases
from blade.document import Block, Bullets, Paragraph, Sentence, Table, say
from blade.questions import by_task, in_order, judged
from blade.wording import count, fact, listed, plain

TITLE = "The lowest rewards"
ORDER = 34
FEWEST_TASKS, FEWEST_ROWS = 3, 5
MOST_SHOWN = 10
MOST_RUNS = 3
MOST_CONSTANT = 3
NEAR = 1e-9
REWARDS = frozenset({"reward", "score", "total", "total_reward"})
Scored = Sequence[tuple[Case, Mapping[str, Any]]]


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Per run the tasks by their mean reward, the lowest first; None where a pass is known or rewards do not differ."""
    if any(judged(run) for run in runs):
        return None
    entries = [entry for run in runs if (entry := _run(run)) is not None]
    if not entries:
        return None
    lowest: dict[str, float] = {}
    for entry in entries:
        for task, mean in entry["tasks"].items():
            lowest[task] = min(mean, lowest.get(task, mean))
    order = {task: place for place, task in enumerate(in_order(lowest))}
    shown = sorted(lowest, key=lambda task: (lowest[task], order[task]))[:MOST_SHOWN]
    return {"runs": entries, "of_tasks": len(lowest), "shown": shown}


def _run(run: RunCases) -> dict[str, Any] | None:
    rows = [
        (case, fields)
        for case, fields in zip(run.cases, run.fields(), strict=True)
        if case.evaluable and case.stage_lost is None and case.reward is not None
    ]
    means = {
        cases[0].label: sum(case.reward for case in cases) / len(cases)
        for cases in by_task([case for case, _ in rows]).values()
    }
    if len(means) < FEWEST_TASKS or max(means.values()) - min(means.values()) <= NEAR:
        return None
    return {"run": run.run.name, "rollouts": len(rows), "tasks": means, **_numbers_beside(rows)}


def _numbers_beside(rows: Scored) -> dict[str, Any]:
    """The number at the top of every row that is the reward, and the shares there that are the same in all rows."""
    beside: dict[str, Any] = {"is": "", "constant": []}
    if len(rows) < FEWEST_ROWS:
        return beside
    for name in sorted(set.intersection(*(set(fields) for _, fields in rows))):
        values = [fields[name] for _, fields in rows]
        if "." in name or name in REWARDS or not all(isinstance(value, float) for value in values):
            continue
        if all(abs(value - case.reward) <= NEAR for value, (case, _) in zip(values, rows, strict=True)):
            beside["is"] = beside["is"] or name
        elif max(values) - min(values) <= NEAR and 0 <= values[0] <= 1:
            beside["constant"].append([name, values[0]])
    return beside


def tell(answer: Mapping[str, Any]) -> list[Block]:
    names = [entry["run"] for entry in answer["runs"]]
    rows = []
    for task in answer["shown"]:
        cells = []
        for place, entry in enumerate(answer["runs"]):
            mean = entry["tasks"].get(task)
            path = ("investigation", "lowest_rewards", "runs", place, "tasks", task)
            cells.append("" if mean is None else fact(plain(mean), mean, *path))
        rows.append((task, *cells))
    caption = f"Mean reward of a task, lowest first: {len(rows):,} of {count(answer['of_tasks'], 'task')}"
    told = [Paragraph((sentence,)) for sentence in _sentences(answer)]
    return [Bullets(tuple(told)), Table(("Task", *(f">{name}" for name in names)), tuple(rows), caption)]


def _sentences(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    for place, entry in enumerate(answer["runs"]):
        path = ("investigation", "lowest_rewards", "runs", place)
        means = entry["tasks"]
        low, high = min(means, key=means.__getitem__), max(means, key=means.__getitem__)
        constant = [f"{name} ({value:g})" for name, value in entry["constant"][:MOST_CONSTANT]]
        same = f"; {listed(constant)} {'is' if len(constant) == 1 else 'are'} the same in all" if constant else ""
        is_one = f", and the reward is {entry['is']} in each of its {{rollouts}}" if entry["is"] else ""
        yield say(
            "By task, the mean reward of {run} runs from {low} ({lowest}) to {high} ({highest})" + is_one + same + ".",
            run=entry["run"],
            low=fact(plain(means[low]), means[low], *path, "tasks", low),
            lowest=_task(low),
            high=fact(plain(means[high]), means[high], *path, "tasks", high),
            highest=_task(high),
            **({"rollouts": count(entry["rollouts"], "rollout")} if entry["is"] else {}),
        )


def _task(label: str) -> str:
    return f"task {label}" if label.isdecimal() else label


def brief(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    """Where the rewards are low, for a few runs."""
    if len(answer["runs"]) <= MOST_RUNS:
        yield from _sentences(answer)

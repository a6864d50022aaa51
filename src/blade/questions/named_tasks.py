"""Who reads the id of the very task out of a tool's answer, and do these rollouts pass more often?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from blade.diagnosis.cases import RunCases
from blade.diagnosis.counted_as_passes import by_run, run_counts
from blade.document import Advice, Block, Paragraph, Sentence, say
from blade.questions import OF_THE_EVALUATION, by_task, in_order, judged, task_list
from blade.wording import amount, count, fact, percent

TITLE = "Tools that show the list of the tasks"
ORDER = 31
WEIGHT = OF_THE_EVALUATION
FEWEST, FEWEST_TASKS = 4, 3
RARE = 0.2
"""Where more rollouts read their task's id, it is a name in the environment, and no list."""
APART = 0.2
LIKELY = 0.7
_PATH = ("investigation", "named_tasks")


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """The few rollouts that read their task's id, where they pass more often than others at the same tasks."""
    everyone = [case for run in runs for case in judged(run)]
    reading = [case for case in everyone if "named_task" in case.observed]
    tasks = by_task(reading)
    if len(reading) < FEWEST or len(tasks) < FEWEST_TASKS or len(reading) > RARE * len(everyone):
        return None
    other_cases = [case for case in everyone if case.key in tasks and "named_task" not in case.observed]
    passes, other_passes = (sum(bool(case.passed) for case in cases) for cases in (reading, other_cases))
    if not other_cases or passes / len(reading) - other_passes / len(other_cases) < APART:
        return None
    tool, item, words = reading[0].observed["named_task"]
    first = reading[0]
    return {
        "rollouts": len(reading),
        "passes": passes,
        "others": len(other_cases),
        "other_passes": other_passes,
        "tasks": in_order(case.label for case in reading),
        "runs": [
            {**counts, "reading_passes": sum(bool(case.passed) for case in reading if case.run == counts["run"])}
            for counts in run_counts(runs, reading)
        ],
        "example": {
            "run": first.run,
            "task": first.label,
            "attempt": first.attempt,
            "tool": tool,
            "item": item,
            "words": words,
        },
    }


def tell(answer: Mapping[str, Any]) -> list[Block]:
    return [Paragraph(tuple(_sentences(answer)))]


def brief(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    yield next(_sentences(answer))


def _sentences(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    yield say(
        "{rollouts} of {tasks} ({runs}) read the id of their own task in a tool's answer, which no prompt gives them, "
        "and {passes} of them pass; of the {others} other rollouts of these tasks {other_passes} do ({names}).",
        rollouts=fact(count(answer["rollouts"], "judged rollout"), answer["rollouts"], *_PATH, "rollouts"),
        tasks=fact(count(len(answer["tasks"]), "task"), len(answer["tasks"]), *_PATH, "tasks"),
        runs=by_run(answer["runs"]),
        passes=amount(answer["passes"], *_PATH, "passes"),
        others=amount(answer["others"], *_PATH, "others"),
        other_passes=amount(answer["other_passes"], *_PATH, "other_passes"),
        names=task_list(answer["tasks"]),
    )
    example = {name: str(value) for name, value in answer["example"].items()}
    yield say("For instance {tool} shows “{words}” ({run}, task {task}, attempt {attempt}, item {item}).", **example)
    shares = [
        f"{run['run']} {run['passes'] - run['reading_passes']:,} of {run['judged']:,} "
        f"({percent((run['passes'] - run['reading_passes']) / run['judged'])})"
        for run in answer["runs"]
        if run["reading_passes"]
    ]
    if shares:
        yield say("If these passes are not earned, the runs pass {shares}.", shares="; ".join(shares))


def advise(answer: Mapping[str, Any]) -> Iterator[Advice]:
    """The list is to be out of the agent's reach."""
    yield Advice(
        "environment",
        "Take files that list the tasks or their keys out of the agent's reach, and look at these passes before they "
        "are counted",
        say(
            "{passes} of the {rollouts} that read their task's id pass.",
            passes=amount(answer["passes"], *_PATH, "passes"),
            rollouts=fact(count(answer["rollouts"], "rollout"), answer["rollouts"], *_PATH, "rollouts"),
        ),
        answer["passes"],
        LIKELY,
        before_scores=True,
    )

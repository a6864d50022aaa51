"""Where does the simulated user ask for something else than its instruction says?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from blade.diagnosis.cases import Case, RunCases
from blade.document import Advice, Block, Bullets, Paragraph, Sentence, say
from blade.questions import OF_THE_EVALUATION, by_task, in_order, judged, task_list
from blade.wording import amount, count, fact, listed

TITLE = "Users who leave their instruction"
ORDER = 91
WEIGHT = OF_THE_EVALUATION
FEWEST = 2
MOST = 6
LIKELY = 0.8
_PATH = ("investigation", "straying_users")


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Tasks in which several judged failures do what the user says and its instruction does not."""
    if not any(run.observing("straying_user") for run in runs):
        return None
    everyone = [case for run in runs for case in judged(run)]
    tasks = [
        _entry(strayed, cases)
        for cases in by_task(everyone).values()
        if len(strayed := [case for case in cases if "straying_user" in case.observed]) >= FEWEST
    ]
    if not tasks:
        return None
    tasks.sort(key=lambda entry: (-entry["rollouts"], entry["task"]))
    return {"rollouts": sum(entry["rollouts"] for entry in tasks), "tasks": tasks[:MOST], "left_out": len(tasks[MOST:])}


def _entry(strayed: Sequence[Case], cases: Sequence[Case]) -> dict[str, Any]:
    argument, given, right, says, _ = strayed[0].observed["straying_user"]
    other_cases = [case for case in cases if "straying_user" not in case.observed]
    return {
        "task": strayed[0].label,
        "argument": argument,
        "given": given,
        "right": right,
        "says": says,
        "rollouts": len(strayed),
        "runs": in_order(case.run for case in strayed),
        "others": len(other_cases),
        "others_pass": sum(bool(case.passed) for case in other_cases),
    }


def tell(answer: Mapping[str, Any]) -> list[Block]:
    items = [Paragraph((_words(place, entry),)) for place, entry in enumerate(answer["tasks"])]
    blocks: list[Block] = [Bullets(tuple(items))]
    if answer["left_out"]:
        left = fact(count(answer["left_out"], "more task"), answer["left_out"], *_PATH, "left_out")
        blocks.append(Paragraph((say("Left out here: {left} of this kind.", left=left),)))
    return blocks


def brief(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    yield _words(0, answer["tasks"][0])


def _words(place: int, entry: Mapping[str, Any]) -> Sentence:
    path = (*_PATH, "tasks", place)
    return say(
        "Task {task}: in {rollouts} of {runs} the simulated user asks for “{given}” ({argument}; it says “{says}”), "
        "while its instruction and the key say “{right}”, and the model does what it is asked for"
        + (
            "; {passes} of {others} of the task " + ("passes." if entry["others_pass"] == 1 else "pass.")
            if entry["others"]
            else "."
        ),
        rollouts=fact(count(entry["rollouts"], "failure"), entry["rollouts"], *path, "rollouts"),
        runs=listed(entry["runs"]),
        passes=amount(entry["others_pass"], *path, "others_pass"),
        others=fact(count(entry["others"], "other rollout"), entry["others"], *path, "others"),
        **{key: entry[key] for key in ("task", "argument", "given", "right", "says")},
    )


def advise(answer: Mapping[str, Any]) -> Iterator[Advice]:
    """The model did what it was asked for: the user is at fault."""
    yield Advice(
        "harness",
        "Hold the simulated user to its instruction, and run these tasks again",
        say(
            "In {rollouts} ({tasks}) the model does what the user asks for against its instruction.",
            rollouts=fact(count(answer["rollouts"], "failure"), answer["rollouts"], *_PATH, "rollouts"),
            tasks=task_list(entry["task"] for entry in answer["tasks"]),
        ),
        answer["rollouts"],
        LIKELY,
        before_scores=True,
    )

"""Which tasks does no rollout pass although several runs come close to the full score?

Where nearly all that come so near elsewhere have the full score, the key or the comparison of such a task may hold
something that changes from one container or moment to the next, or that the task does not ask for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from blade.diagnosis.cases import Case, RunCases
from blade.document import Advice, Block, Fact, Paragraph, Sentence, say
from blade.questions import SURE, by_task, judged, task_list
from blade.wording import abridged, amount, count, fact, plain

TITLE = "Never passed, but nearly"
ORDER = 81
FEWEST_ROLLOUTS, FEWEST_RUNS = 3, 2
NEAR = 0.1
"""So far below the full score a rollout still comes near it."""
EXACTLY = 1e-9
PLACES = 4
MOST_SHOWN = 10
MOST_NAMED = 4
MOST_STEP = 8
DOUBTFUL = 0.3


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Tasks without a pass in which several rollouts of several runs come near, and how near ones end elsewhere.

    Such a task is told where so many near rollouts without a pass would be rare if they ended as those of other tasks.
    """
    cases = [case for run in runs for case in judged(run)]
    if len(runs) < FEWEST_RUNS or not all(0 <= case.reward <= 1 for case in cases):
        return None
    near = by_task([case for case in cases if case.reward >= 1 - NEAR - EXACTLY])
    every = by_task(cases)
    candidates = [key for key in near if not any(case.passed for case in every[key]) and _are_several(near[key])]
    rare = {key for key in candidates if _is_rare(key, near)}
    if not rare:
        return None
    entries = [_entry(near[key], every[key]) for key in rare]
    entries.sort(key=lambda entry: (-entry["best"], -entry["near"], entry["task"]))
    elsewhere = [case for key in near.keys() - rare for case in near[key]]
    passes = sum(bool(case.passed) for case in elsewhere)
    return {"tasks": entries, "others": {"passes": passes, "near": len(elsewhere)}}


def _is_rare(key: str, near: Mapping[str, Sequence[Case]]) -> bool:
    """Whether none of so many near rollouts would hardly pass if they passed as often as those of all other tasks."""
    elsewhere = [case for task in near.keys() - {key} for case in near[task]]
    passes = sum(bool(case.passed) for case in elsewhere)
    return bool(passes) and (1 - passes / len(elsewhere)) ** len(near[key]) <= SURE


def _are_several(near: Sequence[Case]) -> bool:
    return len(near) >= FEWEST_ROLLOUTS and len({case.run for case in near}) >= FEWEST_RUNS


def _entry(near: Sequence[Case], every: Sequence[Case]) -> dict[str, Any]:
    return {
        "task": near[0].label,
        "best": round(max(case.reward for case in near), PLACES),
        "lowest": round(min(case.reward for case in near), PLACES),
        "near": len(near),
        "near_runs": len({case.run for case in near}),
        "rollouts": len(every),
        "runs": len({case.run for case in every}),
    }


def tell(answer: Mapping[str, Any]) -> list[Block]:
    tasks, elsewhere = answer["tasks"], answer["others"]
    lead = say(
        "{many} {are} passed by no rollout although several come within {near} of the full score; at the other tasks "
        "{passes} of {rollouts} that come so near {do}: the key or the comparison may hold something that changes "
        "from one container or moment to the next, or that the task does not ask for.",
        many=fact(count(len(tasks), "task"), tasks, *_AT, "tasks"),
        are="is" if len(tasks) == 1 else "are",
        near=plain(NEAR),
        passes=amount(elsewhere["passes"], *_AT, "others", "passes"),
        rollouts=fact(count(elsewhere["near"], "rollout"), elsewhere["near"], *_AT, "others", "near"),
        do="passes" if elsewhere["passes"] == 1 else "pass",
    )
    return [Paragraph((lead, _by_task(tasks)))]


def _by_task(tasks: Sequence[Mapping[str, Any]]) -> Sentence:
    """Each task with the scores of its near rollouts, the best first."""
    parts: list[str | Fact] = []
    for place, entry in enumerate(tasks[:MOST_SHOWN]):
        path = (*_AT, "tasks", place)
        spread = f"{plain(entry['lowest'])} to " if entry["lowest"] < entry["best"] else ""
        parts += ["; " if place else "", f"{entry['task']} {spread}"]
        parts += [fact(plain(entry["best"]), entry["best"], *path, "best"), " in "]
        parts += [amount(entry["near"], *path, "near"), " of "]
        parts += [fact(count(entry["rollouts"], "rollout"), entry["rollouts"], *path, "rollouts"), " ("]
        parts += [amount(entry["near_runs"], *path, "near_runs"), " of "]
        parts += [fact(count(entry["runs"], "run"), entry["runs"], *path, "runs"), ")"]
    left = len(tasks) - MOST_SHOWN
    ending = f"; {count(left, 'more task')} in analysis.json" if left > 0 else ""
    return Sentence(("Their scores, the best first: ", *parts, f"{ending}."))


def brief(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    """The tasks that may not be passable as they are judged."""
    tasks = answer["tasks"]
    names = [f"{entry['task']} {plain(entry['best'])}" for entry in tasks]
    yield say(
        "No rollout passes {many} although several runs come within {near} of the full score (best scores: {names}): "
        "look at what the key compares.",
        many=fact(count(len(tasks), "task"), tasks, *_AT, "tasks"),
        near=plain(NEAR),
        names=abridged(names, MOST_NAMED),
    )


def advise(answer: Mapping[str, Any]) -> Iterator[Advice]:
    """Look at what is compared in these tasks, and judge them again."""
    tasks = answer["tasks"]
    rollouts = sum(entry["near"] for entry in tasks)
    yield Advice(
        "verifier",
        f"Look at what the verifier compares in {task_list([entry['task'] for entry in tasks], MOST_STEP)}: leave out "
        "what differs between containers or moments and what the task does not ask for, and judge these again",
        say(
            "No rollout passes, and {near} of several runs come within {below} of the full score.",
            near=count(rollouts, "rollout"),
            below=plain(NEAR),
        ),
        rollouts,
        DOUBTFUL,
    )


_AT = ("investigation", "near_misses")

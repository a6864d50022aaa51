"""What does each run answer at the tasks where two runs differ most?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

from blade.diagnosis.answer_groups import Given, TaskAnswers, grouped, judged_answers
from blade.diagnosis.cases import RunCases
from blade.document import Block, Bullets, Paragraph, Sentence, say
from blade.questions import close_pairs, same_configuration

TITLE = "What the runs answer where they differ"
ORDER = 12
WEIGHT = 1.3
FEWEST_ATTEMPTS = 3
LARGE = 0.5
"""A task is told if the pass rates of two runs are so far apart in it."""
HALF = 0.5
MOST_RUNS = 4
MOST_TASKS = 6


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Per pair of configurations the tasks that one passes far more often, each with one answer of its own.

    Of several runs only the pairs whose scores lie closest are compared.
    """
    compared = combinations(runs, 2) if len(runs) <= MOST_RUNS else close_pairs(runs)
    pairs = [
        {"runs": [first.run.name, second.run.name], "tasks": tasks}
        for first, second in compared
        if not same_configuration(first, second) and (tasks := _tasks(first, second))
    ]
    return {"pairs": pairs} if pairs else None


def _tasks(first: RunCases, second: RunCases) -> list[dict[str, Any]]:
    left, right = judged_answers([first]), judged_answers([second])
    entries = [
        entry for key in left if key in right and (entry := _apart(left[key], right[key], len(left[key].keys())))
    ]
    return sorted(entries, key=lambda entry: (-abs(entry["gap"]), entry["task"]))


def _apart(left: TaskAnswers, right: TaskAnswers, keys: int) -> dict[str, Any] | None:
    """The two usual answers, where the pass rates lie far apart, each is given by most attempts and they differ."""
    rates = [_rate(side.rows) for side in (left, right)]
    if min(len(left.rows), len(right.rows)) < FEWEST_ATTEMPTS or abs(rates[0] - rates[1]) < LARGE or keys > 1:
        return None
    usual = [answers for side in (left, right) if (answers := _usual(side))]
    if len(usual) < 2 or usual[0][0].is_one_with(usual[1][0]):
        return None
    return {
        "task": left.label,
        "gap": rates[0] - rates[1],
        "key": left.keys()[0][0] if keys else "",
        "answers": [
            {"text": answers[0].text, "attempts": len(answers), "of": len(side.rows), "meets": bool(answers[0].meets)}
            for answers, side in zip(usual, (left, right), strict=True)
        ],
    }


def _usual(side: TaskAnswers) -> list[Given]:
    """The attempts with the answer that more than half of them give, and at least two; none where answers scatter."""
    groups = grouped(side.answered)
    return groups[0] if groups and len(groups[0]) > max(1, HALF * len(side.rows)) else []


def _rate(rows: Sequence[Given]) -> float:
    return sum(bool(answer.case.passed) for answer in rows) / len(rows)


def tell(answer: Mapping[str, Any]) -> list[Block]:
    return [Bullets(tuple(Paragraph((_words(pair),)) for pair in answer["pairs"]))]


def _words(pair: Mapping[str, Any]) -> Sentence:
    shown = [_task_words(task) for task in pair["tasks"][:MOST_TASKS]]
    more = len(pair["tasks"]) - len(shown)
    return say(
        "Where they lie furthest apart {first} and {second} settle on different answers ({first}'s come first): {tasks}"
        + (f"; and in {more:,} more." if more else "."),
        first=pair["runs"][0],
        second=pair["runs"][1],
        tasks="; ".join(shown),
    )


def _task_words(task: Mapping[str, Any]) -> str:
    sides = [
        f"{_quoted(side['text'])}{', the key,' if side['meets'] else ''} in {side['attempts']} of {side['of']}"
        for side in task["answers"]
    ]
    unmet = task["key"] and not any(side["meets"] for side in task["answers"])
    return f"{task['task']} {' against '.join(sides)}" + (f" (key {_quoted(task['key'])})" if unmet else "")


def _quoted(text: str) -> str:
    return "'" + text.strip("'\"") + "'"

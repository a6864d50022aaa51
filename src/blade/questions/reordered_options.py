"""Is one question asked under several tasks, its options in another order, and does the order decide?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import fsum
from typing import Any

from blade.diagnosis.cases import Case, RunCases
from blade.document import Advice, Block, Paragraph, Sentence, say
from blade.questions import OF_THE_EVALUATION, in_order, judged, pass_rate, task_list
from blade.stats.rounding import WRITTEN, significant
from blade.wording import amount, count, fact, percent

TITLE = "One question under several tasks"
ORDER = 61
WEIGHT = OF_THE_EVALUATION
FEWEST = 3
"""So many questions stand under several tasks, at least."""
MAY_MEND = 0.5
"""A question with both verdicts passes in one order of two, more or less."""

Question = tuple[int, tuple[int, ...]]
"""What is asked, and what can be answered, in no order."""


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Per run the questions that several tasks ask, and how often the verdicts on one question differ."""
    entries = [entry for run in runs if (entry := _entry(run)) is not None]
    return {"runs": entries} if entries else None


def _entry(run: RunCases) -> dict[str, Any] | None:
    questions = _questions(judged(run))
    repeated = [tasks for tasks in questions.values() if len(tasks) > 1]
    reordered = [tasks for tasks in repeated if len({_order(rows[0]) for rows in tasks.values()}) > 1]
    if len(reordered) < FEWEST:
        return None
    never = [tasks for tasks in repeated if not any(_verdicts(tasks))]
    both = [tasks for tasks in repeated if any(_verdicts(tasks)) and not all(_verdicts(tasks))]
    steady = [tasks for tasks in never if _one_choice(tasks)]
    rates = [[pass_rate(rows) for rows in tasks.values()] for tasks in questions.values()]
    return {
        "run": run.run.name,
        "tasks": sum(map(len, questions.values())),
        "questions": len(questions),
        "repeated": len(repeated),
        "repeated_tasks": sum(map(len, repeated)),
        "reordered": len(reordered),
        "never": len(never),
        "both": len(both),
        "both_tasks": [in_order(rows[0].label for rows in tasks.values()) for tasks in both],
        "steady": len(steady),
        "steady_tasks": [in_order(rows[0].label for rows in tasks.values()) for tasks in steady],
        "task_rate": significant(fsum(map(fsum, rates)) / sum(map(len, rates)), WRITTEN),
        "question_rate": significant(fsum(fsum(rate) / len(rate) for rate in rates) / len(rates), WRITTEN),
    }


def _questions(cases: Sequence[Case]) -> dict[Question, dict[str, list[Case]]]:
    """Question → task → its rollouts. Tasks with options that say the same are left out."""
    questions: dict[Question, dict[str, list[Case]]] = {}
    for case in cases:
        choice = case.observed.get("task", {}).get("choice")
        if choice and len(set(choice[1].values())) == len(choice[1]):
            question = choice[0], tuple(sorted(choice[1].values()))
            questions.setdefault(question, {}).setdefault(case.key, []).append(case)
    return questions


def _order(case: Case) -> tuple[int, ...]:
    return tuple(case.observed["task"]["choice"][1].values())


def _verdicts(tasks: Mapping[str, Sequence[Case]]) -> list[bool]:
    return [bool(case.passed) for rows in tasks.values() for case in rows]


def _one_choice(tasks: Mapping[str, Sequence[Case]]) -> bool:
    """Whether every rollout chooses the same option by its words."""
    cases = [case for rows in tasks.values() for case in rows]
    letters = [case.observed.get("answer", {}).get("letter") for case in cases]
    chosen = {case.observed["task"]["choice"][1].get(letter) for case, letter in zip(cases, letters, strict=True)}
    return len(chosen) == 1 and None not in chosen


def tell(answer: Mapping[str, Any]) -> list[Block]:
    return [Paragraph(tuple(_sentences(place, entry))) for place, entry in enumerate(answer["runs"])]


def _sentences(place: int, entry: Mapping[str, Any]) -> Iterator[Sentence]:
    at = ("investigation", "reordered_options", "runs", place)
    yield say(
        "The {tasks} of {run} with options ask {questions}: {repeated} stand under several tasks ({several} in all), "
        "{reordered} of them with their options in another order.",
        tasks=fact(count(entry["tasks"], "task"), entry["tasks"], *at, "tasks"),
        run=entry["run"],
        questions=fact(f"{entry['questions']:,} different questions", entry["questions"], *at, "questions"),
        repeated=amount(entry["repeated"], *at, "repeated"),
        several=amount(entry["repeated_tasks"], *at, "repeated_tasks"),
        reordered=amount(entry["reordered"], *at, "reordered"),
    )
    always = entry["repeated"] - entry["never"] - entry["both"]
    split = task_list(entry["both_tasks"][0]) if entry["both_tasks"] else ""
    yield say(
        "Of these questions {always} each time, {never} never and {both} only in part{split}{decides}.",
        always=f"{always:,} {'passes' if always == 1 else 'pass'}",
        never=amount(entry["never"], *at, "never"),
        both=amount(entry["both"], *at, "both"),
        split=f" (e.g. {split})" if split else "",
        decides=": the order of the options, or chance, decides there" if entry["both"] else "",
    )
    if entry["steady"]:
        yield say(
            "In {steady} of the {never} that never pass the same wrong option is chosen in every order (e.g. {tasks}): "
            "a firm mistake, or a key to check.",
            steady=amount(entry["steady"], *at, "steady"),
            never=amount(entry["never"], *at, "never"),
            tasks=task_list(entry["steady_tasks"][0]),
        )
    yield say(
        "With each question counted once {run} passes {once}, by task {by_task}.",
        run=entry["run"],
        once=fact(percent(entry["question_rate"]), entry["question_rate"], *at, "question_rate"),
        by_task=fact(percent(entry["task_rate"]), entry["task_rate"], *at, "task_rate"),
    )


def brief(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    """For the first screen: how many questions there are, and on how many of them the verdicts differ."""
    place = _most_repeated(answer)
    entry = answer["runs"][place]
    at = ("investigation", "reordered_options", "runs", place)
    yield say(
        "The {tasks} of {run} with options ask {questions}; {both} of the {repeated} that several tasks ask pass under "
        "one task and fail under another, mostly with their options in another order.",
        tasks=fact(count(entry["tasks"], "task"), entry["tasks"], *at, "tasks"),
        run=entry["run"],
        questions=fact(f"{entry['questions']:,} different questions", entry["questions"], *at, "questions"),
        both=amount(entry["both"], *at, "both"),
        repeated=amount(entry["repeated"], *at, "repeated"),
    )


def _most_repeated(answer: Mapping[str, Any]) -> int:
    return max(range(len(answer["runs"])), key=lambda place: answer["runs"][place]["repeated"])


def advise(answer: Mapping[str, Any]) -> Iterator[Advice]:
    """Count what is one question once, and ask it in more than one order."""
    place = _most_repeated(answer)
    entry = answer["runs"][place]
    at = ("investigation", "reordered_options", "runs", place)
    yield Advice(
        "data",
        "Count each question once, as the mean over several orders of its options",
        say(
            "{tasks} ask {questions}, and {both} of the {repeated} that are asked again pass in one order and fail in "
            "another.",
            tasks=fact(count(entry["tasks"], "task"), entry["tasks"], *at, "tasks"),
            questions=fact(f"{entry['questions']:,} different questions", entry["questions"], *at, "questions"),
            both=amount(entry["both"], *at, "both"),
            repeated=amount(entry["repeated"], *at, "repeated"),
        ),
        entry["both"],
        MAY_MEND,
        before_scores=True,
    )

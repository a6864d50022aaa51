"""Which tasks are checked by far less than others, and pass more often for it?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from statistics import median
from typing import Any

from blade.diagnosis.cases import Case, RunCases
from blade.document import Advice, Block, Paragraph, Sentence, say
from blade.questions import OF_THE_EVALUATION, by_task, in_order, judged, task_list
from blade.stats.binomial import more_often_p
from blade.stats.rounding import WRITTEN, significant
from blade.wording import amount, count, fact, percent

TITLE = "Tasks with few checks"
ORDER = 76
WEIGHT = OF_THE_EVALUATION
FEWEST_TASKS, FEWEST_OTHERS = 2, 5
FEWEST_CHECKS = 3
"""Tasks are mostly checked by so many at least: else few is usual."""
FAR_FEWER = 0.5
NEARLY_ALWAYS = 0.9
SURE = 0.001
LIKELY = 0.5
_PATH = ("investigation", "weakly_checked")


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Tasks with at most half of the usual number of checks which nearly every rollout passes, unlike the others."""
    tasks = {key: cases for key, cases in by_task([case for run in runs for case in judged(run)]).items() if cases}
    numbers = {key: most for key, cases in tasks.items() if (most := max(map(_checks, cases)))}
    if len(numbers) < FEWEST_TASKS + FEWEST_OTHERS:
        return None
    usual = median(numbers.values())
    few = [key for key, number in numbers.items() if number <= FAR_FEWER * usual]
    weak = [key for key in few if _passes(tasks[key]) >= NEARLY_ALWAYS * len(tasks[key])]
    others = [key for key in numbers if key not in few]
    if usual < FEWEST_CHECKS or len(weak) < max(FEWEST_TASKS, FAR_FEWER * len(few)) or len(others) < FEWEST_OTHERS:
        return None
    rollouts, other_rollouts = (sum(len(tasks[key]) for key in keys) for keys in (few, others))
    passes, other_passes = (sum(_passes(tasks[key]) for key in keys) for keys in (few, others))
    p = more_often_p(passes, rollouts, other_passes, other_rollouts)
    if p > SURE:
        return None
    return {
        "tasks": in_order(tasks[key][0].label for key in few),
        "most_checks": max(numbers[key] for key in few),
        "usual_checks": usual,
        "rollouts": rollouts,
        "passes": passes,
        "others": other_rollouts,
        "other_passes": other_passes,
        "p": significant(p, WRITTEN),
    }


def _checks(case: Case) -> int:
    sets = [total for _, total in case.observed.get("check_sets", {}).values()]
    return max((*sets, len(case.checks)), default=0)


def _passes(cases: Sequence[Case]) -> int:
    return sum(bool(case.passed) for case in cases)


def tell(answer: Mapping[str, Any]) -> list[Block]:
    return [Paragraph((_words(answer),))]


def brief(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    yield _words(answer)


def _words(answer: Mapping[str, Any]) -> Sentence:
    return say(
        "{tasks} ({names}) are judged by {most} at most, where {usual} are usual: {passes} of {rollouts} pass, of the "
        "other tasks {other_passes} of {others} (p = {p}). They may pass without the work.",
        usual=f"{answer['usual_checks']:g}",
        tasks=count(len(answer["tasks"]), "task"),
        names=task_list(answer["tasks"]),
        most=fact(count(answer["most_checks"], "check"), answer["most_checks"], *_PATH, "most_checks"),
        passes=amount(answer["passes"], *_PATH, "passes"),
        rollouts=fact(count(answer["rollouts"], "rollout"), answer["rollouts"], *_PATH, "rollouts"),
        other_passes=amount(answer["other_passes"], *_PATH, "other_passes"),
        others=amount(answer["others"], *_PATH, "others"),
        p=fact(f"{answer['p']:.2g}", answer["p"], *_PATH, "p"),
    )


def advise(answer: Mapping[str, Any]) -> Iterator[Advice]:
    yield Advice(
        "verifier",
        "Add the checks that these tasks lack, and judge their passes again before they are counted",
        say(
            "{passes} of {rollouts} pass ({rate}) with {most} at most.",
            passes=amount(answer["passes"], *_PATH, "passes"),
            rollouts=fact(count(answer["rollouts"], "rollout"), answer["rollouts"], *_PATH, "rollouts"),
            rate=percent(answer["passes"] / answer["rollouts"]),
            most=fact(count(answer["most_checks"], "check"), answer["most_checks"], *_PATH, "most_checks"),
        ),
        answer["passes"],
        LIKELY,
        before_scores=True,
    )

"""Do wrong numbers lie on one side of the key?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from blade.diagnosis.cases import Case, RunCases
from blade.diagnosis.value_classes import answer_pair_of, number_of
from blade.document import Block, Paragraph, Sentence, say
from blade.questions import by_task, judged
from blade.stats.binomial import sign_p
from blade.stats.rounding import WRITTEN, significant
from blade.wording import amount, count, fact, plain

TITLE = "Wrong numbers on one side of the key"
ORDER = 47
WEIGHT = 0.8
FEWEST, FEWEST_TASKS = 12, 8
MOSTLY = 0.9
SURE = 0.001
NARROW = 3
"""The largest difference is at most so many times the smallest: then they are told, too."""
_AT = ("investigation", "one_sided_errors")


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Failures whose answer and key are numbers: how many lie above the key, by failures and by tasks.

    Tasks are tested, not failures: attempts at a task often give one wrong number.
    """
    failures = [case for run in runs for case in judged(run) if not case.passed]
    above, below, differences = 0, 0, list[Fraction]()
    tasks_above = tasks_below = 0
    for cases in by_task(failures).values():
        errors = [error for case in cases if (error := _error(case)) is not None]
        differences += errors
        higher = sum(error > 0 for error in errors)
        above, below = above + higher, below + len(errors) - higher
        tasks_above += 2 * higher > len(errors)
        tasks_below += 2 * higher < len(errors)
    if above + below < FEWEST or tasks_above + tasks_below < FEWEST_TASKS:
        return None
    if max(above, below) < MOSTLY * (above + below):
        return None
    p = sign_p(tasks_above, tasks_below)
    if p > SURE:
        return None
    side = [abs(error) for error in differences if (error > 0) is (above > below)]
    return {
        "side": "above" if above > below else "below",
        "failures": max(above, below),
        "of": above + below,
        "tasks": max(tasks_above, tasks_below),
        "of_tasks": tasks_above + tasks_below,
        "p": significant(p, WRITTEN),
        "least": float(min(side)),
        "most": float(max(side)),
    }


def _error(case: Case) -> Fraction | None:
    """By how much the answer is above the nearest key; None where it is right or no number."""
    pair = answer_pair_of(case)
    if pair is None or pair.is_right:
        return None
    actual, keys = number_of(pair.actual[0]), [number_of(key) for key in pair.expected]
    errors = [actual - key for key in keys if actual is not None and key is not None]
    error = min(errors, key=abs, default=None)
    return error or None


def tell(answer: Mapping[str, Any]) -> list[Block]:
    return [Paragraph((_words(answer),))]


def _words(answer: Mapping[str, Any]) -> Sentence:
    least, most = answer["least"], answer["most"]
    narrow = most <= NARROW * least
    text = (
        "{failures} of {of} lie {side} the key{by}, in {tasks} of {of_tasks} (sign test over tasks p = {p}): one cause "
        "may stand behind them, as a step left out, a rounding or a unit."
    )
    return say(
        text,
        failures=amount(answer["failures"], *_AT, "failures"),
        of=fact(count(answer["of"], "wrong number"), answer["of"], *_AT, "of"),
        side=answer["side"],
        by=f", by {plain(least)} to {plain(most)}" if narrow else "",
        tasks=amount(answer["tasks"], *_AT, "tasks"),
        of_tasks=fact(count(answer["of_tasks"], "task"), answer["of_tasks"], *_AT, "of_tasks"),
        p=f"{answer['p']:.2g}",
    )

"""What "3 of 4" says of tasks: of the attempts of each in one run, or of all their attempts together."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from blade.checking.measures import PASSING
from blade.checking.numbers import Printed
from blade.checking.outcome import Checked, CheckOutcome, ClaimKind
from blade.checking.ratio_words import counts_passes, is_failing
from blade.checking.statements import Statement
from blade.checking.tokens import Token
from blade.model import TaskResult

MOST_TOLD = 4
_JOINED = re.compile(r"[\s`*_]*(?:,|,?\s*\b(?:and|or)\b|&|/)[\s`*_]*(?:tasks?\s+)?[\s`*_]*")


class TaskRun(NamedTuple):
    """How one task came out in one run."""

    result: TaskResult
    task: str
    run: str

    @property
    def path(self) -> tuple[str, ...]:
        return ("tasks", self.task, "runs", self.run, "passes")


def of_the_tasks(number: Printed, outcomes: Sequence[TaskRun]) -> bool:
    """Whether so many attempts can be those of the tasks: more than all of them are attempts of the run."""
    return (number.of or 0) <= sum(outcome.result.attempts for outcome in outcomes)


def task_ratio(
    statement: Statement, token: Token, number: Printed, outcomes: Sequence[TaskRun], each_of: Sequence[str] = ()
) -> Checked:
    """A ratio beside tasks, by the attempts of each; by those of all together where it counts as many.

    `each_of` are runs that are listed behind it: it must hold in each.
    """
    failing = is_failing(statement, token)
    same_size = [outcome for outcome in outcomes if outcome.result.attempts == number.of]
    agreeing = [outcome for outcome in same_size if number.value in _counts(outcome.result, failing=failing)]
    judged = [outcome for outcome in outcomes if outcome.result.passes is not None]
    every = {outcome.task for outcome in outcomes} if are_listed(statement) else set()
    in_each = {outcome.run for outcome in agreeing} >= set(each_of)
    if agreeing and not in_each:
        apart = next(outcome for outcome in outcomes if outcome not in agreeing)
        return statement.say(CheckOutcome.WRONG, token, _told(apart.result, apart.run, failing=failing), apart.path)
    if agreeing and {outcome.task for outcome in agreeing} >= every:
        return statement.say(CheckOutcome.RIGHT, token, path=agreeing[0].path)
    if agreeing or not judged:
        return statement.say(CheckOutcome.UNVERIFIABLE, token)  # of one task among several: nobody knows of which
    together = _together(judged, failing=failing)
    if number.of in {total for _, total in together} and len(judged) > 1:
        right = (number.value, number.of) in together
        expected = None if right else next(f"{count} of {total}" for count, total in together if total == number.of)
        outcome = CheckOutcome.RIGHT if right else CheckOutcome.WRONG
        return statement.say(outcome, token, expected, judged[0].path)
    part = not counts_passes(statement, token) and all((number.of or 0) < item.result.attempts for item in judged)
    beyond_one = (number.of or 0) > max(item.result.attempts for item in judged)
    several = len({item.task for item in judged}) > 1
    if part or (several and beyond_one) or (not same_size and not PASSING.search(statement.about)):
        return statement.say(CheckOutcome.UNVERIFIABLE, token)
    expected = "; ".join(
        _told(item.result, item.run if len(judged) > 1 else "", failing=failing) for item in judged[:MOST_TOLD]
    )
    return statement.say(CheckOutcome.WRONG, token, expected, judged[0].path)


def are_listed(statement: Statement) -> bool:
    """Whether the tasks of a sentence are one list, so that what is said of them is said of each."""
    mentions = statement.mentions(ClaimKind.ID)
    return all(
        _JOINED.fullmatch(statement.text, first.end, second.start)
        for first, second in pairwise(mentions)
        if first.text != second.text
    )


def _together(outcomes: Sequence[TaskRun], *, failing: bool | None) -> set[tuple[int, int]]:
    """What all of them count together: of all attempts, and of those that were judged."""
    passes = sum(outcome.result.passes or 0 for outcome in outcomes)
    totals = {
        sum(outcome.result.attempts for outcome in outcomes),
        sum(letter in "pf" for outcome in outcomes for letter in outcome.result.outcomes),
    }
    counts = {(passes, total) for total in totals} if not failing else set()
    return counts | ({(total - passes, total) for total in totals} if failing is not False else set())


def _counts(result: TaskResult, *, failing: bool | None) -> set[int]:
    """The numbers that a ratio may tell; "fails 0 of 5" says that none of 5 passes."""
    if result.passes is None:
        return set()
    fails = result.attempts - result.passes
    if failing is None or (failing and result.passes == 0):
        return {result.passes, fails}
    return {fails if failing else result.passes}


def _told(result: TaskResult, run: str, *, failing: bool | None) -> str:
    count = (result.attempts - (result.passes or 0)) if failing else (result.passes or 0)
    return f"{count} of {result.attempts}" + (f" ({run})" if run else "")

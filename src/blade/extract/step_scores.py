"""Scores of the single steps, where a row lists them beside its reward, which is then the best or the last of them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from blade.extract.attempt import Attempt
from blade.extract.field_roles import HEAVY, field_name, where
from blade.extract.names import words
from blade.extract.sent_calls import texts_of
from blade.late_regex import late_regex

FEWEST_STEPS, MOST_STEPS = 1, 1000
SAME = 1e-6
LONG = 40
_WRITES = late_regex(
    r"^\W*(?:sudo\s+)?[a-z][\w./-]*\s[^\n]*"
    r"(?:>|\b(?:ln|rm|mv|cp|mkdir|rmdir|touch|chmod|chown|tee|tar|dd|kill|sed\s+-i|xargs|exec)\b)|"
    r"^\W*(?:ln|rm|mv|cp|mkdir|rmdir|touch|chmod|chown|tee|tar|dd|kill)\s"
)
"""A command of a shell that leaves something behind: done twice it does not do the same."""
_SCORES = frozenset("reward rewards score scores".split())


def step_scores(attempt: Attempt) -> dict[str, Any]:
    """`step_scores`: field, steps, the best and the last of them; of the list that holds the reward, else the first."""
    reward = attempt.reward
    records: list[list[Any]] = [[field, len(scores), max(scores), scores[-1]] for field, scores in _lists(attempt.row)]
    if reward is None or not records:
        return {}
    paid = (record for record in records if abs(record[2] - reward) <= SAME or abs(record[3] - reward) <= SAME)
    record = next(paid, records[0])
    again = _judged_again(attempt, dict(_lists(attempt.row))[record[0]])
    return {"step_scores": record, **({"judged_again": again} if again else {})}


def _judged_again(attempt: Attempt, scores: list[float]) -> list[float]:
    """The two scores of a step that hands in the same as the one before, word for word, and is judged otherwise.

    Only where each call is a step, and what it hands in is long: a short move may be worth more in another place. A
    command that leaves something behind finds it there when it is run again.
    """
    calls = attempt.calls
    if len(calls) != len(scores):
        return []
    for (one, score), (next_one, next_score) in pairwise(zip(calls, scores, strict=True)):
        is_other = one.key == next_one.key and abs(score - next_score) > SAME and len(str(one.arguments)) >= LONG
        if is_other and not any(map(_WRITES.match, texts_of(one))):
            return [score, next_score]
    return []


def best_step(attempt: Attempt) -> tuple[int, int] | None:
    """The first step with the best score and how many steps are scored, where the reward is that best score."""
    reward = attempt.reward
    if reward is None:
        return None
    for _, scores in _lists(attempt.row):
        if abs(max(scores) - reward) <= SAME:
            return scores.index(max(scores)), len(scores)
    return None


def _lists(row: dict[str, Any]) -> Iterator[tuple[str, list[float]]]:
    """Lists of numbers that are called rewards or scores, in the row or one level down."""
    holders = [("", row)]
    holders += [
        (f"{field_name(key)}.", value) for key, value in row.items() if isinstance(value, dict) and key not in HEAVY
    ]
    for prefix, holder in holders:
        for key in where(holder, _is_score):
            if isinstance(value := holder[key], list) and _are_numbers(value):
                yield prefix + field_name(key), [float(score) for score in value]


def _is_score(name: str) -> bool:
    return not _SCORES.isdisjoint(words(name))


def _are_numbers(values: list[Any]) -> bool:
    return FEWEST_STEPS <= len(values) <= MOST_STEPS and all(
        isinstance(value, (int, float)) and not isinstance(value, bool) for value in values
    )

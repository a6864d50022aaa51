"""An answer that the model states, doubts in words, and gives up for another one, on the way or in its last message.

A second look finds slips, and talks right answers away. Whether it helps is asked of all rollouts together:
`blade.questions.changed_answers`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from blade.extract.answer_candidates import explicit
from blade.extract.attempt import Attempt
from blade.extract.equivalent import equivalent
from blade.extract.given_answer import given_answer, key_met
from blade.extract.prefilter import holds_any
from blade.extract.text import clip
from blade.late_regex import late_regex

READ = 20_000
AFTER, BEFORE = 160, 300
"""A doubt stands so many characters behind the statement at most, and so many before it are read."""
SHORT, MOST_DOUBTS = 60, 12
_DOUBTS = {
    "check": (
        *("double-check", "double check", "recheck", "re-check"),
        *("check again", "check that again", "check this again"),
    ),
    "verify": ("verify", "re-verify"),
    **{
        doubt: (doubt,)
        for doubt in (
            *("wait", "actually", "hold on", "reflection", "second thought", "reconsider", "rethink", "misread"),
            *("mistake", "correct myself", "hmm"),
        )
    },
}
"""Words in which a model doubts what it has just said, by what they have in common: that is looked for first."""
_STATEMENTS = ("nswer", "boxed", "esult", "alue", "otal", "olution", " it ")
_STATED = late_regex(
    r"\b(?:answer|result|value|total|it|this)\b[^.\n$]{0,40}?"
    r"\b(?:should be|must be|comes (?:out )?(?:to|as|at)|equals|is)\s+\$(?P<value>[^$\n]{1,60})\$"
)
"""A formula that is said to be the result, in words that are no statement of the final answer."""


def changed_answer(attempt: Attempt) -> dict[str, Any]:
    """`changed`: the last answer that was stated and doubted, the one given, and how each says what the key says.

    Only where the two differ: a second look that confirms changes nothing.
    """
    if attempt.key is None or not attempt.spoken:
        return {}
    answer, _ = given_answer(attempt)
    if not answer or len(answer) > SHORT:
        return {}
    doubted = list(_doubted(attempt))
    if not doubted:
        return {}
    met = key_met(attempt, answer)
    earlier = next((text for text in reversed(doubted) if not _is_one(text, answer)), None)
    if met:
        earlier = next((text for text in reversed(doubted) if not key_met(attempt, text)), None)
    else:
        right = next((text for text in reversed(doubted) if key_met(attempt, text)), None)
        earlier = right if right is not None else earlier
    if earlier is None:
        return {}
    return {"changed": [clip(earlier, SHORT), clip(answer, SHORT), bool(key_met(attempt, earlier)), bool(met)]}


def _doubted(attempt: Attempt) -> Iterator[str]:
    """Answers that the model states and doubts right after, in order."""
    for _, step in attempt.spoken:
        text, low, taken = step.text[-READ:], attempt.low(step)[-READ:], 0
        for place in _places(low) if holds_any(low, _STATEMENTS) else ():
            before, taken = text[max(taken, place - BEFORE) : place], place
            if not holds_any(before, _STATEMENTS):
                continue
            statements = [(reading.end, reading.text) for reading in explicit(before) if not reading.doubtful]
            statements += [(match.end(), match["value"]) for match in _STATED.finditer(before)]
            end, stated = max(statements, default=(0, ""))
            if stated and len(stated) <= SHORT and len(before) - end <= AFTER:
                yield stated


def _places(low: str) -> list[int]:
    """Where the last doubts of a text stand, in order."""
    places: set[int] = set()
    for doubt in [doubt for common, doubts in _DOUBTS.items() if common in low for doubt in doubts]:
        end = len(low)
        for _ in range(MOST_DOUBTS):
            end = low.rfind(doubt, 0, end)
            if end < 0:
                break
            if not low[end - 1 : end].isalpha() and not low[end + len(doubt) : end + len(doubt) + 1].isalpha():
                places.add(end)
    return sorted(places)[-MOST_DOUBTS:]


def _is_one(one: str, other: str) -> bool:
    return bool(equivalent(one, other))

"""A look-up that fails because it asks for something that nobody gave: the tool is right to find nothing.

Who invented the value is told apart: the model, where nobody said it before, or a simulated user, where the user says
it and neither the instruction nor anything else has it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from blade.extract.attempt import Attempt
from blade.extract.calls import Call, changing_name
from blade.extract.json_spans import Path, dotted
from blade.extract.prefilter import has_odd_letters, lowered
from blade.findings import CLEAN, NOT_APPLICABLE, Sighting, fired
from blade.frozen import frozen
from blade.late_regex import late_regex
from blade.model import StepKind

SHORTEST = 3
LONGEST = 80
MOST_READ = 20
_ABSENT = late_regex(
    r"\bnot (?:be )?found\b|\bno such\b|\b(?:does|do|did) ?n[o']t exist\b|\bno match|"
    r"\bno \w+(?: \w+)? (?:was |were )?found\b|"
    r"\b(?:cannot|can't|could not|couldn't|unable to) (?:find|locate)\b|\bunknown \w+\b",
    re.IGNORECASE,
)
_OF_TOOLS = late_regex(r"\b(?:tool|function|method|action|command|endpoint|parameter|argument)s?\b", re.IGNORECASE)
"""What is absent then is the tool itself, or a part of it."""
_ANSWERS = frozenset({StepKind.OUTPUT, StepKind.ENVIRONMENT})
_GIVEN = _ANSWERS | {StepKind.USER}
_EXAMPLE = late_regex(r"(?:\bsuch as|\be\.? ?g\.?|\bexamples?|\bfor instance|\blike)[\s:,('\"`\\[]*$", re.IGNORECASE)
_WORD = late_regex(r"[^\W_]{3,}")


@frozen
class Invention:
    """One value of a failed look-up, and whether the user said it first."""

    call: Call
    path: Path
    value: str
    by_user: bool


def invented_lookup(attempt: Attempt, *, by_user: bool, blame: str) -> Sighting:
    """The last look-up with a value of the user's invention, or of the model's, as a detector tells it."""
    if not attempt.answered:
        return NOT_APPLICABLE
    if not attempt.failed:
        return CLEAN
    of_actor = [invention for invention in attempt.once(inventions).values() if invention.by_user is by_user]
    if not of_actor:
        return CLEAN
    last = of_actor[-1]
    detail = f"calls '{last.call.name}' with {dotted(last.path)} '{last.value[:60]}', {blame}"
    cites = (attempt.cite_value(last.call, last.path), *attempt.cite_problem(last.call))
    return fired(*cites, detail=detail, value=last.call.name)


def invented_values(attempt: Attempt) -> dict[str, Any]:
    """`invented_lookups`: how many look-ups failed as they asked for a value that nobody gave, whatever came later."""
    reading = [call for call in attempt.failed if changing_name(call.name) is False][:MOST_READ]
    made = sum((found := _invention_in(attempt, call)) is not None and not found.by_user for call in reading)
    return {"invented_lookups": made} if made else {}


def inventions(attempt: Attempt) -> dict[str, Invention]:
    """Tool → the invention in its last call, where every call of the tool that failed asks for an invented value.

    A call of the same tool that fails with what was given leaves the question open whether the tool works.
    """
    last = {call.name: call for call in attempt.calls if call.answers}
    found: dict[str, Invention] = {}
    for name, call in last.items():
        if call.failed and changing_name(name) is False:
            failed = [_invention_in(attempt, one) for one in attempt.failed if one.name == name]
            if failed and failed[-1] is not None and all(failed):
                found[name] = failed[-1]
    return found


def _judged_calls(_: Attempt) -> dict[int, Invention | None]:
    """What was worked out of the failed calls of a rollout, by their places."""
    return {}


def _invention_in(attempt: Attempt, call: Call) -> Invention | None:
    """The invention in a failed call: a fact and two detectors ask.

    What is remembered of an attempt must not hold the attempt, or its row stays until Python looks for cycles.
    """
    judged = attempt.once(_judged_calls)
    if call.place not in judged:
        judged[call.place] = _invention(attempt, call)
    return judged[call.place]


def _invention(attempt: Attempt, call: Call) -> Invention | None:
    """The first value of a call that nobody gave, else the first that only the user gave; None where all were given."""
    problem = (call.problem or "")[:400]
    if not call.plain or not _ABSENT.search(problem) or _OF_TOOLS.search(problem):
        return None
    by_user: Invention | None = None
    for path, value in call.plain:
        text = value.strip() if isinstance(value, str) else ""
        if not SHORTEST <= len(text) <= LONGEST or "\n" in text:
            continue
        if not _given(attempt, call, path, text):
            return Invention(call, path, text, by_user=False)
        if by_user is None and _only_user(attempt, text, call.place):
            by_user = Invention(call, path, text, by_user=True)
    return by_user


def _given(attempt: Attempt, call: Call, path: Path, text: str) -> bool:
    """Whether the value or, where it has several words, any of them was given: words may be put together anew.

    An example in a tool's description gives nothing, and neither does the answer that echoes a failed call.
    """
    parts = _WORD.findall(text) if any(mark.isspace() or mark in "/\\" for mark in text) else []
    wanted = [_Value(one) for one in (text, *parts)]
    tool = (attempt.tools or {}).get(call.name)
    described = str(tool.properties.get(str(path[0]))) if tool else ""
    instructions = [(step.text, attempt.low(step)) for step in attempt.prompt if step.role != "user"]
    if any(_stands_as_given(one, *each) for one in wanted for each in (*instructions, (described, lowered(described)))):
        return True
    failed = {id(answer.step) for one in attempt.failed for answer in one.answers}
    asked = (step for step in attempt.prompt if step.role == "user")
    heard = (step for step in attempt.steps[: call.place] if step.kind in _GIVEN and id(step) not in failed)
    texts = ((step.text, attempt.low(step)) for step in (*asked, *heard))
    return any(next(one.places(*each), None) is not None for each in texts for one in wanted)


class _Value:
    """A value, or a word of it, by itself: no letter or figure stands next to it."""

    def __init__(self, text: str) -> None:
        self._pattern = re.compile(rf"(?<![^\W_]){re.escape(text)}(?![^\W_])", re.IGNORECASE)
        self._low = text.lower() if text.isascii() else ""

    def places(self, text: str, low: str) -> Iterator[int]:
        """Where it stands in a text. Small letters are found far sooner than the pattern, and most texts lack them."""
        if not self._low or has_odd_letters(text):
            yield from (found.start() for found in self._pattern.finditer(text))
            return
        at = low.find(self._low)
        while at >= 0:
            found = self._pattern.match(text, at)
            if found:
                yield at
            at = low.find(self._low, found.end() if found else at + 1)


def _stands_as_given(wanted: _Value, text: str, low: str) -> bool:
    """Whether a text has the value otherwise than as an example."""
    return any(not _EXAMPLE.search(text[max(0, start - 40) : start]) for start in wanted.places(text, low))


def _only_user(attempt: Attempt, text: str, place: int) -> bool:
    """Whether the value stands in the turns of a user who was told its task, and neither in that nor anywhere else."""
    low = text.lower()
    if not attempt.instruction or low in attempt.instruction.lower():
        return False
    if any(low in step.text.lower() for step in attempt.prompt if step.role != "user"):
        return False
    holding = [step for step in attempt.steps[:place] if low in step.text.lower()]
    said = any(step.kind is StepKind.USER for step in holding)
    return said and not any(step.kind in _ANSWERS for step in holding)

"""Identifiers that a simulated user supplies: whether they stood anywhere before, and whether the key holds them.

An identifier is a run of six digits or more, with letters before it or not, of a form that the tools of the same
rollout write themselves.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from typing import Any

from blade.extract.attempt import Attempt
from blade.model import Step, StepKind

MOST = 8
NEAR = 2
"""An invented number may have a digit or two more or fewer than the real ones."""
LONGEST = 50_000
SHOWN, ROW, NOWHERE = "shown", "row", "nowhere"
"""Where a value stood before: in the conversation or a tool's answer; elsewhere in the row; nowhere."""
_TOKEN = re.compile(r"(?<![\w@.$-])#?([A-Za-z][A-Za-z_-]{0,20})?(\d{6,16})(?![\w@]|\.\d)")
_ASKS = re.compile(
    r"\b(?:provide|give|share|send|tell|specify|need|know|have|what|which)\b[^.?!\n]{0,80}?"
    r"(?<!zip )(?<!postal )(?<!phone )(?<!telephone )(?<!house )\b(?:ids?|identifiers?|numbers?|codes?)\b",
    re.IGNORECASE,
)
_READ = 2_000


def user_ids(attempt: Attempt) -> dict[str, Any]:
    """What the users of a rollout name: `[value, where it stood before, in the key, item, asked for]` each."""
    if not attempt.users:
        return {}
    found: dict[str, Any] = {}
    if asked := sum(_asked(attempt.steps, place) for place, _ in attempt.users):
        found["asked_for_id"] = asked
    forms = _forms(attempt)
    named: dict[str, list[Any]] = {}
    for place, step in attempt.users if forms else ():
        for token in _TOKEN.finditer(step.text[:_READ]):
            prefix, digits = token.group(1) or "", token.group(2)
            if digits not in named and len(named) < MOST and _fits(forms.get(prefix.lower(), set()), len(digits)):
                origin, held = _origin(attempt, place, digits), _in_key(attempt, digits)
                named[digits] = [token.group(0), origin, held, step.item, int(_asked(attempt.steps, place))]
    if named:
        found["user_ids"] = list(named.values())
    return found


def _asked(steps: list[Step], place: int) -> bool:
    """Whether the message right before a turn of the user asks for an identifier."""
    before = steps[place - 1] if place else None
    return before is not None and before.kind is StepKind.MESSAGE and _ASKS.search(before.text[-_READ:]) is not None


def _forms(attempt: Attempt) -> dict[str, set[int]]:
    """The identifiers that tools write: letters before them, and how many digits."""
    forms: defaultdict[str, set[int]] = defaultdict(set)
    for call in attempt.answered:
        if call.answer is not None and not call.failed:
            for token in _TOKEN.finditer(call.answer.text[:LONGEST]):
                forms[(token.group(1) or "").lower()].add(len(token.group(2)))
    return forms


def _fits(lengths: set[int], many: int) -> bool:
    return any(abs(length - many) <= NEAR for length in lengths)


def _origin(attempt: Attempt, place: int, digits: str) -> str:
    """Nowhere only if no tool ever shows the value, before the turn or after it."""
    if any(digits in step.text for step in attempt.steps[:place] if step.kind is not StepKind.CALL):
        return SHOWN
    if any(digits in call.answer.text for call in attempt.answered if call.answer is not None and not call.failed):
        return SHOWN
    rest = {key: value for key, value in attempt.row.items() if key != "response"}
    return ROW if digits in json.dumps(rest, default=str) else NOWHERE


def _in_key(attempt: Attempt, digits: str) -> int:
    if attempt.reference is None:
        return 0
    return int(digits in json.dumps([arguments for _, arguments in attempt.reference[1]], default=str))

"""Records that begin in mid-run: the first words of the model answer something that the record does not show.

A screen keeps its last lines only, and a transcript made from it lacks its head. What such a record does not show may
have happened before: it proves no absence, and its calls are not all that were made.
"""

from __future__ import annotations

from typing import Any

from blade.extract.attempt import Attempt
from blade.late_regex import late_regex
from blade.model import StepKind

FIRST_WORDS = 240
_HEADING = late_regex(r"\s*(?:[A-Z]{4,}:\s*)?")
"""A word for what follows, as some harnesses have it."""
_OWN = r"(?:new|updated|improved|fixed|revised|complete|corrected|modified|robust|thorough)"
_ANSWERS = late_regex(
    r"Now (?:let me (?:run|test|make|try|check if)|I (?:can see|understand|see)\b)"
    rf"|Let me (?:run|test|try|execute) (?:this|the|my) {_OWN}\b"
    r"|I (?:can )?(?:now )?see (?:the (?:issue|problem|error)\b|from the (?:output|error|result)s?\b)"
    r"|(?:(?:Good|Great|Excellent|Perfect)[,!.] )?I(?:'ve| have) "
    r"(?:just |now |already |successfully )*(?:created|written|installed|fixed|implemented|explored|updated)\b"
    r"|(?:Good|Great|Excellent|Perfect)[,!.] [\w.`-]+ (?:is|are) (?:now )?(?:installed|running|working)\b"
    r"|The [^.\n]{1,60}\bcommand (?:timed out|failed|succeeded|worked|was killed)\b"
    r"|There are (?:still )?(?:several |some )?(?:issues|problems) with my\b"
)
_BEFORE = frozenset({StepKind.OUTPUT, StepKind.USER, StepKind.CALL})
_GOES_ON = frozenset({"assistant", "tool"})
"""A conversation that goes on has its beginning in the request."""


def begins_midway(attempt: Attempt) -> bool:
    """Whether the first words of a rollout with calls are about a result or a work of which the row shows nothing."""
    if not attempt.calls or any(step.role in _GOES_ON for step in attempt.prompt):
        return False
    for step in attempt.steps:
        if step.kind in _BEFORE:
            return False
        if step.text.strip() and step.kind in {StepKind.MESSAGE, StepKind.THOUGHT}:
            begin = _HEADING.match(step.text)
            return _ANSWERS.match(step.text[:FIRST_WORDS], begin.end() if begin else 0) is not None
    return False


def lost_head(attempt: Attempt) -> dict[str, Any]:
    """`midway` where the record lacks its head."""
    return {"midway": 1} if begins_midway(attempt) else {}

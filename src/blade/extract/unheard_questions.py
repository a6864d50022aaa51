"""Questions to the user that the model writes beside a call: the tool answers next, and the user gets no turn."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any

from blade.extract.attempt import Attempt
from blade.extract.own_claims import sentences
from blade.extract.task_text import instruction
from blade.extract.text import clip
from blade.late_regex import late_regex
from blade.model import StepKind

LONGEST = 160
_TO_USER = late_regex(r"\b(?:you|your|yours)\b", re.IGNORECASE)
_CONFIRMS = late_regex(
    r"\b(?:is|are|was|does|do|did|shall|should|may|can) (?:this|that|these|those|it|everything|all|I)\b", re.IGNORECASE
)
_THOUGHT = late_regex(r"\W*(?:thought|thinking|reasoning|plan)\b", re.IGNORECASE)


def unheard_questions(attempt: Attempt) -> dict[str, Any]:
    """`unheard_questions`: how many, how many of their calls fail, of the first its item, its words and the tool.

    The last entry says whether a user takes a turn in the rollout at all. Nothing where there is neither a turn nor an
    instruction of a user: then nobody is there to be asked.
    """
    if not (attempt.users or instruction(attempt.row)):
        return {}
    calls = {id(call.step): call for call in attempt.answered}
    steps = [step for step in attempt.steps if step.kind is not StepKind.THOUGHT]
    asked = [
        (step.item, question, calls[id(after)])
        for step, after in pairwise(steps)
        if step.kind is StepKind.MESSAGE and "?" in step.text and id(after) in calls
        for question in [_question(step.text)]
        if question
    ]
    if not asked:
        return {}
    item, question, call = asked[0]
    failed = sum(entry.failed for *_, entry in asked)
    return {"unheard_questions": [len(asked), failed, item, question, call.name, int(bool(attempt.users))]}


def _question(text: str) -> str:
    """The last sentence that asks a user something; empty where the words are thoughts or ask nobody.

    "Is that correct?" is put to the user whom the words before it speak to.
    """
    if _THOUGHT.match(text) or not _TO_USER.search(text):
        return ""
    spoken = [" ".join(sentence.split()) for sentence in sentences(text)]
    asking = [
        sentence
        for sentence in spoken
        if sentence.endswith("?") and (_TO_USER.search(sentence) or _CONFIRMS.search(sentence))
    ]
    return clip(asking[-1], LONGEST) if asking else ""

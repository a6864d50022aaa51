"""The last message asks the user for something, nobody answers, and nothing was changed.

Only where tools that change something are offered, and where no user speaks in the rollout: in a conversation a
question is a turn like another. A polite offer after the work is no question in this sense. Guarded (G6) where every
look-up failed or found nothing.

False alarms: tasks whose right answer is a question back, because a detail is truly missing.
"""

from __future__ import annotations

import re

from blade.extract.attempt import Attempt
from blade.extract.calls import changing_name
from blade.extract.prefilter import has_odd_letters
from blade.extract.records import found_nothing
from blade.extract.schema import Tool, of_all
from blade.findings import CLEAN, NOT_APPLICABLE, Sighting, fired, guarded
from blade.late_regex import late_regex

ID = "B22"
FAMILY = "behaviour"
TITLE = "asking instead of acting"
KIND = "behaviour"
EXPLAINS = 60
SUPPORTS = {"BI": 1.2, "TI": 0.5}
RELIABILITY = 0.6
READS = ("model", "tool")
NEEDS = "tools"
READ = 600
_ASKS = late_regex(
    r"\b(?:(?:could|can|would|will) you (?:please |kindly |also )?"
    r"(?:confirm|provide|clarify|specify|tell|share|let me know|give|send|indicate|choose|verify|supply|point)|"
    r"please (?:confirm|provide|clarify|specify|tell|share|let me know (?:which|what|whether|how|when|who|where|if you "
    r"(?:want|would like|confirm|agree))|indicate|choose|reply|supply|advise)|"
    r"(?:shall|should|may|can) I (?:go ahead|proceed|\w+)|do you want me to|would you like me to|"
    r"I (?:will |would |'ll )?need (?:you to|your|more information|to know|to confirm|the following)|"
    r"(?:which|what|who|when|where|how)\b[^.?!\n]{2,120}\?|"
    r"(?:is|are|does|do|did) (?:that|this|it|you|the)\b[^.?!\n]{2,120}\?)",
    re.IGNORECASE,
)
_HINTS = ("you", "please", "shall i", "should i", "may i", "can i", "need", "?")
_ASKING = (
    *("?", "please ", "need ", "could you", "can you", "would you", "will you", "do you want", "shall i", "should i"),
    *("may i", "can i"),
)
"""Every question holds one of these, in lower case, unless it is written with odd letters."""
_OFFERS = late_regex(
    r"anything else|any(?:thing)? (?:other|further|more)|further (?:help|assistance|questions)|"
    r"if you (?:need|have|'d like|would like)|more (?:details|help)|(?:can|may) I (?:help|assist)",
    re.IGNORECASE,
)


def detect(attempt: Attempt) -> Sighting:
    tools = attempt.tools
    if not tools or attempt.final is None or not of_all(tools, _can_change):
        return NOT_APPLICABLE
    if _conversation(attempt):
        return NOT_APPLICABLE
    if not attempt.ends_by_itself or any(call.changes and not call.failed for call in attempt.calls):
        return CLEAN
    if attempt.reference is not None and attempt.deviation is None:
        return CLEAN
    step = attempt.final
    start = max(step.text.rfind("</think>") + 8 if "</think>" in step.text else 0, len(step.text) - READ)
    if not attempt.holds(step, _ASKING) and not (has_odd_letters(step.text) and attempt.holds(step, _HINTS)):
        return CLEAN
    questions = [hit for hit in _ASKS.finditer(step.text, start) if not _OFFERS.search(_sentence(step.text, hit))]
    if not questions:
        return CLEAN
    cite = attempt.cite(step, *_bounds(step.text, questions[0]))
    sighting = fired(cite, detail="ends with a question to the user and changes nothing", value="question")
    in_vain = [call.failed or found_nothing(call.answer.text) for call in attempt.calls if call.answer]
    return guarded(sighting, "G6") if in_vain and all(in_vain) else sighting


def _can_change(tools: dict[str, Tool]) -> bool:
    return any(changing_name(name) is not False for name in tools)


def _conversation(attempt: Attempt) -> bool:
    """Whether a user speaks after the first words of the agent."""
    return any(step.role == "user" for _, step in attempt.users) or any(
        step.role == "assistant" for step in attempt.prompt
    )


def _bounds(text: str, hit: re.Match[str]) -> tuple[int, int]:
    """The sentence around a match."""
    begin = max(text.rfind(mark, 0, hit.start()) for mark in (". ", "! ", "? ", "\n"))
    stops = [at for at in (text.find(mark, hit.end() - 1) for mark in ("?", ". ", "!", "\n")) if at >= 0]
    begin += 2 if begin >= 0 and text[begin] != "\n" else 1
    return begin, min(stops) + 1 if stops else len(text)


def _sentence(text: str, hit: re.Match[str]) -> str:
    begin, end = _bounds(text, hit)
    return text[begin:end]

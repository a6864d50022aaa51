"""The transcript ends on a tool's output: the agent was cut off before it could answer, though no field says so.

Clean where the last call hands in the work, where the last output says that the environment is done or the last message
that the task is, where a counter shows turns left, and where one round of calls is all there is (the call itself is
then graded).

False alarms: environments that end by themselves when the goal is reached (games, clicks) without a word about it, and
harnesses that do not record the agent's closing message.
"""

from __future__ import annotations

from blade.extract.attempt import Attempt
from blade.extract.names import turn_count
from blade.extract.numbers import number
from blade.extract.prefilter import holds_any
from blade.findings import CLEAN, NOT_APPLICABLE, Sighting, fired
from blade.late_regex import late_regex
from blade.model import StepKind

ID = ""
FAMILY = "pipeline"
TITLE = "cut-off after a tool's output"
KIND = "behaviour"
EXPLAINS = 75
NAMES = "tool"
SUPPORTS = {"BI": 0.7, "IR": 0.7}
RELIABILITY = 0.8
READS = ("model", "tool")
NEEDS = "answers"

_OVER = late_regex(
    r"\"(?:\w{1,20}_)?(?:done|terminated|finished|completed?|game_over)\"\s*:\s*(?:true|1)\b|"
    r"\b([Gg]ame over|[Yy]ou (have )?(won|win|lost)|[Ee]pisode (is )?(over|done|finished)|"
    r"[Tt]ask (is )?(completed?|done))\b"
)
_OVER_HINTS = (
    *('done"', 'terminated"', 'finished"', 'completed"', 'complete"', 'game_over"', "ame over", "ou have ", "ou w"),
    *("ou lost", "pisode ", "ask "),
)
_QUOTE = 80
_READ = 600
_FEWEST = 2


def detect(attempt: Attempt) -> Sighting:
    if not attempt.answered:
        return NOT_APPLICABLE
    last = attempt.steps[-1]
    if last.kind is not StepKind.OUTPUT:
        return CLEAN
    rounds = _rounds(attempt)
    if rounds < _FEWEST or attempt.calls[-1].finishes:
        return CLEAN
    words = (last.text, attempt.messages[-1].text if attempt.messages else "")
    if any(_is_over(text[:_READ]) or _is_over(text[-_READ:]) for text in words) or _turns_left(attempt):
        return CLEAN
    call = attempt.calls[-1]
    cites = (attempt.cite(call.step, 0, _QUOTE), attempt.cite(last, 0, _QUOTE))
    detail = f"the rollout ends on the output of '{call.name}' after {rounds} rounds, without a final message"
    return fired(*cites, detail=detail, value=call.name)


def _is_over(text: str) -> bool:
    return holds_any(text, _OVER_HINTS) and _OVER.search(text) is not None


def _rounds(attempt: Attempt) -> int:
    """How often the agent called and was answered."""
    kinds = [step.kind for step in attempt.steps]
    return sum(
        kind is StepKind.OUTPUT and (place + 1 == len(kinds) or kinds[place + 1] is not StepKind.OUTPUT)
        for place, kind in enumerate(kinds)
    )


def _turns_left(attempt: Attempt) -> bool:
    """Whether the row counts fewer turns than it allows: then no limit ended it."""
    used = limit = None
    for name, value in attempt.fields.items():
        counts = turn_count(name)
        if counts and not isinstance(value, bool) and number(value) is not None:
            if counts == "limit":
                limit = number(value)
            else:
                used = number(value)
    return used is not None and limit is not None and used < limit

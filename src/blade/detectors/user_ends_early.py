"""The simulated user accepts a proposal and ends the conversation in the same turn, so that it is never carried out.

Fires where the last step is a turn of the user that agrees and closes with a mark of the simulator (`###END###`,
`[DONE]`, `<stop>`), the agent's message before it asks for that agreement, and an expected change was not made. The
change that is told of is the one that the user's words or the proposal name; where they name another action and none
that is missing, the user agreed to something else.

False alarms: a user who agrees to another change of the same object; an agent who would have done the wrong thing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from blade.extract.agreed_changes import agreed_tool
from blade.extract.attempt import Attempt
from blade.extract.endings import user_mark
from blade.extract.user_turns import AGREES
from blade.findings import CLEAN, NOT_APPLICABLE, Sighting, fired
from blade.late_regex import late_regex
from blade.model import Step, StepKind

ID = ""
FAMILY = "verifier"
TITLE = "early end by the simulated user, before the agreed change"
KIND = "verifier"
EXPLAINS = 62
SUPPORTS = {"TI": 2.0}
RELIABILITY = 0.8
READS = ("user", "verifier")
NEEDS = "reference"

_LEAVES = late_regex(
    r"\b(?:later|never ?mind|forget it|no longer|myself|another time|changed my mind|don['’]t (?:want|need|bother)|"
    r"no,? thank|bye|all set|transfer me|nothing else|"
    r"that['’]?s? (?:is|was)? ?(?:all|everything)(?! correct| right| fine)|"
    r"i['’]ll (?:find|look|get|check|keep|wait)|i will (?:find|look|get|check|keep|wait))\b",
    re.IGNORECASE,
)
_TRANSFER = late_regex(r"\btransfer me\b", re.IGNORECASE)
_YES = late_regex(
    r"^\W*(?:yes|yep|yeah|correct|right|exactly)\b(?!.*\b(?:later|never ?mind|changed my mind)\b)", re.IGNORECASE
)
_CHECKS = late_regex(r"\b(?:is (?:that|this|it|everything)|does (?:that|this)) \w+(?: \w+)?\?\W*$", re.IGNORECASE)
"""A question whether what was proposed is right: yes agrees to it, whatever follows."""
_WORD = late_regex(r"[^\W\d_]+")
_SHORT = 2
_SMALL = 3
_FEWEST_CHOSEN = 2
_COURTESY = frozenset({"please", "kindly", "then", "just", "well"})
_DECLINES = late_regex(
    r"\b(?:no|nope|nah|not|none|never|nein|nicht|non|nee|niet|nej|nei|não|nie|ne|нет|hayır|hello|hi|stop|cancel|wait)\b"
    r"|不|没|いいえ|아니|لا",
    re.IGNORECASE,
)
_THANKS = late_regex(r"\bthank(?:s| you)\b", re.IGNORECASE)
_GOES_ON = late_regex(r"\b(?:yes|yep|yeah|confirm|proceed|go ahead|do it|correct)\b", re.IGNORECASE)
_AUTHORIZES = late_regex(r"\b(?:confirm|proceed|go ahead|authori[sz]e)\b", re.IGNORECASE)
_ASKS = late_regex(
    r"\?\W*$|\b(?:confirm|proceed|go ahead|would you like|do you want|shall i|may i|should i|yes/no|is correct)\b",
    re.IGNORECASE,
)
_CLOSES = late_regex(r"\b(?:anything else|any other|further (?:assistance|help)|else (?:i|we) can)\b", re.IGNORECASE)
_CONFIRMS = late_regex(r"\b(?:confirm|proceed|go ahead)\b", re.IGNORECASE)
"""A last sentence that asks for a confirmation closes nothing, whatever else it offers."""
_READ = 2_000


def detect(attempt: Attempt) -> Sighting:
    last = attempt.steps[-1] if attempt.steps else None
    if last is None or attempt.shape is None or not attempt.users:
        return NOT_APPLICABLE
    mark = attempt.once(user_mark) if attempt.lost else None
    question = _question(attempt.steps) if mark is not None else None
    if mark is None or question is None or not _accepts(last.text[:_READ].replace(mark, " "), question):
        return CLEAN
    missing = attempt.shape.missing
    tool = agreed_tool(attempt, missing) if missing else None
    if tool is None:
        return CLEAN
    expected = tool or (missing[0][0] if len({name for name, _ in missing}) == 1 else "a change")
    return fired(
        attempt.cite(last, 0, min(len(last.text.rstrip()), 200)),
        detail=f"the user agrees and ends the conversation; {expected} was expected and never made",
        value="accepts and ends",
    )


def _accepts(text: str, question: str) -> bool:
    """Whether a turn agrees to go on, and is no more than thanks or a farewell.

    A word or two in answer to a question agree in any language, unless they say no or good-bye. So does a turn that
    repeats what the question offers and says nothing else: it chooses.
    """
    rest = _TRANSFER.sub(" ", text) if _AUTHORIZES.search(text) else text  # who agrees may ask for a person as well
    if _LEAVES.search(rest) and not (_YES.match(text) and _CHECKS.search(question)):
        return False
    if AGREES.match(text):
        return not _THANKS.search(text) or _GOES_ON.search(text) is not None
    user_words = _WORD.findall(text.lower())
    if not user_words or _DECLINES.search(text) or _THANKS.search(text):
        return False
    return len(user_words) <= _SHORT or _chooses(user_words, question)


def _chooses(user_words: Sequence[str], question: str) -> bool:
    """Whether all that the user says, apart from words of courtesy and small ones, stands in the question."""
    content_words = [word for word in user_words if len(word) > _SMALL and word not in _COURTESY]
    return len(content_words) >= _FEWEST_CHOSEN and set(content_words) <= set(_WORD.findall(question.lower()))


def _question(steps: Sequence[Step]) -> str | None:
    """The last paragraph of the agent's message right before the last turn of the user, where it asks for an answer."""
    before = steps[-2] if len(steps) > 1 else None
    if before is None or before.kind is not StepKind.MESSAGE:
        return None
    paragraphs = before.text.strip()[-_READ:]
    last = re.split(r"(?<=[.!?])\s+|\n+", paragraphs)[-1]
    closes = _CLOSES.search(last) is not None and not _CONFIRMS.search(last)
    return paragraphs.split("\n\n")[-1] if _ASKS.search(paragraphs) and not closes else None

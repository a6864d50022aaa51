"""The last look-up came back empty, and the agent concludes without another look and without saying so.

False alarms: an empty answer can be the right one; a final message that speaks of finding nothing is left alone.
"""

from __future__ import annotations

import re
from functools import lru_cache

from blade.extract.attempt import Attempt
from blade.extract.calls import Call, changing_name
from blade.extract.names import words
from blade.extract.records import holds_nothing
from blade.findings import CLEAN, NOT_APPLICABLE, Sighting, fired
from blade.late_regex import late_regex

ID = "B11"
FAMILY = "behaviour"
TITLE = "conclusion from an empty result"
KIND = "behaviour"
EXPLAINS = 30
NAMES = "tool"
SUPPORTS = {"BI": 1.5}
RELIABILITY = 0.8
READS = ("model", "tool")
NEEDS = "answers"
_SILENT = frozenset("think thought plan note finish done submit answer wait sleep".split())
_SAYS_SO = late_regex(
    r"\b(?:no|not|none|nothing|empty|zero|unable|cannot|\w+n['’]t|without|"
    r"missing|unavailable|failed)\b",
    re.IGNORECASE,
)


def detect(attempt: Attempt) -> Sighting:
    if not attempt.answered or attempt.final is None:
        return NOT_APPLICABLE
    last = attempt.calls[-1]
    if last.answer is None or last.failed or not holds_nothing(last.answer.text) or not _looks(last):
        return CLEAN if any(_looks(call) for call in attempt.answered) else NOT_APPLICABLE
    if not attempt.ends_by_itself or _SAYS_SO.search(attempt.final_text[:2000]):
        return CLEAN
    cites = [attempt.cite(last.step, 0, 120), attempt.cite(last.answer)]
    at = attempt.final.text.find(attempt.final_text[:40]) if attempt.final_text else 0
    cites.append(attempt.cite(attempt.final, max(at, 0), max(at, 0) + 120))
    return fired(*cites, detail=f"concludes after '{last.name}' came back empty, without another look", value=last.name)


def _looks(call: Call) -> bool:
    """A call that is made for its answer."""
    by_name = _looking_name(call.name)
    return not call.changes if by_name is None else by_name


@lru_cache(maxsize=4096)
def _looking_name(name: str) -> bool | None:
    """Whether the name alone tells that a call is made for its answer; None where it does not tell."""
    if not _SILENT.isdisjoint(words(name)):
        return False
    changes = changing_name(name)
    return None if changes is None else not changes

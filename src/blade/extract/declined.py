"""Answers that decline: words that nothing was found or is known, in the place of what was asked for.

`declines` reads an answer by itself. A number or a name after such words is an answer, and so is what follows a "but".
Words such as "none" or "n/a" may be what a question asks for: `may_decline` reads them, too, and whoever asks knows
whether some key of the same set says so.
"""

from __future__ import annotations

import re
from functools import lru_cache

from blade.extract.prefilter import may_hold
from blade.extract.same_answer import peel
from blade.late_regex import late_regex

LONGEST = 240
_FOUND = (
    r"(?:find|found|determined?|located?|identif(?:y|ied)|verif(?:y|ied)|establish(?:ed)?|retrieved?|answer(?:ed)?|say|"
    r"tell)"
)
_NOT = r"(?:could ?n['’]t|could not|can ?not|can['’]t|did ?n['’]t|did not|(?:am|are|is|was|were) not able to)"
_HOW = r"(?: (?:reliably|clearly|fully|conclusively|definitively|directly|exactly))?"
_DECLINES = late_regex(
    r"\b" + _NOT + r"(?: yet)?(?: be)?" + _HOW + " " + _FOUND + r"\b|"
    r"\b(?:unable|failed|impossible|not possible) to " + _FOUND + r"\b|"
    r"\bno (?:\w+ ){0,2}(?:answer|information|data|evidence|results?|records?)"
    r"(?: (?:was|were|is|are|could be|can be))? (?:found|available|known|given|provided)\b|"
    r"\b(?:insufficient|not enough) (?:information|data|evidence|context)\b|"
    r"\b(?:texts?|passages?|documents?|contexts?|sources?|pages?|articles?|results?|tools?) (?:does|do|did)"
    r"(?: not|n['’]t) (?:provide|contain|mention|specify|state|say|give|include|show)\b|"
    r"\b(?:I|we) (?:really |simply )?(?:do not|don['’]t) know\b",
    re.IGNORECASE,
)
_WHOLE = late_regex(
    r"(?:(?:the )?(?:answer|information|value|figure|result|it)(?: is| was|:)? )?"
    r"(?:unknown|undetermined|indeterminate|unanswerable|unclear|unavailable|"
    r"not (?:yet )?(?:found|known|available|specified|stated|given|provided|disclosed|answerable|determinable|certain|"
    r"sure)|no (?:clear |definite |reliable )?(?:answer|information|data|results?)|nothing (?:was )?found|"
    r"(?:i )?(?:do not|don['’]t) know|idk|\[idk\]|"
    r"(?:there is )?no (?:answer|information|data|results?) (?:found|available))"
    r"(?: to me| from (?:the )?(?:available )?\w+| in (?:the )?(?:available )?\w+| at this time| here)?",
    re.IGNORECASE,
)
"""What declines only where nothing else is said: "the author is unknown" may well be an answer."""
_WEAK = frozenset({"none", "n/a", "na", "n.a.", "null", "nil", "nothing", "none found"})
_WEAK_HINTS = ("none", "n/a", "na", "n.a.", "null", "nil", "nothing")
"""What these words begin with: most answers hold none of it, and to peel one takes long."""
_HINTS = (
    *("not", "n't", "n’t", "unable", "failed to", "impossible", "insufficient", "unknown", "undetermined", "unclear"),
    *("unavailable", "unanswerable", "indeterminate", "idk", "no "),
)
_GOES_ON = late_regex(
    r"\b(?:but|however|although|though|instead|likely|probably|presumably|perhaps|approximately|roughly|estimat\w*|"
    r"best guess|assum\w*|therefore|so the|answer is (?!not\b|un))\b|\d\s*$",
    re.IGNORECASE,
)
_EDGES = " \t\n*_`\"'“”‘’.,;:!()[]{}<>"


_ALLOWS = late_regex(
    r"[\"'“‘](?:unknown|n/a|none|not found|not available|idk|i don['’]t know)[\"'”’]|\bgiv(?:e|ing) up\b|"
    r"\b(?:say|answer|reply|respond|state|admit)(?:ing)? (?:that )?(?:you|it|there|the answer)? ?"
    r"(?:do not know|don['’]t know|(?:is|was) unknown|unknown)\b",
    re.IGNORECASE,
)


_FORBIDS = late_regex(
    r"\b(?:never|avoid|must not|should not|rather than|instead of|(?:do not|don['’]t) (?!know\b))", re.IGNORECASE
)


@lru_cache(maxsize=4096)
def declines(answer: str) -> bool:
    """Whether an answer says no more than that nothing was found or is known."""
    if not answer or len(answer) > LONGEST or not may_hold(answer, _HINTS):
        return False
    plain = _plain(answer)
    if _WHOLE.fullmatch(plain):
        return True
    return _DECLINES.search(plain) is not None and _GOES_ON.search(plain) is None


def closing_words(message: str) -> str:
    """The last paragraph of a final message that states no answer, where it declines; empty where it does not."""
    last = message.strip().rsplit("\n\n", 1)[-1].strip()
    return last if declines(last) else ""


def allows_declining(line: str) -> bool:
    """Whether a line of a prompt allows or asks for answers that decline."""
    if _FORBIDS.search(line):
        return False
    return _DECLINES.search(line) is not None or _ALLOWS.search(line) is not None


def may_decline(answer: str) -> bool:
    """The same with the words that are an answer elsewhere, such as "none"."""
    is_weak = may_hold(answer[:LONGEST], _WEAK_HINTS) and _plain(answer).casefold() in _WEAK
    return is_weak or declines(answer)


def _plain(answer: str) -> str:
    return " ".join(peel(answer[:LONGEST]).split()).strip(_EDGES)

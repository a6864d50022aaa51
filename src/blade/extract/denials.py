"""Where the model says that it cannot do what a tool would do: it has no way to search, to look up, to check.

A refusal under a condition ("I cannot look it up without your name") asks for something and denies nothing. One that
asks for an identifier after tools have answered does deny: finding the identifier is the look-up; so does one that
rules out a way of looking up ("by its name alone"). That nothing was found ("I cannot find such an order") is a result,
no denial; so is what is said of an access right after the call for it failed, and anything as long as every call has
failed: nobody knows yet what the tools show.
"""

from __future__ import annotations

import re
from typing import Any

from blade.extract.answered_lookups import tells_nothing
from blade.extract.attempt import Attempt
from blade.extract.names import words as name_words
from blade.extract.own_claims import prose
from blade.extract.text import clip
from blade.late_regex import late_regex

LONGEST = 160
_LOOK = r"(?:search|look|browse|compare|check|access|view|list|query|track)\b"
_ANY = rf"(?:{_LOOK}|(?:find|see|retrieve|read|open|fetch|determine|identify)\b)"
_HOW = r"(?:(?:currently|also|still|really|actually|directly|simply|personally|unfortunately) )?"
_DENIES = late_regex(
    r"(?-i:[Iiıİ])(?<=\b.)(?:"
    rf" {_HOW}(?:do not|don['’]t|lack) {_HOW}(?:have )?"
    r"(?:the |any |a |an |direct )?(?:ability|abilities|capability|capabilities|way|means|tools?|functions?|"
    rf"functionality|feature) (?:to|for|that)\b ?{_HOW}{_ANY}[^.!?\n]*"
    rf"|(?:['’]m| am) {_HOW}(?:unable|not able) to {_HOW}{_LOOK}[^.!?\n]*"
    rf"| {_HOW}(?:cannot|can['’]t|can not) {_HOW}{_LOOK}[^.!?\n]*)",
    re.IGNORECASE,
)
"""The letter I in any case comes first: it is found far sooner than where a word begins."""
_HINTS = ("cannot", "can't", "can’t", "can not", "unable", "not able", "do not", "don't", "don’t", "lack")
_CONDITION = late_regex(r"\b(?:without|unless|until|because|since|only if)\b", re.IGNORECASE)
_OUT_OF_REACH = late_regex(r"\b(?:access|view|retrieve|open|see)\b", re.IGNORECASE)
_BY_THIS_ALONE = late_regex(
    r"\b(?:by|from|with|using|based on) (?:(?:\w+ ){1,4}(?:alone|only)|(?:only|just) (?:\w+ ?){1,4})\b", re.IGNORECASE
)
_WITHOUT_ID = late_regex(r"\bwithout (?:\w+ ){0,4}(?:ids?|identifiers?|numbers?|codes?)\b", re.IGNORECASE)


def denial(attempt: Attempt) -> dict[str, Any]:
    """`denies`: the item and the words of the first denial; nothing where there is none or no tool is at hand."""
    if not attempt.calls and not attempt.tools:
        return {}
    for step in attempt.messages:
        if not attempt.holds(step, _HINTS):
            continue
        words, _ = prose(step.text)
        for match in _DENIES.finditer(words):
            denial_words = match.group()
            if _without_condition(attempt, step.item, denial_words) and not _is_result(
                attempt, step.item, denial_words
            ):
                return {"denies": [step.item, clip(" ".join(match.group().split()), LONGEST)]}
    return {}


def _is_result(attempt: Attempt, item: int, words: str) -> bool:
    """Whether every call before the words failed, or the last one did and they tell of something out of reach."""
    before = [call.failed for call in attempt.calls if call.answer is not None and call.step.item < item]
    return bool(before) and before[-1] and (all(before) or _OUT_OF_REACH.search(words) is not None)


def _without_condition(attempt: Attempt, item: int, words: str) -> bool:
    """Whether the words deny outright, or ask for an identifier though tools told something before and no kind failed.

    A kind of tool (find, get) that has only failed may be the one that finds what is asked for: then it was looked up
    in vain, unless the words rule out a way of looking it up, whatever was tried.
    """
    if not _CONDITION.search(words):
        return True
    before = [call for call in attempt.calls if call.answer is not None and call.answer.item < item]
    good = [call for call in before if not call.failed]
    tools_answered = any(call.answer is not None and not tells_nothing(call.answer.text) for call in good)
    failing = {name_words(call.name)[:1] for call in before} - {name_words(call.name)[:1] for call in good}
    asks = _WITHOUT_ID.search(words) is not None and tools_answered
    return asks and (not failing or _BY_THIS_ALONE.search(words) is not None)

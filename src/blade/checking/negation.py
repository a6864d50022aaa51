"""Whether a sentence denies what it names: "does not score 49.4%" says that 49.4% is not the score."""

from __future__ import annotations

import re
from collections.abc import Iterator

_CUE = re.compile(
    r"\b(?:not(?: at all| really| in fact)?|never|hardly|barely|scarcely|cannot|nobody|none|neither|no longer|no one|"
    r"far from|unable to|fail(?:s|ed|ing)? to(?=\s+(?:pass|score|reach|succeed|account|show|make))|"
    r"no (?:reason|evidence|sign|proof|indication|ground)s?|"
    r"(?:wrong|false|untrue|incorrect|mistaken|a mistake|an error) to|"
    r"(?:doubt|deny|denies|denied|dispute|reject|refute|disprove)(?:s|d|ed)?)\b|n['’]t\b",
    re.IGNORECASE,
)
_CLAUSE = re.compile(
    r"[;:.!?(\[]\s|[—–(]|,\s|\b(?:but|because|since|although|though|while|whereas|which|who|so that|if|when)\b",
    re.IGNORECASE,
)
_AND = re.compile(
    r"[;:.!?(\[]\s|[—–(]|,\s|\b(?:and|but|since|although|though|while|whereas|which|who|so|if|when)\b", re.IGNORECASE
)
_LOOSE = re.compile(
    r"\b(?:in|on|at|for|by|of|with|after|before|within|during|among|from|until|than|above|below|over|under|beyond|"
    r"exceed\w*|least|most|only|just|all|every|each|even|yet|more|less|fewer|both|either|any|like|as|and|or|to)\b",
    re.IGNORECASE,
)
"""Between a negation and a number such a word says that the number is no part of what is denied."""
_EMPHASIS = re.compile(r"[*_]{1,3}(?=\s|$)|(?<!\S)[*_]{1,3}")
_SET_AGAINST = re.compile(r"\s*(?:and |but )?not\b", re.IGNORECASE)
_DIGIT = re.compile(r"\d")
_THAT = re.compile(r"\bthat\b", re.IGNORECASE)
_NOT_PASSING = re.compile(
    r"(?:\b(?:not|never|cannot|hardly|no longer|fail(?:s|ed|ing)? to)|n['’]t)\s+(?:pass|solve|succeed)\w*"
    r"(?:\s+(?:the|its|in))?\s+$",
    re.IGNORECASE,
)


def is_negative(text: str) -> bool:
    return bool(_CUE.search(text))


def denies(text: str, start: int) -> bool:
    """Whether the number or name that begins at `start` is denied."""
    clause = _clause(text[:start])
    cues = list(_CUE.finditer(clause))
    if len(cues) % 2 == 0:
        return False
    text_between = clause[cues[-1].end() :]
    return bool(_THAT.search(text_between)) or not _LOOSE.search(text_between)


def contrasts(text: str, start: int) -> bool:
    """Whether the number that begins at `start` is only set against another one: "33 of 80, not 28.7%"."""
    clause = _clause(text[:start])
    before = text[: start - len(clause)].rstrip()
    return bool(_SET_AGAINST.match(clause)) and before.endswith((",", "(", "—", "–")) and bool(_DIGIT.search(before))


def denied_clauses(text: str) -> Iterator[str]:
    """The clauses of a sentence that are negated."""
    for clause in _AND.split(text):
        if clause and len(_CUE.findall(clause)) % 2:
            yield clause


def counts_failures(text: str, start: int) -> bool:
    """Whether the number that begins at `start` says how many do not pass, as in "does not pass 11 tasks"."""
    return bool(_NOT_PASSING.search(text, 0, start))


def _clause(before: str) -> str:
    """What stands before a place in its own clause. What a clause with "that" says holds for all of the sentence."""
    before = _EMPHASIS.sub(lambda mark: " " * len(mark[0]), before)
    that_clause = _THAT.search(before)
    if (
        that_clause
        and _CUE.search(before, 0, that_clause.start())
        and not _CLAUSE.search(before, 0, that_clause.start())
    ):
        return before
    cuts = [match.end() for match in _CLAUSE.finditer(before)]
    return before[cuts[-1] if cuts else 0 :]

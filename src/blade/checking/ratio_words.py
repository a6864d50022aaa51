"""What "3 of 4" counts, by the words around it: passes, failures, runs that do something, or things of its own."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from blade.checking.measures import PASSING
from blade.checking.numbers import stands_for
from blade.checking.outcome import Checked, CheckOutcome, ClaimKind
from blade.checking.statements import Statement
from blade.checking.tokens import Token
from blade.wording import percent

_NO_PASSES_BEFORE = re.compile(r"\b(?:action|step|item|round|call|part)\s+$", re.IGNORECASE)
_NO_PASSES_AFTER = re.compile(
    r"\s+(?:(?:failing|failed|passing)\s+(?:attempts|rollouts|tries)|failures|fails|passes|successes|errors)\b",
    re.IGNORECASE,
)
"""A place in a list, or a share of the failures: no count of a task's passes."""
_PASSES_BEFORE = re.compile(r"\b(?:pass(?:es|ed)?|solved?|succeed(?:s|ed)?|fail(?:s|ed)?)\s+(?:in\s+)?$", re.IGNORECASE)
_TIMES_AFTER = re.compile(r"\s+(?:times|attempts|rollouts|tries|trials)\b", re.IGNORECASE)
_OF_RUNS = re.compile(r"\s+(?:\w+\s+)?(?:runs|models|agents|configurations|systems)\b", re.IGNORECASE)
_OF_THINGS = re.compile(
    r"\s+(?:[^\W\d_]+(?:ed|ing|al)\s+)?(?!(?:times|attempts|rollouts|tries|trials|runs|tasks|passes|fails|succeeds|"
    r"solves|is|was|has|does|its|this|as|less|always|sometimes|perhaps|across|versus|thus)\b)[^\W\d_]+s\b",
    re.IGNORECASE,
)
"""Things of its own that are counted, such as logs or commands: no count of a task's passes."""
_TO_PASS = re.compile(r"\s+to\b")
_NEGATED = re.compile(r"(?:\b(?:not|never|hardly|cannot|no longer|fail(?:s|ed)? to)|n['’]t)\s+$", re.IGNORECASE)
_PLACE_BEFORE = re.compile(r"(?:\bin\s+|\bby\s+)$", re.IGNORECASE)
_BOUNDARY = re.compile(
    r"[.;:,()\[\]—–|]|\b(?:and|but|while|whereas|although|though|because|which|who|that)\b", re.IGNORECASE
)
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_MANNER = frozenset(
    "a about again agent all almost also always an are as at attempt attempts be both by does each "
    "even ever every exactly for from gets had has have here in is it its judged just least make "
    "makes manage managed manages model most no now of on once only or out over overall reach reached reaches right "
    "rollout rollouts rows run runs same score scored scores sometimes still task tasks the their then there they this "
    "times to too total trials tries trial under was were where with within won wins lost loses yet".split()
)
"""Words that leave it at a count of passes: "T in the first run: only 3 of 4 attempts"."""
_IN_BRACKETS = re.compile(r"(?:\s+[^\W\d_]+){0,4}\s*(?:\(|=|,\s*(?:i\.e\.|that is|which is|or))\s*")
_SPELLED_OUT = re.compile(r"\s*\(\s*")
_IS = re.compile(r"\s*(?:\(|=|,|:|(?:is|are|means|or|that is|i\.e\.)\s)\s*")
_CLOSED = re.compile(r"\s*\)")
_AGAINST = re.compile(r"\s*(?:against|versus|vs\.?|compared (?:with|to))\s+", re.IGNORECASE)


def is_of_runs(statement: Statement, token: Token) -> bool:
    return bool(_OF_RUNS.match(statement.text, token.end))


def is_one_of_two_rates(statement: Statement, token: Token) -> bool:
    """Whether a rate stands right before or behind another that it is held against: "28.7% against 32.2%"."""
    rates = [part for part in statement.tokens if part.number is not None and part.number.unit == "percent"]
    return token in rates and any(
        _AGAINST.fullmatch(statement.text, first.end, second.start)
        for first, second in pairwise(rates)
        if token in (first, second)
    )


def is_of_something_else(statement: Statement, token: Token) -> bool:
    """A place in a list, a share of failures or of things that are no attempts."""
    text = statement.text
    is_place = _NO_PASSES_BEFORE.search(text, 0, token.start) or _NO_PASSES_AFTER.match(text, token.end)
    return bool(is_place or (not is_of_runs(statement, token) and _OF_THINGS.match(text, token.end)))


def runs_come_out(statement: Statement, token: Token) -> bool:
    """Whether "5 of 6 runs" counts runs in which a task passes or fails, not those that do something else."""
    noun = _OF_RUNS.match(statement.text, token.end)
    if noun is None:
        return False
    verb = _verb(statement, noun.end())
    if _PLACE_BEFORE.search(statement.text, 0, token.start) or not verb:
        return bool(PASSING.search(_clause(statement, token)) or (not verb and PASSING.search(statement.about)))
    return bool(PASSING.match(verb) or _NEGATED.match(f"{verb} "))


def _verb(statement: Statement, place: int) -> str:
    """The first word behind a place that is no name and leaves something to be said, up to the end of the clause."""
    end = _BOUNDARY.search(statement.text, place)
    words = _WORD.findall(statement.text[place : end.start() if end else len(statement.text)].lower())
    return next((word for word in words if word not in _MANNER), "")


def counts_passes(statement: Statement, token: Token) -> bool:
    """Whether "1 of 4" plainly says how often a task passes or fails."""
    return bool(_PASSES_BEFORE.search(statement.text, 0, token.start) and _TIMES_AFTER.match(statement.text, token.end))


def may_count_passes(statement: Statement, token: Token) -> bool:
    """Whether the clause around "1 of 4" speaks of passing, or says nothing else; a cell speaks by its titles."""
    if statement.piece.kind == "row":
        return True
    clause = _clause(statement, token)
    return bool(PASSING.search(clause)) or not [word for word in _WORD.findall(clause.lower()) if word not in _MANNER]


def _clause(statement: Statement, token: Token) -> str:
    """The words of the clause that holds a number; names, quotes and numbers are left out."""
    text = _without(statement, {ClaimKind.ID, ClaimKind.RUN, ClaimKind.QUOTE, ClaimKind.NUMBER})
    cuts = [match.end() for match in _BOUNDARY.finditer(text, 0, token.start)]
    end = _BOUNDARY.search(text, token.end)
    return text[cuts[-1] if cuts else 0 : end.start() if end else len(text)]


def without_quotes(statement: Statement) -> str:
    """The text of a statement with blanks for what it quotes: the words of others deny nothing in it."""
    return _without(statement, {ClaimKind.QUOTE})


def _without(statement: Statement, kinds: set[ClaimKind]) -> str:
    text = statement.text
    for token in statement.tokens:
        if token.kind in kinds:
            text = text[: token.start] + " " * (token.end - token.start) + text[token.end :]
    return text


def is_failing(statement: Statement, token: Token) -> bool | None:
    """Whether "3 of 4" counts fails; None where the sentence speaks of both."""
    outcomes = set(_outcomes(statement.about))
    if len(outcomes) == 2:
        before = list(_outcomes(statement.text[: token.start]))
        return before[-1] if before else None
    return outcomes.pop() if outcomes else False


def _outcomes(text: str) -> Iterator[bool]:
    """Of each word for an outcome whether it means a fail; "does not pass" and "fails to pass" are fails."""
    for match in PASSING.finditer(text):
        if not _TO_PASS.match(text, match.end()):
            yield match[0].lower().startswith("fail") != bool(_NEGATED.search(text, 0, match.start()))


def ratio_before(statement: Statement, token: Token) -> Token | None:
    """The "46 of 136" that a rate in brackets behind it says once more: "46 of 136 rollouts (33.8%)"."""
    number = token.number
    before = [other for other in statement.tokens if other.end <= token.start and other.number is not None]
    ratio = before[-1].number if before else None
    if number is None or number.unit != "percent" or ratio is None or ratio.unit != "ratio":
        return None
    return before[-1] if _IN_BRACKETS.fullmatch(statement.text, before[-1].end, token.start) else None


def rate_before(statement: Statement, token: Token) -> Token | None:
    """The rate that a ratio in brackets behind it spells out: "37.5% (51 of 136)"."""
    before = [earlier for earlier in statement.tokens if earlier.end <= token.start and earlier.number is not None]
    number, rate = token.number, before[-1].number if before else None
    if number is None or rate is None or not number.of or rate.unit != "percent":
        return None
    is_behind = _SPELLED_OUT.fullmatch(statement.text, before[-1].end, token.start)
    return before[-1] if is_behind and stands_for(rate, number.value / number.of) else None


def is_rate_of_next(statement: Statement, token: Token) -> bool:
    """Whether a rate is only the ratio that is told right behind it: "33.8% is 46 of 136"."""
    number = token.number
    after = next((other for other in statement.tokens if other.start >= token.end and other.number is not None), None)
    ratio = after.number if after else None
    if after is None or number is None or ratio is None or number.unit != "percent" or not ratio.of:
        return False
    is_next = _IS.fullmatch(statement.text, token.end, after.start)
    return bool(is_next) and stands_for(number, ratio.value / ratio.of)


def rate_of_ratio(statement: Statement, token: Token, before: Token, told: Checked) -> Checked | None:
    """A rate in brackets is as true as the ratio before it; None where it may be another's."""
    number, ratio = token.number, before.number
    if number is None or ratio is None or not ratio.of:
        return None
    if stands_for(number, ratio.value / ratio.of):
        outcome = CheckOutcome.RIGHT if told.outcome is CheckOutcome.RIGHT else CheckOutcome.UNVERIFIABLE
        return statement.say(outcome, token, path=told.path, note=told.note)
    if _CLOSED.match(statement.text, token.end) and told.outcome is not CheckOutcome.WRONG:
        return statement.say(CheckOutcome.WRONG, token, percent(ratio.value / ratio.of), note=f"of {before.text}")
    return None

"""Counts of rows by a value of a field: "44 parse_error rows", "agent_timeout is set in 109 rows of A"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from blade.checking.measures import Values
from blade.checking.outcome import Checked, CheckOutcome, ClaimKind
from blade.checking.statements import Statement, bound
from blade.checking.tokens import Token
from blade.model import RunAnalysis

_CODED = re.compile(r"[^\W\d]+(?:_[^\W]+)+")
"""A value that is no everyday word: `parse_error`."""
_ROWS = re.compile(r"(?:\s+[\w.-]+){0,2}?\s+(?:attempts|rollouts|rows|trials)\b")
_BESIDE = re.compile(r"[\s`\"“]*")
_OUTCOME = re.compile(r"\b(?:(?P<passing>pass(?:es|ed)?|solved?|succeed(?:s|ed)?)|fail(?:s|ed)?)\b", re.IGNORECASE)
_PART = re.compile(r"\b(?:judged|launched|logged|other|lost|of (?:these|those|which|them))\b", re.IGNORECASE)
Counts = dict[str, list[tuple[int, int]]]


def field_claims(statement: Statement, values: Values) -> Iterator[tuple[Token, Checked]]:
    """Numbers of rows beside a value that a field of the rows has, held against how often it has it.

    Only a number right before the value is called wrong: the value may name something else, too.
    """
    words = [token for token in statement.tokens if _is_value(token, values)]
    if not words or _PART.search(statement.text):
        return
    for token in statement.tokens:
        word = _value_of(token, words, statement)
        run = _run_of(token, statement)
        number = token.number
        if word is None or not run or number is None:
            continue
        counts = _counts(values.runs[run]).get(word.text, [(0, 0)])
        path = ("runs", run, "fields")
        if (number.value, number.of) in _told(counts, statement):
            yield token, statement.say(CheckOutcome.RIGHT, token, path=path)
        elif number.value in {rows for rows, _ in counts}:
            yield token, statement.say(CheckOutcome.UNVERIFIABLE, token, path=path)
        elif word.start > token.start and number.unit == "plain" and not _OUTCOME.search(statement.text):
            yield token, statement.say(CheckOutcome.WRONG, token, f"{counts[0][0]:,}", path)


def _told(counts: list[tuple[int, int]], statement: Statement) -> set[tuple[int, int | None]]:
    """What a number may say: how many rows there are, or how many of them come out as the sentence says."""
    outcome = _OUTCOME.search(statement.text)
    if outcome is None:
        return {(rows, None) for rows, _ in counts}
    ends = [(passed if outcome["passing"] else rows - passed, rows) for rows, passed in counts]
    return {(count, rows) for count, rows in ends} | {(count, None) for count, _ in ends}


def _run_of(token: Token, statement: Statement) -> str:
    """The run that a number of rows is of: right behind it ("109 A rows"), else the run that it is bound to."""
    mentions = statement.mentions(ClaimKind.RUN)
    behind = [
        mention
        for mention in mentions
        if mention.start >= token.end and _BESIDE.fullmatch(statement.text, token.end, mention.start)
    ]
    owners = (behind[0].text,) if behind else bound(token, mentions, statement.text) or statement.runs
    return owners[0] if len(owners) == 1 else ""


def _is_value(token: Token, values: Values) -> bool:
    return bool(_CODED.fullmatch(token.text)) and any(token.text in _counts(run) for run in values.runs.values())


def _value_of(token: Token, words: list[Token], statement: Statement) -> Token | None:
    """The value that a number counts rows of: right behind it, or the only mention of a sentence that counts rows."""
    if token.number is None or token.number.unit not in {"plain", "ratio"}:
        return None
    beside = [
        word for word in words if word.start >= token.end and _BESIDE.fullmatch(statement.text, token.end, word.start)
    ]
    if beside:
        return beside[0]
    return words[0] if len(words) == 1 and _ROWS.match(statement.text, token.end) else None


@lru_cache(maxsize=64)
def _values_of(fields: tuple[tuple[str, int, int], ...]) -> Counts:
    counts: Counts = {}
    for value, rows, passed in fields:
        counts.setdefault(value, []).append((rows, passed))
    return counts


def _counts(run: RunAnalysis) -> Counts:
    """Value → rows that have it and those of them that pass, for each field that has the value."""
    return _values_of(
        tuple(
            (str(item["value"]), int(item["rows"]), int(item.get("passed") or 0))
            for field in run.fields
            for item in field.get("common", ())
        )
    )

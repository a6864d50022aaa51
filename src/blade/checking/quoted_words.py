"""What a report quotes, where its words must stand, and what is said of them once they were looked for.

A quote must stand in a rollout of the task that is named with it. Where several tasks are named, and none of them in
its clause, words of another task are listed and not called wrong. Words that are proposed are nobody's yet.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import get_close_matches

from blade.checking.citations import ids
from blade.checking.markdown_blocks import MarkdownBlock
from blade.checking.names import Names
from blade.checking.outcome import Checked, CheckOutcome, ClaimKind
from blade.checking.quotes import Sought
from blade.checking.statements import RIGHT_AFTER, Statement, bound
from blade.checking.tokens import Token, plain

_SPEAKS = re.compile(
    r"\b(?:says?|said|writes?|wrote|answers?|answered|repl(?:y|ies|ied)|states?|stated|tells?|ends? with|ended with)\b",
    re.IGNORECASE,
)
"""The run of such a sentence says what is quoted; in others the words may be another's."""
_ASIDE = re.compile(r"\b(?:which|that|where|unlike|than|as)\s+[`*_]*$", re.IGNORECASE)
"""Before a run that is named by the way: "(task T, which R solves)" says not that R speaks."""
_COMMANDS = ("blade ", "--", "$ ", "make ", "uv ", "python ")
_CLAUSE_END = re.compile(
    r"[;.!?]\s|,\s|\b(?:and|but|while|whereas|although|though|because|which|where|unlike|as)\b", re.IGNORECASE
)
_IMPERATIVE = (
    "add|adjust|allow|answer|append|ask|change|extend|forbid|give|have|include|insert|instruct|let|make|mention|note|"
    "phrase|print|prompt|put|remind|rename|replace|require|reword|say|show|state|teach|tell|warn|word|write"
)
_SUPPOSED = re.compile(r"`?,?\s+(?:would|could|might|should)\b")
"""Behind code that nobody ran: "`tar -czf x /opt` would pass"."""
_DOES = re.compile(
    rf"{_SPEAKS.pattern}|\b(?:has|have|had|holds?|contains?|begins?|ends?|ended|runs?|ran|prints?|printed|shows?|showed|types?|typed|executes?|executed|sends?|sent|"
    r"tries|tried|uses?|used|quotes?|reads?)\b",
    re.IGNORECASE,
)
"""Before code that somebody wrote or saw; other code in back-ticks may be whoever writes the report's own."""
_PROPOSED = re.compile(
    rf"^[\s*_(]*(?:\w{{1,2}}[.)]\s+)?(?:[Nn]ext|[Tt]hen|[Ff]irst|[Bb]etter|[Pp]lease|[Aa]lso)?[:,]?\s*(?:{_IMPERATIVE})\b"
    rf"|[;:]\s+(?:{_IMPERATIVE})\b"
    r"|\b(?:should|could|would|ought to|might|must|needs? to|had better)\s+(?:\w+\s+){0,4}"
    r"(?:say|read|answer|print|tell|state|be|write|reply|end|begin|start|add|return)\b"
    r"|\b(?:to[ -]do|advice|cure|fix|remedy|suggest(?:ion|ed)?|propos(?:al|ed)|recommend(?:ation|ed)?)(?:\s+\w+){0,3}:"
    r"|\b(?:such as|for example|for instance|e\.g\.|something like|along the lines of|worded|wording like)[\s,:]",
    re.IGNORECASE,
)
"""A sentence that advises: what it quotes are words to be written, not words of a rollout."""


def quotes_of(statement: Statement) -> Iterator[Sought]:
    piece = statement.piece
    if piece.kind == "quote" and statement.only is None:
        yield from _block_quote(statement, piece)
        return
    for token in statement.tokens:
        if token.kind is not ClaimKind.QUOTE or (statement.only is not None and token.start not in statement.only):
            continue
        if not token.text.startswith(_COMMANDS):
            mentions = [
                mention
                for mention in statement.mentions(ClaimKind.RUN)
                if not _ASIDE.search(statement.text, 0, mention.start)
            ]
            runs = {mention.text for mention in mentions}
            owned = any(statement.text[run.end :].startswith(("'", "’")) for run in mentions)
            spoken = len(runs) == 1 and (owned or _SPEAKS.search(statement.text))
            yield Sought(statement, token, frozenset(_tasks_of(statement, token)), frozenset(runs if spoken else ()))


def _tasks_of(statement: Statement, token: Token) -> tuple[str, ...]:
    """Where a quote must stand. A cited question says itself where: no task around is meant then."""
    named = bound(token, statement.mentions(ClaimKind.ID), statement.text) or statement.tasks
    return named or (() if ids(statement.text) else statement.tasks_around)


def _block_quote(statement: Statement, piece: MarkdownBlock) -> Iterator[Sought]:
    """The whole of a block quote; its last line, after a dash, says where it is from."""
    text = plain(piece.text)
    if text and not text.startswith(("—", "– ", "-- ")):
        token = Token(ClaimKind.QUOTE, text.strip('"“”'), 0, len(piece.text))
        yield Sought(statement, token, frozenset(statement.tasks_around))


def judged(quote: Sought, own_words: str, names: Names) -> Checked:
    """A quote that was looked for; `own_words` are those of the report as it would be printed now."""
    statement, token = quote.said, quote.token
    if near := _near_run(statement, token, names):
        return statement.say(CheckOutcome.WRONG, token, near, note="no run has this name")
    if quote.found:
        return statement.say(CheckOutcome.RIGHT, token)
    if quote.elsewhere:
        return _elsewhere(quote, names)
    if " ".join(quote.parts) in own_words:
        return statement.say(CheckOutcome.RIGHT, token)
    if not quote.strict:
        return statement.say(CheckOutcome.UNVERIFIABLE, token, note="in no rollout, and no name of the runs")
    if token.code and (_SUPPOSED.match(statement.text, token.end) or not _DOES.search(statement.text, 0, token.start)):
        return statement.say(CheckOutcome.UNVERIFIABLE, token, note="in no rollout: words that are supposed")
    if not quote.near and statement.piece.kind != "quote" and _PROPOSED.search(statement.text, 0, token.start):
        return statement.say(CheckOutcome.UNVERIFIABLE, token, note="in no rollout: words that are proposed")
    return statement.say(CheckOutcome.WRONG, token, quote.near or None, note="in no rollout that is meant")


def _elsewhere(quote: Sought, names: Names) -> Checked:
    """Words of another task or run: wrong where it is plain whose they are said to be."""
    is_known = quote.elsewhere in names.tasks or quote.elsewhere in names.runs
    note = f"these words stand in a rollout of {quote.elsewhere}" if is_known else "these words stand in another task"
    is_wrong = quote.strict and (quote.elsewhere in names.runs or _is_plain(quote))
    return quote.said.say(CheckOutcome.WRONG if is_wrong else CheckOutcome.UNVERIFIABLE, quote.token, note=note)


def _is_plain(quote: Sought) -> bool:
    """Whether a quote is plainly said to be of its task: the only one that is named, or the one in its clause."""
    statement, token = quote.said, quote.token
    mentions = statement.mentions(ClaimKind.ID)
    tasks = {mention.text for mention in mentions} | set(statement.tasks or ())
    if len(tasks) <= 1:
        return len(quote.tasks) == 1
    after = next((mention for mention in mentions if mention.start >= token.end), None)
    if after is not None and RIGHT_AFTER.fullmatch(statement.text, token.end, after.start):
        return True
    before = [mention for mention in mentions if mention.end <= token.start]
    return bool(before) and not _CLAUSE_END.search(statement.text, before[-1].end, token.start)


def _near_run(statement: Statement, token: Token, names: Names) -> str | None:
    """The run that was meant by a misspelled name after the word "run"."""
    if not token.code or " " in token.text or not statement.text[: token.start].lower().rstrip().endswith("run"):
        return None
    return next(iter(get_close_matches(token.text, names.runs, 1, 0.7)), None)

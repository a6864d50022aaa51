"""A sentence with its names and numbers masked: `R0 solves T1 in Q2 tries`. What it says in words is read from that."""

from __future__ import annotations

import re
from dataclasses import dataclass

from blade.checking.names import Names
from blade.checking.outcome import ClaimKind
from blade.checking.statements import Statement
from blade.checking.tokens import Token

_UNITS = {"plain": "N", "ratio": "Q", "percent": "P", "points": "D"}
_CITED = re.compile(r"\s*\[q:[0-9a-f]{4,16}\]")
_MARKUP = re.compile(r"[*_`]+")
_NOUNS = (
    (re.compile(r"\b(?:the )?(?:run|model|agent|configuration|system) (?=R\d)"), ""),
    (re.compile(r"\b(?:the )?tasks? #?(?=T\d)"), ""),
    (re.compile(r"\b(?:the )?model (?=M\d)"), "model "),
)
_LIST = {letter: re.compile(rf"{letter}\d+(?:(?:, and |, | and | or | & ){letter}\d+)+") for letter in "TR"}
_OF_THE_TASK_BEFORE = re.compile(r"it\b[^RT;]*\b(?:pass|fail|solved|succeed|unsolved)\w*\b[^RT;]*R\d")
"""Such an "it" is the task that was named before: "it passes in R"."""
_PLACE = re.compile(r"[A-Z]\d+")


@dataclass(frozen=True)
class MaskedSentence:
    """The words of a statement in small letters; `tokens` are those behind the marks, in their order."""

    text: str
    statement: Statement
    tokens: tuple[Token, ...]

    def behind(self, marks: str) -> list[Token]:
        """The tokens behind a mark, or behind a list of them."""
        return [self.tokens[int(mark[1:])] for mark in _PLACE.findall(marks)]

    def printed(self, mark: str) -> str:
        """What stands behind a mark as the sentence prints it: a run's short name may be a model's."""
        token = self.behind(mark)[0]
        return self.statement.text[token.start : token.end].strip("`") if token.kind is ClaimKind.RUN else token.text


def mask(statement: Statement, names: Names, models: frozenset[str]) -> MaskedSentence:
    """Runs as R, tasks as T, models as M, counts as N, "3 of 4" as Q, rates as P, points as D."""
    parts: list[str] = []
    tokens: list[Token] = []
    place = 0
    for token in statement.tokens:
        letter = _letter(token, names, models)
        if letter:
            parts += [statement.text[place : token.start].lower(), f"{letter}{len(tokens)}"]
            tokens.append(token)
            place = token.end
    parts.append(statement.text[place:].lower())
    text = _MARKUP.sub("", _CITED.sub("", "".join(parts)))
    text = " ".join(text.split())
    task = statement.tasks_around[0] if len(statement.tasks_around) == 1 else ""
    if task in names.tasks and _OF_THE_TASK_BEFORE.match(text) and not re.search(r"T\d", text):
        text = f"T{len(tokens)}{text[2:]}"
        tokens.append(Token(ClaimKind.ID, task, 0, 0, known=True))
    for pattern, noun in _NOUNS:
        text = pattern.sub(noun, text)
    for letter, pattern in _LIST.items():
        text = pattern.sub(lambda match: "+".join(re.findall(rf"{letter}\d+", match[0])), text)  # noqa: B023 - used at once
    return MaskedSentence(text, statement, tuple(tokens))


def _letter(token: Token, names: Names, models: frozenset[str]) -> str:
    if token.kind is ClaimKind.RUN and token.known:
        return "R"
    if token.kind is ClaimKind.ID and token.text in names.tasks:
        return "T"
    if token.text in models or token.text.rstrip(".") in models:
        return "M"
    if token.number is not None:
        return _UNITS[token.number.unit]
    return "X" if token.kind is ClaimKind.QUOTE else ""

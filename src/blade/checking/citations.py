"""Counts that a report cites by the id of a question: `[q:1a2b3c4d]`. They are counted again, and held against it.

A citation proves the numbers before it in its sentence, back to the last citation. A number that says what it counts
must be one of the question's; of the others at least one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from blade.checking.claims import is_claim
from blade.checking.numbers import Figure, Figures, Printed
from blade.checking.outcome import Checked, CheckOutcome, ClaimKind
from blade.checking.statements import Statement, bound
from blade.checking.tokens import Token

CITATION = re.compile(r"\[q:([0-9a-f]{4,16})\]")
_NOUN = re.compile(
    r"\s+(?:[^\W\d_]+\s+){0,2}?(?:attempts?|calls?|failures?|fails?|matches|passes|rollouts?|rows?|tasks?|times|trials?|"
    r"zeros?)\b",
    re.IGNORECASE,
)
_TASKS = re.compile(r"\s+(?:[^\W\d_]+\s+)?tasks?\b", re.IGNORECASE)
_WHOLE = re.compile(r"\b(?:of|among|over|across|all)\s+(?:all\s+|the\s+|its\s+)?$", re.IGNORECASE)
MOST_TOLD = 6


@dataclass(frozen=True)
class Cited:
    """What a question counts today, by run (the empty name stands for all of them); or why it cannot be believed."""

    counts: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    problem: str = ""

    def of(self, runs: Sequence[str]) -> list[Mapping[str, float]]:
        """The counts of the one run that a sentence names, else all of them."""
        own = [self.counts[run] for run in runs if run in self.counts]
        return own if len(runs) == 1 and own else list(self.counts.values())

    def fits(self, said: Statement, token: Token, start: int) -> bool:
        """Whether a number of a sentence is one of these; a run that is named before `start` may be meant or not."""
        asked = _asked(said, token)
        if asked is None:
            return False
        runs = _runs(said, token)
        here = any(mention.start >= start for mention in said.mentions(ClaimKind.RUN))
        found = self.of(runs) + ([] if here or "" not in self.counts else [self.counts[""]])
        return any(asked.fits(_with_judged(counts)) for counts in found)

    def told(self, runs: Sequence[str]) -> str:
        """The counts in a few words."""
        some = self.counts.get(runs[0] if len(runs) == 1 else "") or next(iter(self.of(runs)), {})
        return ", ".join(f"{name.replace('_', ' ')} {value:,g}" for name, value in list(some.items())[:MOST_TOLD])


def _asked(said: Statement, token: Token) -> _Asked | None:
    if token.number is None:
        return None
    noun = bool(_NOUN.match(said.text, token.end))
    tasks = bool(_TASKS.match(said.text, token.end)) if noun else None
    return _Asked(token.number, tasks, bool(_WHOLE.search(said.text, 0, token.start)))


def _with_judged(counts: Mapping[str, float]) -> dict[str, float]:
    return {"judged": counts.get("passes", 0) + counts.get("failures", 0), **counts}


def ids(text: str) -> list[str]:
    """The ids that a text cites, once each."""
    return list(dict.fromkeys(CITATION.findall(text)))


def inside(text: str, token: Token) -> bool:
    """Whether a token is part of a citation."""
    return any(match.start() <= token.start < match.end() for match in CITATION.finditer(text))


class Proof(NamedTuple):
    """What a citation says of a number, or of itself where there is none."""

    token: Token | None
    told: Checked
    alone: bool = False
    """Whether no number before the citation is the question's: then no other proof of it counts."""


def cited_numbers(said: Statement, known: Mapping[str, Cited]) -> Iterator[Proof]:
    """What the citations of a statement say of its numbers, and of each citation itself."""
    start = 0
    for match in CITATION.finditer(said.text):
        place = Token(ClaimKind.ID, f"q:{match[1]}", match.start(), match.end())
        found = known.get(match[1], Cited(problem="no question is kept under this id"))
        outcome = CheckOutcome.WRONG if found.problem else CheckOutcome.RIGHT
        yield Proof(None, said.say(outcome, place, note=found.problem))
        own = [token for token in said.tokens if start <= token.start and token.end <= match.start()]
        if not found.problem:
            yield from _held(said, [token for token in own if _claims(said, token)], found, (match[1], start))
        start = match.end()


def _claims(said: Statement, token: Token) -> bool:
    return token.number is not None and is_claim(said.piece.kind, said.text, token, said.first_column)


def _held(said: Statement, numbers: Sequence[Token], found: Cited, at: tuple[str, int]) -> Iterator[Proof]:
    """Right ones, those that must be the question's, and where none is right the last."""
    right = set()
    name, start = at
    for token in numbers:
        if found.fits(said, token, start):
            right.add(token)
            yield Proof(token, said.say(CheckOutcome.RIGHT, token, path=("queries", name)))
    for token in numbers:
        if token in right or token.number is None:
            continue
        bare = token.number.unit == "plain" and not _NOUN.match(said.text, token.end)
        if bare and (right or token is not numbers[-1]):
            continue
        told = found.told(_runs(said, token))
        wrong = said.say(CheckOutcome.WRONG, token, note=f"the question counts {told}", path=("queries", name))
        yield Proof(token, wrong, alone=not right)


def _runs(said: Statement, token: Token) -> tuple[str, ...]:
    return bound(token, said.mentions(ClaimKind.RUN), said.text) or said.runs


@dataclass(frozen=True)
class _Asked:
    """A number as it is told: with what it counts, and whether it is what others are a part of."""

    number: Printed
    tasks: bool | None
    whole: bool

    def fits(self, counts: Mapping[str, float]) -> bool:
        own = {name: value for name, value in counts.items() if self._may_be(name)}
        if self.number.unit == "ratio":
            pairs = ((part, whole) for part in own for whole in counts if _part_of(part, whole))
            return (self.number.value, self.number.of) in {(own[part], counts[whole]) for part, whole in pairs}
        if self.number.unit == "plain":
            values = own.values() if self.whole else (own[name] for name in own if not name.startswith("of_"))
            return Figures([Figure(value, ()) for value in values]).fit(self.number) is not None
        pairs = ((part, whole) for part in own for whole in counts if _part_of(part, whole) and counts[whole])
        return Figures([Figure(own[part] / counts[whole], ()) for part, whole in pairs]).fit(self.number) is not None

    def _may_be(self, name: str) -> bool:
        of_tasks = _last(name).removeprefix("of_") == "tasks"
        return self.tasks is None or of_tasks == self.tasks


def _part_of(part: str, whole: str) -> bool:
    """Whether one count may be told as a part of another: of those among which was sought, of all found or judged."""
    if part.startswith("of_") or part == whole:
        return False
    name, of = _last(part), _last(whole)
    if "tasks" in {name, of.removeprefix("of_")}:
        return name == of.removeprefix("of_")
    return of in {f"of_{name}", "rollouts", "of_rollouts", "judged"} or (": " in part and whole == name)


def _last(name: str) -> str:
    """The name of a count without the group that it is of."""
    return name.rpartition(": ")[2]

"""Holds each statement of a candidate report against the fact base."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from blade.checking.claims import is_claim
from blade.checking.markdown_blocks import pieces
from blade.checking.negation import counts_failures, denied_clauses, denies
from blade.checking.outcome import Kind, Outcome
from blade.checking.quotes import folded
from blade.checking.statements import Statement, statements
from blade.checking.tokens import Token
from blade.judge.base import Base
from blade.judge.number_index import Known, column_of
from blade.judge.quoting import made_up
from blade.judge.reading import Reading, Said, is_task, read_report
from blade.judge.templates import Beside, alike, equal
from blade.judge.vocabulary import Thing
from blade.judge.words import content, denied

VERIFIED, CONTRADICTED, UNVERIFIABLE = "verified", "contradicted", "unverifiable"
_ABOUT = re.compile(
    r"(?:~|≈|\b(?:about|around|roughly|nearly|almost|approximately|some|over|under|just|close to|well))\s*$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is said of one number, id or cell."""

    kind: str  # number, id, binding
    said: str
    outcome: str
    wanted: str = ""
    fact: str = ""
    start: int = 0


@dataclass
class Held:
    """A statement and what came of holding it against the facts."""

    said: Said
    verdicts: tuple[Verdict, ...]
    things: frozenset[Thing]
    flipped: bool = False
    """Turned round against what it stands beside, or denied outright."""
    beside: Beside | None = None
    off_subject: bool = False
    pasted: bool = False
    """Word for word an anchor fact that the golden report does not have in these words."""
    tasks: frozenset[str] = field(default_factory=frozenset)

    def count(self, kind: str, outcome: str) -> int:
        return sum(1 for one in self.verdicts if one.kind == kind and one.outcome == outcome)

    @property
    def wrong(self) -> bool:
        return self.flipped or any(one.outcome == CONTRADICTED for one in self.verdicts)


@dataclass
class Verified:
    """A whole report, held against the facts."""

    reading: Reading
    held: tuple[Held, ...]

    def of(self, place: int) -> Held:
        return self.held[place]


def verify(text: str, base: Base) -> Verified:
    reading = read_report(text, base.names)
    beside = [base.frames.beside(said) for said in reading.said]
    checked = _checked(reading, beside, base)
    speaks_of = _speaks_of(reading, base)
    fabricated = made_up(reading, base)
    around: frozenset[str] = frozenset()
    held: list[Held] = []
    for said, counterpart in zip(reading.said, beside, strict=True):
        tasks = frozenset(token.text for token in said.ids if token.text in base.names.tasks)
        if said.kind == "heading":
            around = tasks
        one = _hold(said, base, checked.get(said.place, Counter()), tasks or around, speaks_of, counterpart)
        one.verdicts += tuple(_unknown(token, base) for token in said.tokens if token.text in fabricated)
        held.append(one)
    made = Verified(reading, tuple(held))
    _both_ways(made)
    return made


def _checked(reading: Reading, beside: Sequence[Beside | None], base: Base) -> dict[int, Counter[tuple[str, str]]]:
    """What `blade check` says of the numbers that stand beside no believed one: (token, outcome) and how often."""
    found: dict[int, Counter[tuple[str, str]]] = {}
    if base.own_prose is None or base.whole_prose is None:
        return found
    open_places = {
        said.place
        for said, other in zip(reading.said, beside, strict=True)
        if len(said.numbers) > (sum(ours.number is not None for ours, _ in other.pairs) if other else 0)
    }
    if not open_places:
        return found
    for place, told in enumerate(statements(pieces(reading.text), base.names)):
        for one in told if place in open_places else ():
            prose = base.whole_prose if _others(one, base.subject) else base.own_prose
            for checked in prose.check(one):
                if checked.kind is Kind.NUMBER:
                    found.setdefault(place, Counter())[checked.said, checked.outcome.value] += 1
    return found


def _others(one: Statement, subject: str) -> bool:
    named = {token.text for token in one.mentions(Kind.RUN)} | set(one.runs) | set(one.runs_around)
    return bool(named - {subject})


def _of_other_tasks(beside: Beside, tasks: frozenset[str], base: Base) -> bool:
    """Whether the believed sentence names no task itself and stands under the heading of another one."""
    if beside.meant.ids or not tasks or beside.said.kind == "row":
        return False
    theirs = {word.strip("`:,.()") for word in beside.meant.below.split()} & base.tasks
    return bool(theirs) and not theirs & tasks


def _speaks_of(reading: Reading, base: Base) -> str:
    """The run that a report is about: the golden report's, unless it plainly speaks of another."""
    if base.material is None:
        return ""
    told = Counter(token.text for said in reading.said for token in said.tokens if token.kind is Kind.RUN)
    if not told:
        return base.subject
    name, many = max(told.items(), key=lambda pair: (pair[1], pair[0] == base.subject))
    return name if many >= 3 and told[base.subject] < 0.25 * many else base.subject


def _hold(
    said: Said,
    base: Base,
    checked: Counter[tuple[str, str]],
    tasks: frozenset[str],
    speaks_of: str,
    beside: Beside | None,
) -> Held:
    if beside is not None and _of_other_tasks(beside, tasks, base):
        beside = None
    things = base.vocabulary.things(f"{said.text} | {said.below}" if said.kind == "row" else said.text)
    runs = {thing.name for thing in things if thing.kind == "run"}
    if not runs and base.subject:
        around = {thing.name for thing in base.vocabulary.things(said.below) if thing.kind == "run"}
        runs = around or {speaks_of}
        things |= {Thing("run", name) for name in runs}
    verdicts = _blurred(said, [*_numbers(said, base, things, tasks, beside, checked), *_ids(said, base, beside)], base)
    flipped = denied(said.text) or (
        beside.flipped if beside is not None else _denies(said, verdicts, things, tasks, base)
    )
    off = bool(base.subject) and base.subject not in runs
    return Held(said, tuple(verdicts), things, flipped, beside, off, folded(said.text).lower() in base.pasteable, tasks)


def _denies(
    said: Said, verdicts: Sequence[Verdict], things: frozenset[Thing], tasks: frozenset[str], base: Base
) -> bool:
    """Whether a number that is right, or a way to fail that a task has, is denied: then the sentence is false."""
    if not said.prose:
        return False
    right = {one.start for one in verdicts if one.kind == "number" and one.outcome == VERIFIED}
    for token in said.numbers:
        if token.start not in right or token.number is None or not denies(said.text, token.start):
            continue
        if not (counts_failures(said.text, token.start) and base.facts.of_failures(token.number, things, tasks)):
            return True
    modes = frozenset(mode for task in tasks for mode in base.modes_of.get(task, ()))
    ways = [way for mode in modes for way in base.mode_words.get(mode, ())]
    clauses = [frozenset(content(clause)) for clause in denied_clauses(said.text)] if ways else []
    return any(way <= clause for clause in clauses for way in ways)


def _numbers(
    said: Said,
    base: Base,
    things: frozenset[Thing],
    tasks: frozenset[str],
    beside: Beside | None,
    checked: Counter[tuple[str, str]],
) -> Iterator[Verdict]:
    pairs = {ours.start: theirs for ours, theirs in beside.pairs} if beside else {}
    left = Counter(checked)
    for token in said.numbers:
        if token.number is None:
            continue
        theirs = pairs.get(token.start)
        if theirs is not None and theirs.number is not None and beside is not None:
            right = equal(token, theirs)
            yield Verdict(
                "number",
                token.text,
                VERIFIED if right else CONTRADICTED,
                "" if right else theirs.text,
                beside.meant.text[:200],
                token.start,
            )
            continue
        if not _claims(said, token):
            continue
        told = next((outcome for outcome in Outcome if left[token.text, outcome.value] > 0), None)
        if told is not None:
            left[token.text, told.value] -= 1
        yield _typed(said, token, base, things, tasks, told)


def _claims(said: Said, token: Token) -> bool:
    """Whether a number claims something; one in the first column of a numbered table, or inside a name, does not."""
    first = said.kind == "row" and column_of(said, token.start) == 0
    return is_claim(said.kind, said.text, token, (*said.columns, "")[0] if first else None)


def _typed(
    said: Said, token: Token, base: Base, things: frozenset[Thing], tasks: frozenset[str], told: Outcome | None
) -> Verdict:
    """A number that stands beside no believed one: held against what is counted, then against what is printed."""
    number = token.number
    if number is None or told is Outcome.RIGHT:
        return Verdict("number", token.text, VERIFIED, start=token.start)
    words = frozenset(said.content)
    if said.kind == "row":
        title = said.columns[place] if (place := column_of(said, token.start)) < len(said.columns) else ""
        label = said.cells[0] if said.cells else ""
        things = base.vocabulary.things(f"{label} | {title} | {said.below}") or things
        words = frozenset(content(f"{label} {title} {said.below} {said.section}"))
    about = bool(_ABOUT.search(said.text, 0, token.start))
    proof = base.facts.proof(number, things, words, tasks, about=about)
    if proof is not None and told is Outcome.WRONG and not _binds(proof, things, tasks):
        proof = None
    if proof is not None:
        return Verdict("number", token.text, VERIFIED, "", proof.text[:200], token.start)
    outcome = CONTRADICTED if told is Outcome.WRONG else UNVERIFIABLE
    return Verdict("number", token.text, outcome, start=token.start)


def _binds(proof: Known, things: frozenset[Thing], tasks: frozenset[str]) -> bool:
    """Whether a fact is about the very thing that is spoken of, not only about the same run or another way to fail."""
    if any(thing.kind == "mode" for thing in proof.things - things):
        return False
    return bool(tasks & proof.tasks) or any(thing.kind != "run" for thing in things & proof.things)


def _ids(said: Said, base: Base, beside: Beside | None) -> Iterator[Verdict]:
    pairs = {ours.start: theirs for ours, theirs in beside.pairs} if beside else {}
    wrong_cells = beside.wrong_cells if beside else ()
    for token in said.tokens:
        if not _is_id(token, base):
            continue
        known = token.text in base.names.tasks or (
            token.text.isdecimal() and int(token.text[:18]) in base.names.numbers
        )
        if not known:
            yield _unknown(token, base)
            continue
        yield Verdict("id", token.text, VERIFIED, start=token.start)
        theirs = pairs.get(token.start)
        if theirs is not None and beside is not None:
            right = theirs.text == token.text
            yield Verdict(
                "binding",
                token.text,
                VERIFIED if right else CONTRADICTED,
                "" if right else theirs.text,
                beside.meant.text[:200],
                token.start,
            )
    if wrong_cells and beside is not None:
        for ours, meant in wrong_cells:
            yield Verdict("binding", ours[:80], CONTRADICTED, meant[:80], beside.meant.text[:200])


def _blurred(said: Said, verdicts: list[Verdict], base: Base) -> list[Verdict]:
    """Size and fingerprint of a file that was redacted since were true once: nothing is left to hold them against."""
    if said.kind != "row" or all(one.outcome != CONTRADICTED for one in verdicts):
        return verdicts
    titles = base.redaction.blurs(said)
    places = [place for place, title in enumerate(said.columns[: len(said.cells)]) if title in titles]
    cells = {said.cells[place] for place in places}
    return [
        replace(one, outcome=UNVERIFIABLE)
        if one.outcome == CONTRADICTED and (one.said in cells or column_of(said, one.start) in places)
        else one
        for one in verdicts
    ]


def _unknown(token: Token, base: Base) -> Verdict:
    return Verdict("id", token.text, CONTRADICTED, base.names.near(token.text) or "", "no such task", token.start)


def _is_id(token: Token, base: Base) -> bool:
    if token.kind is Kind.ID:
        return is_task(token, base.names)
    if token.text in base.names.words or " " in token.text:
        return False
    if not any(char.isdigit() for char in token.text) or token.number is not None:
        return False
    return bool(base.prefixes) and token.text.lower().startswith(base.prefixes)


def _both_ways(made: Verified) -> None:
    """A proposition that is asserted and denied counts as denied."""
    by_fact: dict[int, list[Held]] = {}
    for one in made.held:
        if one.said.prose and one.beside is not None:
            by_fact.setdefault(id(one.beside.meant), []).append(one)
    for same in by_fact.values():
        if any(one.flipped for one in same) and not all(one.flipped for one in same):
            for one in same:
                one.flipped = True
    turned = [one for one in made.held if one.flipped and one.said.prose]
    plain = [one for one in made.held if not one.flipped and one.said.prose]
    if len(turned) * len(plain) > 250_000:
        return
    bags = {id(one): Counter(one.said.content) for one in (*turned, *plain)}
    for one in plain:
        if any(len(one.said.content) >= 4 and alike(bags[id(one)], bags[id(other)]) > 0.75 for other in turned):
            one.flipped = True

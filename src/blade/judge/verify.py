"""Holds each statement of a candidate report against the fact base."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from blade.checking.claims import is_claim
from blade.checking.markdown_blocks import markdown_blocks
from blade.checking.negation import counts_failures, denied_clauses, denies
from blade.checking.outcome import CheckOutcome, ClaimKind
from blade.checking.quotes import folded
from blade.checking.statements import Statement, statements
from blade.checking.tokens import Token
from blade.frozen import frozen
from blade.judge.base import Base
from blade.judge.number_index import KnownNumber, column_of
from blade.judge.quoting import made_up
from blade.judge.reading import ReportReading, ReportStatement, is_task, read_report
from blade.judge.templates import StatementMatch, alike, equal
from blade.judge.vocabulary import Entity
from blade.judge.words import content, denied

VERIFIED, CONTRADICTED, UNVERIFIABLE = "verified", "contradicted", "unverifiable"
_ABOUT = re.compile(
    r"(?:~|≈|\b(?:about|around|roughly|nearly|almost|approximately|some|over|under|just|close to|well))\s*$",
    re.IGNORECASE,
)


@frozen
class StatementVerdict:
    """What is said of one number, id or cell."""

    kind: str  # number, id, binding
    printed: str
    outcome: str
    expected: str = ""
    fact: str = ""
    start: int = 0


@dataclass
class CheckedStatement:
    """A statement and what came of holding it against the facts."""

    statement: ReportStatement
    verdicts: tuple[StatementVerdict, ...]
    entities: frozenset[Entity]
    flipped: bool = False
    """Turned round against what it stands beside, or denied outright."""
    match: StatementMatch | None = None
    off_subject: bool = False
    pasted: bool = False
    """Word for word an anchor fact that the golden report does not have in these words."""
    tasks: frozenset[str] = field(default_factory=frozenset)

    def count(self, kind: str, outcome: str) -> int:
        return sum(1 for verdict in self.verdicts if verdict.kind == kind and verdict.outcome == outcome)

    @property
    def wrong(self) -> bool:
        return self.flipped or any(verdict.outcome == CONTRADICTED for verdict in self.verdicts)


@dataclass
class Verified:
    """A whole report, held against the facts."""

    reading: ReportReading
    statements: tuple[CheckedStatement, ...]

    def of(self, place: int) -> CheckedStatement:
        return self.statements[place]


def verify(text: str, base: Base) -> Verified:
    reading = read_report(text, base.names)
    matches = [base.templates.match(statement) for statement in reading.statements]
    checked = _checked(reading, matches, base)
    speaks_of = _speaks_of(reading, base)
    fabricated = made_up(reading, base)
    tasks_around: frozenset[str] = frozenset()
    checked_statements: list[CheckedStatement] = []
    for statement, counterpart in zip(reading.statements, matches, strict=True):
        tasks = frozenset(token.text for token in statement.ids if token.text in base.names.tasks)
        if statement.kind == "heading":
            tasks_around = tasks
        checked_statement = _hold(
            statement, base, checked.get(statement.place, Counter()), tasks or tasks_around, speaks_of, counterpart
        )
        checked_statement.verdicts += tuple(
            _unknown(token, base) for token in statement.tokens if token.text in fabricated
        )
        checked_statements.append(checked_statement)
    verified = Verified(reading, tuple(checked_statements))
    _both_ways(verified)
    return verified


def _checked(
    reading: ReportReading, matches: Sequence[StatementMatch | None], base: Base
) -> dict[int, Counter[tuple[str, str]]]:
    """What `blade check` says of the numbers that stand beside no believed one: (token, outcome) and how often."""
    outcome_counts: dict[int, Counter[tuple[str, str]]] = {}
    if base.own_prose is None or base.whole_prose is None:
        return outcome_counts
    open_places = {
        statement.place
        for statement, match in zip(reading.statements, matches, strict=True)
        if len(statement.numbers) > (sum(token.number is not None for token, _ in match.pairs) if match else 0)
    }
    if not open_places:
        return outcome_counts
    for place, statements_there in enumerate(statements(markdown_blocks(reading.text), base.names)):
        for read_statement in statements_there if place in open_places else ():
            prose = base.whole_prose if _names_other_runs(read_statement, base.subject) else base.own_prose
            for checked in prose.check(read_statement):
                if checked.kind is ClaimKind.NUMBER:
                    outcome_counts.setdefault(place, Counter())[checked.said, checked.outcome.value] += 1
    return outcome_counts


def _names_other_runs(statement: Statement, subject: str) -> bool:
    runs_named = (
        {token.text for token in statement.mentions(ClaimKind.RUN)} | set(statement.runs) | set(statement.runs_around)
    )
    return bool(runs_named - {subject})


def _of_other_tasks(match: StatementMatch, tasks: frozenset[str], base: Base) -> bool:
    """Whether the believed sentence names no task itself and stands under the heading of another one."""
    if match.template.ids or not tasks or match.statement.kind == "row":
        return False
    template_tasks = {word.strip("`:,.()") for word in match.template.below.split()} & base.tasks
    return bool(template_tasks) and not template_tasks & tasks


def _speaks_of(reading: ReportReading, base: Base) -> str:
    """The run that a report is about: the golden report's, unless it plainly speaks of another."""
    if base.material is None:
        return ""
    run_mentions = Counter(
        token.text for statement in reading.statements for token in statement.tokens if token.kind is ClaimKind.RUN
    )
    if not run_mentions:
        return base.subject
    name, mentions = max(run_mentions.items(), key=lambda pair: (pair[1], pair[0] == base.subject))
    return name if mentions >= 3 and run_mentions[base.subject] < 0.25 * mentions else base.subject


def _hold(
    statement: ReportStatement,
    base: Base,
    checked: Counter[tuple[str, str]],
    tasks: frozenset[str],
    speaks_of: str,
    match: StatementMatch | None,
) -> CheckedStatement:
    if match is not None and _of_other_tasks(match, tasks, base):
        match = None
    entities = base.vocabulary.entities(
        f"{statement.text} | {statement.below}" if statement.kind == "row" else statement.text
    )
    runs = {entity.name for entity in entities if entity.kind == "run"}
    if not runs and base.subject:
        runs_around = {entity.name for entity in base.vocabulary.entities(statement.below) if entity.kind == "run"}
        runs = runs_around or {speaks_of}
        entities |= {Entity("run", name) for name in runs}
    verdicts = _blurred(
        statement, [*_numbers(statement, base, entities, tasks, match, checked), *_ids(statement, base, match)], base
    )
    flipped = denied(statement.text) or (
        match.flipped if match is not None else _denies(statement, verdicts, entities, tasks, base)
    )
    off = bool(base.subject) and base.subject not in runs
    return CheckedStatement(
        statement,
        tuple(verdicts),
        entities,
        flipped,
        match,
        off,
        folded(statement.text).lower() in base.pasteable,
        tasks,
    )


def _denies(
    statement: ReportStatement,
    verdicts: Sequence[StatementVerdict],
    entities: frozenset[Entity],
    tasks: frozenset[str],
    base: Base,
) -> bool:
    """Whether a number that is right, or a way to fail that a task has, is denied: then the sentence is false."""
    if not statement.prose:
        return False
    right = {verdict.start for verdict in verdicts if verdict.kind == "number" and verdict.outcome == VERIFIED}
    for token in statement.numbers:
        if token.start not in right or token.number is None or not denies(statement.text, token.start):
            continue
        if not (counts_failures(statement.text, token.start) and base.facts.of_failures(token.number, entities, tasks)):
            return True
    modes = frozenset(mode for task in tasks for mode in base.modes_of.get(task, ()))
    spellings = [spelling for mode in modes for spelling in base.mode_words.get(mode, ())]
    clauses = [frozenset(content(clause)) for clause in denied_clauses(statement.text)] if spellings else []
    return any(spelling <= clause for clause in clauses for spelling in spellings)


def _numbers(
    statement: ReportStatement,
    base: Base,
    entities: frozenset[Entity],
    tasks: frozenset[str],
    match: StatementMatch | None,
    checked: Counter[tuple[str, str]],
) -> Iterator[StatementVerdict]:
    pairs = {token.start: template_token for token, template_token in match.pairs} if match else {}
    left = Counter(checked)
    for token in statement.numbers:
        if token.number is None:
            continue
        expected = pairs.get(token.start)
        if expected is not None and expected.number is not None and match is not None:
            right = equal(token, expected)
            yield StatementVerdict(
                "number",
                token.text,
                VERIFIED if right else CONTRADICTED,
                "" if right else expected.text,
                match.template.text[:200],
                token.start,
            )
            continue
        if not _claims(statement, token):
            continue
        outcome_before = next((outcome for outcome in CheckOutcome if left[token.text, outcome.value] > 0), None)
        if outcome_before is not None:
            left[token.text, outcome_before.value] -= 1
        yield _typed(statement, token, base, entities, tasks, outcome_before)


def _claims(statement: ReportStatement, token: Token) -> bool:
    """Whether a number claims something; one in the first column of a numbered table, or inside a name, does not."""
    first = statement.kind == "row" and column_of(statement, token.start) == 0
    return is_claim(statement.kind, statement.text, token, (*statement.columns, "")[0] if first else None)


def _typed(
    statement: ReportStatement,
    token: Token,
    base: Base,
    entities: frozenset[Entity],
    tasks: frozenset[str],
    outcome_before: CheckOutcome | None,
) -> StatementVerdict:
    """A number that stands beside no believed one: held against what is counted, then against what is printed."""
    number = token.number
    if number is None or outcome_before is CheckOutcome.RIGHT:
        return StatementVerdict("number", token.text, VERIFIED, start=token.start)
    words = frozenset(statement.content)
    if statement.kind == "row":
        title = (
            statement.columns[place] if (place := column_of(statement, token.start)) < len(statement.columns) else ""
        )
        label = statement.cells[0] if statement.cells else ""
        entities = base.vocabulary.entities(f"{label} | {title} | {statement.below}") or entities
        words = frozenset(content(f"{label} {title} {statement.below} {statement.section}"))
    about = bool(_ABOUT.search(statement.text, 0, token.start))
    proof = base.facts.proof(number, entities, words, tasks, about=about)
    if proof is not None and outcome_before is CheckOutcome.WRONG and not _binds(proof, entities, tasks):
        proof = None
    if proof is not None:
        return StatementVerdict("number", token.text, VERIFIED, "", proof.text[:200], token.start)
    outcome = CONTRADICTED if outcome_before is CheckOutcome.WRONG else UNVERIFIABLE
    return StatementVerdict("number", token.text, outcome, start=token.start)


def _binds(proof: KnownNumber, entities: frozenset[Entity], tasks: frozenset[str]) -> bool:
    """Whether a fact is about the very thing that is spoken of, not only about the same run or another way to fail."""
    if any(entity.kind == "mode" for entity in proof.entities - entities):
        return False
    return bool(tasks & proof.tasks) or any(entity.kind != "run" for entity in entities & proof.entities)


def _ids(statement: ReportStatement, base: Base, match: StatementMatch | None) -> Iterator[StatementVerdict]:
    pairs = {token.start: template_token for token, template_token in match.pairs} if match else {}
    wrong_cells = match.wrong_cells if match else ()
    for token in statement.tokens:
        if not _is_id(token, base):
            continue
        is_known = token.text in base.names.tasks or (
            token.text.isdecimal() and int(token.text[:18]) in base.names.numbers
        )
        if not is_known:
            yield _unknown(token, base)
            continue
        yield StatementVerdict("id", token.text, VERIFIED, start=token.start)
        expected = pairs.get(token.start)
        if expected is not None and match is not None:
            right = expected.text == token.text
            yield StatementVerdict(
                "binding",
                token.text,
                VERIFIED if right else CONTRADICTED,
                "" if right else expected.text,
                match.template.text[:200],
                token.start,
            )
    if wrong_cells and match is not None:
        for cell, expected_cell in wrong_cells:
            yield StatementVerdict("binding", cell[:80], CONTRADICTED, expected_cell[:80], match.template.text[:200])


def _blurred(statement: ReportStatement, verdicts: list[StatementVerdict], base: Base) -> list[StatementVerdict]:
    """Size and fingerprint of a file that was redacted since were true once: nothing is left to hold them against."""
    if statement.kind != "row" or all(verdict.outcome != CONTRADICTED for verdict in verdicts):
        return verdicts
    titles = base.redaction.blurs(statement)
    places = [place for place, title in enumerate(statement.columns[: len(statement.cells)]) if title in titles]
    cells = {statement.cells[place] for place in places}
    return [
        replace(verdict, outcome=UNVERIFIABLE)
        if verdict.outcome == CONTRADICTED
        and (verdict.printed in cells or column_of(statement, verdict.start) in places)
        else verdict
        for verdict in verdicts
    ]


def _unknown(token: Token, base: Base) -> StatementVerdict:
    return StatementVerdict(
        "id", token.text, CONTRADICTED, base.names.near(token.text) or "", "no such task", token.start
    )


def _is_id(token: Token, base: Base) -> bool:
    if token.kind is ClaimKind.ID:
        return is_task(token, base.names)
    if token.text in base.names.words or " " in token.text:
        return False
    if not any(char.isdigit() for char in token.text) or token.number is not None:
        return False
    return bool(base.prefixes) and token.text.lower().startswith(base.prefixes)


def _both_ways(verified: Verified) -> None:
    """A proposition that is asserted and denied counts as denied."""
    by_fact: dict[int, list[CheckedStatement]] = {}
    for checked in verified.statements:
        if checked.statement.prose and checked.match is not None:
            by_fact.setdefault(id(checked.match.template), []).append(checked)
    for same_fact in by_fact.values():
        if any(checked.flipped for checked in same_fact) and not all(checked.flipped for checked in same_fact):
            for checked in same_fact:
                checked.flipped = True
    turned = [checked for checked in verified.statements if checked.flipped and checked.statement.prose]
    plain = [checked for checked in verified.statements if not checked.flipped and checked.statement.prose]
    if len(turned) * len(plain) > 250_000:
        return
    bags = {id(checked): Counter(checked.statement.content) for checked in (*turned, *plain)}
    for checked in plain:
        if any(
            len(checked.statement.content) >= 4 and alike(bags[id(checked)], bags[id(denied)]) > 0.75
            for denied in turned
        ):
            checked.flipped = True

"""Counts that a report cites by the id of a question: `[q:1a2b3c4d]`. They are counted again, and held against it.

A citation proves the numbers before it in its sentence, back to the last citation or semicolon; those before a
semicolon may be its numbers, too, and are right where they are. A number that says what it counts must be one of the
question's, and so must one that stands alone. Several bare numbers, or one that somebody says, may be of something
else: where none is the question's, they are listed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from blade.checking.claims import is_claim
from blade.checking.numbers import WORDS, Figure, Figures, Printed
from blade.checking.outcome import Checked, CheckOutcome, ClaimKind
from blade.checking.statements import Statement, bound, listed_runs
from blade.checking.tokens import Token

CITATION = re.compile(r"\[q:([0-9a-f]{4,16})\]")
_NOUN = re.compile(
    r"\s+(?:[^\W\d_]+\s+){0,2}?(?:attempts?|calls?|failures?|fails?|matches|passes|rollouts?|rows?|tasks?|times|trials?|"
    r"zeros?)\b",
    re.IGNORECASE,
)
_TASKS = re.compile(r"\s+(?:[^\W\d_]+\s+)?tasks?\b", re.IGNORECASE)
_WHOLE = re.compile(
    r"\b(?:of|among|over|across|all|(?:attempts|failures|matches|passes|rollouts|times)\s+in)\s+(?:all\s+|the\s+|its\s+)?$",
    re.IGNORECASE,
)
"""Before what others are a part of: "of 107 rollouts", "3 passes in 107 rollouts"."""
_PROBABILITY = re.compile(r"\bp\s*[=≈<≤]?\s*$")
_WORD = re.compile(r"\s+[^\W\d_]")
_RANGE = re.compile(r"\d\s*(?:to|–|—|-)\s*$")
"""The end of a range, such as "16 to 30 times", is no count."""
_LEFT_OUT = re.compile(
    r"\b(?:without|except|excluding|outside|leav(?:es?|ing) out)\s+(?:(?:these|those|the|its|all)\s+)?$", re.IGNORECASE
)
"""Before what a question does not count, such as "without these 7 tasks"."""
_OF_RATE = re.compile(r"\s+of\s+[`*_]*")
"""Between a rate and the run that it is of, as in "beside the 41.2% of A": other numbers are not of that run."""
_BESIDE = re.compile(r"[\s*_`)]*(?:[.,:]\s*)?\[q:")
"""A number right beside its citation is meant to be the question's: "found 5 [q:…]"."""
_SAYS = re.compile(
    r"\b(?:say|answer|report|write|claim|give|print|return|tell|name|expect|want|find)(?:s|es)?\s+(?:of\s+)?$"
    r"|\b(?:said|answered|reported|wrote|claimed|gave|printed|returned|told|named|expected|wanted|found)\s+$",
    re.IGNORECASE,
)
"""Before a number that somebody says: no count of rollouts."""
_FAIL = re.compile(r"(?:\s+[^\W\d_]+){0,6}?\s+fail", re.IGNORECASE)
"""Behind a number of failures: "19 of 19 judged rollouts fail"."""
_MORE = re.compile(r"\s+(?:more|others?)\b", re.IGNORECASE)
"""Behind what a list leaves out: "A, B and 5 more"."""
_PASS = re.compile(r"(?:\s+[^\W\d_]+){0,6}?\s+pass", re.IGNORECASE)
"""Behind a number of passes, which may be all among which a question sought: "8 such rollouts pass"."""
_OF_THEM = re.compile(r"\s+of\s+(?:them|these|those|which)\b[^,;.\d]{0,30}")
"""Between a part and the run that it alone is of: "21 rollouts, 10 of them of A"."""
_EXCEPTION = re.compile(
    r"\([^()]*\b(?:all but|except|excepting|other than|apart from|save for)\b[^()]*\)", re.IGNORECASE
)
"""Brackets that name who is left out: the sentence around them is not of that run."""
_NONE = re.compile(r"(?:\s+[^\W\d_]+){0,5}?\s+(?:never|not|no|none|without|lacks?)\b", re.IGNORECASE)
"""Behind a number of those that a question does not find: "in 63 of the 75 it never calls it"."""
_ITS_NUMBER = re.compile(r"[\s`*_]*[,:(]?\s*")
"""Between a run and the number behind it, which is its own: "33 of 80, and `late`, 37 of 115"."""
_OTHER_RUNS = re.compile(
    r"\b(?:the\s+)?(?:other|remaining)\s+(?:(?P<many>\d+|[a-z]+)\s+)?(?:runs?|models?|agents?)\b", re.IGNORECASE
)
_OF_THE = re.compile(r"\bof\s+the\b", re.IGNORECASE)
_STEMS = {"of_failures": "fail", "of_passes": "pass", "of_void": "void"}
"""A sentence tells such a total only where it names what is counted."""
MOST_TOLD = 6


@dataclass(frozen=True)
class CitedCounts:
    """What a question counts today, by run (the empty name stands for all of them); or why it cannot be believed."""

    counts: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    problem: str = ""
    by_task: Mapping[str, Mapping[str, Mapping[str, float]]] = field(default_factory=dict)
    """Task → run → the same counts of its rollouts alone, where the question finds some of them."""
    sought: frozenset[str] = frozenset()
    """The numbers that the question itself asks for."""
    of_passes: bool = False
    """Whether it asks for passes and nothing else: those that it leaves are failures."""

    def of(self, runs: Sequence[str]) -> list[Mapping[str, float]]:
        """The counts of the one run that a sentence names, else all of them."""
        figures = [self.counts[run] for run in runs if run in self.counts]
        return figures if len(runs) == 1 and figures else list(self.counts.values())

    def fits(self, statement: Statement, token: Token, start: int) -> bool:
        """Whether a number of a sentence is one of these; a run that is named before `start` may be meant or not."""
        figure = _figure_told(statement, token)
        if figure is None:
            return False
        runs = _runs(statement, token)
        others = self._other_runs(statement, token)
        if others:
            return any(figure.fits(_with_judged(counts)) for counts in self._sum(others))
        names_run = any(
            mention.start >= start and mention.text in runs for mention in statement.mentions(ClaimKind.RUN)
        )
        cited = self.of(runs) + ([] if names_run or "" not in self.counts else [self.counts[""]])
        cited += [*self._of_task(statement, token, runs), *self._together(statement, token)]
        if self.of_passes and _FAIL.match(statement.text, token.end):
            cited = [_others(counts) for counts in cited]
        elif figure.number.unit == "ratio" and _NONE.match(statement.text, token.end):
            cited = [*cited, *(_others(counts) for counts in cited)]
        return any(figure.fits(_with_judged(counts)) for counts in cited) or self._is_share(figure, runs)

    def _of_task(self, statement: Statement, token: Token, runs: Sequence[str]) -> list[Mapping[str, float]]:
        """The counts of the one task that a number is said of: "in 3 of 5 attempts at T"."""
        tasks = (
            bound(token, statement.mentions(ClaimKind.ID), statement.text) or statement.tasks or statement.tasks_around
        )
        by_run = self.by_task.get(tasks[0], {}) if len(tasks) == 1 else {}
        return [by_run[run] for run in (runs if len(runs) == 1 else by_run) if run in by_run]

    def _together(self, statement: Statement, token: Token) -> list[Mapping[str, float]]:
        """What runs count together that are listed behind a number: "ten attempts of A and B"."""
        runs = listed_runs(token, statement.mentions(ClaimKind.RUN), statement.text)
        return self._sum(runs) if len(runs) > 1 else []

    def _sum(self, runs: Sequence[str]) -> list[Mapping[str, float]]:
        """What runs count together; tasks cannot be added, for runs share them."""
        figures = [self.counts[run] for run in runs if run in self.counts]
        if len(figures) < len(runs):
            return []
        names = [name for name in figures[0] if len(runs) == 1 or _last(name).removeprefix("of_") != "tasks"]
        return [{name: sum(counts.get(name, 0) for counts in figures) for name in names}]

    def _other_runs(self, statement: Statement, token: Token) -> tuple[str, ...]:
        """The runs of "the other six have 17": all but those that are named, if they are as many."""
        match = _OTHER_RUNS.search(statement.text, statement.text.rfind(";", 0, token.start) + 1, token.start)
        if match is None or any(
            match.end() <= mention.start < token.start for mention in statement.mentions(ClaimKind.RUN)
        ):
            return ()
        named = {mention.text for mention in statement.mentions(ClaimKind.RUN)} or {*statement.runs_around}
        runs = tuple(run for run in self.counts if run and run not in named)
        many = match["many"] and match["many"].lower()
        return runs if many is None or WORDS.get(many, many) in {len(runs), str(len(runs))} else ()

    def _is_share(self, figure: _FigureTold, runs: Sequence[str]) -> bool:
        """Whether "264 of the 316" is the part of a run that is named in the same count over all runs."""
        number, together = figure.number, self.counts.get("", {})
        return number.unit == "ratio" and any(
            (counts[name], together.get(name)) == (number.value, number.of)
            for counts in (self.counts[run] for run in runs if run in self.counts)
            for name in counts
        )

    def may_be_of_others(self, statement: Statement, token: Token) -> bool:
        """Whether a number is sought, too large for a count as an id is, or a part of what another question counts.

        "6 of the 19 tasks" of which these are the 6 has its 19 from elsewhere.
        """
        number = token.number
        if number is None:
            return False
        values = [value for counts in self.counts.values() for value in counts.values()]
        if number.unit == "ratio":
            return number.value in values and bool(_OF_THE.search(statement.text, token.start, token.end))
        if token.text in self.sought:
            return True
        named = _NOUN.match(statement.text, token.end)
        if number.unit == "plain" and named and _PASS.match(statement.text, token.end):
            return any(counts.get("of_passes") == number.value for counts in self.counts.values())
        return number.unit == "plain" and not named and number.value > max(values, default=0)

    def summary(self, runs: Sequence[str]) -> str:
        """The counts in a few words."""
        counts = self.counts.get(runs[0] if len(runs) == 1 else "") or next(iter(self.of(runs)), {})
        return ", ".join(f"{name.replace('_', ' ')} {value:,g}" for name, value in list(counts.items())[:MOST_TOLD])


def _others(counts: Mapping[str, float]) -> dict[str, float]:
    """What a question counts among and does not find."""
    wholes = {name: value for name, value in counts.items() if name.startswith("of_") and name != "of_tasks"}
    return wholes | {name[3:]: value - counts.get(name[3:], 0) for name, value in wholes.items()}


def _figure_told(statement: Statement, token: Token) -> _FigureTold | None:
    if token.number is None:
        return None
    noun = bool(_NOUN.match(statement.text, token.end))
    tasks = bool(_TASKS.match(statement.text, token.end)) if noun else None
    whole, probability = (bool(words.search(statement.text, 0, token.start)) for words in (_WHOLE, _PROBABILITY))
    return _FigureTold(token.number, tasks, whole, probability)


def _with_judged(counts: Mapping[str, float]) -> dict[str, float]:
    """With what was judged of those that were found, and of those among which was sought."""
    judged = {"judged": counts.get("passes", 0) + counts.get("failures", 0)}
    if "of_passes" in counts and "of_failures" in counts:
        judged["of_judged"] = counts["of_passes"] + counts["of_failures"]
    return judged | dict(counts)


def ids(text: str) -> list[str]:
    """The ids that a text cites, once each."""
    return list(dict.fromkeys(CITATION.findall(text)))


def in_citation(text: str, token: Token) -> bool:
    """Whether a token is part of a citation."""
    return any(match.start() <= token.start < match.end() for match in CITATION.finditer(text))


_RUNS = re.compile(r"\s+runs?\b")
"""A number of runs: a question counts rollouts and tasks."""


class CitationCheck(NamedTuple):
    """What a citation says of a number, or of itself where there is none."""

    token: Token | None
    check: Checked
    alone: bool = False
    """Whether no number before the citation is the question's: then no other proof of it counts."""
    binding: bool = False
    """Whether the number says what it counts, and the question counts nothing that is as many."""


def cited_numbers(statement: Statement, cited_by_id: Mapping[str, CitedCounts]) -> Iterator[CitationCheck]:
    """What the citations of a statement say of its numbers, and of each citation itself."""
    start = 0
    for match in CITATION.finditer(statement.text):
        first, start = start, max(start, statement.text.rfind("; ", 0, match.start()) + 1)
        place = Token(ClaimKind.ID, f"q:{match[1]}", match.start(), match.end())
        cited = cited_by_id.get(match[1], CitedCounts(problem="no question is kept under this id"))
        outcome = CheckOutcome.WRONG if cited.problem else CheckOutcome.RIGHT
        yield CitationCheck(None, statement.say(outcome, place, note=cited.problem))
        figures = [token for token in statement.tokens if start <= token.start and token.end <= match.start()]
        if not cited.problem:
            parts_before = [token for token in statement.tokens if first <= token.start < start]
            for token in parts_before:
                if _claims(statement, token) and cited.fits(statement, token, first):
                    check = statement.say(CheckOutcome.RIGHT, token, path=("queries", match[1]))
                    yield CitationCheck(token, check)
            yield from _bound_numbers(
                statement, [token for token in figures if _claims(statement, token)], cited, (match[1], start)
            )
        start = match.end()


def _claims(statement: Statement, token: Token) -> bool:
    return token.number is not None and is_claim(statement.piece.kind, statement.text, token, statement.first_column)


def _bound_numbers(
    statement: Statement, numbers: Sequence[Token], cited: CitedCounts, at: tuple[str, int]
) -> Iterator[CitationCheck]:
    """Right ones, those that must be the question's, and where none is right the last."""
    right = set()
    name, start = at
    for token in numbers:
        if cited.fits(statement, token, start):
            right.add(token)
            yield CitationCheck(token, statement.say(CheckOutcome.RIGHT, token, path=("queries", name)))
    for token in numbers:
        before = statement.text[: token.start]
        if token in right or token.number is None or _RANGE.search(before) or _LEFT_OUT.search(before):
            continue
        if _MORE.match(statement.text, token.end):
            continue
        if _TASKS.match(statement.text, token.end) and token.number.value == len(statement.tasks):
            continue  # "three tasks fail: A, B and C" counts its own list
        word = _WORD.match(statement.text, token.end) or token.number.unit == "plain"
        bare = token.number.unit in {"plain", "ratio"} and word and not _NOUN.match(statement.text, token.end)
        if bare and (right or token is not numbers[-1]):
            continue
        if token.number.unit == "plain" and (numbers[-1] in right or _RUNS.match(statement.text, token.end)):
            continue  # the number beside the citation is the question's: one before it may be of something else
        is_said = _SAYS.search(before) and not _BESIDE.match(statement.text, token.end)
        of_something_else = (bare and (len(numbers) > 1 or is_said)) or cited.may_be_of_others(statement, token)
        outcome = CheckOutcome.UNVERIFIABLE if of_something_else else CheckOutcome.WRONG
        note = f"the question counts {cited.summary(_runs(statement, token))}"
        check = statement.say(outcome, token, note=note, path=("queries", name))
        yield CitationCheck(token, check, alone=not right, binding=_binds(statement, token, cited))


def _binds(statement: Statement, token: Token, cited: CitedCounts) -> bool:
    number = token.number
    if number is None or number.unit != "plain" or not _NOUN.match(statement.text, token.end):
        return False
    text = statement.text.lower()
    return not any(
        number.value == value and (not name.startswith("of_") or _STEMS.get(_last(name), "") in text)
        for counts in cited.of(_runs(statement, token))
        for name, value in counts.items()
    )


def _runs(statement: Statement, token: Token) -> tuple[str, ...]:
    """The runs that a number may be of: named before the citation that follows it."""
    citation = CITATION.search(statement.text, token.end)
    end = citation.start() if citation else len(statement.text)
    rates = [part for part in statement.tokens if part.number is not None and part.number.unit == "percent"]
    mentions = [
        mention
        for mention in statement.mentions(ClaimKind.RUN)
        if mention.start < end
        and not any(rate is not token and _OF_RATE.fullmatch(statement.text, rate.end, mention.start) for rate in rates)
    ]
    exceptions = [match.span() for match in _EXCEPTION.finditer(statement.text)]
    mentions = [mention for mention in mentions if not any(first < mention.start < last for first, last in exceptions)]
    parts = {
        mention
        for mention in mentions
        for part in statement.tokens
        if part is not token and part.number is not None and _OF_THEM.fullmatch(statement.text, part.end, mention.start)
    }
    owned = {
        mention
        for mention in mentions
        for number in statement.tokens
        if number is not token
        and number.number is not None
        and token.end <= mention.start
        and _ITS_NUMBER.fullmatch(statement.text, mention.end, number.start)
    }
    mentions = [mention for mention in mentions if mention not in parts | owned]
    named_behind = any(mention.start >= end for mention in statement.mentions(ClaimKind.RUN))
    return bound(token, mentions, statement.text) or (() if named_behind or parts or owned else statement.runs)


@dataclass(frozen=True)
class _FigureTold:
    """A number as it is told: with what it counts, and whether it is what others are a part of."""

    number: Printed
    tasks: bool | None
    total: bool
    probability: bool = False

    def fits(self, counts: Mapping[str, float]) -> bool:
        if self.number.unit == "points" or self.probability:
            name = "points" if self.number.unit == "points" else "p"
            sizes = [Figure(abs(value), ()) for of, value in counts.items() if _last(of) == name]
            return Figures(sizes).fit(replace(self.number, value=abs(self.number.value), sign="")) is not None
        figures = {name: value for name, value in counts.items() if self._may_be(name)}
        if self.number.unit == "ratio":
            pairs = ((part, total) for part in figures for total in counts if _part_of(part, total))
            return (self.number.value, self.number.of) in {(figures[part], counts[total]) for part, total in pairs}
        if self.number.unit == "plain":
            values = (
                figures.values() if self.total else (figures[name] for name in figures if not name.startswith("of_"))
            )
            return Figures([Figure(value, ()) for value in values]).fit(self.number) is not None
        pairs = ((part, total) for part in figures for total in counts if _part_of(part, total) and counts[total])
        return (
            Figures([Figure(figures[part] / counts[total], ()) for part, total in pairs]).fit(self.number) is not None
        )

    def _may_be(self, name: str) -> bool:
        if _last(name) in {"p", "points"}:
            return False
        of_tasks = _last(name).removeprefix("of_") == "tasks"
        return self.tasks is None or of_tasks == self.tasks


def _part_of(part: str, total: str) -> bool:
    """Whether one count may be told as a part of another: of those among which was sought, of all found or judged."""
    if part.startswith("of_") or part == total:
        return False
    name, of = _last(part), _last(total)
    if "tasks" in {name, of.removeprefix("of_")}:
        return name == of.removeprefix("of_")
    return of in {f"of_{name}", "rollouts", "of_rollouts", "judged", "of_judged"} or (": " in part and total == name)


def _last(name: str) -> str:
    """The name of a count without the group that it is of."""
    return name.rpartition(": ")[2]

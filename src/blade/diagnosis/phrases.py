"""Phrases that separate failures from passes: those that occur together as one, with their words and a quote."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice, pairwise

import numpy as np
import numpy.typing as npt
import polars as pl

from blade.diagnosis.cases import Case, RunCases
from blade.evidence import open_rows
from blade.extract.attempt import Attempt
from blade.extract.phrases import ACTORS, ENVIRONMENT, Numbers, limit_of, spans, steps_of, unpacked
from blade.findings import LONGEST_QUOTE, Cite
from blade.late_regex import late_regex
from blade.model import Source, Step
from blade.stats.marks import Rows, Separating, separating_marks

LEVEL = 0.01
LIKELY = 0.1
"""Phrases that are so sure are looked at where a second, independent test decides."""
TOGETHER, WITHIN = 0.6, 0.8
"""Phrases are one finding where their rollouts are so much the same, or those of one so much among the other's."""
VERDICT = 0.97
"""A phrase that tells so well how a rollout ends is the verdict's own words."""
REPEATED = 1.5
MOST_OPENED = 200
FIRST_OPENED = 20
PHRASE_BYTES = 4
ROWS_AT_ONCE = 1 << 10
"""Rows whose phrases are unpacked together."""
BYTES_AT_ONCE = 1 << 18
"""Bytes of rows that are searched together."""
MOST_READ_WHOLE = 40
"""So many rollouts, evenly spread, show whether others print a phrase in the middle of a long output."""
NEARLY = 100.0
"""Among phrases of one finding whose p is at most so many times the smallest, the most readable one names it."""
_FIGURES = late_regex(r"\w*\d\w*")
ANY_FIGURE = "#"
"""Numbers and names with digits are one word to a phrase: its words must not say which."""
FEWEST_LETTERS = 8
_NAME = late_regex(r"[^\W\d_]{3,}")
_ENDINGS = ("\n", ". ", "! ", "? ")


@dataclass(slots=True)
class PhraseFinding:
    """Phrases of one actor that occur together; the `chosen` one gives it its words and its counts."""

    actor: str
    members: list[Separating]
    everyone: Sequence[Case]
    limits: npt.NDArray[np.int64]
    chosen: Separating
    words: str = ""
    cite: Cite | None = None
    example: Case | None = None
    occurrences: int | None = None
    """Messages or outputs that hold the phrase, where all its rollouts were opened."""
    rows: frozenset[int] = field(init=False)
    """The rollouts of the first member, by their places."""

    def __post_init__(self) -> None:
        self.rows = frozenset(self.members[0].rows)

    def joins(self, second: Separating, rows: frozenset[int]) -> bool:
        """Whether another phrase, of the same side, is this finding in other words. `rows` are its rollouts."""
        shared_rows = len(self.rows & rows)
        together = len(self.rows) + len(rows) - shared_rows
        overlaps = shared_rows >= TOGETHER * together or shared_rows >= WITHIN * min(len(self.rows), len(rows))
        return overlaps and (self.members[0].effect < 0) == (second.effect < 0)

    @property
    def cases(self) -> list[Case]:
        return [self.everyone[row] for row in self.chosen.rows]

    @property
    def quote(self) -> dict[str, str]:
        """Where the phrase stands in a rollout, in its words; nothing where it was met in none."""
        if self.example is None or self.cite is None:
            return {}
        case = self.example
        place = f"{case.run}, task {case.label}, attempt {case.attempt}, item {self.cite.item}"
        return {"quote": self.cite.quote, "place": place}

    @property
    def known(self) -> list[Case]:
        """The rollouts whose phrases are kept so far that this one cannot be missing."""
        return [self.everyone[row] for row in np.flatnonzero(self.limits > self.chosen.mark).tolist()]


def printed_phrases(runs: Sequence[RunCases]) -> dict[int, tuple[Numbers, int]]:
    """The phrases that tools and programs print in each rollout, by its identity, and how far they are kept."""
    return {
        id(case): unpacked(packed)
        for run in runs
        for case, packed in zip(run.cases, run.run.graded[ENVIRONMENT].to_list(), strict=True)
    }


def holds(numbers: Numbers, mark: int) -> bool:
    """Whether a phrase is among those of a rollout, which are in order."""
    place = int(np.searchsorted(numbers, mark))
    return place < len(numbers) and int(numbers[place]) == mark


def whole_share(mark: int, cases: Sequence[Case]) -> float:
    """How many of some rollouts, or of a part of many, print a phrase anywhere: of long outputs only ends are kept."""
    sources = {Source(*case.place) for case in cases[:: max(1, -(-len(cases) // MOST_READ_WHOLE))]}
    holding = 0
    for _, row in open_rows(sources):
        texts = [step.text for step in steps_of(Attempt(row), ENVIRONMENT)]
        holding += next(spans(texts, {mark}), None) is not None
    return holding / len(sources) if sources else 0.0


def separating_phrases(runs: Sequence[RunCases], cases: Sequence[Case], level: float = LEVEL) -> list[PhraseFinding]:
    """The findings by p. `cases` are the rollouts that may be spoken of."""
    kept_apart, tasks = strata(cases), [case.key for case in cases]
    passed = [bool(case.passed) for case in cases]
    limits: dict[str, npt.NDArray[np.int64]] = {}

    def tables() -> Iterator[Rows]:
        for actor in ACTORS:
            marks = _marks_of_cases(runs, cases, actor)
            limits_of_cases = [*map(limit_of, marks)]
            limits[actor] = np.array(limits_of_cases, np.int64)
            yield Rows(marks, limits_of_cases, kept_apart, tasks, passed)

    marks_by_actor = separating_marks(tables(), level)
    candidates = sorted(
        ((actor, phrase) for actor, marks in zip(ACTORS, marks_by_actor, strict=True) for phrase in marks),
        key=lambda entry: (entry[1].p, -len(entry[1].rows), entry[1].mark),
    )
    groups: list[PhraseFinding] = []
    for actor, phrase in candidates:
        places = frozenset(phrase.rows)
        home = next((group for group in groups if group.actor == actor and group.joins(phrase, places)), None)
        if home is not None:
            home.members.append(phrase)
        elif not _is_verdict(phrase, cases, sum(passed)):
            groups.append(PhraseFinding(actor, [phrase], cases, limits[actor], phrase))
    return groups


def surer(finding: PhraseFinding, level: float) -> PhraseFinding | None:
    """The finding of those phrases alone that are so sure; None where there is none."""
    members = [member for member in finding.members if member.q <= level]
    return PhraseFinding(finding.actor, members, finding.everyone, finding.limits, members[0]) if members else None


def _marks_of_cases(runs: Sequence[RunCases], cases: Sequence[Case], actor: str) -> list[Numbers]:
    """The phrases of one actor in each of some rollouts."""
    of_case = {
        id(case): numbers
        for run in runs
        for case, numbers in zip(run.cases, _unpacked_column(run.run.graded[actor]), strict=True)
    }
    return [of_case[id(case)] for case in cases]


def _unpacked_column(packed: pl.Series) -> list[Numbers]:
    """The phrases of each row, all in one piece of memory: a piece for each would leave holes when they are let go."""
    packed = packed.fill_null(b"")
    edges = np.cumsum(np.r_[0, packed.bin.size().to_numpy()]) // PHRASE_BYTES
    numbers = np.empty(edges[-1], np.uint32)
    for first in range(0, len(packed), ROWS_AT_ONCE):
        last = min(first + ROWS_AT_ONCE, len(packed))
        numbers[edges[first] : edges[last]] = np.frombuffer(b"".join(packed[first:last].to_list()), np.uint32)
    return [numbers[start:end] for start, end in pairwise(edges.tolist())]


def strata(cases: Sequence[Case]) -> list[tuple[str, str | int]]:
    """What is kept apart: a run's tasks if it repeats them, else those that other runs never, partly, always pass."""
    rollouts = Counter(case.run for case in cases)
    tasks = Counter(run for run, _ in {(case.run, case.key) for case in cases})
    outcomes: dict[str, list[tuple[str, bool]]] = {}
    for case in cases:
        outcomes.setdefault(case.key, []).append((case.run, bool(case.passed)))

    repeating = {run for run in rollouts if rollouts[run] >= REPEATED * tasks[run]}

    def stratum(case: Case) -> tuple[str, str | int]:
        elsewhere = [passed for run, passed in outcomes[case.key] if run != case.run]
        return case.run, -1 if not elsewhere else 2 if all(elsewhere) else int(any(elsewhere))

    return [(case.run, case.key) if case.run in repeating else stratum(case) for case in cases]


def _is_verdict(phrase: Separating, cases: Sequence[Case], passes: int) -> bool:
    """Whether the phrase and the outcome, of which so many are passes, are nearly the same thing."""
    passing_holders = sum(bool(cases[place].passed) for place in phrase.rows)
    agreements = len(phrase.rows) - passing_holders + passes - passing_holders
    return max(agreements, len(cases) - agreements) >= VERDICT * len(cases)


@dataclass(slots=True)
class _Search:
    """The phrases that may name a finding, the rollouts to open for them, and the best place of each so far."""

    finding: PhraseFinding
    near: dict[int, Separating]
    rows: dict[Source, int]
    runs: Counter[str]
    best: dict[int, tuple[tuple[bool, int], str, Cite, Case]] = field(default_factory=dict)
    times: Counter[int] = field(default_factory=Counter)
    opened: set[int] = field(default_factory=set)

    def rank(self, case: Case) -> tuple[bool, int]:
        """How good a place for a quote a rollout is: a failure of a usual run is best."""
        return not case.passed, self.runs[case.run]

    def counts(self) -> bool:
        """Whether all rollouts of some phrase are among those to open, so that its messages may be counted."""
        rows = set(self.rows.values())
        return any(rows.issuperset(phrase.rows) for phrase in self.near.values())

    def is_settled(self) -> bool:
        """Whether every phrase was met in a rollout as good as the best of them."""
        highest = max(self.rank(self.finding.everyone[row]) for row in self.rows.values())
        return all(mark in self.best and self.best[mark][0] == highest for mark in self.near)


def has_words(phrase: str) -> bool:
    """Whether a reader learns something from a phrase: marks, numbers and a name between two slashes are no words."""
    names = _NAME.findall(phrase)
    return sum(map(len, names)) >= FEWEST_LETTERS or not all(map(str.isascii, names))


def find_words(findings: Sequence[PhraseFinding]) -> list[PhraseFinding]:
    """Give findings their words, a quote and a count, from the rows themselves; those without any are left out.

    A row that several findings ask for is opened once. Where nothing will be counted, the first rows are mostly enough.
    """
    searches = [_search(finding) for finding in findings if not finding.words]
    going_on = [search for search in searches if search.counts() or not _settles_early(search)]
    together: list[tuple[Source, Attempt]] = []
    size = 0
    for source, row in open_rows({source for search in going_on for source in search.rows}):
        together.append((source, Attempt(row)))
        size += source.length
        if size >= BYTES_AT_ONCE:
            _look_through(together, going_on)
            together, size = [], 0
    _look_through(together, going_on)
    for search in searches:
        _settle(search)
    return [finding for finding in findings if finding.words]


def _settles_early(search: _Search) -> bool:
    """Whether a few of its rows were enough for a search; all of them may be looked through again where not."""
    for source, row in islice(open_rows(search.rows), FIRST_OPENED):
        _look_through([(source, Attempt(row))], [search])
        if search.is_settled():
            return True
    return False


def _search(finding: PhraseFinding) -> _Search:
    near = {phrase.mark: phrase for phrase in finding.members if phrase.p <= finding.members[0].p * NEARLY}
    rows = sorted({row for phrase in near.values() for row in phrase.rows})[:MOST_OPENED]
    places = {Source(*finding.everyone[row].place): row for row in rows}
    return _Search(finding, near, places, Counter(finding.everyone[row].run for row in rows))


def _look_through(rollouts: Sequence[tuple[Source, Attempt]], searches: Sequence[_Search]) -> None:
    """Note where the phrases stand in the steps of some rollouts; a quote is best taken from a failure of a usual run.

    The steps of several short rollouts are searched at once.
    """
    for actor in ACTORS:
        of_actor = [search for search in searches if search.finding.actor == actor]
        asking = {source: [search for search in of_actor if source in search.rows] for source, _ in rollouts}
        asked = [(source, attempt, steps_of(attempt, actor)) for source, attempt in rollouts if asking[source]]
        searched_marks = {mark for search in of_actor for mark in search.near}
        marks_of_step: dict[int, dict[int, tuple[int, int]]] = {}
        for place, mark, start, end in spans([step.text for *_, steps in asked for step in steps], searched_marks):
            marks_of_step.setdefault(place, {})[mark] = start, end
        first = 0
        for source, attempt, steps in asked:
            met = [(step, marks) for place, step in enumerate(steps, first) if (marks := marks_of_step.get(place))]
            for search in asking[source]:
                _note(search, source, attempt, met)
            first += len(steps)


def _note(
    search: _Search, source: Source, attempt: Attempt, met: Sequence[tuple[Step, Mapping[int, tuple[int, int]]]]
) -> None:
    """Note for one search where its phrases stand in one rollout."""
    case = search.finding.everyone[search.rows[source]]
    rank = search.rank(case)
    search.opened.add(search.rows[source])
    for step, marks in met:
        own_marks = {mark: span for mark, span in marks.items() if mark in search.near}
        search.times.update(own_marks.keys())
        for mark, (start, end) in own_marks.items():
            if mark not in search.best or rank > search.best[mark][0]:
                words = " ".join(step.text[start:end].split())
                search.best[mark] = rank, words, _sentence(attempt, step, start, end), case


def _settle(search: _Search) -> None:
    """Choose the most readable phrase that was met."""
    finding, near, best = search.finding, search.near, search.best
    if not best:
        return
    name = max(best, key=lambda mark: (not _digits(best[mark][1]), len(near[mark].rows), len(best[mark][1]), -mark))
    _, spoken, finding.cite, finding.example = best[name]
    finding.words = _FIGURES.sub(ANY_FIGURE, spoken)
    finding.chosen = near[name]
    finding.occurrences = search.times[name] if search.opened.issuperset(finding.chosen.rows) else None


def _digits(words: str) -> bool:
    return any(letter.isdigit() for letter in words)


def _sentence(attempt: Attempt, step: Step, start: int, end: int) -> Cite:
    """The sentence or line around a phrase, as a place; of a long one whole words near the phrase."""
    text = step.text
    first = max((place + len(mark) for mark in _ENDINGS if (place := text.rfind(mark, 0, start)) >= 0), default=0)
    last = min((place + 1 for mark in _ENDINGS if (place := text.find(mark, end)) >= 0), default=len(text))
    room = max(LONGEST_QUOTE - (end - start), 0) // 2
    if start - first > room:
        first = text.find(" ", start - room, start) + 1 or start
    if last - end > room:
        last = max(text.rfind(" ", end, end + room), end)
    first += len(text[first:start]) - len(text[first:start].lstrip())
    return attempt.cite(step, first, last - (len(text[end:last]) - len(text[end:last].rstrip())))

"""Stretches of time in which tools print what no other rollout of their tasks prints, and hardly a rollout passes.

A service that was down leaves this trace: many rollouts one after the other, of many tasks, that fail where the other
attempts at these tasks pass. It may print words of its own, or answer nothing but what it answers now and then to
anybody, such as that nothing was found. The modes, the labels and the investigation all ask for it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from math import comb

import numpy as np

from blade.diagnosis.cases import Case, RunCases
from blade.diagnosis.phrases import PhraseFinding, find_words, holds, printed_phrases
from blade.evidence import open_rows
from blade.extract.attempt import Attempt
from blade.extract.observed import reply_number, tool_answers
from blade.extract.phrases import ENVIRONMENT, Numbers
from blade.extract.text import clip
from blade.frozen import frozen
from blade.model import Source
from blade.stats.marks import Separating

FEWEST, FEWEST_TASKS = 5, 4
FEWEST_OF_WHOLE = 8
MOST_OF_RUN, MOST_OF_TIME = 0.3, 0.4
"""A stretch is a part of a run: so many of its rollouts print it, and so many lie between the first and the last."""
FAILING = 0.8
SELDOM = 0.05
"""So few other rollouts of these tasks print it."""
APART = 0.3
"""By so much more often the other rollouts of these tasks pass."""
SURE = 0.01
MOST_MEMBERS, MOST = 12, 3
LONGEST = 120
Printed = Mapping[int, tuple[Numbers, int]]
Reply = tuple[str, int]
"""A tool, and the number of an answer of it."""


@frozen
class DeadStretch:
    """What some rollouts of a run print in one stretch of time, and the other rollouts of their tasks."""

    run: str
    words: str
    tool: str
    """The tool that answers nothing but these words; empty where they stand among others."""
    quote: Mapping[str, str]
    p: float
    cases: Sequence[Case]
    between: Sequence[tuple[float, Case]]
    """All rollouts of the run in that time, each with its own."""
    other_cases: Sequence[Case]
    everyone: Sequence[Case]
    """All judged rollouts of the run."""


def dead_stretches(runs: Sequence[RunCases]) -> list[DeadStretch]:
    """The stretches of all runs, the longest first in each."""
    memo_key = f"dead stretches of {len(runs)}"
    if not runs:
        return []
    if memo_key not in runs[0].known:
        runs[0].known[memo_key] = list(_all_stretches(runs))
    return list(runs[0].known[memo_key])


def _all_stretches(runs: Sequence[RunCases]) -> Iterator[DeadStretch]:
    timed_runs = {run.run.name: timed for run in runs if len(timed := _timed(run)) >= 2 * FEWEST}
    if not timed_runs:
        return
    printed = printed_phrases(runs)
    attempts: dict[str, list[Case]] = {}
    for run in runs:
        for case in run.judged():
            attempts.setdefault(case.key, []).append(case)
    for name, timed in timed_runs.items():
        stretches = [*_stretches(name, timed, printed, attempts), *_silent_stretches(name, timed, attempts)]
        for group in _grouped(stretches):
            stretch = _described(group, printed, attempts)
            if stretch is not None:
                yield stretch


@frozen
class _Stretch:
    """What is printed, the rollouts of a run that print it, and the run's rollouts in order of time."""

    run: str
    mark: int | Reply
    """A phrase, or the one answer that a tool gives in a whole rollout."""
    places: tuple[int, ...]
    timed: Sequence[tuple[float, Case]]
    p: float

    @property
    def cases(self) -> list[Case]:
        return [self.timed[place][1] for place in self.places]

    @property
    def between(self) -> Sequence[tuple[float, Case]]:
        return self.timed[self.places[0] : self.places[-1] + 1]


def _timed(run: RunCases) -> list[tuple[float, Case]]:
    """The judged rollouts in order of time; none where the rows bear no times of their own."""
    times = run.run.graded["created_at"].to_list()
    if any(time is None for time in times) or 2 * len(set(times)) < len(times):
        return []
    case_ids = {id(case) for case in run.judged()}
    rows = [(time, case) for time, case in zip(times, run.cases, strict=True) if id(case) in case_ids]
    return sorted(rows, key=lambda row: (row[0], row[1].key, row[1].attempt))


def _stretches(
    run: str, timed: Sequence[tuple[float, Case]], printed: Printed, attempts: Mapping[str, Sequence[Case]]
) -> Iterator[_Stretch]:
    rows = [printed[id(case)][0] for _, case in timed]
    numbers, places = np.concatenate(rows), np.repeat(np.arange(len(rows)), [len(marks) for marks in rows])
    order = np.argsort(numbers, kind="stable")
    marks, starts = np.unique(numbers[order], return_index=True)
    sizes = np.diff(starts, append=len(order))
    enough = (sizes >= FEWEST) & (sizes <= MOST_OF_RUN * len(rows))
    tested = int(enough.sum())
    for mark, start, size in zip(*(column[enough].tolist() for column in (marks, starts, sizes)), strict=True):

        def prints(case: Case, mark: int = mark) -> bool:
            return holds(printed[id(case)][0], mark)

        holding_places = tuple(places[order[start : start + size]].tolist())
        p = _chance(holding_places, timed, attempts, prints, tested)
        if p is not None:
            yield _Stretch(run, mark, holding_places, timed, p)


def _silent_stretches(
    run: str, timed: Sequence[tuple[float, Case]], attempts: Mapping[str, Sequence[Case]]
) -> Iterator[_Stretch]:
    """Stretches in which a tool gives whole rollouts nothing but one answer, which others get beside better ones."""
    places: defaultdict[Reply, list[int]] = defaultdict(list)
    for place, (_, case) in enumerate(timed):
        for reply in sole_replies(case):
            places[reply].append(place)
    enough = {
        reply: tuple(spots) for reply, spots in places.items() if FEWEST <= len(spots) <= MOST_OF_RUN * len(timed)
    }
    for reply, holding_places in sorted(enough.items()):

        def gets_only(case: Case, reply: Reply = reply) -> bool:
            return reply in sole_replies(case)

        p = _chance(holding_places, timed, attempts, gets_only, len(enough))
        if p is not None:
            yield _Stretch(run, reply, holding_places, timed, p)


def sole_replies(case: Case) -> Collection[Reply]:
    """The tools that give a rollout one short answer and no other, each with the number of it."""
    replies = case.observed.get("replies", {}).items()
    return [(tool, numbers[0]) for tool, numbers in replies if len(numbers) == 1 and numbers[0]]


def _chance(
    places: Sequence[int],
    timed: Sequence[tuple[float, Case]],
    attempts: Mapping[str, Sequence[Case]],
    prints: Callable[[Case], bool],
    tested: int,
) -> float | None:
    """At most the chance that so many rollouts lie so close together; None where that is likely, or costs nothing."""
    size, width = len(places), places[-1] - places[0] + 1
    if width > MOST_OF_TIME * len(timed):
        return None
    p = _p(size, width, len(timed)) * tested
    cases = [timed[place][1] for place in places]
    failing = sum(not case.passed for case in cases)
    is_whole = width == size >= FEWEST_OF_WHOLE
    if p <= SURE and failing >= FAILING * size and _is_only_then(prints, cases, attempts, is_whole=is_whole):
        return min(p, 1.0)
    return None


def _p(holding: int, width: int, rollouts: int) -> float:
    """At most the chance that so many rollouts lie in any stretch of so many, in a random order of all."""
    return min((rollouts - width + 1) * comb(width, holding) / comb(rollouts, holding), 1.0)


def _is_only_then(
    prints: Callable[[Case], bool], cases: Sequence[Case], attempts: Mapping[str, Sequence[Case]], *, is_whole: bool
) -> bool:
    """Whether the other rollouts of the tasks hardly print it, and pass far more often.

    Where every rollout of the stretch prints it, and no other one of any task, half as many passes are enough.
    """
    keys = {case.key for case in cases}
    other_cases = _other_attempts(cases, attempts)
    if len(keys) < FEWEST_TASKS or len(other_cases) < len(cases):
        return False
    rate, other_rate = _rate(cases), _rate(other_cases)
    if other_rate - rate < APART:
        case_ids = {id(case) for case in cases}
        everyone = (case for rows in attempts.values() for case in rows)
        alone = is_whole and not any(prints(case) for case in everyone if id(case) not in case_ids)
        return alone and rate <= other_rate / 2
    return sum(map(prints, other_cases)) <= SELDOM * len(other_cases)


def _other_attempts(cases: Sequence[Case], attempts: Mapping[str, Sequence[Case]]) -> list[Case]:
    case_ids = {id(case) for case in cases}
    return [case for key in {case.key for case in cases} for case in attempts[key] if id(case) not in case_ids]


def _rate(cases: Sequence[Case]) -> float:
    return sum(bool(case.passed) for case in cases) / len(cases)


def _grouped(stretches: Sequence[_Stretch]) -> list[list[_Stretch]]:
    """Phrases in much the same rollouts together, those with the most rollouts first."""
    groups: list[list[_Stretch]] = []
    for stretch in sorted(stretches, key=_rank):
        places = set(stretch.places)
        home = next((group for group in groups if 2 * len(places & set(group[0].places)) > len(places)), None)
        if home is None:
            groups.append([stretch])
        elif (
            len(home) < MOST_MEMBERS
            and len(stretch.places) == len(home[0].places)
            and type(stretch.mark) is type(home[0].mark)
        ):
            home.append(stretch)
    return groups[:MOST]


def _rank(stretch: _Stretch) -> tuple[int, bool, float, int]:
    """The longest first; of equal ones a phrase."""
    is_reply = isinstance(stretch.mark, tuple)
    return (
        -len(stretch.places),
        is_reply,
        stretch.p,
        stretch.mark[1] if isinstance(stretch.mark, tuple) else stretch.mark,
    )


def _described(
    group: Sequence[_Stretch], printed: Printed, attempts: Mapping[str, Sequence[Case]]
) -> DeadStretch | None:
    """The stretch of the phrase that reads best; None where no words of it are found again."""
    everyone = [case for _, case in group[0].timed]
    if isinstance(reply := group[0].mark, tuple):
        words, quote = _reply_words(reply, group[0].cases)
        return _stretch(group[0], words, quote, attempts) if words else None
    limits = np.array([printed[id(case)][1] for case in everyone], np.int64)
    phrases = {member.mark: member for member in group if isinstance(member.mark, int)}
    members = [Separating(mark, member.places, -1.0, member.p, member.p) for mark, member in phrases.items()]
    finding = PhraseFinding(ENVIRONMENT, members, everyone, limits, members[0])
    if not find_words([finding]):
        return None
    return _stretch(phrases[finding.chosen.mark], finding.words, finding.quote, attempts)


def _stretch(
    stretch: _Stretch, words: str, quote: Mapping[str, str], attempts: Mapping[str, Sequence[Case]]
) -> DeadStretch:
    everyone = [case for _, case in stretch.timed]
    tool = stretch.mark[0] if isinstance(stretch.mark, tuple) else ""
    other_cases = _other_attempts(stretch.cases, attempts)
    return DeadStretch(
        stretch.run, words, tool, quote, stretch.p, stretch.cases, stretch.between, other_cases, everyone
    )


def _reply_words(reply: Reply, cases: Sequence[Case]) -> tuple[str, dict[str, str]]:
    """What a tool answers, as a failure shows it first, and where that stands."""
    tool, number = reply
    case = next((case for case in cases if not case.passed), cases[0])
    for _, row in open_rows([Source(*case.place)]):
        for call, text in tool_answers(Attempt(row)):
            if call.name == tool and reply_number(text) == number and call.answer is not None:
                quote = clip(" ".join(call.answer.text.split()), LONGEST)
                place = f"{case.run}, task {case.label}, attempt {case.attempt}, item {call.answer.item}"
                return clip(" ".join(text.split()), LONGEST), {"quote": quote, "place": place}
    return "", {}

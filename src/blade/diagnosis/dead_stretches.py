"""Stretches of time in which tools print what no other rollout of their tasks prints, and hardly a rollout passes.

A service that was down leaves this trace: many rollouts one after the other, of many tasks, that fail where the other
attempts at these tasks pass. The modes, the labels and the investigation all ask for it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import comb

import numpy as np

from blade.diagnosis.cases import Case, RunCases
from blade.diagnosis.phrases import PhraseFinding, find_words, holds, printed_phrases
from blade.extract.phrases import ENVIRONMENT, Numbers
from blade.frozen import frozen
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
Printed = Mapping[int, tuple[Numbers, int]]


@frozen
class DeadStretch:
    """What some rollouts of a run print in one stretch of time, and the other rollouts of their tasks."""

    run: str
    finding: PhraseFinding
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
        for group in _grouped(list(_stretches(name, timed, printed, attempts))):
            stretch = _described(group, printed, attempts)
            if stretch is not None:
                yield stretch


@frozen
class _Stretch:
    """A phrase, the rollouts of a run that print it, and the run's rollouts in order of time."""

    run: str
    mark: int
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
        holding_places = tuple(places[order[start : start + size]].tolist())
        width = holding_places[-1] - holding_places[0] + 1
        if width > MOST_OF_TIME * len(rows):
            continue
        p = _p(size, width, len(rows)) * tested
        cases = [timed[place][1] for place in holding_places]
        failing = sum(not case.passed for case in cases)
        is_whole = width == size >= FEWEST_OF_WHOLE
        if p <= SURE and failing >= FAILING * size and _is_only_then(mark, cases, printed, attempts, is_whole=is_whole):
            yield _Stretch(run, mark, holding_places, timed, min(p, 1.0))


def _p(holding: int, width: int, rollouts: int) -> float:
    """At most the chance that so many rollouts lie in any stretch of so many, in a random order of all."""
    return min((rollouts - width + 1) * comb(width, holding) / comb(rollouts, holding), 1.0)


def _is_only_then(
    mark: int, cases: Sequence[Case], printed: Printed, attempts: Mapping[str, Sequence[Case]], *, is_whole: bool
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
        alone = is_whole and not any(holds(one[0], mark) for name, one in printed.items() if name not in case_ids)
        return alone and rate <= other_rate / 2
    return sum(holds(printed[id(case)][0], mark) for case in other_cases) <= SELDOM * len(other_cases)


def _other_attempts(cases: Sequence[Case], attempts: Mapping[str, Sequence[Case]]) -> list[Case]:
    case_ids = {id(case) for case in cases}
    return [case for key in {case.key for case in cases} for case in attempts[key] if id(case) not in case_ids]


def _rate(cases: Sequence[Case]) -> float:
    return sum(bool(case.passed) for case in cases) / len(cases)


def _grouped(stretches: Sequence[_Stretch]) -> list[list[_Stretch]]:
    """Phrases in much the same rollouts together, those with the most rollouts first."""
    groups: list[list[_Stretch]] = []
    for stretch in sorted(stretches, key=lambda stretch: (-len(stretch.places), stretch.p, stretch.mark)):
        places = set(stretch.places)
        home = next((group for group in groups if 2 * len(places & set(group[0].places)) > len(places)), None)
        if home is None:
            groups.append([stretch])
        elif len(home) < MOST_MEMBERS and len(stretch.places) == len(home[0].places):
            home.append(stretch)
    return groups[:MOST]


def _described(
    group: Sequence[_Stretch], printed: Printed, attempts: Mapping[str, Sequence[Case]]
) -> DeadStretch | None:
    """The stretch of the phrase that reads best; None where no words of it are found again."""
    everyone = [case for _, case in group[0].timed]
    limits = np.array([printed[id(case)][1] for case in everyone], np.int64)
    members = [Separating(member.mark, member.places, -1.0, member.p, member.p) for member in group]
    finding = PhraseFinding(ENVIRONMENT, members, everyone, limits, members[0])
    if not find_words([finding]):
        return None
    stretch = next(member for member in group if member.mark == finding.chosen.mark)
    other_cases = _other_attempts(stretch.cases, attempts)
    return DeadStretch(stretch.run, finding, stretch.p, stretch.cases, stretch.between, other_cases, everyone)

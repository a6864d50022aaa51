"""What does a run write or think, and no other run, in rollouts that fail where the other runs pass?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from blade.diagnosis.cases import Case, RunCases
from blade.diagnosis.phrases import PhraseFinding, find_words, has_words
from blade.document import Block, Paragraph, Quote, Sentence, say
from blade.extract.phrases import CALLS, MODEL, THOUGHTS, Numbers, unpacked
from blade.frozen import frozen
from blade.questions import SURE, in_order, task_list, undisturbed
from blade.stats.binomial import sign_p
from blade.stats.marks import Separating
from blade.stats.odds import odds_change
from blade.stats.rounding import WRITTEN, significant
from blade.stats.strata import exact_p
from blade.wording import amount, at, count, fact, percent, printable

TITLE = "What a run does where it falls behind"
ORDER = 29
WEIGHT = 1.3
FEWEST, FEWEST_TASKS = 8, 4
"""Rollouts of the run that hold a phrase, and their tasks."""
MOST_OF_RUN = 0.5
"""What more of a run's rollouts hold is its manner of speaking."""
SELDOM = 0.03
"""So few rollouts of the other runs hold it."""
BEHIND = 0.35
"""So much further behind the others the run lies where it writes this than elsewhere."""
FURTHER = 1.645
MOST_TESTED, MOST_MEMBERS, MOST = 40, 12, 4
SAME_ROWS = 0.5
WRITES = {
    CALLS: "writes “{words}” into calls",
    MODEL: "says “{words}”",
    THOUGHTS: "thinks “{words}”",
}


@frozen
class _Side:
    """The rollouts of a run at tasks that others have, and those of all other runs at its tasks."""

    of: RunCases
    own_cases: list[Case]
    other_cases: list[Case]
    rates: Mapping[str, float]
    """How often the other runs pass each task."""

    @property
    def run(self) -> str:
        return self.of.run.name

    def phrases(self, actor: str) -> list[tuple[Numbers, int]]:
        """The phrases of an actor in each of its rollouts, and how far they are kept."""
        packed = zip(self.of.cases, self.of.run.graded[actor].to_list(), strict=True)
        of_case = {id(case): numbers for case, numbers in packed}
        return [unpacked(of_case[id(case)]) for case in self.own_cases]


@frozen
class _Habit:
    """A phrase of one actor that rollouts of a run hold, their places among its own, and how sure the loss is."""

    actor: str
    mark: int
    side: _Side
    places: tuple[int, ...]
    elsewhere: int
    """Rollouts of other runs that hold it."""
    p: float

    @property
    def cases(self) -> list[Case]:
        return [self.side.own_cases[place] for place in self.places]


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Phrases of calls, messages and reasoning that one run has where it loses what the other runs win."""
    if len(runs) < 2:
        return None
    sides = list(_sides(runs))
    habits = sorted(
        (habit for actor in WRITES for habit in _of_actor(sides, actor)),
        key=lambda habit: (habit.p, -len(habit.places), habit.mark),
    )
    entries = [_entry(group, finding) for group, finding in _with_words(_grouped(habits))]
    return {"habits": entries[:MOST]} if entries else None


def _sides(runs: Sequence[RunCases]) -> Iterator[_Side]:
    cases = {run.run.name: undisturbed(run) for run in runs}
    for run in runs:
        other_cases = [case for name, rows in cases.items() if name != run.run.name for case in rows]
        rates = _rates(other_cases)
        own_cases = [case for case in cases[run.run.name] if case.key in rates]
        keys = {case.key for case in own_cases}
        if len(own_cases) >= FEWEST:
            yield _Side(run, own_cases, [case for case in other_cases if case.key in keys], rates)


def _rates(cases: Sequence[Case]) -> dict[str, float]:
    rollouts = Counter(case.key for case in cases)
    passes = Counter(case.key for case in cases if case.passed)
    return {key: passes[key] / rows for key, rows in rollouts.items()}


def _of_actor(sides: Sequence[_Side], actor: str) -> Iterator[_Habit]:
    """The phrases of an actor in which one of the runs lies far behind."""
    tables = [_by_mark([numbers for numbers, _ in side.phrases(actor)]) for side in sides]
    every_mark = np.unique(np.concatenate([table.marks for table in tables])) if tables else np.array([], np.uint32)
    totals = np.zeros(len(every_mark), np.int64)
    for table in tables:
        totals[every_mark.searchsorted(table.marks)] += table.rows
    for side, table in zip(sides, tables, strict=True):
        yield from _habits(side, actor, table, totals[every_mark.searchsorted(table.marks)] - table.rows)


def _habits(side: _Side, actor: str, table: _Marks, elsewhere: npt.NDArray[np.int64]) -> Iterator[_Habit]:
    """The phrases whose rollouts lie far further behind the other runs than the run does without them."""
    if not len(table.marks):
        return
    rows, own = table.rows, len(side.own_cases)
    lags = np.array([bool(case.passed) - side.rates[case.key] for case in side.own_cases])
    sums = np.add.reduceat(lags[table.places], table.starts)
    usual = (rows >= FEWEST) & (rows <= MOST_OF_RUN * own)
    further = (lags.sum() - sums) / np.maximum(own - rows, 1) - sums / rows
    lacking = usual & (further >= BEHIND) & (sums < 0) & (elsewhere <= SELDOM * len(side.other_cases))
    tested = int(usual.sum())
    candidates = sorted(np.flatnonzero(lacking).tolist(), key=lambda spot: (float(sums[spot]), int(table.marks[spot])))
    for spot in candidates[:MOST_TESTED]:
        holding_places = tuple(table.places[table.starts[spot] : table.starts[spot] + rows[spot]].tolist())
        p = _p(side, holding_places)
        if p is not None and p * tested <= SURE:
            mark = int(table.marks[spot])
            yield _Habit(actor, mark, side, holding_places, int(elsewhere[spot]), min(p * tested, 1.0))


@frozen
class _Marks:
    """The phrases of some rollouts in order, where the rollouts of each begin, how many, and these by place."""

    marks: npt.NDArray[np.uint32]
    starts: npt.NDArray[np.intp]
    rows: npt.NDArray[np.intp]
    places: npt.NDArray[np.intp]


def _by_mark(rollouts: Sequence[Numbers]) -> _Marks:
    numbers = np.concatenate(rollouts) if rollouts else np.array([], np.uint32)
    places = np.repeat(np.arange(len(rollouts)), [len(marks) for marks in rollouts])
    order = np.argsort(numbers, kind="stable")
    marks, starts = np.unique(numbers[order], return_index=True)
    return _Marks(marks, starts, np.diff(starts, append=len(order)), places[order])


def _p(side: _Side, places: Sequence[int]) -> float | None:
    """The larger p of two tests: rollouts against the others at the same tasks, and tasks that go one way.

    None where the run lies as far behind without the phrase, or where too few tasks hold it.
    """
    holding = [side.own_cases[place] for place in places]
    keys = {case.key for case in holding}
    if len(keys) < FEWEST_TASKS:
        return None
    holding_places = set(places)
    left = [case for place, case in enumerate(side.own_cases) if place not in holding_places]
    cases_there, cases_elsewhere = _others_by_task(side, keys)
    outcomes_elsewhere = (*_outcomes(left), *_outcomes(cases_elsewhere or cases_there))
    if odds_change((*_outcomes(holding), *_outcomes(cases_there)), outcomes_elsewhere) > -FURTHER:
        return None
    rates = _rates(holding)
    lower, higher = (sum(sign * (side.rates[key] - rates[key]) > 0 for key in keys) for sign in (1, -1))
    tables = [
        (*_outcomes([case for case in holding if case.key == key]), *_outcomes_at(cases_there, key)) for key in keys
    ]
    p = exact_p(tables)
    return None if p is None or sign_p(lower, higher) > SURE * 5 else p


def _others_by_task(side: _Side, keys: Collection[str]) -> tuple[list[Case], list[Case]]:
    """The rollouts of the other runs at some tasks, and at all else."""
    cases_there = [case for case in side.other_cases if case.key in keys]
    return cases_there, [case for case in side.other_cases if case.key not in keys]


def _outcomes(cases: Sequence[Case]) -> tuple[int, int]:
    passes = sum(bool(case.passed) for case in cases)
    return passes, len(cases) - passes


def _outcomes_at(cases: Sequence[Case], key: str) -> tuple[int, int]:
    return _outcomes([case for case in cases if case.key == key])


def _grouped(habits: Sequence[_Habit]) -> list[list[_Habit]]:
    """Phrases of one actor in much the same rollouts of a run together, the surest first."""
    groups: list[list[_Habit]] = []
    for habit in habits:
        places = set(habit.places)
        home = next(
            (
                group
                for group in groups
                if group[0].side.run == habit.side.run
                and len(places & set(group[0].places)) > SAME_ROWS * min(len(places), len(group[0].places))
            ),
            None,
        )
        if home is None:
            groups.append([habit])
        elif home[0].actor == habit.actor and len(home) < MOST_MEMBERS:
            home.append(habit)
    return groups[: 2 * MOST]


def _with_words(groups: Sequence[Sequence[_Habit]]) -> Iterator[tuple[Sequence[_Habit], PhraseFinding]]:
    findings = []
    for group in groups:
        own_cases = group[0].side.own_cases
        limits = np.array([limit for _, limit in group[0].side.phrases(group[0].actor)], np.int64)
        members = [Separating(habit.mark, habit.places, -1.0, habit.p, habit.p) for habit in group]
        findings.append(PhraseFinding(group[0].actor, members, own_cases, limits, members[0]))
    find_words(findings)
    return ((group, finding) for group, finding in zip(groups, findings, strict=True) if has_words(finding.words))


def _entry(group: Sequence[_Habit], finding: PhraseFinding) -> dict[str, Any]:
    habit = next(habit for habit in group if habit.mark == finding.chosen.mark)
    keys = {case.key for case in habit.cases}
    holding_places = set(habit.places)
    left = [case for place, case in enumerate(habit.side.own_cases) if place not in holding_places]
    cases_there, cases_elsewhere = _others_by_task(habit.side, keys)
    entry = {
        "run": habit.side.run,
        "actor": habit.actor,
        "words": printable(finding.words),
        "tasks": in_order(case.label for case in habit.cases),
        "p": significant(habit.p, WRITTEN),
        **_outcome_counts("rollouts", habit.cases),
        **_outcome_counts("left", left),
        **_outcome_counts("others", cases_there),
        **_outcome_counts("others_left", cases_elsewhere),
        "elsewhere": habit.elsewhere,
        "other_rollouts": len(habit.side.other_cases),
    }
    return entry | finding.quote


def _outcome_counts(name: str, cases: Sequence[Case]) -> dict[str, int]:
    return {name: len(cases), f"{name}_passes": sum(bool(case.passed) for case in cases)}


def tell(answer: Mapping[str, Any]) -> list[Block]:
    blocks: list[Block] = []
    for place, habit in enumerate(answer["habits"]):
        blocks.append(Paragraph(tuple(_sentences(place, habit))))
        if habit.get("quote"):
            blocks.append(Quote(habit["quote"], habit["place"], at(*_at(place), "quote")))
    return blocks


def brief(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    yield next(_sentences(0, answer["habits"][0]))


def _sentences(place: int, habit: Mapping[str, Any]) -> Iterator[Sentence]:
    path = _at(place)
    passes = habit["rollouts_passes"]
    yield say(
        "{run} " + WRITES[habit["actor"]] + " in {rollouts} of {tasks}, {passes} of which {verb}; the other runs pass "
        "{others_passes} of {others} ({rate}) at these tasks, and {elsewhere} of their {other_rollouts} rollouts "
        "{hold} it.",
        run=habit["run"],
        words=habit["words"],
        rollouts=fact(count(habit["rollouts"], "rollout"), habit["rollouts"], *path, "rollouts"),
        tasks=f"{count(len(habit['tasks']), 'task')} ({task_list(habit['tasks'])})",
        passes=fact(f"{passes:,}" if passes else "none", passes, *path, "rollouts_passes"),
        verb="passes" if passes < 2 else "pass",
        others_passes=amount(habit["others_passes"], *path, "others_passes"),
        others=amount(habit["others"], *path, "others"),
        rate=percent(habit["others_passes"] / habit["others"]),
        elsewhere=fact(
            f"{habit['elsewhere']:,}" if habit["elsewhere"] else "none", habit["elsewhere"], *path, "elsewhere"
        ),
        other_rollouts=amount(habit["other_rollouts"], *path, "other_rollouts"),
        hold="holds" if habit["elsewhere"] < 2 else "hold",
    )
    if habit["left"] and habit["others_left"]:
        yield say(
            "Without it {run} passes {left_passes} of {left} ({rate}), the others {others_left_passes} of "
            "{others_left} ({other_rate}) at the other tasks (exact test within tasks, corrected: p = {p}).",
            run=habit["run"],
            left_passes=amount(habit["left_passes"], *path, "left_passes"),
            left=amount(habit["left"], *path, "left"),
            rate=percent(habit["left_passes"] / habit["left"]),
            others_left_passes=amount(habit["others_left_passes"], *path, "others_left_passes"),
            others_left=amount(habit["others_left"], *path, "others_left"),
            other_rate=percent(habit["others_left_passes"] / habit["others_left"]),
            p=fact(f"{habit['p']:.2g}", habit["p"], *path, "p"),
        )


def _at(place: int) -> tuple[str | int, ...]:
    return "investigation", "run_habits", "habits", place

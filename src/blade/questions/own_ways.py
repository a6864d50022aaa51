"""What does a run write or think, and no other run, in rollouts that fail where the other runs pass?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from blade.diagnosis.cases import Case, RunCases
from blade.diagnosis.phrases import PhraseFinding, find_words
from blade.document import Block, Paragraph, Quote, Sentence, say
from blade.extract.phrases import CALLS, MODEL, THOUGHTS, unpacked
from blade.frozen import frozen
from blade.questions import SURE, in_order, judged, task_list
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

    run: str
    own: list[Case]
    other_cases: list[Case]
    rates: Mapping[str, float]
    """How often the other runs pass each task."""


@frozen
class _Way:
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
        return [self.side.own[place] for place in self.places]


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Phrases of calls, messages and reasoning that one run has where it loses what the other runs win."""
    if len(runs) < 2:
        return None
    packed = {
        id(case): row
        for run in runs
        for case, row in zip(run.cases, run.run.graded.select(*WRITES).iter_rows(named=True), strict=True)
    }
    ways = sorted(
        (way for side in _sides(runs) for actor in WRITES for way in _ways(side, actor, packed)),
        key=lambda way: (way.p, -len(way.places), way.mark),
    )
    entries = [_entry(group, finding) for group, finding in _worded(_grouped(ways), packed)]
    return {"ways": entries[:MOST]} if entries else None


def _sides(runs: Sequence[RunCases]) -> Iterator[_Side]:
    cases = {run.run.name: judged(run) for run in runs}
    for name, rows in cases.items():
        others = [case for run, run_cases in cases.items() if run != name for case in run_cases]
        rates = _rates(others)
        own = [case for case in rows if case.key in rates]
        keys = {case.key for case in own}
        if len(own) >= FEWEST:
            yield _Side(name, own, [case for case in others if case.key in keys], rates)


def _rates(cases: Sequence[Case]) -> dict[str, float]:
    rollouts = Counter(case.key for case in cases)
    passes = Counter(case.key for case in cases if case.passed)
    return {key: passes[key] / rows for key, rows in rollouts.items()}


def _ways(side: _Side, actor: str, packed: Mapping[int, Mapping[str, bytes | None]]) -> list[_Way]:
    """The phrases whose rollouts lie far further behind the other runs than the run does without them."""
    own = [unpacked(packed[id(case)][actor])[0] for case in side.own]
    lags = np.array([bool(case.passed) - side.rates[case.key] for case in side.own])
    marks, starts, places = _by_mark(own)
    if not len(marks):
        return []
    rows = np.diff(starts, append=len(places))
    sums = np.add.reduceat(lags[places], starts)
    usual = (rows >= FEWEST) & (rows <= MOST_OF_RUN * len(own))
    left = np.maximum(len(own) - rows, 1)
    further = (lags.sum() - sums) / left - sums / rows
    lacking = usual & (further >= BEHIND) & (sums < 0)
    elsewhere = _elsewhere(marks[lacking], [unpacked(packed[id(case)][actor])[0] for case in side.other_cases])
    candidates = [
        (place, outside)
        for place, outside in zip(np.flatnonzero(lacking).tolist(), elsewhere, strict=True)
        if outside <= SELDOM * len(side.other_cases)
    ]
    candidates.sort(key=lambda pair: (float(sums[pair[0]]), int(marks[pair[0]])))
    tested = int(usual.sum())
    ways = []
    for place, outside in candidates[:MOST_TESTED]:
        held = tuple(places[starts[place] : starts[place] + rows[place]].tolist())
        p = _p(side, held)
        if p is not None and p * tested <= SURE:
            ways.append(_Way(actor, int(marks[place]), side, held, outside, min(p * tested, 1.0)))
    return ways


def _by_mark(
    rollouts: Sequence[npt.NDArray[np.uint32]],
) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """The phrases in order, where the rollouts of each begin, and these rollouts by place."""
    numbers = np.concatenate(rollouts) if rollouts else np.array([], np.uint32)
    places = np.repeat(np.arange(len(rollouts)), [len(marks) for marks in rollouts])
    order = np.argsort(numbers, kind="stable")
    marks, starts = np.unique(numbers[order], return_index=True)
    return marks, starts, places[order]


def _elsewhere(marks: npt.NDArray[np.uint32], rollouts: Sequence[npt.NDArray[np.uint32]]) -> list[int]:
    """How many other rollouts hold each phrase."""
    counts = np.zeros(len(marks), np.int64)
    for numbers in rollouts:
        counts += np.isin(marks, numbers, assume_unique=True)
    return counts.tolist()


def _p(side: _Side, places: Sequence[int]) -> float | None:
    """The larger p of two tests: rollouts against the others at the same tasks, and tasks that go one way.

    None where the run lies as far behind without the phrase, or where too few tasks hold it.
    """
    holding = [side.own[place] for place in places]
    keys = {case.key for case in holding}
    if len(keys) < FEWEST_TASKS:
        return None
    held = set(places)
    left = [case for place, case in enumerate(side.own) if place not in held]
    others, others_left = (
        [case for case in side.other_cases if (case.key in keys) is inside] for inside in (True, False)
    )
    inside = (*_outcomes(holding), *_outcomes(others))
    if odds_change(inside, (*_outcomes(left), *_outcomes(others_left or others))) > -FURTHER:
        return None
    rates = _rates(holding)
    lower, higher = (sum(sign * (side.rates[key] - rates[key]) > 0 for key in keys) for sign in (1, -1))
    tables = [(*_outcomes([case for case in holding if case.key == key]), *_outcomes_at(others, key)) for key in keys]
    p = exact_p(tables)
    return None if p is None or sign_p(lower, higher) > SURE * 5 else p


def _outcomes(cases: Sequence[Case]) -> tuple[int, int]:
    passes = sum(bool(case.passed) for case in cases)
    return passes, len(cases) - passes


def _outcomes_at(cases: Sequence[Case], key: str) -> tuple[int, int]:
    return _outcomes([case for case in cases if case.key == key])


def _grouped(ways: Sequence[_Way]) -> list[list[_Way]]:
    """Phrases of one actor in much the same rollouts of a run together, the surest first."""
    groups: list[list[_Way]] = []
    for way in ways:
        places = set(way.places)
        home = next(
            (
                group
                for group in groups
                if group[0].side.run == way.side.run
                and len(places & set(group[0].places)) > SAME_ROWS * min(len(places), len(group[0].places))
            ),
            None,
        )
        if home is None:
            groups.append([way])
        elif home[0].actor == way.actor and len(home) < MOST_MEMBERS:
            home.append(way)
    return groups[: 2 * MOST]


def _worded(
    groups: Sequence[Sequence[_Way]], packed: Mapping[int, Mapping[str, bytes | None]]
) -> Iterator[tuple[Sequence[_Way], PhraseFinding]]:
    findings = []
    for group in groups:
        own = group[0].side.own
        limits = np.array([unpacked(packed[id(case)][group[0].actor])[1] for case in own], np.int64)
        members = [Separating(way.mark, way.places, -1.0, way.p, way.p) for way in group]
        findings.append(PhraseFinding(group[0].actor, members, own, limits, members[0]))
    find_words(findings)
    return ((group, finding) for group, finding in zip(groups, findings, strict=True) if finding.words)


def _entry(group: Sequence[_Way], finding: PhraseFinding) -> dict[str, Any]:
    way = next(way for way in group if way.mark == finding.chosen.mark)
    keys = {case.key for case in way.cases}
    held = set(way.places)
    left = [case for place, case in enumerate(way.side.own) if place not in held]
    others, others_left = (
        [case for case in way.side.other_cases if (case.key in keys) is inside] for inside in (True, False)
    )
    entry = {
        "run": way.side.run,
        "actor": way.actor,
        "words": printable(finding.words),
        "tasks": in_order(case.label for case in way.cases),
        "p": significant(way.p, WRITTEN),
        **_counted("rollouts", way.cases),
        **_counted("left", left),
        **_counted("others", others),
        **_counted("others_left", others_left),
        "elsewhere": way.elsewhere,
        "other_rollouts": len(way.side.other_cases),
    }
    if finding.example is not None and finding.cite is not None:
        case = finding.example
        place = f"{case.run}, task {case.label}, attempt {case.attempt}, item {finding.cite.item}"
        entry |= {"quote": finding.cite.quote, "place": place}
    return entry


def _counted(name: str, cases: Sequence[Case]) -> dict[str, int]:
    return {name: len(cases), f"{name}_passes": sum(bool(case.passed) for case in cases)}


def tell(answer: Mapping[str, Any]) -> list[Block]:
    blocks: list[Block] = []
    for place, way in enumerate(answer["ways"]):
        blocks.append(Paragraph(tuple(_sentences(place, way))))
        if way.get("quote"):
            blocks.append(Quote(way["quote"], way["place"], at(*_at(place), "quote")))
    return blocks


def brief(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    yield next(_sentences(0, answer["ways"][0]))


def _sentences(place: int, way: Mapping[str, Any]) -> Iterator[Sentence]:
    path = _at(place)
    passes = way["rollouts_passes"]
    yield say(
        "{run} " + WRITES[way["actor"]] + " in {rollouts} of {tasks}, {passes} of which {verb}; the other runs pass "
        "{others_passes} of {others} ({rate}) at these tasks, and {elsewhere} of their {other_rollouts} rollouts "
        "{hold} it.",
        run=way["run"],
        words=way["words"],
        rollouts=fact(count(way["rollouts"], "rollout"), way["rollouts"], *path, "rollouts"),
        tasks=f"{count(len(way['tasks']), 'task')} ({task_list(way['tasks'])})",
        passes=fact(f"{passes:,}" if passes else "none", passes, *path, "rollouts_passes"),
        verb="passes" if passes < 2 else "pass",
        others_passes=amount(way["others_passes"], *path, "others_passes"),
        others=amount(way["others"], *path, "others"),
        rate=percent(way["others_passes"] / way["others"]),
        elsewhere=fact(f"{way['elsewhere']:,}" if way["elsewhere"] else "none", way["elsewhere"], *path, "elsewhere"),
        other_rollouts=amount(way["other_rollouts"], *path, "other_rollouts"),
        hold="holds" if way["elsewhere"] < 2 else "hold",
    )
    if way["left"] and way["others_left"]:
        yield say(
            "Without it {run} passes {left_passes} of {left} ({rate}), the others {others_left_passes} of "
            "{others_left} ({other_rate}) at the other tasks (exact test within tasks, corrected: p = {p}).",
            run=way["run"],
            left_passes=amount(way["left_passes"], *path, "left_passes"),
            left=amount(way["left"], *path, "left"),
            rate=percent(way["left_passes"] / way["left"]),
            others_left_passes=amount(way["others_left_passes"], *path, "others_left_passes"),
            others_left=amount(way["others_left"], *path, "others_left"),
            other_rate=percent(way["others_left_passes"] / way["others_left"]),
            p=fact(f"{way['p']:.2g}", way["p"], *path, "p"),
        )


def _at(place: int) -> tuple[str | int, ...]:
    return "investigation", "own_ways", "ways", place

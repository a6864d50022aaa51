"""Twins: of a task that sometimes passes, the passing and the failing attempt that go together the furthest.

Their rows are opened again by their place. At most forty tasks per run are: those whose pass rate says most.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from blade.counting.tasks import natural
from blade.diagnosis.cases import Case, RunCases
from blade.diagnosis.divergence import Parting, part, prefix
from blade.diagnosis.transcript_summary import Track, open_tracks, source_key
from blade.errors import NotFound
from blade.findings import Cite, Mode
from blade.frozen import frozen
from blade.model import StepKind

MOST_TASKS = 40
MOST_ATTEMPTS = 8
"""Passing, and as many failing, of one task that are opened."""
PLACE = ("file", "line", "offset", "length")
RARE = 0.1
"""An ending that more passing rollouts than this share have is no luck: it is how this benchmark ends."""

ACROSS = "Twins of two runs need a pass in one and a failure in the other, both with a transcript."


@frozen
class Twin:
    run: str
    task: str
    key: str
    good: Track
    bad: Track
    alike: int
    parting: Parting
    passes: int
    attempts: int
    lucky: str
    """Why the pass looks like luck; empty where it does not."""
    same_sign: str | None = None
    """The rule that explains the task's failures, where the pass shows it, too: then it does not decide the task."""
    elsewhere: tuple[int, int] | None = None
    """Passes and attempts of the failing attempt's run, where that is another one."""

    def data(self) -> dict[str, Any]:
        """As analysis.json holds it."""
        parting = self.parting
        return {
            "run": self.run,
            "task": self.task,
            "pass": self.good.case.attempt,
            "fail": self.bad.case.attempt,
            "item_pass": parting.good.item if parting.good else None,
            "item_fail": parting.bad.item if parting.bad else None,
            "quotes": [cite.quote if cite else None for cite in (parting.cite_good, parting.cite_bad)],
            "kind": parting.kind,
            "statement": parting.statement,
            "alike": self.alike,
            "passes": self.passes,
            "attempts": self.attempts,
            "lucky": bool(self.lucky),
            "lucky_because": self.lucky or None,
            "same_sign": self.same_sign,
            "sources": [dict(zip(PLACE, track.case.place, strict=True)) for track in (self.good, self.bad)],
            "evidence": [
                proof(track.case, cite)
                for track, cite in ((self.good, parting.cite_good), (self.bad, parting.cite_bad))
                if cite is not None
            ],
        }


def proof(case: Case, cite: Cite) -> dict[str, Any]:
    """A cite of a rollout as plain data that can be opened and proved."""
    evidence = case.evidence(cite)
    return {**dataclasses.asdict(evidence), "sha256": evidence.sha256}


def find_twins(runs: Sequence[RunCases], modes: Sequence[Mode]) -> tuple[Twin, ...]:
    """The twins of every run, in the order of how much their tasks say."""
    rules = {mode.id: mode.detector for mode in modes}
    return tuple(twin for run in runs for twin in _twins(run, rules))


def sometimes(run: RunCases) -> dict[str, list[Case]]:
    """Task → its attempts that say something about the model, where some passed and some failed."""
    judged_by_task = {
        key: [case for case in cases if case.evaluable and case.passed is not None]
        for key, cases in run.by_task().items()
    }
    return {key: cases for key, cases in judged_by_task.items() if len({case.passed for case in cases}) == 2}


def twin_of(
    cases: Sequence[Case],
    tracks: Mapping[tuple[str, int], Track],
    rules: Mapping[str, str | None],
    *,
    ends_oddly: bool = False,
) -> Twin | None:
    """The pair that shares the most calls from the start; then a pass that is no luck and lacks their sign.

    None without transcripts on both sides.
    """
    opened = [tracks[source_key(case)] for case in cases if source_key(case) in tracks]
    good = [track for track in opened if track.case.passed and track.events]
    bad = [track for track in opened if not track.case.passed and track.events]
    if not good or not bad:
        return None
    explains = _explaining_rule(cases, rules)
    luck = {source_key(track.case): _luck(track, ends_oddly=ends_oddly) for track in good}
    shows_it = {source_key(track.case): explains is not None and explains in track.case.fired() for track in good}
    alike, _, first, second = max(
        (
            (prefix(passing.calls, failing.calls), _is_plain(luck, shows_it, passing), -number, -place)
            for number, passing in enumerate(good)
            for place, failing in enumerate(bad)
        ),
    )
    passing, failing = good[-first], bad[-second]
    parting = part(passing, failing)
    lucky_reason = luck[source_key(passing.case)]
    if not lucky_reason and not passing.calls and parting.kind == "extra":
        lucky_reason = "it makes no call at all, and the task passes when nothing is changed"
    return Twin(
        passing.case.run,
        passing.case.label,
        passing.case.key,
        passing,
        failing,
        alike,
        parting,
        sum(bool(case.passed) for case in cases),
        len(cases),
        lucky_reason,
        explains if shows_it[source_key(passing.case)] else None,
    )


def _is_plain(luck: Mapping[tuple[str, int], str], shows_it: Mapping[tuple[str, int], bool], track: Track) -> bool:
    """Whether a pass looks earned and lacks what explains the failures of its task."""
    place = source_key(track.case)
    return not luck[place] and not shows_it[place]


def nearest_twin(run: RunCases, task: str, modes: Sequence[Mode], attempt: int | None = None) -> Twin:
    """The twin of one task; of one attempt where it is given."""
    cases = [case for case in run.cases if case.label == task and case.passed is not None]
    if len({case.passed for case in cases}) < 2:
        outcome = "passes" if any(case.passed for case in cases) else "fails" if cases else "has no pass rule"
        hint = "A twin needs a passing and a failing attempt of one run."
        raise NotFound(f"Every attempt of task '{task}' in {run.run.name} {outcome}.", hint)
    own_outcome = next((case.passed for case in cases if case.attempt == attempt), None)
    compared = [case for case in cases if attempt is None or case.attempt == attempt or case.passed is not own_outcome]
    rules = {mode.id: mode.detector for mode in modes}
    twin = twin_of(compared, open_tracks(compared), rules, ends_oddly=_ends_oddly(run))
    if twin is None:
        hint = "A twin needs a passing and a failing attempt whose steps were recorded."
        raise NotFound(f"The attempts of task '{task}' in {run.run.name} left no transcripts to hold together.", hint)
    return dataclasses.replace(twin, passes=sum(bool(case.passed) for case in cases), attempts=len(cases))


def twin_across(runs: Sequence[RunCases], task: str, modes: Sequence[Mode], attempt: int | None = None) -> Twin:
    """A passing and a failing attempt of one task in two runs; `attempt` is of the first run.

    The run that passes the task more often gives the passes, the other the failures.
    """
    key = next((case.key for run in runs for case in run.cases if task in {case.label, case.key}), task)
    sides = [
        [case for case in run.by_task().get(key, ()) if case.evaluable and case.passed is not None] for run in runs
    ]
    if attempt is not None:
        sides[0] = [case for case in sides[0] if case.attempt == attempt]
    for run, side in zip(runs, sides, strict=True):
        if not side:
            raise NotFound(f"Task '{task}' has no such attempt in {run.run.name} that ran and was judged.", ACROSS)
    rules = {mode.id: mode.detector for mode in modes}
    tallies = [(sum(bool(case.passed) for case in side), len(side)) for side in sides]
    better = 0 if tallies[0][0] / tallies[0][1] >= tallies[1][0] / tallies[1][1] else 1
    for good, bad in ((better, 1 - better), (1 - better, better)):
        cases = [*_few_cases(sides[good], passed=True), *_few_cases(sides[bad], passed=False)]
        twin = twin_of(cases, open_tracks(cases), rules)
        if twin is not None:
            passes, attempts = tallies[good]
            return dataclasses.replace(twin, passes=passes, attempts=attempts, elsewhere=tallies[bad])
    names = " and ".join(run.run.name for run in runs)
    raise NotFound(f"Task '{task}' passes in neither of {names} while it fails in the other.", ACROSS)


def _twins(run: RunCases, rules: Mapping[str, str | None]) -> list[Twin]:
    tasks = sorted(sometimes(run).values(), key=_says_least)[:MOST_TASKS]
    opened = [case for cases in tasks for side in (True, False) for case in _few_cases(cases, passed=side)]
    tracks = open_tracks(opened)
    odd = _ends_oddly(run)
    candidates = (twin_of(cases, tracks, rules, ends_oddly=odd) for cases in tasks)
    return [twin for twin in candidates if twin is not None]


def _says_least(cases: Sequence[Case]) -> tuple[float, tuple[int, int, str]]:
    """Tasks whose pass rate is nearest to one half come first."""
    rate = sum(bool(case.passed) for case in cases) / len(cases)
    return abs(rate - 0.5), natural(cases[0].label)


def _few_cases(cases: Sequence[Case], *, passed: bool) -> list[Case]:
    return [case for case in cases if case.passed is passed][:MOST_ATTEMPTS]


def _ends_oddly(run: RunCases) -> bool:
    """Whether a passing rollout of this run hardly ever ends on a tool's output."""
    ends = run.run.graded.filter(pl.col("passed"))["ends_on"].to_list()
    return bool(ends) and ends.count("output") <= RARE * len(ends)


def _explaining_rule(cases: Sequence[Case], rules: Mapping[str, str | None]) -> str | None:
    """The rule behind the commonest failure mode of a task."""
    modes = Counter(case.mode for case in cases if case.failing and case.mode)
    return rules.get(min(modes, key=lambda mode: (-modes[mode], mode))) if modes else None


def _luck(track: Track, *, ends_oddly: bool) -> str:
    """Why a pass looks like luck: it ends as passes do not end."""
    if ends_oddly and track.events and track.events[-1].kind is StepKind.OUTPUT:
        return "it ends on a tool's output, as passes here hardly ever do"
    return ""

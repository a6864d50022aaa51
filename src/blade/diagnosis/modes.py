"""The way in which each failed rollout failed: one mode each, the nearest to the cause of all that was noticed.

A mode keeps its identity between runs, because it is made of the rule that fired or of the masked words of a message,
never of an order or a count. Its plain counts (`any_…`) are of every rollout that shows its sign: another sign nearer
to a cause takes nothing from them, so that they alone are compared between runs.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import field
from functools import cache, lru_cache
from typing import Any

from xxhash import xxh3_64_hexdigest

from blade.diagnosis import blame as blames
from blade.diagnosis.cases import Case, RunCases
from blade.diagnosis.findings_table import findings_of
from blade.diagnosis.named_values import commonest_value, named_values, shown_runs
from blade.diagnosis.recorded import CLOCKS, recorded, shows_endings, told_alike
from blade.diagnosis.recovery import rewards_of
from blade.diagnosis.run_wide_evidence import TOOL, settle_signs
from blade.diagnosis.separation import JudgedCases
from blade.diagnosis.shifts import with_shifts
from blade.diagnosis.usual_endings import (
    ENDS,
    RECORDED_ENDS,
    endings_of_passes,
    only_spent,
    spent_limits,
    stopped_by_checks,
)
from blade.findings import Mode, Sighting
from blade.frozen import frozen
from blade.late_regex import late_regex
from blade.model import Status
from blade.registry import plugins

LIMIT = "turn_limit"
UNNAMED_LIMIT_RANK = 75
"""Below a loop that the limit ended, before anything that a rollout which was cut might still have done."""
STATUS_RANK = 88
MALFORMED_RANK = 30  # an unreadable output is a symptom: a refusal or a lost format stands nearer to the cause
FEWEST_LATE = 10
ENDING_RANK = 5
UNEXPLAINED = "unexplained"
CLOCK = "agent_timeout"
LABEL = 0.1
NEVER_ACTED = frozenset({"no_trial", "not_started"})
"""Stages of the audit before the model could act: no rule about the rollout is asked why it failed."""
Places = dict[tuple[str, int], str]
Shown = dict[tuple[str, str], list[Case]]
"""Run and sign → the rollouts that show it."""
MOST_TASKS = 50
MOST_SAID = 3
_SENTENCE_END = late_regex(r"[.!?](?:\s|$)")
_OUTSIDE = {"infrastructure", "pipeline"}
_BEHAVIOUR = {blames.MODEL, blames.SIMULATED_USER, blames.HARNESS, blames.TOOL}
_STATUS = {
    Status.INFRASTRUCTURE.value: ("infrastructure failure", "infrastructure"),
    Status.VERIFIER_ERROR.value: ("no verdict of the verifier", "verifier"),
    Status.SKIPPED.value: ("skipped verification", "infrastructure"),
    Status.TIMED_OUT.value: ("timeout", "behaviour"),
    Status.TRUNCATED.value: ("cut-off at a limit", "behaviour"),
    Status.MALFORMED.value: ("unreadable output", "format"),
}


@frozen
class Kind:
    """What a mode is, before anybody counts it."""

    id: str
    name: str
    family: str
    kind: str
    detector: str | None = None
    where: dict[str, Any] = field(default_factory=dict, compare=False)


UNKNOWN = Kind(UNEXPLAINED, "unclassified", "", "unknown")
SPENT = Kind("limit_spent", "limit reached without a pass", "pipeline", "unknown")
DOWN = Kind("dead_stretch", "tools down for a stretch of time", "infrastructure", "infrastructure")
WITHOUT_CAUSE = frozenset({UNKNOWN.id, SPENT.id})
"""Modes that say no more than how failures end: the ledger has one part for all of them."""


def find_modes(runs: Sequence[RunCases]) -> tuple[Mode, ...]:
    """Give every failing case its mode, and count the modes of all runs: the commonest failure first."""
    kinds: dict[str, Kind] = {}
    settle_signs(runs)
    endings = spent_limits(runs)
    stopped = stopped_by_checks(runs)
    showing: Shown = {}
    for run in runs:
        ending, labels = endings[run.run.name], clock_labels(run.cases) | endings_of_passes(run.cases)
        for case in run.cases:
            case.signs = signs(case, ending, labels)
            case.only_spent = only_spent(case, ending)
            for sign in case.signs:
                showing.setdefault((case.run, sign), []).append(case)
        for case in run.failing:
            kind = kind_of(case, ending, labels.union(ENDS) if id(case) in stopped else labels)
            case.mode = kind.id
            case.signs |= {UNEXPLAINED} if kind is UNKNOWN else frozenset()
            kinds.setdefault(kind.id, kind)
    showing |= {(run.run.name, UNEXPLAINED): [case for case in run.failing if case.mode == UNEXPLAINED] for run in runs}
    judged_cases = JudgedCases(runs)
    modes = [_mode(kind, runs, showing, judged_cases) for kind in kinds.values()]
    modes.sort(key=lambda mode: (mode.id == UNEXPLAINED, -_rollouts(mode), mode.id))
    return with_shifts(modes, runs)


def spent_places(runs: Sequence[RunCases]) -> dict[str, frozenset[tuple[str, int]]]:
    """Run → the rollouts that were cut only where every failure ends: the ledger takes them for plain ones."""
    return {run.run.name: frozenset(case.place[:2] for case in run.cases if case.only_spent) for run in runs}


def modes_by_place(runs: Sequence[RunCases]) -> dict[str, Places]:
    """Run → (file, line) → mode: what the ledger splits behaviour by."""
    return {run.run.name: {case.place[:2]: case.mode for case in run.failing if case.mode} for run in runs}


def clock_labels(cases: Sequence[Case]) -> frozenset[str]:
    """Words about the agent's time that many passes bear as well: they are labels here and explain no failure."""
    late = [case for case in cases if case.state == Status.TIMED_OUT.value or CLOCK in case.fired()]
    passes = sum(bool(case.passed) for case in late)
    if len(late) < FEWEST_LATE or passes < LABEL * len(late):
        return frozenset()
    return frozenset({CLOCK, f"status_{Status.TIMED_OUT.value}"})


def kind_of(case: Case, ending: Collection[str] = (), labels: Collection[str] = ()) -> Kind:
    """The candidate nearest to the cause; among equals, the first by name.

    `ending` is how failures end here, and not why; `labels` are words that passes bear as well.
    """
    candidates = [(rank, kind) for rank, kind in _candidates(case) if kind.id not in labels]
    ranked = [(ENDING_RANK, SPENT) if kind.id in ending else (rank, kind) for rank, kind in candidates]
    return max(ranked, key=lambda pair: (pair[0], _early(pair[1].id)))[1] if len(ranked) > 1 else ranked[0][1]


def mode_rule(case: Case) -> str | None:
    """The detector that gave a failing case its mode; None where no detector did."""
    return next((kind.detector for _, kind in _candidates(case) if kind.id == case.mode), None)


@lru_cache(maxsize=4096)
def _early(name: str) -> tuple[int, ...]:
    """The greater, the earlier a name comes in order of letters."""
    return tuple(-ord(letter) for letter in name)


def signs(case: Case, spent: Collection[str] = (), labels: Collection[str] = ()) -> frozenset[str]:
    """Every mode whose sign a rollout shows, though it may have passed; `spent` are the endings of `limit_spent`."""
    if not case.fired() and case.state not in _STATUS and case.cut_at is None and not case.in_dead_stretch:
        return frozenset({UNEXPLAINED}) if case.failing else frozenset()
    ends = {name for name in RECORDED_ENDS if name in labels}
    sign_ids = {kind.id for _, kind in _candidates(case)} - {UNEXPLAINED} - ends
    if not sign_ids.isdisjoint(spent):
        sign_ids.add(SPENT.id)
    return frozenset(sign_ids or ({UNEXPLAINED} if case.failing else ()))


def _candidates(case: Case) -> Iterator[tuple[float, Kind]]:
    yield 0, UNKNOWN
    hurt = not case.evaluable
    fired = {} if case.stage_lost in NEVER_ACTED else case.fired()
    for name, sighting in fired.items():
        rule = _explaining(name)
        if rule.rank and not (hurt and not rule.of_lost_rows):
            rank = rule.rank if rule.explains is None else rule.explains(sighting)
            yield int(rank), _of_rule(name, sighting.value if rule.is_split else "")
    if case.in_dead_stretch:
        yield STATUS_RANK, DOWN
    if case.cut_at is not None and LIMIT not in fired:
        yield UNNAMED_LIMIT_RANK, _of_rule(LIMIT, "")
    if case.state in _STATUS and not (case.state == Status.TIMED_OUT.value and case.observed.get("submitted")):
        title, kind = _STATUS[case.state]
        rank = MALFORMED_RANK if case.state == Status.MALFORMED.value else STATUS_RANK
        yield rank, Kind(f"status_{case.state}", title, "pipeline", kind)


@frozen
class _Explaining:
    """How near a rule stands to the cause, as it says itself, by and large or of each sighting."""

    rank: int
    explains: Callable[[Sighting], float] | None
    of_lost_rows: bool
    """Whether it may explain a rollout that nobody judged: trouble outside the agent, and no count of checks."""
    is_split: bool


@cache
def _explaining(name: str) -> _Explaining:
    rule = plugins("detectors")[name]
    of_lost_rows = rule.FAMILY in _OUTSIDE and UNKNOWN.kind != rule.KIND
    return _Explaining(rule.EXPLAINS, getattr(rule, "explains", None), of_lost_rows, getattr(rule, "SPLIT", False))


@lru_cache(maxsize=4096)
def _of_rule(name: str, value: str) -> Kind:
    rule = plugins("detectors")[name]
    if not value:
        return Kind(name, rule.TITLE, rule.FAMILY, rule.KIND, name)
    place = {"tool": value} if name == TOOL else {}
    return Kind(
        f"{name}_{_slug(value)}", f"{rule.TITLE}: {_as_a_name(str(value))}", rule.FAMILY, rule.KIND, name, place
    )


def _as_a_name(words: str) -> str:
    """Words that hold whole sentences in quotes: a full stop in a name ends no sentence of a report."""
    return f"“{words}”" if _SENTENCE_END.search(words) and "“" not in words else words


def _slug(text: str) -> str:
    """Letters and digits; a long or wholly foreign name keeps its identity by a hash."""
    plain = re.sub(r"[^A-Za-z0-9]+", "_", text).strip("_").lower()
    return plain if 0 < len(plain) <= 40 else f"{plain[:30]}{xxh3_64_hexdigest(text.encode('utf-8', 'replace'))[:8]}"


def _mode(kind: Kind, runs: Sequence[RunCases], showing: Shown, judged_cases: JudgedCases) -> Mode:
    counts = {run.run.name: _count(kind, run, showing.get((run.run.name, kind.id), ())) for run in runs}
    runs_with_mode = [run for run in runs if counts[run.run.name]["rollouts"]]
    last = runs_with_mode[-1]
    hit = [case for case in last.failing if case.mode == kind.id]
    place = kind.where | ({"said": _stated_reasons(hit)} if kind.id.startswith("status_") else {})
    blamed = blames.blame(kind.detector, kind.kind)
    named = named_values(kind.id, kind.detector, runs)
    spoken = shown_runs([run.run.name for run in runs])
    commonest = commonest_value(named, spoken, sum(counts[run]["rollouts"] for run in spoken))
    costs = rewards_of(last).recovery(hit, exact=_exact(kind, hit))
    return Mode(
        kind.id,
        kind.name,
        kind.family,
        kind.kind,
        kind.detector,
        counts,
        {**costs.data(), "run": last.run.name},
        findings_of(kind.id, kind.detector, kind.kind, runs, commonest.value if commonest else ""),
        _trend(kind, counts, runs),
        place,
        blame=blamed,
        separation=judged_cases.separation(kind.detector, kind.id) if kind.detector and blamed in _BEHAVIOUR else None,
        named=named,
    )


def _stated_reasons(hit: Sequence[Case]) -> list[list[Any]]:
    """What the rows say of their end, the commonest first, each with its rollouts."""
    reasons = Counter(" ".join(case.reason.split()) for case in hit if case.reason)
    return [list(pair) for pair in sorted(reasons.items(), key=lambda pair: (-pair[1], pair[0]))[:MOST_SAID]]


def _exact(kind: Kind, hit: Sequence[Case]) -> bool:
    """Whether scoring the stored outputs again would give the points back for certain.

    So it is where the rule itself says so, and where every hit rollout states the expected answer.
    """
    if kind.detector is not None and getattr(plugins("detectors")[kind.detector], "RECOVERS", False):
        return True
    return bool(hit) and all(_states_the_answer(case) for case in hit)


def _states_the_answer(case: Case) -> bool:
    fired = case.fired()
    sighting = fired.get("expected_in_final")
    return "equal_but_zero" in fired or (sighting is not None and sighting.value == "stated")


def _count(kind: Kind, run: RunCases, showing: Sequence[Case]) -> dict[str, Any]:
    failing = run.failing
    cases = [case for case in failing if case.mode == kind.id]
    tasks = Counter(case.label for case in cases)
    signs = Counter(case.label for case in showing if case.failing)
    first = cases[0] if cases else None  # in order of task and attempt, not of the file
    return {
        "rollouts": len(cases),
        "tasks": len(tasks),
        "share_of_failures": len(cases) / len(failing) if failing else 0.0,
        "any_rollouts": len(showing),
        "any_failed": sum(case.failing for case in showing),
        "any_tasks": len({case.key for case in showing}),
        "recorded": recorded(run, kind.detector),
        "by_word": kind.id in CLOCKS and not shows_endings(run),
        "without_sign": sum(case.signs == {kind.id} for case in cases),
        "first": {"task": first.label, "attempt": first.attempt} if first else None,
        "examples": sorted(tasks, key=lambda task: (-max(signs[task], tasks[task]), -tasks[task], task))[:MOST_TASKS],
    }


def _trend(kind: Kind, counts: dict[str, dict[str, Any]], runs: Sequence[RunCases]) -> str | None:
    """Between the baseline and the last run: a mode whose sign came, went or stayed, by its plain counts.

    None where the rows of one of them cannot show the sign, or tell it by another measure.
    """
    ends = (runs[0], runs[-1])
    if len(runs) < 2 or not all(counts[run.run.name]["recorded"] for run in ends) or not told_alike(kind.id, ends):
        return None
    before, after = (bool(counts[run.run.name]["any_rollouts"]) for run in (runs[0], runs[-1]))
    return "persisting" if before and after else "new" if after else "gone" if before else None


def _rollouts(mode: Mode) -> int:
    return sum(int(counts["rollouts"]) for counts in mode.runs.values())

"""Which failing rollouts of a run are answered by which remedy; each by one at most.

Every failure in a mode that something helps against is answered, be it the only one; a rule that fires on passes as
readily answers none. Where the content alone was wrong, the label of the task says what helps, from three failures on.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType

from blade.diagnosis.attribution import Attribution
from blade.diagnosis.cases import Case, RunCases
from blade.diagnosis.circles import in_circles
from blade.diagnosis.damaged_commands import damaged_commands
from blade.diagnosis.detector_specificity import habits
from blade.diagnosis.label_evidence import STATUS
from blade.diagnosis.remedies import (
    AGREEING,
    BENCHMARK,
    ENDLESS,
    KNOWLEDGE,
    LIMIT,
    LOOPS,
    OUTCOMES,
    READING,
    REGRADING,
    RELIABILITY,
    SAME_ANSWER,
    START,
    THROTTLED,
    UNDECODED,
    UNFINISHED,
    UNREAD,
    UNSETTLED,
    UNSTEADY,
    USER,
    Remedy,
    remedy,
)
from blade.diagnosis.rollout_causes import ENDED_EARLY
from blade.diagnosis.separation import common_in_passes
from blade.diagnosis.task_labels import LOST_EVERYWHERE
from blade.diagnosis.undecoded import undecoded_calls
from blade.diagnosis.votes import a_vote_wins
from blade.diagnosis.work_errors import work_error
from blade.findings import OF_USER, Label, Mode, MoreRoom, TaskFault
from blade.model import Status

FEWEST_LABELLED = 3
OFTEN = 1 / 3
"""Of the rollouts at a limit: where so many repeat themselves, the loops are to be broken before it is raised."""
FEWEST_STARTS = 2
NO_TRIAL, NOT_STARTED = "no_trial", "not_started"
UNGRADED = Status.VERIFIER_ERROR.value
VERIFIER = "verifier"
MESSAGE = "verifier_message"
OF_OTHER_ATTEMPTS = frozenset({STATUS, LOST_EVERYWHERE})
"""Labels that rest on attempts without a verdict: of those that were judged, and of their key, they say nothing."""


@dataclass(frozen=True)
class Hit:
    """The failing rollouts of one remedy, and the modes that they are in."""

    remedy: Remedy
    cases: tuple[Case, ...]
    modes: tuple[Mode, ...]

    @cached_property
    def keys(self) -> set[str]:
        return {case.key for case in self.cases}


def find_hits(
    run: RunCases,
    modes: Sequence[Mode],
    labels: Mapping[str, Label],
    ledger: Attribution | None,
    faults: Mapping[str, TaskFault] = MappingProxyType({}),
    sole: Collection[int] | None = None,
    more_room: MoreRoom | None = None,
) -> Iterator[Hit]:
    """Rollouts by what helps: where two verifiers differ, against their mode, against the label of their task.

    `faults` are tasks at fault themselves: whatever else their judged rollouts show, the task is to be read first.
    Where no attempt at a task ever started, running it again helps nothing. `sole` are the failures that a user ended
    by accepting and in which nothing else is known to be wrong: a mended user does not help the others. Nor does more
    time help work that ends its tests with an error of its own, and `more_room` says whether it helps at all.
    """
    helped = {mode.id: helps for mode in modes if (helps := remedy(mode)) is not None}
    again: list[Case] = []
    left: list[Case] = []
    for case in run.failing:
        remedy_of_mode = helped.get(case.mode or "")
        regraded = (
            ledger is not None
            and ledger.regraded(case)
            and (remedy_of_mode is None or remedy_of_mode.kind != REGRADING.kind)
        )
        (again if regraded else left).append(case)
    if again:
        yield _hit(REGRADING, again, modes)
    specificity = habits(run)
    habitual = {
        mode.id for mode in modes if common_in_passes(mode) or (mode.detector and specificity.is_habit(mode.detector))
    }
    by_remedy: dict[str, list[Case]] = {}
    first = list(_by_what_happened(run, left, helped, modes, faults))
    yield from first
    answered = {id(case) for hit in first for case in hit.cases}
    left = [case for case in left if id(case) not in answered]
    names: dict[str, Remedy] = {}
    for case in left:
        if case.mode in helped and case.mode not in habitual and work_error(case) is None:
            doubted = case.mode == ENDED_EARLY and sole is not None and id(case) not in sole
            helps = READING if doubted else helped[case.mode]
            names[helps.name] = helps
            by_remedy.setdefault(helps.name, []).append(case)
    damaged = damaged_commands(run)  # more room or fewer repeats help nothing where the harness breaks commands
    cut = [case for case in by_remedy.pop(LIMIT.name, ()) if id(case) not in damaged]
    for helps, cases in _cut_apart(cut, more_room):
        by_remedy.setdefault(helps.name, []).extend(cases)
        names[helps.name] = helps
    for name, cases in sorted(by_remedy.items()):
        yield _hit(names[name], cases, modes)
    for helps, cases in _wrong_content(run, left, labels, helped).items():
        if len(cases) >= FEWEST_LABELLED or helps is BENCHMARK:
            yield _hit(helps, cases, modes)
            answered |= {id(case) for case in cases}
    messages = {mode.id for mode in modes if mode.detector == MESSAGE}
    unread = [case for case in left if case.evaluable and case.mode in messages and id(case) not in answered]
    if len(unread) >= FEWEST_LABELLED:
        yield _hit(UNREAD, unread, modes)


def _cut_apart(cut: Sequence[Case], more_room: MoreRoom | None) -> Iterator[tuple[Remedy, list[Case]]]:
    """Rollouts at a limit: those in a loop, where many are, and the others, whom more room helps or does not."""
    going_round = _going_round(cut)
    if going_round:
        yield LOOPS, going_round
    looping = {id(case) for case in going_round}
    others = [case for case in cut if id(case) not in looping]
    if others:
        endless = more_room is not None and more_room.hardly_helps and more_room.covers(others)
        yield ENDLESS if endless else LIMIT, others


def _wrong_content(
    run: RunCases, left: Sequence[Case], labels: Mapping[str, Label], helped: Mapping[str, Remedy]
) -> dict[Remedy, list[Case]]:
    """Rollouts whose content alone was wrong, by what helps: a vote only where it wins, else they are to be read."""
    passing = {case.key for case in run.cases if not case.failing}
    by_label: dict[Remedy, list[Case]] = {}
    for case, helps in _by_label(left, labels, helped):
        never = helps is RELIABILITY and case.key not in passing
        by_label.setdefault(UNSETTLED if never else helps, []).append(case)
    wavering = by_label.pop(RELIABILITY, [])
    if wavering:
        by_label[RELIABILITY if a_vote_wins(run, {case.key for case in wavering}) else UNSTEADY] = wavering
    return by_label


def _going_round(cut: Sequence[Case]) -> list[Case]:
    """Rollouts at a limit that repeat themselves, where many do: more room would give them more of the same."""
    looping = [case for case in cut if in_circles(case)]
    return looping if len(looping) >= OFTEN * len(cut) else []


def _by_what_happened(
    run: RunCases,
    left: Sequence[Case],
    helped: Mapping[str, Remedy],
    modes: Sequence[Mode],
    faults: Mapping[str, TaskFault],
) -> Iterator[Hit]:
    """Rollouts whose own story says what helps, whatever their mode: each in the first that fits."""
    unable, broken_calls = never_startable(run), undecoded_calls(run)
    fits: tuple[tuple[Remedy, Callable[[Case], bool]], ...] = (
        (START, lambda case: _not_started(case) and case.key in unable),
        (USER, lambda case: _is_judged(case) and _struck(case, faults) and faults[case.label].source == OF_USER),
        (BENCHMARK, lambda case: _is_judged(case) and _struck(case, faults)),
        (THROTTLED, lambda case: "throttled" in case.observed),
        (UNDECODED, lambda case: id(case) in broken_calls),
        (UNFINISHED, lambda case: _lacks_verdict(case, helped) and not keeps_work(case, run)),
    )
    answered: set[int] = set()
    for helps, fit in fits:
        cases = [case for case in left if id(case) not in answered and fit(case)]
        answered |= {id(case) for case in cases}
        if cases:
            yield _hit(helps, cases, modes)


def _lacks_verdict(case: Case, helped: Mapping[str, Remedy]) -> bool:
    helps = helped.get(case.mode or "")
    return case.state == UNGRADED and helps is not None and helps.name == VERIFIER


def keeps_work(case: Case, run: RunCases) -> bool:
    """Whether a row holds what could be graded again: an answer, a patch, or a message where no calls do the work."""
    if case.answer is not None or case.observed.get("patches"):
        return True
    if "works by calls" not in run.known:
        working = [attempt for attempt in run.cases if attempt.shows_the_model and attempt.stage_lost is None]
        calling = sum(bool(attempt.actions) for attempt in working)
        run.known["works by calls"] = 2 * calling > len(working) or not working
    return not run.known["works by calls"] and case.shows_the_model


def never_startable(run: RunCases) -> set[str]:
    """Tasks of which no attempt that was made started its agent, of two at least."""
    attempted = {key: [case for case in cases if case.stage_lost != NO_TRIAL] for key, cases in run.by_task().items()}
    return {key for key, cases in attempted.items() if len(cases) >= FEWEST_STARTS and all(map(_not_started, cases))}


def _not_started(case: Case) -> bool:
    return case.stage_lost == NOT_STARTED


def _struck(case: Case, faults: Mapping[str, TaskFault]) -> bool:
    fault = faults.get(case.label)
    return fault is not None and fault.struck(case.run)


def _is_judged(case: Case) -> bool:
    return case.evaluable and case.stage_lost is None


def _hit(helps: Remedy, cases: Sequence[Case], modes: Sequence[Mode]) -> Hit:
    mode_ids = {case.mode for case in cases}
    return Hit(helps, tuple(cases), tuple(mode for mode in modes if mode.id in mode_ids))


def _by_label(
    failing: Sequence[Case], labels: Mapping[str, Label], helped: Mapping[str, Remedy]
) -> Iterator[tuple[Case, Remedy]]:
    """Rollouts whose content alone was wrong: what helps is told by the label of their task, its first that helps."""
    remedies = ((case.label, helped.get(case.mode or "")) for case in failing)
    repaired = {label for label, helps in remedies if helps is not None and helps.label == BENCHMARK.label}
    for case in failing:
        if case.evaluable and case.mode not in helped and case.label in labels:
            codes = labels[case.label].labels
            helpful = (BENCHMARK, KNOWLEDGE, RELIABILITY)[labels[case.label].rule in OF_OTHER_ATTEMPTS :]
            fits = (candidate for candidate in helpful if candidate.label in codes)
            helps = next(
                (candidate for candidate in fits if candidate is not BENCHMARK or case.label not in repaired), None
            )
            if helps is KNOWLEDGE and labels[case.label].rule in OUTCOMES:
                helps = AGREEING if labels[case.label].rule == SAME_ANSWER else UNSETTLED
            if helps is not None:
                yield case, helps

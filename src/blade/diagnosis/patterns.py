"""What only several attempts show together: the same wrong answer, another run that passes, a call that passes share.

Each pattern looks at one task and says what it speaks for, or None. Weights are those of the catalogue.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from operator import itemgetter

from blade.diagnosis.cases import Case
from blade.diagnosis.groups import Group, Signal, agreement, answer, signature, tool_of
from blade.findings import Sighting
from blade.registry import plugins
from blade.signatures import template
from blade.wording import count

FEWEST_FAILS = 3
AGREE = 2 / 3
SCATTERED = 0.8
CLEANLY = 0.6
SHARED = 0.8
FEWEST_PASSES = 3
FEWEST_ALIKE = 6
LONGEST_ANSWER = 80
FEWEST_TASKS = 3
BREAKS = {"P11", "P12"}
"""Rules that name a class of error; that an answer is wrong, as in many other tasks, names nothing they share."""
_TELLS_NOTHING = frozenset(
    (
        *("FileNotFoundError", "OSError", "PermissionError", "TimeoutError", "ConnectionError", "RuntimeError"),
        *("ValueError", "KeyError", "IndexError", "AssertionError", "Exception", "ConnectionRefusedError"),
    )
)
"""Errors of anything that goes wrong: that several tasks end in one shows no knowledge that is missing."""
Pattern = Callable[[Group], Signal | None]


def same_wrong_answer(group: Group) -> Signal | None:
    """K01: two thirds of at least three failing attempts give the same wrong answer.

    That the same check fails, or with the same message, shows how they fail and not what is not known.
    """
    signatures = [(case, signature(case, group.modes) if case.answer else "") for case in group.failing]
    answers = [text for _, text in signatures if text]
    if len(answers) < FEWEST_FAILS or agreement(answers) * len(answers) < AGREE * len(group.failing):
        return None
    common = max(Counter(answers).items(), key=lambda pair: (pair[1], pair[0]))[0]
    alike = tuple(case for case, text in signatures if text == common)
    reason = f"{len(alike)} of {count(len(group.failing), 'failing attempt')} are wrong in the same way"
    return Signal("same_wrong_answer", "content", {"KG": 1.6}, 0.8, alike, reason)


def scattered_wrong_answers(group: Group) -> Signal | None:
    """K02: at least three failing attempts, nearly each with another short answer."""
    answering = [case for case in group.failing if case.answer and len(case.answer) <= LONGEST_ANSWER]
    if len(answering) < FEWEST_FAILS or len(answering) < len(group.failing):
        return None
    shares = [times / len(answering) for times in Counter(answer(case) for case in answering).values()]
    entropy = -sum(share * math.log(share) for share in shares) / math.log(len(answering))
    if entropy <= SCATTERED:
        return None
    reason = f"{count(len(answering), 'failing attempt')} give {len(shares)} different answers"
    return Signal("scattered_wrong_answers", "content", {"UK": 0.8, "KG": 0.3}, 0.8, tuple(answering), reason)


def sometimes_right(group: Group) -> Signal | None:
    """The task passes and fails in one run, and what fails is the answer: the knowledge is there, now and then.

    An answer is the step that decides. Of work over several calls that alone shows nothing (`deciding_steps`).
    """
    answering = [case for case in group.answering if not case.actions]
    if not group.passing or not answering or len(answering) * 2 < len(group.failing):
        return None
    failures_words = "the others answer, and are wrong"
    if len(answering) < len(group.failing):
        verbs = "answers, and is wrong" if len(answering) == 1 else "answer, and are wrong"
        failures_words = f"{len(answering)} of the others {verbs}"
    reason = f"passes {len(group.passing)} of {count(group.evaluable, 'attempt')}; {failures_words}"
    return Signal("sometimes_right", "repeats", {"UK": 1.4}, 0.8, tuple(answering), reason)


def another_run_passes(group: Group) -> Signal | None:
    """K09: never here, but cleanly in another run: the task can be done, and what is missing is on this side."""
    rates = {
        name: sum(not case.failing for case in cases) / len(cases) for name, cases in group.others.items() if cases
    }
    if group.passing or not group.failing or not rates:
        return None
    name, best = max(rates.items(), key=lambda pair: (pair[1], pair[0]))
    if best < CLEANLY:
        return Signal("another_run_passes", "others", {"TI": -0.7}, 0.8, (), f"{name} passes it") if best else None
    content = 2 * len(group.content) >= len(group.failing) and len(group.failing) >= 2
    reason = f"never passes here, and {name} passes {best:.0%} of its attempts"
    supports = {"KG": 1.0, "TI": -1.5} if content else {"TI": -1.5}
    return Signal("another_run_passes", "others", supports, 0.8, tuple(group.failing), reason)


def states_the_answer(group: Group) -> Signal | None:
    """A failing attempt of this run gives the expected answer, which was not read or not granted: it is known here.

    Where others answer otherwise, it is known now and then, as where some pass.
    """
    right = [case for case in group.failing if _gives_the_key(case)]
    if not right:
        return None
    wrong = tuple(case for case in group.answering if case.answer and not _gives_the_key(case))
    others = f", {len(wrong)} another" if wrong else ""
    reason = f"{len(right)} of {count(len(group.failing), 'failing attempt')} give the expected answer{others}"
    return Signal("states_the_answer", "repeats", {"KG": -2.5} | ({"UK": 1.4} if wrong else {}), 0.8, wrong, reason)


def _gives_the_key(case: Case) -> bool:
    answer = case.observed.get("answer", {})
    return bool(answer.get("meets") or answer.get("stated_meets"))


def all_runs_fail_alike(group: Group) -> Signal | None:
    """V07: every attempt of every run, at least two runs and six attempts, fails with one signature."""
    other_attempts = [case for cases in group.others.values() for case in cases if case.evaluable]
    everything = [*group.failing, *other_attempts]
    if not group.failing or not other_attempts or group.passing or len(everything) < FEWEST_ALIKE:
        return None
    signatures = {signature(case, group.modes) for case in everything}
    if len(signatures) > 1 or not all(signatures) or any(not case.failing for case in other_attempts):
        return None
    reason = f"all {len(everything)} attempts of {1 + len(group.others)} runs fail in the same way"
    return Signal(
        "all_runs_fail_alike", "benchmark", {"TI": 1.2, "DA": 0.8, "KG": 0.4}, 0.8, tuple(group.failing), reason
    )


def missing_element(group: Group) -> Signal | None:
    """K03: a call that passes share, in any run, and that no failing attempt of this one makes.

    Where this run's own passes make it, it is known here and left out: that is behaviour before it is knowledge.
    """
    passes = [case for case in group.passing if case.actions]
    passes += [case for cases in group.others.values() for case in cases if not case.failing and case.actions]
    failing = [case for case in group.unaccounted if case.shows_the_model]
    if len(passes) < FEWEST_PASSES or len(failing) < 2 or 2 * len(failing) < len(group.failing):
        return None
    shared = Counter(action for case in passes for action in set(case.actions))
    failing_calls = {action for case in failing for action in case.actions}
    lacking = sorted(
        action
        for action, passes_calling in shared.items()
        if passes_calling >= SHARED * len(passes) and action not in failing_calls
    )
    if not lacking or (group.tools is not None and tool_of(lacking[0]) not in group.tools):
        return None  # a tool that a run never calls may not be offered to it
    in_own_passes = any(lacking[0] in case.actions for case in group.passing)
    supports = {"BI": 1.2, "UK": 0.6} if in_own_passes else {"KG": 1.2, "BI": 0.5}
    reason = f"no failing attempt calls {lacking[0]}, which passing ones call"
    return Signal("missing_element", "elements", supports, 0.8, tuple(failing), reason)


def unreliable_element(group: Group) -> Signal | None:
    """K04: a call that this run's passes share, and that some of its failing attempts make and some do not.

    Only names of tools and arguments are compared, not values: no label rests on it alone.
    """
    passes = [case for case in group.passing if case.actions]
    failing = [case for case in group.unaccounted if case.shows_the_model]
    if len(passes) < 2 or len(failing) < 2:
        return None
    shared = Counter(action for case in passes for action in set(case.actions))
    for action, passes_calling in sorted(shared.items()):
        failures_calling = sum(action in case.actions for case in failing)
        if passes_calling >= SHARED * len(passes) and 0 < failures_calling < len(failing):
            reason = f"{failures_calling} of {len(failing)} failing attempts call {action}, as passing ones do"
            return Signal("unreliable_element", "elements", {"UK": 1.6}, 0.6, tuple(failing), reason)
    return None


PATTERNS: tuple[Pattern, ...] = (
    same_wrong_answer,
    scattered_wrong_answers,
    sometimes_right,
    another_run_passes,
    states_the_answer,
    all_runs_fail_alike,
    missing_element,
    unreliable_element,
)


def shared_errors(task_groups: Sequence[Group]) -> dict[tuple[str, str], Signal]:
    """K06: one error at one stage over at least three tasks of a run; (run, task) → what it speaks for.

    It is one where its words are, but for names and numbers: that many programs fail to compile, each in its own way,
    shows nothing that they lack.
    """
    hits: dict[tuple[str, str, str, str], list[Group]] = {}
    for group in task_groups:
        errors = {
            (name, sighting.value, _error_words(sighting))
            for case in group.failing
            for name, sighting in case.fired().items()
            if sighting.value and _stage(name) and sighting.value not in _TELLS_NOTHING
        }
        for name, value, words in errors:
            hits.setdefault((group.run, name, value, words), []).append(group)
    signals: dict[tuple[str, str], Signal] = {}
    for (run, name, value, words), members in sorted(hits.items(), key=itemgetter(0)):
        if len(members) >= FEWEST_TASKS:
            reason = f"{value}, as in {count(len(members), 'task')}"
            for group in members:
                fired = ((case, case.fired().get(name)) for case in group.failing)
                cases = tuple(
                    case
                    for case, sighting in fired
                    if sighting is not None and (sighting.value, _error_words(sighting)) == (value, words)
                )
                signals[run, group.key] = Signal("shared_error", "pipeline", {"KG": 1.8}, 0.8, cases, reason)
    return signals


def _error_words(sighting: Sighting) -> str:
    return template(sighting.cites[0].quote) if sighting.cites else ""


def _stage(name: str) -> bool:
    rule = plugins("detectors")[name]
    return rule.ID in BREAKS


def told_by_health(group: Group, suspects: Collection[str], flaky: Mapping[str, Collection[str]]) -> Signal | None:
    """V10 and V11, as the checks of the benchmark's health found them: a suspect key, a verdict that varies."""
    if group.label in flaky.get(group.run, ()):
        reason = "equal outputs got different scores"
        return Signal("flaky_verifier", "benchmark", {"TI": 3.0, "IR": 0.5}, 1.0, tuple(group.failing), reason)
    names = {group.label, *(cases[0].label for cases in group.others.values() if cases)}
    if names & set(suspects):
        reason = "the runs agree on one answer, and the key says another"
        return Signal("suspect_gold", "benchmark", {"TI": 1.8, "DA": 1.0}, 0.8, tuple(group.failing), reason)
    return None

"""Signs of a rollout that only all rollouts together settle: how it differs from the key, and which limit cut it.

A key is held against what the environment accepts at all, so that each failure has one shape wherever it is told. A
limit that no field names is found from the heap of rollouts that stop there; then the last words of a rollout say
nothing of its agent. A limit that the task itself sets, as a game does, cut nothing. Tools that were down for a stretch
of time are seen in the rollouts of that time. Calls that failed and were overcome are no sign of anything.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from blade.diagnosis.cases import Case, RunCases
from blade.diagnosis.copies import without_copies
from blade.diagnosis.dead_stretches import dead_stretches
from blade.diagnosis.effective_key import effective_shape, refused_changes
from blade.diagnosis.turn_limits import at_limit, turn_limits
from blade.extract.against_reference import REJECTED_AS_EXPECTED
from blade.extract.calls import changing_name
from blade.extract.failure_shape import EXTRA, NOTHING, OMISSION, SUBSTITUTION
from blade.extract.given_answer import MESSAGE
from blade.findings import Sighting
from blade.model import Status

TOOL = "tool_keeps_failing"
FAILED_CALLS = (TOOL, "invented_lookup", "user_invents_lookup")
"""Rules about calls that fail to the end, each with the tool as its value."""
OF_SHAPES = {
    NOTHING: "missing_action",
    OMISSION: "missing_action",
    SUBSTITUTION: "wrong_action",
    EXTRA: "extra_mutation",
}
"""Shape → the rule about it; a rollout whose changes are all right shows none of them."""
CUT_SHORT = frozenset({"ends_on_tool_output", "empty_final", "premature_stop", "gave_up"})
"""Rules about how an agent ends, which say nothing where a limit ended it."""
TURN_LIMIT = "turn_limit"
WRONG = "wrong_answer"
FEWEST_READ = 3
"""Passes whose answer is read out of the message: they tell whether it is read rightly."""
HALF = 0.5
PASSING = 0.1
"""Where so many of the rollouts that stop at one number pass, it is how the work ends and no limit."""


def settle_signs(runs: Sequence[RunCases]) -> None:
    """Put aside what the other rollouts show to be no sign, and note the limit that cut a rollout."""
    _forget_misread_answers(runs)
    for stretch in dead_stretches(without_copies(runs)):
        for case in stretch.cases:
            case.in_dead_stretch = True
    refused = refused_changes(runs)
    limits = _limits(runs)
    for run in runs:
        limit = limits.get(run.run.name)
        turns_of_model = _turns_of_model(run, limit)
        own_limit = any(flaw.slug == "limit-of-the-task" for flaw in getattr(run.run, "flaws", ()))
        for case in run.cases:
            observed = case.observed
            if own_limit and case.state != Status.TRUNCATED.value and TURN_LIMIT in case.fired():
                case.show({name: sighting for name, sighting in case.fired().items() if name != TURN_LIMIT})
            if refused and "shape" in observed and (shape := effective_shape(observed, refused)) != observed["shape"]:
                case.show(_in_shape(case.fired(), shape or ""))
            if case.evaluable and at_limit(observed, limit):
                case.cut_at = turns_of_model
                case.show({name: sighting for name, sighting in case.fired().items() if name not in CUT_SHORT})
            if past := {rule for rule in FAILED_CALLS if overcome(case, rule)}:
                case.show({name: sighting for name, sighting in case.fired().items() if name not in past})


def _forget_misread_answers(runs: Sequence[RunCases]) -> None:
    """Put aside wrong answers that were read out of messages, where what is read so is not the key in passes either."""
    read = [case for run in runs for case in run.cases if case.observed.get("answer", {}).get("source") == MESSAGE]
    passes = [case.observed["answer"] for case in read if case.passed and case.observed["answer"].get("key")]
    if len(passes) < FEWEST_READ or sum(bool(answer.get("meets")) for answer in passes) >= HALF * len(passes):
        return
    for case in read:
        if WRONG in case.fired():
            case.show({name: sighting for name, sighting in case.fired().items() if name != WRONG})


def overcome(case: Case, rule: str = TOOL) -> bool:
    """Whether calls of a tool fail and something else tells more of the failure, as far as a key shows it.

    Something was changed wrongly, everything was changed rightly, or other calls told something afterwards: then what
    the verifier judges is how the changes differ from the key, and a call that failed on the way explains nothing.
    Where the call that failed is the expected one with another value, that value says why it failed. A change that is
    refused while the key first misses another one is itself a step off the key, or comes after it.
    """
    fired = case.fired()
    if rule not in fired or ("shape" not in case.observed and "wrong_action" not in fired):
        return False
    left_out = fired.get("missing_action")
    if left_out is None or case.observed.get("stuck") != fired[rule].value:
        return True
    if left_out.value and left_out.value != fired[rule].value:
        return changing_name(fired[rule].value) is True
    return left_out.value == fired[rule].value and not left_out.detail.endswith(REJECTED_AS_EXPECTED)


def _limits(runs: Sequence[RunCases]) -> dict[str, int]:
    limits = turn_limits((case.run, case.observed) for run in runs for case in run.cases if case.evaluable)
    stopped: Counter[str] = Counter()
    passed: Counter[str] = Counter()
    for run in runs:
        for case in run.cases:
            if case.evaluable and at_limit(case.observed, limits.get(case.run)):
                stopped[case.run] += 1
                passed[case.run] += bool(case.passed)
    return {run: limit for run, limit in limits.items() if passed[run] < PASSING * stopped[run]}


def _turns_of_model(run: RunCases, limit: int | None) -> int | None:
    """A limit in turns of the model, as all else counts it: what it gets back may hold a notice of the harness, too."""
    acts = Counter(case.acts for case in run.cases if case.acts and case.evaluable and at_limit(case.observed, limit))
    return min(acts, key=lambda turns: (-acts[turns], turns), default=limit)


def _in_shape(fired: Mapping[str, Sighting], shape: str) -> dict[str, Sighting]:
    """What fired, with the rule of this shape alone among those about shapes."""
    rules = set(OF_SHAPES.values())
    without_shapes = {name: sighting for name, sighting in fired.items() if name not in rules}
    old = next((sighting for name, sighting in fired.items() if name in rules), None)
    rule = OF_SHAPES.get(shape)
    if rule is None or old is None:
        return without_shapes
    if rule in fired:
        return {**without_shapes, rule: fired[rule]}
    return {**without_shapes, rule: replace(old, cites=old.cites[:1], detail=_ACCEPTED[rule])}


_ACCEPTED = {
    "missing_action": "leaves out a change that the key holds and the environment accepts",
    "wrong_action": "makes a change other than those of the key that the environment accepts",
    "extra_mutation": "makes a change that is not among those of the key that the environment accepts",
}

"""Whether the rows of a run can show a mode's sign at all: what nobody recorded is no evidence that it was not there.

A run without the verifier's logs shows no stage at which the tests failed, a run without transcripts nothing that the
model did. A mode that rests on such records is not compared with a run that lacks them.
"""

from __future__ import annotations

from collections.abc import Sequence

from blade.diagnosis.blame import SHAPES
from blade.diagnosis.cases import RunCases
from blade.findings import State
from blade.registry import plugins

LOGS = "stage"
"""What rules need that read the verifier's logs."""
TURNS = "turns"
SOME = 0.1
OF_THE_MODEL = frozenset({"model", "tool", "task"})
CLOCKS = frozenset({"agent_timeout", "status_timed_out"})
"""Modes that a row's word for a time limit tells: whether the work had ended by then, only its own record shows."""


def recorded(run: RunCases, detector: str | None) -> bool:
    """Whether some judged rollout of a run holds what the rule reads; true where it fired, or none was judged."""
    if detector is None or any(detector in case.fired() for case in run.cases):
        return True
    memo_key = f"recorded {_record(detector)}"
    if memo_key not in run.known:
        run.known[memo_key] = _holds(run, detector)
    return bool(run.known[memo_key])


def _record(detector: str) -> str:
    """What a rule reads that a run may lack: the verifier's logs, the model's turns, or nothing that can be lacking."""
    rule = plugins("detectors")[detector]
    if getattr(rule, "NEEDS", None) == LOGS:
        return LOGS
    reads = frozenset(getattr(rule, "READS", ()))
    return TURNS if "model" in reads and reads <= OF_THE_MODEL else ""


def _holds(run: RunCases, detector: str) -> bool:
    record = _record(detector)
    judged_cases = [case for case in run.cases if case.evaluable and case.stage_lost is None]
    if not judged_cases or not record:
        return True
    if record == LOGS:
        return any(case.states().get(detector) is not State.NOT_APPLICABLE for case in judged_cases)
    with_items = [case for case in judged_cases if case.items is not None]
    return sum(case.shows_the_model for case in with_items) >= SOME * len(with_items)


def shows_endings(run: RunCases) -> bool:
    """Whether judged rollouts of a run hold a record of their own that shows how they ended."""
    if "shows endings" not in run.known:
        judged_cases = [case for case in run.cases if case.evaluable and case.stage_lost is None]
        run.known["shows endings"] = sum(bool(case.items) for case in judged_cases) >= SOME * len(judged_cases)
    return bool(run.known["shows endings"])


def told_alike(mode: str, runs: Sequence[RunCases]) -> bool:
    """Whether a mode means the same in these runs: a word for a limit does not where one of them shows no endings."""
    return mode not in CLOCKS or len({shows_endings(run) for run in runs}) == 1


def one_sided(base: RunCases, candidate: RunCases) -> frozenset[str]:
    """Modes of two runs that cannot be compared, as one of the runs lacks what they are read from.

    A failure counts under the nearest sign: where a shape of failure can be seen in one run alone, its rollouts would
    bear another shape in the other. So no shape is compared then.
    """
    modes = {case.mode for run in (base, candidate) for case in run.failing if case.mode}
    rules = {mode: _rule(mode) for mode in modes}
    lacking = {mode for mode, rule in rules.items() if not all(recorded(run, rule) for run in (base, candidate))}
    if any(rules[mode] in SHAPES for mode in lacking):
        lacking |= {mode for mode, rule in rules.items() if rule in SHAPES}
    return frozenset(lacking)


def _rule(mode: str) -> str | None:
    """The detector of a mode, whose id begins with its name; the longest where several do."""
    detectors = plugins("detectors")
    if mode in detectors:
        return mode
    return max((name for name in detectors if mode.startswith(f"{name}_")), key=len, default=None)


def all_one_sided(runs: Sequence[RunCases]) -> dict[tuple[str, str], frozenset[str]]:
    """Base and candidate → the modes that cannot be compared between them; pairs without any are left out."""
    modes_by_pair = {(runs[0].run.name, run.run.name): one_sided(runs[0], run) for run in runs[1:]}
    return {pair: modes for pair, modes in modes_by_pair.items() if modes}

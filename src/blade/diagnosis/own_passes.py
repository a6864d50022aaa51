"""Failures over calls at tasks that the same run passes in another attempt, where nothing else is known to be at fault.

The run has done this task with these tools: knowledge, tools and verifier allow it. What is left is what the attempt
did. Of work without calls the answer alone differs, and that speaks of knowledge as well.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from collections.abc import Set as AbstractSet

from blade.diagnosis.cases import Case, RunCases
from blade.diagnosis.rollout_causes import Cause
from blade.diagnosis.submissions import agreeing, last_words
from blade.extract.artefacts import PATCH_DIGEST
from blade.findings import TaskFault
from blade.late_regex import late_regex
from blade.model import Status
from blade.wording import count

FEWEST_AGREEING = 3
ELSEWHERE = "own_other_attempt_passes"
_EXCEPTION = late_regex(r"\b(?!Assertion)[A-Z]\w*(?:Error|Exception)\b|\b[Cc]annot find module\b|ERROR collecting")
"""What a verifier's log says where work did not run there: a file may be missing, or a version another one."""
_ENDED = frozenset({Status.OK.value, Status.MALFORMED.value})
"""Statuses of rollouts that no limit and no machine ended."""


def own_passes(
    runs: Sequence[RunCases],
    explained: AbstractSet[int],
    faults: Mapping[str, TaskFault],
    unclean: Collection[str] = (),
) -> dict[int, Cause]:
    """The cause of such failures, by the identity of the case; those of `explained` have one already.

    In runs that are `unclean` a later attempt may find what an earlier one left behind.
    """
    causes: dict[int, Cause] = {}
    agreed = _agreed(runs)
    for run in runs:
        attempts: defaultdict[str, list[Case]] = defaultdict(list)
        for case in run.judged():
            attempts[case.key].append(case)
        for cases in attempts.values():
            passes = [case for case in cases if case.passed and case.actions]
            fault = faults.get(cases[0].label)
            if not passes or (fault is not None and fault.struck(run.run.name)):
                continue
            reason = f"{run.run.name} passes this task in {len(passes):,} of {count(len(cases), 'attempt')}"
            earlier = max(case.attempt for case in passes) if run.run.name in unclean else -1
            for case in cases:
                if case.passed or id(case) in explained or id(case) in agreed or 0 <= earlier < case.attempt:
                    continue
                if _is_its_own_doing(case, passes):
                    causes[id(case)] = Cause("BI", ELSEWHERE, f"{reason}, so that what this one did lost it")
    return causes


def _agreed(runs: Sequence[RunCases]) -> frozenset[int]:
    """Failures that give the answer, or make the last call, of most rollouts at the task, in several runs.

    They may be right, and the key wrong.
    """
    attempts: defaultdict[str, list[Case]] = defaultdict(list)
    for run in runs:
        for case in run.judged():
            attempts[case.key].append(case)
    groups = (agreeing(cases, last_words, max(FEWEST_AGREEING, (len(cases) + 1) // 2)) for cases in attempts.values())
    return frozenset(id(case) for group in groups for case in group)


def _is_its_own_doing(case: Case, passes: Sequence[Case]) -> bool:
    """Whether it made calls and ended by itself with its tools there, and nothing speaks of the verifier's side.

    It did not hand in what a pass handed in, and its work ran there without an exception.
    """
    if not case.actions or case.cut_at is not None or case.in_dead_stretch or case.state not in _ENDED:
        return False
    if any(_EXCEPTION.search(words) for words in (case.observed.get("verifier") or {}).get("says", ())):
        return False
    return all(_patches(case).isdisjoint(_patches(passing)) for passing in passes)


def _patches(case: Case) -> set[tuple[str, int]]:
    return {(name, patch[PATCH_DIGEST]) for name, patch in (case.observed.get("patches") or {}).items() if patch}

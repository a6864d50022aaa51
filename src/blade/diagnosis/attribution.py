"""Which part of a change counts the failing rollouts of a mode or an intervention: the ledger's points are theirs.

A cause has one number. Where the ledger has a part for the very rollouts that somebody speaks of, its points are the
number; where they are only some of a part's rollouts, they are said to be among them.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

from blade.diagnosis.cases import Case, RunCases
from blade.diagnosis.modes import UNEXPLAINED, WITHOUT_CAUSE
from blade.diagnosis.recorded import one_sided
from blade.findings import Mode, PartShare
from blade.model import Change, Part, Status

CLASSES = {
    Status.INFRASTRUCTURE.value: "infrastructure",
    Status.VERIFIER_ERROR.value: "verifier",
    Status.TRUNCATED.value: "truncation",
    Status.TIMED_OUT.value: "truncation",
    Status.MALFORMED.value: "malformed",
}
"""Status → the cause that the ledger counts such rows under, whatever their mode."""
OF_A_CLASS = (None, "error")
ROWS, CLASS = "rows", "class"
Key = tuple[str, str]


class Attribution:
    """The rollouts of one change by the part of its ledger that counts them, on the tasks that both runs tried."""

    def __init__(self, place: int, change: Change, runs: Sequence[RunCases]) -> None:
        """`place` is that of the change in the analysis; `runs` are its base and its candidate."""
        self.place, self.change = place, change
        common = runs[0].by_task().keys() & runs[1].by_task().keys()
        shared = [case for run in runs for case in run.cases if case.key in common]
        keyed_parts = ((_key_of_part(part), number) for number, part in enumerate(change.parts))
        keys = {key: number for key, number in keyed_parts if key is not None}
        regraded = {row: (ROWS, str(number)) for number, part in enumerate(change.parts) for row in part.rows}
        keys |= {key: int(key[1]) for key in regraded.values()}
        left_out = WITHOUT_CAUSE | one_sided(runs[0], runs[1])
        key_of = {id(case): regraded.get(case.place[:2]) or _key(case, left_out) for case in shared}
        rollout_counts = Counter(
            key_of[id(case)]
            for case in shared
            if case.failing or key_of[id(case)][0] == CLASS or case.place[:2] in regraded
        )
        self._same = {key for key, number in keys.items() if change.parts[number].rollouts == rollout_counts[key]}
        failing = ((id(case), key_of[id(case)]) for case in shared if case.failing)
        self._part = {place: keys[key] for place, key in failing if key in keys}
        self._keys = {number: key for key, number in keys.items()}
        self._held = Counter((case.run, self._part[id(case)]) for case in shared if id(case) in self._part)

    def shares(self, cases: Iterable[Case], *, of: Sequence[str]) -> tuple[PartShare, ...]:
        """The parts that count these rollouts, largest first; `of` names the runs whose rollouts a part is held to."""
        own_counts = Counter(self._part[id(case)] for case in cases if id(case) in self._part)
        shares = [
            self._share(number, rollouts, sum(self._held[run, number] for run in of))
            for number, rollouts in own_counts.items()
        ]
        return tuple(sorted(shares, key=lambda share: (-abs(share.points), share.part)))

    def regraded(self, case: Case) -> bool:
        """Whether two verifiers score this rollout differently, so that what it lost is none of the model's doing.

        A part of the behaviour may list its rows too (calls of a broken tool): no verifier decides about these.
        """
        number = self._part.get(id(case))
        return number is not None and self._keys[number][0] == ROWS and self.change.parts[number].cause != "behaviour"

    def _share(self, number: int, rollouts: int, part_rollouts: int) -> PartShare:
        part = self.change.parts[number]
        is_whole = rollouts == part_rollouts and self._keys[number] in self._same
        return PartShare(self.place, number, part.cause, part.sub, part.points, rollouts, part_rollouts, is_whole)

    def interval(self, shares: Sequence[PartShare]) -> tuple[float, float] | None:
        """What the one part may have cost: its interval with the sign turned; None for several."""
        part_interval = self.change.parts[shares[0].part].interval if len(shares) == 1 else None
        return (-part_interval[1], -part_interval[0]) if part_interval else None


def _key_of_part(part: Part) -> Key | None:
    """What the rollouts of a part have in common: their mode, or the class of their status."""
    if part.cause in CLASSES.values() and part.sub in OF_A_CLASS:
        return CLASS, part.cause
    if part.cause == "behaviour" and part.sub is None:
        return "mode", UNEXPLAINED
    has_mode = part.sub is not None and part.where.get("mode") is not None
    return ("mode", str(part.sub)) if has_mode else None


def _key(case: Case, left_out: Collection[str]) -> Key:
    state = Status.OK.value if case.only_spent else case.state
    if state in CLASSES:
        return CLASS, CLASSES[state]
    has_mode = state == Status.OK.value and case.mode is not None and case.mode not in left_out
    return "mode", str(case.mode) if has_mode else UNEXPLAINED


def whole_points(shares: Sequence[PartShare]) -> float | None:
    """The ledger's points of rollouts that are all of their parts'; None where they are only some of one."""
    return math.fsum(share.points for share in shares) if shares and all(share.whole for share in shares) else None


def attribution(changes: Sequence[Change], runs: Sequence[RunCases]) -> Attribution | None:
    """The last run against the first, by its ledger; None where nothing can be compared."""
    if not changes or changes[-1].verdict == "not_comparable":
        return None
    return Attribution(len(changes) - 1, changes[-1], (runs[0], runs[-1]))


def with_parts(modes: Sequence[Mode], runs: Sequence[RunCases], changes: Sequence[Change]) -> tuple[Mode, ...]:
    """The modes with their parts of the change: what a mode costs is then what the ledger says, and nothing else."""
    ledger = attribution(changes, runs)
    return tuple(modes) if ledger is None else tuple(_with_parts(mode, ledger, runs) for mode in modes)


def _with_parts(mode: Mode, ledger: Attribution, runs: Sequence[RunCases]) -> Mode:
    ends = (runs[0], runs[-1])
    cases = [case for run in ends for case in run.failing if case.mode == mode.id]
    shares = ledger.shares(cases, of=[run.run.name for run in ends])
    points = whole_points(shares) if len(shares) == 1 else None  # several causes are several numbers
    costs = dict(mode.recoverable, points=None, interval=None)
    if points is not None and points < 0 and mode.recoverable["run"] == runs[-1].run.name:
        interval = ledger.interval(shares)
        costs |= {"points": -points, "interval": list(interval) if interval else None}
    return replace(mode, parts=shares, change_points=points, recoverable=costs)

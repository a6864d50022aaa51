"""Whether what a mode tells of goes with failing inside the runs: a pattern as common in passes is no cause.

The mode of a failure is held against its key, and a rule may fire only where something was never overcome: no pass can
show that, so that it would always look like a cause. What is tested is therefore what the rule itself saw, and where it
names what it saw before anything came of it (`ATTEMPTED`), that. Rollouts are compared with others of their own task in
the same run where these can tell anything, else with others of the same run, never with another run.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from typing import Any

from blade.diagnosis.cases import Case, RunCases
from blade.diagnosis.detector_specificity import HABIT
from blade.findings import Mode, State
from blade.registry import plugins
from blade.stats.strata import Table, exact_p, risk_difference

SIGNIFICANT = 0.05
Group = Callable[[Case], tuple[str, ...]]


class JudgedCases:
    """The rollouts that ran and were judged, of all runs."""

    def __init__(self, runs: Sequence[RunCases]) -> None:
        self.cases = [case for run in runs for case in run.cases if case.evaluable and case.stage_lost is None]
        self.by_run = Counter((case.run, case.failing) for case in self.cases)
        self.by_task = Counter((case.run, case.key, case.failing) for case in self.cases)
        self._showing: defaultdict[str, list[int]] = defaultdict(list)
        self._fired: defaultdict[str, list[int]] = defaultdict(list)
        for place, case in enumerate(self.cases):
            for sign in case.signs:
                self._showing[sign].append(place)
            for name, sighting in case.sightings.items():
                if sighting.state is State.FIRED and case.believes(name):
                    self._fired[name].append(place)

    def separation(self, detector: str, sign: str) -> dict[str, Any]:
        """How many passes and failures show what a mode tells of, in the run with the most; and whether it separates.

        `p` is None where too few show it for any test. What passes show more than half as often as failures is no
        cause of most of them, however sure it is that it goes with failing.
        """
        attempted, behaviour = _attempted(detector)
        showing = self._cases_with(detector, sign, attempted)
        tables = _tables(showing, self.by_task, lambda case: (case.run, case.key))
        of_runs = _tables(showing, self.by_run, lambda case: (case.run,))
        if not _testable(tables):
            tables = of_runs
        p = exact_p(tables) if _testable(tables) else None
        separates = p is None or (p < SIGNIFICANT and (risk_difference(tables) or 0.0) < 0)
        separates = separates and not _as_common(tables if p is None else of_runs)
        showing_by_run = Counter(case.run for case in showing)
        run = max(showing_by_run, key=lambda name: showing_by_run[name], default="")
        outcomes = Counter(case.failing for case in showing if case.run == run)
        passes, failures = ([outcomes[fails], self.by_run[run, fails]] for fails in (False, True))
        counts = {"run": run, "passes": passes, "failures": failures}
        return {"behaviour": behaviour, **counts, "p": p, "separates": separates}

    def _cases_with(self, detector: str, sign: str, attempted: str) -> list[Case]:
        """The rollouts that bear the sign, those that its rule itself fired on, and those that tried it at all."""
        places = set(self._showing.get(sign, ()))
        if sign == detector:
            places.update(self._fired.get(detector, ()))
        if attempted:
            places.update(place for place, case in enumerate(self.cases) if attempted in case.observed)
        return [self.cases[place] for place in sorted(places)]


def common_in_passes(mode: Mode) -> bool:
    """Whether a mode does not separate, and passes show what it tells of more than half as often as failures do."""
    if mode.separation is None or mode.separation["separates"]:
        return False
    (passes, every_pass), (failures, every_failure) = mode.separation["passes"], mode.separation["failures"]
    return bool(passes) and passes * every_failure > (1 - HABIT) * failures * every_pass


def _attempted(detector: str) -> tuple[str, str]:
    """Where a rule fires only on what was never overcome: the key of all that it tells of, and words for it."""
    words: tuple[str, str] = getattr(plugins("detectors")[detector], "ATTEMPTED", ("", ""))
    return words


def _tables(showing: Sequence[Case], all_cases: Counter[Any], group: Group) -> list[Table]:
    """Passes and failures with the sign and without it, for each group in which it is shown."""
    counts: defaultdict[tuple[str, ...], list[int]] = defaultdict(lambda: [0, 0])
    for case in showing:
        counts[group(case)][case.failing] += 1
    return [
        (passes, failures, all_cases[*key, False] - passes, all_cases[*key, True] - failures)
        for key, (passes, failures) in counts.items()
    ]


def _testable(tables: Sequence[Table]) -> bool:
    """Whether the test would find anything if the sign stood in as few passes as it may."""
    p = exact_p([_extreme(table) for table in tables])
    return p is not None and p < SIGNIFICANT


def _extreme(table: Table) -> Table:
    a, b, c, d = table
    moved = min(a, d)
    return a - moved, b + moved, c + moved, d - moved


def _as_common(tables: Sequence[Table]) -> bool:
    """Whether passes show the sign more than half as often as failures do."""
    passes, failures = sum(table[0] for table in tables), sum(table[1] for table in tables)
    rate = failures / max(failures + sum(table[3] for table in tables), 1)
    return passes > 0 and passes / (passes + sum(table[2] for table in tables)) > (1 - HABIT) * rate

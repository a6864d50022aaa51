"""Which rules tell failing attempts from passing ones in a run, and which fire on good and bad alike.

A rule that fires on passes as readily as on failures is a habit of the benchmark or the model: it explains no failure,
however hard it is by itself. Nor does a limit at which nearly every failure ends: nothing but a pass comes before it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import field

from blade.diagnosis.cases import RunCases
from blade.diagnosis.usual_endings import ENDINGS, usual_ending
from blade.findings import State
from blade.frozen import frozen
from blade.stats.contrast import contrast

FEWEST_PASSES = 8
HABIT = 0.5
FEWEST_TASKS = 8
SIGNIFICANT = 0.05


@frozen
class Habits:
    """Per rule, how much of its weight is left once its fires on passes are held against it; 1.0 if never on a pass."""

    left: Mapping[str, float] = field(default_factory=dict)
    separates: frozenset[str] = frozenset()
    """Rules that go with failing inside tasks, p below 0.05."""

    def weight(self, rule: str) -> float:
        return self.left.get(rule, 1.0)

    def is_habit(self, rule: str) -> bool:
        return self.weight(rule) <= HABIT


def habits(run: RunCases) -> Habits:
    """Fires on passing against failing attempts of a whole run, and inside its tasks that sometimes pass."""
    if "habits" not in run.known:
        run.known["habits"] = _habits(run)
    return run.known["habits"]  # type: ignore[no-any-return]


def _habits(run: RunCases) -> Habits:
    evaluable = [case for case in run.cases if case.evaluable]
    passing = [case for case in evaluable if not case.failing]
    failing = [case for case in evaluable if case.failing]
    on_pass, on_fail = (Counter(name for case in cases for name in case.fired()) for cases in (passing, failing))
    left = {}
    if len(passing) >= FEWEST_PASSES:
        for name, passes in on_pass.items():
            rate = on_fail[name] / len(failing) if failing else 0.0
            left[name] = max(0.0, 1.0 - (passes / len(passing)) / rate) if rate else 0.0
    left |= dict.fromkeys(run.known.get(ENDINGS) or usual_ending(run.failing), 0.0)
    return Habits(left, _separates(run))


def _separates(run: RunCases) -> frozenset[str]:
    evaluable_by_task = ([case for case in cases if case.evaluable] for cases in run.by_task().values())
    mixed = [case for cases in evaluable_by_task if len({case.failing for case in cases}) == 2 for case in cases]
    if len({case.key for case in mixed}) < FEWEST_TASKS:
        return frozenset()
    names = sorted({name for case in mixed if case.failing for name in case.fired()})
    case_states = [case.states() for case in mixed]
    fired = [case.fired() for case in mixed]
    features = {
        name: [
            True if name in fired_names else None if states.get(name) is State.NOT_APPLICABLE else False
            for fired_names, states in zip(fired, case_states, strict=True)
        ]
        for name in names
    }
    keys, passed = [case.key for case in mixed], [not case.failing for case in mixed]
    result = contrast(keys, passed, features, only_tested=True)
    return frozenset(
        item.feature
        for item in result.features
        if item.p is not None and item.p < SIGNIFICANT and item.named and (item.effect or 0.0) < 0
    )

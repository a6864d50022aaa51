"""The gate of a pipeline: whether a score fell by more than is allowed, as measured or beyond what chance can do."""

from __future__ import annotations

from blade.frozen import frozen
from blade.model import Change
from blade.stats.intervals import at_level
from blade.stats.paired import ALPHA, FEWEST_TASKS
from blade.wording import difference, percent

CONFIDENCE = 1.0 - ALPHA
"""That of the verdict."""


@frozen
class GateRule:
    """What a user asks: the largest fall that is allowed, in points, and how sure it must be that it is exceeded.

    Points are percentage points, or the units of scores on a scale of their own. Without `confidence` the gate takes
    the score as it was measured.
    """

    allowed: float = 0.0
    confidence: float | None = None


@frozen
class GateResult:
    crossed: bool
    statement: str


def judge_gate(change: Change, scale: str, rule: GateRule) -> GateResult | None:
    """Whether the change crosses the gate, in a sentence; None where a run has no score to judge by.

    A fall is sure at a confidence where the test of the verdict calls it real at that level, and where the interval of
    the common tasks at that level lies beyond what is allowed.
    """
    if change.delta is None:
        return None
    allowed = rule.allowed / 100.0 if scale == "unit" else rule.allowed
    fall = difference(-change.delta, scale).lstrip("+")
    limit = difference(allowed, scale).lstrip("+")
    rule_words = f"a fall of up to {limit} is allowed" if allowed else "no fall is allowed"
    if change.delta >= 0.0:
        return GateResult(False, "The gate is not crossed: the score did not fall.")
    if -change.delta <= allowed:
        return GateResult(False, f"The gate is not crossed: the score fell by {fall}, and {rule_words}.")
    if rule.confidence is None:
        return GateResult(True, f"The gate is crossed: the score fell by {fall}, and {rule_words}.")
    if change.verdict == "not_comparable":
        return GateResult(False, "The gate is not crossed: nothing is sure of runs that cannot be compared by task.")
    level = percent(rule.confidence).replace(".0%", "%")
    how_far = f"by more than {limit}" if allowed else "and not by chance"
    if _sure(change, allowed, rule.confidence):
        return GateResult(
            True, f"The gate is crossed: the score fell {how_far} (confidence {level}; measured: {fall})."
        )
    unsure = f"it is not sure that it fell {how_far} (confidence {level})"
    return GateResult(False, f"The gate is not crossed: the score fell by {fall}, but {unsure}.")


def _sure(change: Change, allowed: float, confidence: float) -> bool:
    shared = change.shared_outputs
    if change.verdict == "real" and shared["reward_differs"] and shared["identical"] == shared["pairs"]:
        return True  # the same outputs, scored again: chance has no part in it
    if change.common_tasks < FEWEST_TASKS or change.p is None or change.delta_common is None:
        return False
    real = change.verdict == "real" if confidence == CONFIDENCE else change.p < 1.0 - confidence
    if not real or not allowed:
        return real
    if change.interval is None:
        return False
    return at_level(change.interval, change.delta_common, change.common_tasks, confidence)[1] < -allowed

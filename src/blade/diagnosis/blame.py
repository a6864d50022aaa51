"""Whose doing a failure mode is: the model's, a tool's, the simulated user's, and so on, or nobody's that is known.

A difference from the key, or a failed check, is the shape of a failure and no cause: such a mode blames nobody.
"""

from __future__ import annotations

MODEL, TOOL, SIMULATED_USER, HARNESS = "model", "tool", "simulated user", "harness"
VERIFIER, DATA, INFRASTRUCTURE, UNEXPLAINED = "verifier", "data", "infrastructure", "unexplained"
BLAMES = (MODEL, TOOL, SIMULATED_USER, HARNESS, VERIFIER, DATA, INFRASTRUCTURE, UNEXPLAINED)
SHAPES = frozenset(
    (
        *("missing_action", "wrong_action", "extra_mutation", "answer_not_said", "wrong_answer", "verifier_message"),
        *("partial_credit", "further_check_failed", "assertion_stage", "runtime_stage", "absent_output"),
    )
)
"""Rules that say how a rollout differs from what was expected, and not why."""
_OF_RULES = {
    "simulated_user_fault": SIMULATED_USER,
    "user_ends_early": SIMULATED_USER,
    "user_invents_lookup": SIMULATED_USER,
    "tool_keeps_failing": TOOL,
    "agent_timeout": HARNESS,
    "turn_limit": HARNESS,
}
_OF_KINDS = {
    "format": MODEL,
    "knowledge": MODEL,
    "behaviour": MODEL,
    "verifier": VERIFIER,
    "infrastructure": INFRASTRUCTURE,
    "data": DATA,
}


def blame(detector: str | None, kind: str) -> str:
    """Whose doing a mode is, by its rule and its kind."""
    if kind == INFRASTRUCTURE:
        return INFRASTRUCTURE
    if detector is None or detector in SHAPES:
        return UNEXPLAINED
    return _OF_RULES.get(detector) or _OF_KINDS.get(kind, UNEXPLAINED)

"""NeMo Gym inputs: dataset rows or materialized inputs, one expected rollout a line (no reward, no response)."""

from __future__ import annotations

from blade.files.sniff import Head

ROLE = "inputs"
SUFFIX = "_materialized_inputs"
_VERDICTS = {"reward", "response", "mean/reward", "avg_reward", "_ng_failure_class"}


def recognises(head: Head) -> bool:
    """Rows with a request and nothing that came after it."""
    return head.shape == "rows" and "responses_create_params" in head.keys and not head.keys & _VERDICTS

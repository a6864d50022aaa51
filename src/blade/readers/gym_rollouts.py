"""NeMo Gym rollouts: one scored attempt a line (reward or score, the response, the verifier's fields)."""

from __future__ import annotations

from blade.files.sniff import Head, mostly
from blade.translate.completions import is_completion

ROLE = "rollouts"


def recognises(head: Head) -> bool:
    """Rows with a reward, or with a response: an ungraded rollout is still a rollout."""
    is_other = (row.get("_ng_failure_class") is not None or "mean/reward" in row for row in head.rows)
    if head.shape != "rows" or all(is_other):
        return False
    if mostly(head, is_completion):  # of another program, which has a format of its own
        return False
    if "_ng_token_capture" in head.keys or ("reward" in head.keys and not _is_summary(head)):
        return True
    graded = "score" in head.keys and "model_call_id" not in head.keys
    return "response" in head.keys and (graded or "responses_create_params" in head.keys)


def _is_summary(head: Head) -> bool:
    """Whether `reward` is no score of a row but an object with figures, as in a summary of some program."""
    rewards = [row["reward"] for row in head.rows if "reward" in row]
    return all(isinstance(reward, dict) for reward in rewards) and not head.keys & {"response", "_ng_task_index"}

"""NeMo Gym reward profile of early builds: avg_reward, std_reward and total_samples beside the dataset row."""

from __future__ import annotations

from blade.files.sniff import Head

ROLE = "profile"


def recognises(head: Head) -> bool:
    return head.shape == "rows" and {"avg_reward", "total_samples"} <= head.keys

"""NeMo Gym reward profile: pass rates and statistics, one task a line."""

from __future__ import annotations

from blade.files.sniff import Head

ROLE = "profile"
SUFFIX = "_reward_profiling"


def recognises(head: Head) -> bool:
    return head.shape == "rows" and "mean/reward" in head.keys and "response" not in head.keys

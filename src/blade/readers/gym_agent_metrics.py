"""NeMo Gym agent metrics: flat statistics per agent, written beside a reward profile."""

from __future__ import annotations

from blade.files.sniff import Head, first_entry

ROLE = "agent_metrics"
SUFFIX = "_agent_metrics"


def recognises(head: Head) -> bool:
    entry = first_entry(head.document)
    return "agent_metrics" not in entry and any(str(key).startswith("mean/") for key in entry)

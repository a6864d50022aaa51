"""NeMo Gym aggregate metrics: the run's own summary, an array with one object per agent."""

from __future__ import annotations

from blade.files.sniff import Head, first_entry

ROLE = "aggregate"
SUFFIX = "_aggregate_metrics"


def recognises(head: Head) -> bool:
    entry = first_entry(head.document)
    return "agent_metrics" in entry or "group_level_metrics" in entry

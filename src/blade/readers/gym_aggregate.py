"""NeMo Gym aggregate metrics: the run's own summary, an array with one object per agent."""

from __future__ import annotations

from blade.peek import Head

ROLE = "aggregate"
SUFFIX = "_aggregate_metrics"


def recognises(head: Head) -> bool:
    document = head.document
    return (
        isinstance(document, list)
        and bool(document)
        and isinstance(document[0], dict)
        and ("agent_metrics" in document[0] or "group_level_metrics" in document[0])
    )

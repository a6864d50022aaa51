"""NeMo Gym agent metrics: flat statistics per agent, written beside a reward profile."""

from __future__ import annotations

from blade.peek import Head

ROLE = "agent_metrics"
SUFFIX = "_agent_metrics"


def recognises(head: Head) -> bool:
    document = head.document
    return (
        isinstance(document, list)
        and bool(document)
        and isinstance(document[0], dict)
        and "agent_metrics" not in document[0]
        and any(str(key).startswith("mean/") for key in document[0])
    )

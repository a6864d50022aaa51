"""NeMo Gym dataset metrics: counts about a dataset, not about a run."""

from __future__ import annotations

from blade.files.sniff import Head

ROLE = "listed"


def recognises(head: Head) -> bool:
    first = head.document if isinstance(head.document, dict) else (head.rows[0] if head.rows else {})
    return "Number of examples" in first

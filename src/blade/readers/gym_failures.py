"""NeMo Gym failures: attempts that ended without a score, one a line, with the class of the failure."""

from __future__ import annotations

from blade.files.sniff import Head, stem

ROLE = "failures"
SUFFIX = "_failures"


def recognises(head: Head) -> bool:
    """Every row has a failure class; a clean run leaves an empty file of that name."""
    if head.shape == "empty":
        return stem(head.path).endswith(SUFFIX)
    return head.shape == "rows" and all(row.get("_ng_failure_class") is not None for row in head.rows)

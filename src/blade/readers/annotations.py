"""Annotations: what people or agents who read rollouts noted of them. Written by `blade note` beside the run."""

from __future__ import annotations

from blade.files.sniff import Head

ROLE = "annotations"


def recognises(head: Head) -> bool:
    return head.shape == "rows" and all("annotation" in row and "author" in row for row in head.rows)

"""Placeholder: a file that stands in for data that was never put there (the same text on every line, or a pointer)."""

from __future__ import annotations

from blade.files.sniff import Head, plain_name

ROLE = "listed"


def recognises(head: Head) -> bool:
    """A .jsonl or .json file without JSON whose lines are all alike, or a pointer to large-file storage."""
    if head.shape != "text":
        return False
    if head.text[0].startswith("version https://git-lfs"):
        return True
    if not plain_name(head.path).endswith((".jsonl", ".json")) or head.text[0].lstrip().startswith(("{", "[")):
        return False
    return len(set(head.text)) == 1

"""Run notes: what is known of missing rows, timeouts, flaky infrastructure. A NOTES file beside the run."""

from __future__ import annotations

from blade.files.sniff import Head, plain_name, stem

ROLE = "notes"


def recognises(head: Head) -> bool:
    name = stem(head.path).lower()
    return head.shape == "text" and (name == "notes" or name.endswith(("_notes", "-notes"))) and _is_prose(head)


def _is_prose(head: Head) -> bool:
    name = plain_name(head.path)
    return "." not in name or name.lower().endswith((".md", ".txt", ".rst"))

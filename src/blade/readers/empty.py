"""Empty file: nothing was written."""

from __future__ import annotations

from blade.files.sniff import Head, plain_name, stem

ROLE = "listed"


def recognises(head: Head) -> bool:
    if head.shape != "empty" or stem(head.path).endswith("_failures"):
        return False
    return not plain_name(head.path).endswith((".capture.incomplete", ".tokens.incomplete"))

"""NeMo Gym model-call capture: raw exchanges with the model, kept beside a run."""

from __future__ import annotations

from blade.files.sniff import Head, plain_name

ROLE = "listed"


def recognises(head: Head) -> bool:
    if head.shape == "empty":
        return plain_name(head.path).endswith((".capture.incomplete", ".tokens.incomplete"))
    return head.shape == "rows" and "model_call_id" in head.keys and "reward" not in head.keys

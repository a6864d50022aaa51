"""Attempts as chat: one JSON object a line with a task, whether it succeeded, and its messages.

The smallest form in which people keep runs: `{"task_id": …, "trial": 0, "success": true, "messages": […]}`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from blade.files.sniff import Head, mostly
from blade.translate.chat import split_chat
from blade.translate.documents import as_rows, rows_of
from blade.translate.foreign_run import BadRecord, ForeignRun
from blade.translate.rollout_row import Place, SourceVerdict, rollout_row, score_of

VERSION = 1


def recognises(head: Head) -> bool:
    return mostly(head, lambda row: {"task_id", "success", "messages"} <= row.keys())


def runs(paths: Sequence[Path]) -> Iterator[ForeignRun]:
    """Every file is a run."""
    for path in paths:
        yield ForeignRun((path,), partial(_rows, path))


def _rows(path: Path) -> Iterator[dict[str, Any] | BadRecord]:
    for number, row in rows_of(path):
        if isinstance(row, BadRecord):
            yield row
        elif row.get("task_id") is None:
            yield BadRecord("it has no task_id", f"line {number}")
        else:
            yield _row(path, number, row)


def _row(path: Path, number: int, row: dict[str, Any]) -> dict[str, Any]:
    prompt, output = split_chat(as_rows(row.get("messages")))
    trial = row.get("trial")
    score = score_of(row.get("success"))
    return rollout_row(
        str(row["task_id"]),
        trial if isinstance(trial, int) else None,
        SourceVerdict(score, passed=None if score is None else score > 0),
        Place(path.name, f"line {number}"),
        prompt=prompt,
        output=output,
        model=row.get("model") if isinstance(row.get("model"), str) else None,
        metadata=row.get("metadata") if isinstance(row.get("metadata"), dict) else None,
    )

"""Reads annotations: what was noted of rollouts by those who read them, one line of JSON each.

A line knows its rollout by the hash of the row, so that it holds however the run is named, and speaks of nothing once
the row has changed. Of one author and one rollout the last line counts.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import orjson

from blade.errors import ConfigError
from blade.files.remote_paths import TranslatedPath
from blade.findings import Annotation
from blade.model import Flaw

FORMAT = 1
FILE = "annotations.jsonl"
_TEXTS = ("run", "task", "author", "label", "mechanism", "blame", "quote", "remark")


def annotations_beside(run: TranslatedPath) -> Path:
    """Where the notes on a run of another program stand: in its folder, or in the folder of its file."""
    original = run.original
    return (original if original.is_dir() else original.parent) / FILE


def load_annotations(paths: Iterable[Path]) -> tuple[tuple[Annotation, ...], list[Flaw]]:
    """Every annotation of some files, and a flaw for each line that is none."""
    latest: dict[tuple[str, str], Annotation] = {}
    flaws = []
    for path in paths:
        try:
            lines = path.read_bytes().splitlines()
        except OSError as error:
            raise ConfigError(f"{path}: cannot be read ({error.strerror or error}).", "Check the file.") from None
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            annotation = _annotation(line)
            if annotation is None:
                flaws.append(
                    Flaw("annotation-unreadable", "a line is no annotation and was left aside", str(path), number)
                )
            else:
                latest.pop((annotation.author, annotation.row), None)
                latest[annotation.author, annotation.row] = annotation
    return tuple(latest.values()), flaws


def _annotation(line: bytes) -> Annotation | None:
    try:
        entry: dict[str, Any] = orjson.loads(line)
        texts = {name: str(entry.get(name) or "") for name in _TEXTS}
        return Annotation(
            **texts,
            attempt=int(entry["attempt"]),
            row=str(entry["row"]),
            verdict_wrong=bool(entry.get("verdict_wrong")),
            read_fully=bool(entry.get("read_fully")),
        )
    except (ValueError, KeyError, TypeError, AttributeError):
        return None

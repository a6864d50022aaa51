"""Runs on disk whose attempts are told as calls and words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.detectors.attempts import Item
from tests.gym_rows import ABSENT, Json, request, row, write

from blade.diagnosis.cases import Case
from blade.diagnosis.transcript_summary import Track, track_of
from blade.evidence import open_row, stands
from blade.findings import Evidence
from blade.model import Source


def told(task: int, attempt: int, reward: float, *items: Item | list[Item], **fields: Any) -> Json:
    """One rollout: what was said and done, and whether it passed."""
    output = [inner for item in items for inner in (item if isinstance(item, list) else [item])]
    made = {"id": "r", "model": "m", "output": output, "status": "completed"}
    asked = fields.pop("asked", f"Please do task {task} as it stands in the book.")
    beside = {"responses_create_params": request(asked), "expected_answer": ABSENT, "extracted_answer": ABSENT}
    return row(task, attempt, reward, response=made, **beside, **fields)


def run(path: Path, *rows: Json) -> Path:
    return write(path / "rollouts.jsonl", rows)


def track(*items: Item | list[Item], passed: bool = True) -> Track:
    """An attempt without a file."""
    reward = float(passed)
    case = Case("run", "0", "0", 0, reward, passed, not passed, "ok", None, None, {}, "", ("f", 1, 0, 1))
    return track_of(case, told(0, 0, reward, *items))


def proved(evidence: dict[str, Any]) -> bool:
    """Whether the quote stands in the file where the evidence says."""
    made = Evidence(**{key: value for key, value in evidence.items() if key not in {"role", "sha256"}})
    found = open_row(Source(made.file, made.line, made.offset, made.length))
    return made.sha256 == evidence["sha256"] and stands(found, made)

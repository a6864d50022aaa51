"""Two trajectories of one agent without a verdict; the second is continued in another file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def write(folder: Path) -> list[Path]:
    place = folder / "trails"
    place.mkdir()
    contents = {
        "gate.trajectory.json": document([_asked("Paint the gate."), _said("The gate is green.")]),
        "well.trajectory.json": document([_asked("Fill the well."), _said("I carry water.")]),
        "well.trajectory.cont-1.json": document(
            [_said("I carry water.") | {"is_copied_context": True}, _said("The well is full.")]
        ),
    }
    for name, content in contents.items():
        (place / name).write_text(json.dumps(content, indent=1))
    return [place]


def document(steps: list[dict[str, Any]]) -> dict[str, Any]:
    agent = {"name": "house-agent", "model_name": "house/model"}
    metrics = {"total_prompt_tokens": 50, "total_completion_tokens": 9, "total_cached_tokens": 0}
    return {"schema_version": "ATIF-v1.5", "agent": agent, "steps": steps, "final_metrics": metrics}


def _asked(text: str) -> dict[str, Any]:
    return {"step_id": 1, "source": "user", "message": text}


def _said(text: str) -> dict[str, Any]:
    return {"step_id": 2, "source": "agent", "message": text}

"""Two submissions of a leaderboard that name what they resolved, and a run with patches, reports, trajectories."""

from __future__ import annotations

import json
from pathlib import Path

SCORES = {"first": 0.4, "second": 0.6, "mini": 1 / 3}


def write(folder: Path) -> list[Path]:
    board = folder / "board"
    for name, resolved in (("first", [1, 2]), ("second", [1, 2, 3])):
        results = board / name / "results"
        results.mkdir(parents=True)
        lists = {"no_generation": [_id(4)], "no_logs": [], "resolved": [*map(_id, resolved)]} | {"generated": [_id(5)]}
        (results / "results.json").write_text(json.dumps(lists))
    return [board / "first", board / "second", _mini(folder)]


def _id(number: int) -> str:
    return f"lanterns__lamp-{number}"


def _mini(folder: Path) -> Path:
    place = folder / "mini"
    place.mkdir()
    predictions = {
        _id(1): {
            "instance_id": _id(1),
            "model_name_or_path": "glow-2",
            "model_patch": "diff --git a/l.py b/l.py",
        },
        _id(2): {"instance_id": _id(2), "model_name_or_path": "glow-2", "model_patch": ""},
        _id(3): {
            "instance_id": _id(3),
            "model_name_or_path": "glow-2",
            "model_patch": "diff --git a/w.py b/w.py",
        },
    }
    (place / "preds.json").write_text(json.dumps(predictions))
    for number in (1, 3):
        report = place / "logs" / _id(number)
        report.mkdir(parents=True)
        tests = {"FAIL_TO_PASS": {"success": ["test_lit"] * (number == 1), "failure": ["test_lit"] * (number == 3)}}
        verdict = {"patch_successfully_applied": True, "resolved": number == 1, "tests_status": tests}
        (report / "report.json").write_text(json.dumps(verdict))
    messages = [
        {"role": "system", "content": "One command in a block."},
        {"role": "user", "content": "The lamp stays dark."},
        {"role": "assistant", "content": "THOUGHT: look.\n\n```bash\ncat wick.py\n```"},
        {"role": "user", "content": "<returncode>0</returncode>\nwick = None"},
        {"role": "assistant", "content": "I have no command for this."},
        {"role": "user", "content": "Write exactly one command."},
    ]
    there = place / "trajs" / _id(3)
    there.mkdir(parents=True)
    whole = {"info": {"exit_status": "LimitsExceeded", "submission": ""}, "messages": messages, "instance_id": _id(3)}
    (there / f"{_id(3)}.traj.json").write_text(json.dumps(whole))
    return place

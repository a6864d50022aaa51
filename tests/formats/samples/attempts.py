"""Two runs of three tasks, two trials each."""

from __future__ import annotations

import json
from pathlib import Path

ROWS = 6
SCORES = {"steady": 5 / 6, "shaky": 0.5}
FAILING = {"steady": {("t2", 1)}, "shaky": {("t0", 0), ("t1", 1), ("t2", 0)}}


def write(folder: Path) -> list[Path]:
    paths = []
    for name, failing in FAILING.items():
        path = folder / f"{name}.jsonl"
        rows = [_row(f"t{task}", trial, (f"t{task}", trial) not in failing) for task in range(3) for trial in range(2)]
        path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
        paths.append(path)
    return paths


def _row(task: str, trial: int, success: bool) -> dict[str, object]:
    call = {"id": "c1", "type": "function", "function": {"name": "look_up", "arguments": '{"item": "lamp"}'}}
    messages = [
        {"role": "system", "content": "You keep a shop."},
        {"role": "user", "content": f"What does item {task} cost?"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": "4 crowns" if success else "Error: the shelf is locked"},
        {"role": "assistant", "content": "It costs 4 crowns." if success else "I could not find out."},
    ]
    return {"task_id": task, "trial": trial, "success": success, "messages": messages}

"""A leaderboard folder with two files of three tasks, which are two attempts of one run, and a run of its own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

SCORES = {"board": 2 / 3, "alone": 1 / 3}
FAILING = {"first": {"sort-letters"}, "second": {"brew-tea"}, "alone": {"sort-letters", "brew-tea"}}
TASKS = ("sort-letters", "brew-tea", "wind-clock")


def write(folder: Path) -> list[Path]:
    board, alone = folder / "board", folder / "alone"
    for place, name in ((board, "first"), (board, "second"), (alone, "alone")):
        place.mkdir(exist_ok=True)
        ungraded = "wind-clock" if name == "second" else ""
        trials = [trial(task, task not in FAILING[name], ungraded=task == ungraded) for task in TASKS]
        write_results(place / ("results.json" if name == "alone" else f"{name}_results.json"), trials)
    (alone / "run_metadata.json").write_text(
        json.dumps({"agent_name": "house-agent", "model_name": "house/model", "task_ids": TASKS, "n_attempts": 1})
    )
    return [board, alone]


def trial(
    task: str, resolved: bool, *, name: str = "1-of-1", ungraded: bool = False, mode: str = "unset"
) -> dict[str, Any]:
    return {
        "id": f"{task}-{name}",
        "trial_name": f"{task}.{name}.run",
        "task_id": task,
        "instruction": f"Please {task.replace('-', ' the ')}.",
        "is_resolved": None if ungraded else resolved,
        "failure_mode": "parse_error" if ungraded else mode,
        "parser_results": None
        if ungraded
        else {"test_begun": "passed", "test_done": "passed" if resolved else "failed"},
        "total_input_tokens": 0,
        "total_output_tokens": 0,
        "trial_started_at": "2026-01-02T03:04:05+00:00",
        "trial_ended_at": "2026-01-02T03:14:05+00:00",
    }


def write_results(path: Path, trials: list[dict[str, Any]]) -> None:
    resolved = sum(bool(one["is_resolved"]) for one in trials)
    content = {"id": "r", "results": trials, "n_resolved": resolved, "accuracy": resolved / len(trials)}
    path.write_text(json.dumps(content, indent=1))

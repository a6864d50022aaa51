"""A job of three tasks and two attempts each, with one trial whose agent ran out of time and one that is not graded."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

SCORES = {"2026-01-02__03-04-05": 2.5 / 3}
PASSING = {("paint-the-gate", 0), ("paint-the-gate", 1), ("mend-the-roof", 1), ("fill-the-well", 0)}
UNGRADED = ("fill-the-well", 1)


def write(folder: Path) -> list[Path]:
    job = folder / "jobs" / "2026-01-02__03-04-05"
    names = ("paint-the-gate", "mend-the-roof", "fill-the-well")
    for number, task in enumerate(names * 2):
        attempt = number // 3
        key = (task, attempt)
        write_trial(job, task, attempt, None if key == UNGRADED else float(key in PASSING), number)
    stats = {"house-agent__house-model__yard": {"n_trials": 5, "n_errors": 1, "metrics": [{"mean": 4 / 6}]}}
    write_json(job / "result.json", {"id": "j", "n_total_trials": 6, "stats": {"n_trials": 5, "evals": stats}})
    write_json(job / "config.json", {"job_name": job.name, "n_attempts": 2, "datasets": [{"name": "yard"}]})
    return [job]


def write_trial(job: Path, task: str, attempt: int, reward: float | None, number: int, **changes: Any) -> Path:
    """A trial as Harbor leaves it; what is not graded ran out of time."""
    trial = job / f"{task}__aB3dE{number:02}"
    late = {"exception_type": "AgentTimeoutError", "exception_message": "Agent timed out after 60 seconds"}
    config = {
        "trial_name": trial.name,
        "task": {"path": f"tasks/{task}"},
        "agent": {"name": "house-agent", "model_name": "house/model"},
        "environment": {"type": "docker"},
        "timeout_multiplier": 1.0,
    }
    result = {
        "id": str(number),
        "task_name": task,
        "trial_name": trial.name,
        "task_checksum": f"sum-of-{task}",
        "source": "yard",
        "config": config,
        "agent_info": {"name": "house-agent", "version": "1.0", "model_info": {"name": "model", "provider": "house"}},
        "agent_result": {"n_input_tokens": 120, "n_cache_tokens": 20, "n_output_tokens": 30, "cost_usd": 0.5},
        "verifier_result": None if reward is None else {"rewards": {"reward": reward}},
        "exception_info": late if reward is None else None,
        "started_at": f"2026-01-02T03:{attempt:02}:{number:02}Z",
        "finished_at": f"2026-01-02T04:{attempt:02}:{number:02}Z",
    }
    write_json(trial / "config.json", config)
    write_json(trial / "result.json", result | changes)
    if reward is not None:
        write_json(trial / "agent" / "trajectory.json", trajectory(task))
        tests = [
            {"name": "test_tidy", "status": "passed"},
            {"name": "test_done", "status": "passed" if reward else "failed"},
        ]
        write_json(trial / "verifier" / "ctrf.json", {"results": {"tests": tests}})
        (trial / "verifier" / "test-stdout.txt").write_text("2 tests ran")
    return trial


def trajectory(task: str) -> dict[str, Any]:
    call = {"tool_call_id": "c1", "function_name": "shell", "arguments": {"command": "ls yard"}}
    steps = [
        {"step_id": 1, "source": "user", "message": f"Please {task.replace('-', ' ')}."},
        {
            "step_id": 2,
            "source": "agent",
            "message": "I look first.",
            "reasoning_content": "The yard may be closed.",
            "tool_calls": [call],
            "observation": {"results": [{"source_call_id": "c1", "content": "gate roof well"}]},
        },
        {"step_id": 3, "source": "agent", "message": "It is finished."},
    ]
    agent = {"name": "house-agent", "version": "1.0", "model_name": "model"}
    return {"schema_version": "ATIF-v1.6", "session_id": "s", "agent": agent, "steps": steps}


def write_json(path: Path, content: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content, indent=1))

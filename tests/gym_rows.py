"""Small Gym artifacts for tests: rows as a collector writes them, files of rows, and what BLADE makes of a path."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from blade import api
from blade.counting.run import Run
from blade.model import Analysis, RunAnalysis
from blade.options import Options

Json = dict[str, Any]
ABSENT = object()


def message(text: str, role: str = "assistant") -> Json:
    parts = [{"type": "output_text", "text": text, "annotations": []}]
    return {"type": "message", "role": role, "status": "completed", "content": parts}


def request(text: str, **settings: Any) -> Json:
    return {"input": [{"role": "user", "content": text, "type": "message"}], "temperature": 0.5, **settings}


def response(*output: Any, **fields: Any) -> Json:
    usage = {"input_tokens": 10, "output_tokens": 5, "total_tokens": 15}
    return {"id": "resp", "model": "a-model", "output": list(output), "usage": usage, "status": None, **fields}


def row(task: int = 0, attempt: int = 0, reward: Any = 1.0, **fields: Any) -> Json:
    """One scored rollout. A field given as ABSENT is taken out."""
    made: Json = {
        "_ng_task_index": task,
        "_ng_rollout_index": attempt,
        "agent_ref": {"name": "an_agent"},
        "responses_create_params": request(f"What is {task} and {task}?"),
        "response": response(message(f"It is {2 * task}, said {attempt}.")),
        "reward": reward,
        "expected_answer": str(2 * task),
        "extracted_answer": str(2 * task) if reward == 1.0 else "17",
    }
    made |= fields
    return {key: value for key, value in made.items() if value is not ABSENT}


def bare(task: int = 0, reward: Any = 1.0, **fields: Any) -> Json:
    """A row of an early build: no index, no agent."""
    return row(task, 0, reward, _ng_task_index=ABSENT, _ng_rollout_index=ABSENT, agent_ref=ABSENT) | fields


def given(task: int = 0, attempt: int = 0, **fields: Any) -> Json:
    """A row of the materialized inputs: an expected rollout."""
    made = row(task, attempt, response=ABSENT, reward=ABSENT, extracted_answer=ABSENT)
    return made | fields


def write(path: Path, rows: Iterable[Any]) -> Path:
    """A file of lines; bytes go in as they are, everything else as JSON."""
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [line if isinstance(line, bytes) else json.dumps(line).encode() for line in rows]
    path.write_bytes(b"".join(line + b"\n" for line in lines))
    return path


def read(*paths: Path | str, **options: Any) -> list[Run]:
    return api.read(*paths, options=Options(**{"cache": False, **options}))


def analysed(*paths: Path | str, **options: Any) -> Analysis:
    return api.analyze(*paths, options=Options(**{"cache": False, **options}))


def only_run(*paths: Path | str, **options: Any) -> RunAnalysis:
    (run,) = analysed(*paths, **options).runs
    return run


def flaws(analysis: Analysis) -> dict[str, int]:
    """Slug → rows it touches, all places together."""
    found: dict[str, int] = {}
    for flaw in analysis.flaws:
        found[flaw.slug] = found.get(flaw.slug, 0) + flaw.rows
    return found


def states(run: Run) -> list[str]:
    """The status of every row, in the order of the file."""
    return [str(state) for state in run.facts.sort("file", "line")["state"].to_list()]

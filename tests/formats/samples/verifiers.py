"""An evaluation with its metadata, episodes of version 1, and a training of two steps: sums."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

SCORES = {"vf": 0.75, "v1": 0.5, "train@step 1": 1.5, "train@step 2": 0.5}


def row(example: int, reward: float, **more: Any) -> dict[str, Any]:
    call = json.dumps({"id": "c1", "type": "function", "function": {"name": "add", "arguments": '{"a": 1}'}})
    return {
        "example_id": example,
        "prompt": [{"role": "user", "content": f"What is {example} + 1?"}],
        "completion": [
            {"role": "assistant", "content": "", "tool_calls": [call]},
            {"role": "tool", "content": "2"},
            {"role": "assistant", "content": "It is 2."},
        ],
        "answer": "2",
        "info": {"difficulty": "easy"},
        "task": "default",
        "reward": reward,
        "metrics": {"exact": reward},
        "is_truncated": False,
        "stop_condition": "answered",
        **more,
    }


def episode(key: str, score: float, agent: str = "agent", **more: Any) -> dict[str, Any]:
    messages = [
        (None, "user", "What is 1 + 1?", False),
        (0, "assistant", "Let me guess: 3.", True),
        (0, "assistant", "It is 2.", True),
    ]
    nodes = [
        {"parent": parent, "message": {"role": role, "content": text}, "sampled": sampled}
        for parent, role, text, sampled in messages
    ]
    trace = {
        "agent": {"name": agent, "config": {"model": "lamp-1"}},
        "nodes": nodes,
        "calls": [{"finish_reason": "stop", "usage": {"prompt_tokens": 9, "completion_tokens": 3}}],
        "rewards": {"exact": {"score": score, "weight": 0.5}, "form": {"score": score, "weight": 0.5}},
        "metrics": {"turns": 1.0},
        "errors": [],
        **more,
    }
    task = {"type": "Sums", "key": key, "data": {"idx": 0, "answer": "2", "level": "easy"}}
    return {"id": key, "env": {"id": "sums"}, "task": task, "traces": [trace]}


def trained(problem: int, step: int, reward: float) -> dict[str, Any]:
    return {
        "problem_id": problem,
        "sample_id": 0,
        "step": step,
        "prompt": json.dumps([{"role": "user", "content": "What is 1 + 1?"}]),
        "completion": json.dumps([{"role": "assistant", "content": "2"}]),
        "metrics": json.dumps({"exact": reward}),
        "info": "",
        "reward": reward,
        "advantage": 0.0,
    }


def keep(path: Path, rows: list[dict[str, Any]], metadata: dict[str, Any] | None = None) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{json.dumps(each)}\n" for each in rows))
    if metadata is not None:
        (path.parent / "metadata.json").write_text(json.dumps(metadata))
    return path


def write(folder: Path) -> list[Path]:
    told = {"env_id": "sums", "model": "lamp-1", "num_examples": 2, "rollouts_per_example": 2, "avg_reward": 0.75}
    rewards = (1.0, 1.0, 1.0, 0.0)
    rows = [row(number // 2, reward) for number, reward in enumerate(rewards)]
    return [
        keep(folder / "vf/results.jsonl", rows, told).parent,
        keep(folder / "v1/traces.jsonl", [episode("a", 1.0), episode("b", 0.0)]),
        keep(folder / "train/results.jsonl", [trained(4, 1, 1.5), trained(4, 2, 0.5)], {"run": {"base_model": "x"}}),
    ]

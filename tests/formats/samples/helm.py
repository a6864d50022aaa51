"""A run of three test instances and one of the validation split, with two train trials, and a perturbed copy of one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

RIGHT = {("i1", 0), ("i1", 1), ("i2", 0), ("v1", 1)}
SCORES = {
    "herbs:model=house_model": 0.5,
    "herbs:model=house_model@valid": 0.5,
    "herbs:model=house_model@test,typos": 0.0,
}


def write(folder: Path) -> list[Path]:
    place = folder / "runs" / "herbs:model=house_model"
    keys = [(name, trial) for name in ("i1", "i2", "i3", "v1") for trial in (0, 1)]
    states = [state(name, trial, (name, trial) in RIGHT) for name, trial in keys]
    stats = [entry(name, trial, (name, trial) in RIGHT) for name, trial in keys]
    typos = {"name": "typos", "robustness": True}
    perturbed = state("i1", 0, right=False)
    perturbed["instance"]["perturbation"] = typos
    write_run(place, [*states, perturbed], [*stats, entry("i1", 0, right=False) | {"perturbation": typos}])
    return [place]


def write_run(place: Path, states: list[dict[str, Any]], stats: list[dict[str, Any]]) -> None:
    adapter = {"method": "multiple_choice_joint", "model": "house/model", "temperature": 0.0, "max_tokens": 1}
    named = {"class_name": "metrics.Basic", "args": {"names": ["exact_match", "quasi_exact_match"]}}
    scenario = {"class_name": "scenarios.Herbs", "args": {"garden": "north"}}
    totals = [{"name": {"name": "exact_match", "split": split}, "count": 1, "mean": 0.5} for split in ("test", "valid")]
    contents = {
        "scenario_state.json": {"adapter_spec": adapter, "request_states": states},
        "per_instance_stats.json": stats,
        "run_spec.json": {
            "name": place.name,
            "scenario_spec": scenario,
            "adapter_spec": adapter,
            "metric_specs": [named],
        },
        "stats.json": totals,
    }
    place.mkdir(parents=True, exist_ok=True)
    for name, content in contents.items():
        (place / name).write_text(json.dumps(content, indent=1))


def state(name: str, trial: int, right: bool) -> dict[str, Any]:
    references = [
        {"output": {"text": "sage"}, "tags": ["correct"]},
        {"output": {"text": "thyme"}, "tags": []},
    ]
    return {
        "instance": {
            "id": name,
            "input": {"text": f"Which herb is number {name}?"},
            "references": references,
            "split": "valid" if name.startswith("v") else "test",
        },
        "train_trial_index": trial,
        "output_mapping": {"A": "sage", "B": "thyme"},
        "request": {
            "model": "house/model",
            "prompt": f"Which herb is number {name}?\nA. sage\nB. thyme\nAnswer:",
            "temperature": 0.0,
            "max_tokens": 1,
        },
        "result": {"success": True, "completions": [{"text": " A" if right else " B", "logprob": -0.5}]},
    }


def entry(name: str, trial: int, right: bool) -> dict[str, Any]:
    split = "valid" if name.startswith("v") else "test"
    figures = {"num_prompt_tokens": 20, "num_output_tokens": 1, "exact_match": float(right), "quasi_exact_match": 1.0}
    stats = [{"name": {"name": key, "split": split}, "count": 1, "mean": value} for key, value in figures.items()]
    return {"instance_id": name, "train_trial_index": trial, "stats": stats}

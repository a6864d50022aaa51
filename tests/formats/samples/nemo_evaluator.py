"""A bundle of three problems and two repeats, with one row that infrastructure broke and one that was cut off."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

SCORES = {"riddles": 2.5 / 3}
PASSING = {(0, 0), (0, 1), (1, 0), (2, 1)}
BROKEN, CUT = (2, 0), (1, 1)


def write(folder: Path) -> list[Path]:
    place = folder / "out" / "riddles"
    place.mkdir(parents=True)
    keys = [(problem, repeat) for problem in (0, 1, 2) for repeat in (0, 1)]
    write_lines(place / "results.jsonl", [result(*key) for key in keys])
    write_lines(place / "trajectories.jsonl", [more(*key) for key in keys])
    write_bundle(place, 4 / 6)
    return [place]


def write_bundle(place: Path, mean: float) -> None:
    bundle = {
        "run_id": "eval-1",
        "config_hash": "sha256:1",
        "sdk_version": "0.3.0",
        "config": {"benchmark": "riddles", "model": "house-model", "repeats": 2, "temperature": 0.5},
        "benchmark": {"name": "riddles", "samples": 3, "repeats": 2, "scores": {"pass@1": {"value": round(mean, 4)}}},
    }
    (place / "eval-20260102-riddles.json").write_text(json.dumps(bundle, indent=1))


def result(problem: int, repeat: int) -> dict[str, Any]:
    right = (problem, repeat) in PASSING
    answer = "an echo" if right else "a shadow"
    details = {"method": "same_words", "correct": right, "reward": 7.0}
    if (problem, repeat) == BROKEN:
        details |= {"error": "the sandbox is gone", "error_category": "infra_error"}
    return {
        "problem_idx": problem,
        "repeat": repeat,
        "reward": float(right),
        "scorer_rewards": {"politeness": 0.5},
        "prompt": f"Riddle {problem}: what answers without a mouth?",
        "model_response": answer,
        "extracted_answer": answer,
        "expected_answer": "an echo",
        "scoring_details": details,
        "metadata": {"category": "old" if problem else "new"},
        "tokens": 12,
        "latency_ms": 40.5,
        "trajectory": [_document(problem, answer)],
    }


def more(problem: int, repeat: int) -> dict[str, Any]:
    reason = "length" if (problem, repeat) == CUT else "stop"
    return {
        "problem_idx": problem,
        "repeat": repeat,
        "reward": 0.0,
        "scoring_details": {},
        "failure_category": None,
        "timing": {"model_ms": 40.5, "total_ms": 41.0},
        "model": {"finish_reason": reason, "tokens": {"prompt": 9, "completion": 3, "reasoning": 1}},
    }


def _document(problem: int, answer: str) -> dict[str, Any]:
    steps = [
        {"source": "user", "message": f"Riddle {problem}: what answers without a mouth?", "step_id": 1},
        {"source": "agent", "message": answer, "step_id": 2},
    ]
    return {
        "schema_version": "ATIF-v1.6",
        "agent": {"name": "nemo-evaluator", "model_name": "house-model"},
        "steps": steps,
    }


def write_lines(path: Path, rows: list[dict[str, Any]]) -> None:
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))

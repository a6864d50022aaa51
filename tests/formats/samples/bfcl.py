"""One model, two categories of calls about lamps: results with the scores that name failures only."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

SCORES = {"bench": 0.6}


def result(category: str, number: int, given: Any) -> dict[str, Any]:
    return {
        "id": f"{category}_{number}",
        "result": given,
        "input_token_count": 20,
        "output_token_count": 4,
        "latency": 0.5,
    }


def failure(category: str, number: int, message: str) -> dict[str, Any]:
    question = [[{"role": "user", "content": f"Light lamp {number}."}]]
    return {
        "id": f"{category}_{number}",
        "test_category": category,
        "valid": False,
        "error": [message],
        "error_type": "value_error:lamp",
        "prompt": {"question": question, "function": [{"name": "light", "description": "Light a lamp."}]},
        "possible_answer": [{"light": {"lamp": [number]}}],
    }


def keep(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return path


def write(folder: Path) -> list[Path]:
    bench = folder / "bench"
    calls = [[{"light": json.dumps({"lamp": number})}] for number in range(3)]
    group = "non_live"
    keep(
        bench / "result/lamp-1" / group / "BFCL_v4_simple_result.json",
        [result("simple", number, given) for number, given in enumerate(calls)],
    )
    keep(
        bench / "score/lamp-1" / group / "BFCL_v4_simple_score.json",
        [{"accuracy": 0.66, "correct_count": 2, "total_count": 3}, failure("simple", 1, "Wrong lamp.")],
    )
    keep(
        bench / "result/lamp-1" / group / "BFCL_v4_irrelevance_result.json",
        [result("irrelevance", 0, []), result("irrelevance", 1, [{"light": "{}"}])],
    )
    keep(
        bench / "score/lamp-1" / group / "BFCL_v4_irrelevance_score.json",
        [{"accuracy": 0.5, "correct_count": 1, "total_count": 2}, failure("irrelevance", 1, "A call was made.")],
    )
    return [bench]

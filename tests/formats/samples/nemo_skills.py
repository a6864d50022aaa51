"""One benchmark of three problems under two seeds, with the metrics that belong to it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

SCORES = {"sums": 0.5}
SEEDS = (("4", "5", None), ("4", "6", "7"))
GOLD = ("4", "5", "6")


def row(number: int, answer: str | None, **more: Any) -> dict[str, Any]:
    return {
        "problem": f"What is {number} + 4?",
        "level": "easy" if number else "hard",
        "generation": f"I get {answer}." if answer else "I do not know.",
        "predicted_answer": answer,
        "expected_answer": GOLD[number],
        "symbolic_correct": answer == GOLD[number],
        "num_generated_tokens": 9,
        **more,
    }


def keep(folder: Path, name: str, rows: list[dict[str, Any]]) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text("".join(f"{json.dumps(each)}\n" for each in rows))
    return path


def write(folder: Path) -> list[Path]:
    there = folder / "eval-results"
    for seed, answers in enumerate(SEEDS):
        keep(there / "sums", f"output-rs{seed}.jsonl", [row(number, answer) for number, answer in enumerate(answers)])
    stated = {"pass@1[avg-of-2]": {"num_entries": 3, "symbolic_correct": 50.0}}
    (there / "metrics.json").write_text(json.dumps({"sums": {"_all_": stated}}, indent=1))
    return [there]

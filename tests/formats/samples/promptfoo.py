"""Two tests about lamps for two providers in one file, and one of them as lines."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

SCORES = {"both@Small": 0.75, "both@Large": 1.0, "lines": 0.5}


def result(test: int, column: int, score: float, **more: Any) -> dict[str, Any]:
    label = ("Small", "Large")[column]
    passed = score == 1
    check = {"pass": passed, "score": score, "reason": "as wanted", "assertion": {"type": "equals", "value": "on"}}
    other = {"pass": True, "score": 1, "reason": "short", "assertion": {"type": "javascript", "metric": "brief"}}
    return {
        "testIdx": test,
        "promptIdx": column,
        "promptId": "p1",
        "provider": {"id": f"lab:{label.lower()}", "label": label},
        "vars": {"lamp": f"lamp {test}", "room": "hall"},
        "testCase": {
            "vars": {"lamp": f"lamp {test}", "room": "hall"},
            "description": "switch",
            "metadata": {"level": "easy"},
        },
        "prompt": {"raw": json.dumps([{"role": "user", "content": f"Switch lamp {test} on."}])},
        "response": {"output": "on" if passed else "off", "tokenUsage": {"prompt": 8, "completion": 1}},
        "success": passed,
        "score": score,
        "failureReason": 0 if passed else 1,
        "gradingResult": {"pass": passed, "score": score, "reason": "as wanted", "componentResults": [check, other]},
        "namedScores": {"brief": 1},
        "latencyMs": 40,
        **more,
    }


def document(results: list[dict[str, Any]], metrics: list[dict[str, Any]]) -> dict[str, Any]:
    prompts = [{"raw": "Switch {{lamp}} on.", "provider": "any", "metrics": each} for each in metrics]
    return {"evalId": "e1", "results": {"version": 3, "prompts": prompts, "results": results}, "config": {}}


def write(folder: Path) -> list[Path]:
    # tests end in any order
    results = [result(1, 0, 0.5), result(0, 1, 1.0), result(0, 0, 1.0), result(1, 1, 1.0)]
    metrics = [
        {"score": 1.5, "testPassCount": 1, "testFailCount": 1, "testErrorCount": 0},
        {"score": 2.0, "testPassCount": 2, "testFailCount": 0, "testErrorCount": 0},
    ]
    both, lines = folder / "both.json", folder / "lines.jsonl"
    both.write_text(json.dumps(document(results, metrics), indent=1))
    lines.write_text("".join(f"{json.dumps(result(test, 0, score))}\n" for test, score in enumerate((1.0, 0.0))))
    return [both, lines]

"""One call of the harness with two tasks; the answers of the first were read with two filters."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

TIME = "2026-02-03T04-05-06.789012"
SCORES = {"lamp__small@strict": 0.25, "lamp__small@lenient": 0.5}
ANSWERS = ("The answer is 4", "It is 5", "The answer is 9", "no idea")
GOLD = ("4", "5", "6", "7")


def header(filters: tuple[str, ...] = ("strict", "lenient"), means: tuple[float, ...] = (0.25, 0.5)) -> dict[str, Any]:
    stated: dict[str, Any] = {"alias": "sums"}
    for name, mean in zip(filters, means, strict=True):
        stated |= {f"exact_match,{name}": mean, f"exact_match_stderr,{name}": "N/A"}
    listed = [{"name": name, "filter": [{"function": "regex", "regex_pattern": f"{name} ([0-9])"}]} for name in filters]
    task = {
        "task": "sums",
        "dataset_path": "lamp/sums",
        "num_fewshot": 0,
        "metric_list": [{"metric": "exact_match", "aggregation": "mean", "higher_is_better": True}],
        "generation_kwargs": {"until": ["\n\n"], "temperature": 0.0, "max_gen_toks": 64},
        "filter_list": listed,
    }
    return {
        "results": {"sums": stated},
        "configs": {"sums": task},
        "versions": {"sums": 1.0},
        "n-shot": {"sums": 0},
        "higher_is_better": {"sums": {"exact_match": True}},
        "n-samples": {"sums": {"original": 9, "effective": 4}},
        "config": {"model": "hf", "model_args": "pretrained=lamp/small", "limit": 4.0, "fewshot_seed": 7},
        "model_name": "lamp/small",
        "lm_eval_version": "0.4.9",
    }


def row(doc: int, kept: str, score: float, name: str | None = "strict") -> dict[str, Any]:
    prompt = json.dumps([{"role": "user", "content": f"What is {doc} + 4?"}])
    made: dict[str, Any] = {
        "doc_id": doc,
        "doc": {"question": f"{doc} + 4", "level": "easy" if doc < 2 else "hard", "answer": GOLD[doc]},
        "target": GOLD[doc],
        "arguments": {"gen_args_0": {"arg_0": [prompt], "arg_1": {"until": ["\n\n"]}}},
        "resps": [[ANSWERS[doc]]],
        "filtered_resps": [kept],
        "prompt_hash": f"p{doc}",
        "exact_match": score,
    }
    if name:
        made |= {"filter": name, "metrics": ["exact_match"]}
    return made


def graded(named: bool = True) -> list[dict[str, Any]]:
    strict = [("4", 1.0), ("[invalid]", 0.0), ("9", 0.0), ("[invalid]", 0.0)]
    lenient = [("4", 1.0), ("5", 1.0), ("9", 0.0), ("[invalid]", 0.0)]
    return [
        row(doc, kept, score, name if named else None)
        for name, block in (("strict", strict), ("lenient", lenient))
        for doc, (kept, score) in enumerate(block)
    ]


def write(folder: Path) -> list[Path]:
    there = folder / "lamp__small"
    there.mkdir()
    (there / f"results_{TIME}.json").write_text(json.dumps(header(), indent=2))
    (there / f"samples_sums_{TIME}.jsonl").write_text("".join(f"{json.dumps(each)}\n" for each in graded()))
    return [there]

"""Prompts of one long line are compared by sentences, also where the other prompt's line is short."""

from __future__ import annotations

from pathlib import Path

from tests.gym_rows import Json, request, row, write

from blade import api
from blade.change.config_diff import prompt_diff

BASE = "You are a clerk. Answer with the help of the tools. Finish with one line that starts with DONE."
ADDED = "Stop early: when a first look does not show the answer, it is fine to say so, and no further look is needed."


def run(path: Path, prompt: str) -> Path:
    rows: list[Json] = []
    for task in range(6):
        made = request(f"What is {task}?")
        made["input"].insert(0, {"role": "system", "content": prompt, "type": "message"})
        rows.append(row(task, reward=float(task % 2), responses_create_params=made))
    return write(path, rows)


def test_the_added_sentence_alone_is_told(tmp_path: Path) -> None:
    assert len(BASE) < 200 < len(f"{BASE} {ADDED}")
    paths = [run(tmp_path / "long.jsonl", f"{BASE} {ADDED}"), run(tmp_path / "short.jsonl", BASE)]
    diff = prompt_diff(*api.read(*paths))
    assert diff is not None
    assert (diff["removed"], diff["added"]) == ([ADDED], [])

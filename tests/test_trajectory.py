"""A rollout as people read it, and the place it stands."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

import blade
from blade.errors import InputError, NotFound
from blade.evidence import open_bytes_at, open_row
from blade.trajectory import parts

ROW = {
    "responses_create_params": {"instructions": "be brief", "input": [{"role": "user", "content": "do it"}]},
    "response": {
        "output": [
            {"type": "reasoning", "summary": [{"type": "summary_text", "text": "hm"}]},
            {"type": "function_call", "name": "look", "call_id": "c1", "arguments": '{"id": 3, "deep": {"a": 1}}'},
            {"type": "function_call_output", "call_id": "c1", "output": "found"},
            {"role": "user", "content": "and?"},
            {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "done"}]},
        ],
    },
    "reward": 1.0,
    "difficulty": "easy",
}


def test_every_part_in_order_with_its_place() -> None:
    read = [(part.kind, part.title, part.text, part.item) for part in parts(ROW)]
    assert read == [
        ("prompt", "system", "be brief", -2),
        ("prompt", "user", "do it", -1),
        ("thought", "thinking", "hm", 0),
        ("call", "look", 'id: 3\ndeep: {"a":1}', 1),
        ("output", "look", "found", 2),
        ("user", "user", "and?", 3),
        ("message", "assistant", "done", 4),
        ("row", "fields beside the transcript", "difficulty: easy", None),
    ]


def test_malformed_arguments_are_shown_as_they_stand() -> None:
    row = {"response": {"output": [{"type": "function_call", "name": "look", "arguments": '{"id": '}]}}
    assert parts(row)[0].text == '{"id": '


@pytest.mark.parametrize("suffix", [".jsonl", ".jsonl.gz"])
def test_a_row_is_opened_again_where_it_stands(tmp_path: Path, uncached: blade.Options, suffix: str) -> None:
    rows = [
        json.dumps({**ROW, "_ng_task_index": task, "_ng_rollout_index": 0, "text": "ü" * task}) for task in range(5)
    ]
    path = tmp_path / f"x{suffix}"
    data = ("\n\n".join(rows) + "\n").encode()
    path.write_bytes(gzip.compress(data) if suffix.endswith("gz") else data)
    (run,) = blade.read(path, options=uncached)
    for rollout in run.rollouts():
        assert str(open_row(rollout.source)["_ng_task_index"]) == rollout.task
        assert open_bytes_at(rollout.source).decode() == rows[int(rollout.task)]


def test_a_file_that_changed_or_went_is_said_so(tmp_path: Path, uncached: blade.Options) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text(json.dumps(ROW) + "\n", encoding="utf-8")
    (run,) = blade.read(path, options=uncached)
    source = run.rollouts()[0].source
    path.write_text("not a row\n", encoding="utf-8")
    with pytest.raises(InputError, match="no row stands here"):
        open_row(source)
    path.unlink()
    with pytest.raises(NotFound):
        open_row(source)


def test_an_output_bears_the_name_of_its_own_call_where_ids_repeat() -> None:
    output = [
        {"type": "function_call", "name": "look", "call_id": "c1", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c1", "output": "a room"},
        {"type": "function_call", "name": "book", "call_id": "c1", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c1", "output": "booked"},
    ]
    shown = [(part.title, part.text) for part in parts({"response": {"output": output}}) if part.kind == "output"]
    assert shown == [("look", "a room"), ("book", "booked")]

"""Facts become the rows that an aggregate is made of."""

from __future__ import annotations

import json
from typing import Any

import polars as pl

from blade.counting.recompute import ScoredRow, rows_from_facts
from blade.facts.columns import SCHEMA


def read(*facts: dict[str, Any]) -> list[ScoredRow]:
    blank = dict.fromkeys(SCHEMA) | {"file": 0}
    filled = [blank | {"line": line} | fact for line, fact in enumerate(facts, 1)]
    return rows_from_facts(pl.DataFrame(filled, schema=SCHEMA))


def test_top_level_numbers_count_and_nested_ones_do_not() -> None:
    fields = {"reward": 0.5, "done": True, "verifier.score": 3, "a\\.b": 2, "OCRBench/Regular": 7, "level": "easy"}
    (row,) = read({"reward": 0.5, "fields": json.dumps(fields)})
    assert row.numbers == {"reward": 0.5, "done": 1.0, "a.b": 2.0, "OCRBench/Regular": 7.0}
    assert row.fields["level"] == "easy"
    assert row.fields["verifier.score"] == 3


def test_usage_wins_and_zero_is_a_number() -> None:
    fields = json.dumps({"input_tokens": 1, "cost": 9, "_ng_task_index": 4, "_ng_rollout_index": 5})
    (row,) = read({"usage_state": "ok", "input_tokens": 0.0, "total_tokens": 7.0, "fields": fields})
    assert row.numbers == {"input_tokens": 0.0, "cost": 9.0, "total_tokens": 7.0}
    assert row.fields["input_tokens"] == 1


def test_chat_usage_keeps_its_own_names() -> None:
    (row,) = read({"usage_state": "chat", "input_tokens": 3.0, "output_tokens": 4.0, "total_tokens": 7.0})
    assert row.numbers == {"prompt_tokens": 3.0, "completion_tokens": 4.0, "total_tokens": 7.0}


def test_a_row_without_indices_is_task_0_attempt_0() -> None:
    (row,) = read({"reward": 1.0})
    assert (row.task, row.attempt, row.reward, row.numbers) == (0, 0, 1.0, {"reward": 1.0})


def test_rows_come_in_the_order_of_files_and_lines() -> None:
    rows = read({"file": 1, "line": 1}, {"file": 0, "line": 9}, {"file": 0, "line": 2})
    assert [row.line for row in rows] == [2, 9, 1]


def test_answers_are_the_extracted_one_and_fields_named_like_one() -> None:
    fields = json.dumps({"extracted_answer": None, "predicted_label": "x", "difficulty": "easy"})
    given, null, none = read(
        {"answer": "B", "answer_state": "given", "fields": fields},
        {"answer_state": "null"},
        {"answer_state": "none", "fields": "not json"},
    )
    assert given.answers == {"answer": "B", "extracted_answer": None, "predicted_label": "x"}
    assert null.answers == {"answer": None}
    assert none.answers == {}

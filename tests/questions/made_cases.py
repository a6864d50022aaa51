"""Rollouts for questions: rows with calls and answers, and cases made without any file."""

from __future__ import annotations

import json
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any, cast

import orjson
import polars as pl
from tests.gym_rows import Json, message, response, row

from blade.counting.passing import BINARY, UNIT, PassRule
from blade.counting.run import Run
from blade.diagnosis.cases import Case, RunCases
from blade.document import Block, Bullets, Paragraph, Table

NO_RUN = "run"
__all__ = ["called", "case", "causes", "run_of", "said", "task_row", "user", "words"]


def called(name: str, arguments: Json, answer: Any) -> list[Json]:
    """A call and what the tool answers."""
    called.number += 1  # type: ignore[attr-defined]
    call_id = f"call-{called.number}"  # type: ignore[attr-defined]
    output = answer if isinstance(answer, str) else json.dumps(answer)
    return [
        {"type": "function_call", "call_id": call_id, "name": name, "arguments": json.dumps(arguments)},
        {"type": "function_call_output", "call_id": call_id, "output": output},
    ]


called.number = 0  # type: ignore[attr-defined]


def said(text: str) -> list[Json]:
    return [message(text)]


def user(text: str) -> list[Json]:
    return [message(text, "user")]


def task_row(task: int, *parts: list[Json], passed: bool, **fields: Any) -> Json:
    items = [item for part in parts for item in part]
    return row(
        task,
        reward=float(passed),
        response=response(*items),
        expected_answer=None,
        extracted_answer=None,
        **fields,
    )


def case(
    task: int, *, passed: bool, observed: Json | None = None, actions: Sequence[str] = (), attempt: int = 0
) -> Case:
    return Case(
        NO_RUN,
        str(task),
        str(task),
        0,
        float(passed),
        passed,
        not passed,
        "ok",
        None,
        None,
        {},
        "",
        ("file", task, 0, 1),
        actions=tuple(actions),
        observed_json=orjson.dumps(observed or {}).decode(),
    )


def run_of(name: str, cases: Sequence[Case]) -> RunCases:
    for one in cases:
        one.run = name if one.run == NO_RUN else one.run
    unknown = (
        "output_hash",
        "heard_hash",
        "output_chars",
        "final_chars",
        "created_at",
        "model",
        "agent",
        "skills",
        "system_hash",
        "tools_hash",
        "sampling",
    )
    graded = pl.DataFrame({column: [None] * len(cases) for column in unknown})
    made = SimpleNamespace(name=name, rule=PassRule(1.0, BINARY, UNIT), graded=graded, agent=None)
    made.raw = SimpleNamespace(flaws=())
    return RunCases(cast("Run", made), tuple(cases))


def words(blocks: Sequence[Block]) -> str:
    """All that is said, a line per paragraph or table row."""
    lines: list[str] = []
    for block in blocks:
        if isinstance(block, Paragraph):
            lines.append(" ".join(sentence.text for sentence in block.sentences))
        elif isinstance(block, Bullets):
            lines += [" ".join(sentence.text for sentence in item.sentences) for item in block.items]
        elif isinstance(block, Table):
            lines += [
                " | ".join(cell if isinstance(cell, str) else cell.text for cell in cells)
                for cells in (block.columns, *block.rows)
            ]
    return "\n".join(lines)


def causes(answer: Any) -> list[tuple[str, str, int]]:
    """Label, reason and number of the failures that an answer names causes of."""
    return [(entry["label"], entry["why"], len(entry["rollouts"])) for entry in answer["causes"]]

"""Calls that the one message of a single turn writes as text, where calls are what a rollout is to answer with."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.gym_rows import ABSENT, Json, analysed, message, response, row, write

from blade.extract.attempt import Attempt
from blade.extract.learned_fields import learn

KEY = [{"name": "shelve", "arguments": {"jar": 3}}]
CALL = '{"name": "shelve", "arguments": {"jar": 3}}'
OTHER = '{"name": "label", "arguments": {"word": "plum"}}'


def attempt_of(text: str, **fields: Any) -> Attempt:
    told = response(message(text))
    return Attempt(row(3, response=told, expected_answer=ABSENT, extracted_answer=ABSENT, **fields))


@pytest.mark.parametrize(
    ("text", "calls"),
    [
        (CALL, ["shelve"]),
        (f"Here it is:\n```json\n[{CALL}, {OTHER}]\n```\nDone.", ["shelve", "label"]),
        (f"<tool_call>{CALL}</tool_call>\n<tool_call>{OTHER}</tool_call>", ["shelve", "label"]),
        ("[shelve(jar=3), label(word='plum')]", ["shelve", "label"]),
        ('{"name": "send_message", "arguments": {"text": "The jar stands there."}}', ["send_message"]),
        ('{"jar": 3}', []),
        ("I put jar 3 on the shelf.", []),
    ],
)
def test_calls_in_words_are_calls_where_the_row_expects_some(text: str, calls: list[str]) -> None:
    assert [call.name for call in attempt_of(text, expected_actions=KEY).made] == calls
    assert attempt_of(text).made == []


def keyed(task: int, attempt: int, jar: int, *, spoken: bool) -> Json:
    """A row whose key lists the values that are right, each in a list."""
    made = {"name": "shelve", "arguments": f'{{"jar": {jar}}}'}
    item = {"type": "function_call", "call_id": "c", **made}
    text = f'{{"name": "shelve", "arguments": {{"jar": {jar}}}}}' if jar else "I leave it where it is."
    return row(
        task,
        attempt,
        float(jar == task),
        response=response(message(text) if spoken or not jar else item),
        wanted=[{"fn": "shelve", "args": {"jar": [task, f"{task}"]}}],
        expected_answer=ABSENT,
        extracted_answer=ABSENT,
    )


def rows_of(*, spoken: bool) -> list[Json]:
    """Every other attempt is right; of the others one in five calls nothing."""
    wrong = {task: 99 if task % 5 else 0 for task in range(1, 31)}
    return [
        keyed(task, attempt, task if (task + attempt) % 2 else wrong[task], spoken=spoken)
        for task in range(1, 31)
        for attempt in range(2)
    ]


@pytest.mark.parametrize("first_spoken", [True, False])
def test_lists_of_right_values_are_choices_however_the_calls_are_written(*, first_spoken: bool) -> None:
    learned = learn([*rows_of(spoken=first_spoken), *rows_of(spoken=not first_spoken)])
    assert learned.actions is not None
    assert (learned.actions.field, learned.actions.choices) == ("wanted", True)


def test_a_run_that_writes_its_calls_is_held_against_the_key_like_one_that_makes_them(tmp_path: Path) -> None:
    files = {name: write(tmp_path / f"{name}.jsonl", rows_of(spoken=name == "spoken")) for name in ("spoken", "made")}
    analysis = analysed(*(f"{name}={path}" for name, path in files.items()))
    (mode,) = (mode for mode in analysis.modes if mode.id == "wrong_action")
    assert {run: counts["rollouts"] for run, counts in mode.runs.items()} == {"spoken": 24, "made": 24}

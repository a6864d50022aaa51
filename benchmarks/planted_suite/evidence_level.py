"""How much the files tell of what happened: everything, only symptoms, or only the reward."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from blade.simulate.gym_rows import rollout_row
from blade.simulate.rng import dice

if TYPE_CHECKING:
    from blade.simulate.cause_context import Scenario
    from blade.simulate.simulated_row import Json, SimulatedRow, SimulatedTranscript

__all__ = ["LEVELS", "Level", "shown_row"]

Level = Literal["E2", "E1", "E0"]
LEVELS: tuple[Level, ...] = ("E2", "E1", "E0")
WITHHELD_STAMPS = ("_ng_failure_class", "error_class")


def shown_row(scenario: Scenario, agent: str, row: SimulatedRow, was: SimulatedRow, level: Level) -> Json:
    """The row as written at this level; `was` is the same attempt before anything was planted.

    E2 tells all. At E1 there are symptoms and no diagnosis: no finish reason, status, error field or time, and an
    error stands only in the text. At E0 the output is the one before the cause, and nothing but the reward differs.
    """
    if level == "E2":
        return rollout_row(scenario, agent, row)
    if level == "E1":
        symptom = replace(row, transcript=_error_in_text(scenario, row))
        return _withhold(rollout_row(scenario, agent, symptom))
    verdict = {key: value for key, value in was.verdict.items() if key in was.task.given}
    bare = replace(was, verdict={"reward": row.reward, **verdict}, place=row.place)
    return _withhold(rollout_row(scenario, agent, bare))


def _withhold(row: Json) -> Json:
    """In place: the row without what only a careful harness writes down."""
    response = row["response"]
    del response["created_at"]
    response |= {"status": None, "incomplete_details": None, "error": None}
    response["output"] = [
        {**item, "status": "completed"} if item.get("status") else item for item in response["output"]
    ]
    row |= {"error_kind": None, "error_message": None}
    for key in WITHHELD_STAMPS:
        row.pop(key, None)
    return row


def _error_in_text(scenario: Scenario, row: SimulatedRow) -> SimulatedTranscript:
    """The error moves from its own field into the last tool answer, or into a last message where there is none."""
    transcript = row.transcript
    if not transcript.error:
        return transcript
    error_text = transcript.error["message"]
    if transcript.items and transcript.items[-1]["type"] == "function_call_output":
        items = (*transcript.items[:-1], {**transcript.items[-1], "output": error_text})
    else:
        items = (*transcript.items, _message(scenario, row, error_text))
    return replace(transcript, items=items, error=None)


def _message(scenario: Scenario, row: SimulatedRow, text: str) -> Json:
    message_id = dice("error message", scenario.seed, scenario.dice, row.key).getrandbits(64)
    content: list[Json] = [{"annotations": [], "text": text, "type": "output_text", "logprobs": None}]
    return {
        "id": f"msg_{message_id:016x}",
        "content": content,
        "role": "assistant",
        "status": "completed",
        "type": "message",
    }

"""A row as NeMo Gym 0.5 writes it: into the rollouts, the failures and the materialized inputs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from blade.simulate.rng import dice

if TYPE_CHECKING:
    from blade.simulate.cause_context import Scenario
    from blade.simulate.simulated_row import Json, SimulatedRow

__all__ = ["input_row", "rollout_row"]

UNSET_REQUEST = (
    "background",
    "include",
    "instructions",
    "max_tool_calls",
    "metadata",
    "model",
    "previous_response_id",
    "prompt",
    "reasoning",
    "service_tier",
    "store",
    "text",
    "top_logprobs",
    "top_p",
    "truncation",
    "user",
    "stream",
)
UNSET_RESPONSE = (
    "instructions",
    "background",
    "conversation",
    "max_output_tokens",
    "max_tool_calls",
    "previous_response_id",
    "prompt",
    "prompt_cache_key",
    "reasoning",
    "safety_identifier",
    "service_tier",
    "text",
    "top_logprobs",
    "truncation",
    "user",
)


def rollout_row(scenario: Scenario, agent: str, row: SimulatedRow) -> Json:
    """One line of the rollouts file: request, response, verdict, stamps."""
    return {
        "responses_create_params": _request(scenario, row),
        "response": _response(scenario, row),
        **row.verdict,
        "error_kind": None,
        "error_message": None,
        "_ng_task_index": row.index,
        "_ng_rollout_index": row.attempt,
        "agent_ref": {"name": agent},
        **row.stamps,
    }


def input_row(scenario: Scenario, agent: str, row: SimulatedRow) -> Json:
    """One line of the materialized inputs: the dataset row, gold and all, with the request as it was sent."""
    request: Json = {"input": [dict(message) for message in row.task.messages]}
    if row.task.tools:
        request |= {"tools": list(row.task.tools), "parallel_tool_calls": False}
    request |= {"temperature": row.behaviour.temperature, "max_output_tokens": _cap(scenario, row)}
    stamps = {"_ng_task_index": row.index, "_ng_rollout_index": row.attempt, "agent_ref": {"name": agent}}
    return {"responses_create_params": request, **row.task.given, **stamps}


def _cap(scenario: Scenario, row: SimulatedRow) -> int:
    return row.behaviour.token_cap + scenario.pad_chars // 4


def _request(scenario: Scenario, row: SimulatedRow) -> Json:
    return {
        **dict.fromkeys(UNSET_REQUEST),
        "input": [{**message, "type": "message"} for message in row.task.messages],
        "max_output_tokens": _cap(scenario, row),
        "parallel_tool_calls": not row.task.tools,
        "temperature": row.behaviour.temperature,
        "tool_choice": "auto",
        "tools": list(row.task.tools),
    }


def _response(scenario: Scenario, row: SimulatedRow) -> Json:
    transcript = row.transcript
    ids = dice("response", scenario.benchmark, scenario.seed, scenario.dice, row.behaviour.model, row.key)
    status = "failed" if transcript.error else "incomplete" if transcript.cut else "completed"
    return {
        **dict.fromkeys(UNSET_RESPONSE),
        "id": f"{row.behaviour.id_form}{ids.getrandbits(64):016x}" + ("-failed" if row.place == "failures" else ""),
        "created_at": float(int(row.finished)),
        "error": transcript.error,
        "incomplete_details": {"reason": "max_output_tokens"} if transcript.cut else None,
        "metadata": {},
        "model": row.behaviour.shown_model or row.behaviour.model,
        "object": "response",
        "output": list(transcript.items),
        "parallel_tool_calls": not row.task.tools,
        "temperature": row.behaviour.temperature,
        "tool_choice": "auto",
        "tools": list(row.task.tools),
        "top_p": 1.0,
        "status": status,
        "usage": {
            "input_tokens": transcript.input_tokens,
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": transcript.output_tokens,
            "output_tokens_details": {"reasoning_tokens": transcript.reasoning_tokens},
            "total_tokens": transcript.input_tokens + transcript.output_tokens,
        },
    }

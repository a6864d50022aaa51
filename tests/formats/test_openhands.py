"""OpenHands: events of three generations as a transcript, verdicts from elsewhere, errors by their words."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.formats.samples.openhands import evaluated, history, issue, keep, row, write
from tests.formats.translated_rows import translated_rows

from blade.engine.discover import discover
from blade.model import Status


def transcript(made: dict[str, Any]) -> list[tuple[str, str]]:
    return [
        (item.get("role") or item["type"], item.get("content") or item.get("name") or item.get("output"))
        for item in made["response"]["output"]
    ]


def test_verdicts_of_the_evaluation_are_joined_by_the_instance(tmp_path: Path) -> None:
    rows = translated_rows(*write(tmp_path))["mended"]
    assert {each["task_id"]: each["reward"] for each in rows} == {"lamp-1": 1.0, "lamp-2": 0.0}


def test_a_report_beside_the_output_gives_verdicts(tmp_path: Path) -> None:
    path = keep(tmp_path / "mended/output.jsonl", *(row(f"lamp-{number}") for number in range(4)))
    told = {"resolved_ids": ["lamp-0"], "unresolved_ids": ["lamp-1"], "empty_patch_ids": [], "error_ids": ["lamp-2"]}
    (path.parent / "report.json").write_text(json.dumps(told))
    rows = translated_rows(path)["mended"]
    assert [(each["reward"], each["_translated"].get("status")) for each in rows] == [
        (1.0, None),
        (0.0, None),
        (None, Status.VERIFIER_ERROR),
        (None, Status.SKIPPED),
    ]


def test_reports_and_logs_in_its_folder_are_no_runs_of_their_own(tmp_path: Path) -> None:
    path = keep(tmp_path / "mended/output.jsonl", row("lamp-0"))
    (path.parent / "report.json").write_text(json.dumps({"resolved_ids": ["lamp-0"], "unresolved_ids": []}))
    (path.parent / "logs/lamp-0").mkdir(parents=True)
    (path.parent / "logs/lamp-0/report.json").write_text(json.dumps({"lamp-0": {"resolved": True, "tests_status": {}}}))
    (plan,) = discover([path.parent])
    assert (plan.name, plan.rollouts[0].kind) == ("mended", "openhands")


def test_a_row_without_a_verdict_was_not_graded(tmp_path: Path) -> None:
    (made,) = translated_rows(keep(tmp_path / "mended/output.jsonl", row("lamp-1")))["mended"]
    assert (made["reward"], made["_translated"]["status"]) == (None, Status.SKIPPED)


@pytest.mark.parametrize(
    ("error", "status"),
    [
        ("RuntimeError: the maximum iteration was passed.", Status.TIMED_OUT),
        ("LLMContextWindowExceedError: too long", Status.TRUNCATED),
        ("FunctionCallValidationError: no such tool", Status.MALFORMED),
        ("AgentRuntimeDisconnectedError: gone", Status.INFRASTRUCTURE),
        ("AgentStuckInLoopError: Agent got stuck in a loop", None),
    ],
)
def test_errors_are_told_apart_by_their_words(tmp_path: Path, error: str, status: Status | None) -> None:
    path = keep(tmp_path / "mended/output.jsonl", evaluated("lamp-1", resolved=False) | {"error": error})
    (made,) = translated_rows(path)["mended"]
    assert (made["reward"], made["_translated"].get("status")) == (0.0, status)


def test_calls_are_those_that_the_model_wrote(tmp_path: Path) -> None:
    made = translated_rows(*write(tmp_path))["mended"][0]
    assert transcript(made) == [
        ("assistant", "I look around."),
        ("function_call", "execute_bash"),
        ("function_call_output", "lamp.py"),
        ("assistant", "It is mended."),
        ("function_call", "finish"),
    ]
    items = made["response"]["output"]
    assert (items[1]["arguments"], items[1]["call_id"], items[2]["call_id"]) == ('{"command": "ls"}', "c1", "c1")
    assert [item["role"] for item in made["responses_create_params"]["input"]] == ["system", "user"]


def test_the_older_form_is_read_without_ids(tmp_path: Path) -> None:
    (made,) = translated_rows(keep(tmp_path / "issues/output.jsonl", issue()))["issues"]
    assert (made["task_id"], made["reward"]) == ("lamps/lamp#7", 1.0)
    items = made["response"]["output"]
    assert [item["type"] for item in items] == [
        "message",
        "function_call",
        "function_call_output",
        "message",
        "function_call",
    ]
    assert items[1]["call_id"] == items[2]["call_id"] != items[4]["call_id"]


def test_pairs_of_actions_and_observations_are_read_in_their_order(tmp_path: Path) -> None:
    events = history()
    pairs = [events[:2], [events[4], events[5]], [events[6]]]
    made = translated_rows(keep(tmp_path / "pairs/output.jsonl", row("lamp-1", history=pairs)))["pairs"][0]
    assert [kind for kind, _ in transcript(made)] == [
        "assistant",
        "function_call",
        "function_call_output",
        "assistant",
        "function_call",
    ]


def test_events_of_the_sdk_are_read(tmp_path: Path) -> None:
    events: list[dict[str, Any]] = [
        {"kind": "SystemPromptEvent", "source": "agent", "system_prompt": {"type": "text", "text": "You mend lamps."}},
        {"kind": "MessageEvent", "source": "user", "llm_message": {"content": [{"type": "text", "text": "Mend it."}]}},
        {
            "kind": "ActionEvent",
            "source": "agent",
            "thought": [{"type": "text", "text": "I look."}],
            "reasoning_content": "Where is it?",
            "tool_name": "terminal",
            "tool_call_id": "c1",
            "tool_call": {"name": "terminal", "arguments": '{"command": "ls"}'},
        },
        {
            "kind": "ObservationEvent",
            "tool_call_id": "c1",
            "observation": {"kind": "Terminal", "content": [{"type": "text", "text": "lamp.py"}]},
        },
        {"kind": "AgentErrorEvent", "tool_call_id": "c2", "error": "no such tool"},
        {"kind": "Condensation", "summary": "…"},
    ]
    made = translated_rows(keep(tmp_path / "sdk/output.jsonl", row("lamp-1", history=events, attempt=2)))["sdk"][0]
    assert made["_ng_rollout_index"] == 1
    assert transcript(made) == [
        ("reasoning", None),
        ("assistant", "I look."),
        ("function_call", "terminal"),
        ("function_call_output", "lamp.py"),
        ("function_call_output", "no such tool"),
    ]


def test_settings_hold_no_key(tmp_path: Path) -> None:
    (plan, *_) = discover(write(tmp_path))
    assert plan.translated is not None
    assert plan.translated.settings["model"] == "lamp-1"
    assert "secret" not in json.dumps(dict(plan.translated.settings))

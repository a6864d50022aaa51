"""Cost and time: taken where rows say them, unknown where they do not, never worked out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.gym_rows import analysed, message, only_run, response, row, write

from blade import api


def spent(folder: Path, *fields: dict[str, Any]) -> dict[str, Any]:
    rows = [row(task, reward=float(task % 2), **given) for task, given in enumerate(fields)]
    return dict(only_run(write(folder / "run.jsonl", rows)).spending)


def test_rows_that_say_nothing_leave_both_unknown(tmp_path: Path) -> None:
    assert spent(tmp_path, *[{}] * 4) == {"cost": None, "seconds": None}


def test_the_usage_tells_the_cost_and_the_capture_the_time(tmp_path: Path) -> None:
    usage = {"input_tokens": 10, "output_tokens": 5, "cost": 0.25}
    capture = {"metrics": {"latency_total_ms": 4_000}}
    told = {"response": response(message("x"), usage=usage), "ng_model_call_capture": capture}
    found = spent(tmp_path, told, told, {}, told)
    groups = {"all": {"median": 0.25, "n": 3}, "pass": {"median": 0.25, "n": 2}, "fail": {"median": 0.25, "n": 1}}
    assert found["cost"] == {"field": "response.usage.cost", **groups, "total": 0.75, "unknown": 1}
    assert found["seconds"]["all"] == {"median": 4.0, "n": 3}
    assert found["seconds"]["total"] == 12.0


@pytest.mark.parametrize(
    ("field", "value", "seconds"),
    [
        ("agent_run_time", 20.0, 20.0),
        ("latency_ms", 1_500, 1.5),
        ("metadata", {"agent_execution_time_s": 7.5, "verification_time_s": 90}, 7.5),
        ("result", {"duration": 30}, 30.0),
        ("metadata", {"agent_started_at": "2025-08-08T03:59:17", "agent_ended_at": "2025-08-08T04:00:18"}, 61.0),
        ("metadata", {"verifier_started_at": "2025-08-08T03:59:17", "verifier_ended_at": "2025-08-08T04:00:18"}, None),
        ("timing", {"started_at": "2025-08-08T03:59:17", "finished_at": "2025-08-08T03:59:27"}, 10.0),
        ("verification_time_s", 3.0, None),
        ("total_tool_execution_time_seconds", 3.0, None),
        ("agent_timeout_s", 600, None),
        ("duration_limit", 600, None),
        ("generation_start_time", 1_760_000_000.0, None),
    ],
)
def test_a_field_tells_the_time_of_the_attempt(field: str, value: Any, seconds: float | None, tmp_path: Path) -> None:
    found = spent(tmp_path, *[{field: value}] * 4)["seconds"]
    assert (found and found["all"]["median"]) == seconds


@pytest.mark.parametrize(
    ("field", "value", "cost"),
    [
        ("metrics", {"accumulated_cost": 0.5}, 0.5),
        ("result", {"agent_cost": 0.2, "user_cost": 0.9}, 0.2),
        ("total_cost_usd", 1.5, 1.5),
        ("cost", 40, None),
        ("metadata", {"cost": 40}, None),
        ("metadata", {"user_cost": 0.1}, None),
        ("cost_limit", 3.0, None),
        ("total_cost_usd", "free", None),
    ],
)
def test_a_field_tells_the_cost_of_the_attempt(field: str, value: Any, cost: float | None, tmp_path: Path) -> None:
    found = spent(tmp_path, *[{field: value}] * 4)["cost"]
    assert (found and found["all"]["median"]) == cost


def test_the_report_shows_them_beside_the_tokens_and_says_unknown(tmp_path: Path) -> None:
    told = write(tmp_path / "told.jsonl", [row(task, total_cost_usd=0.5, agent_run_time=800.0) for task in range(4)])
    other = response(message("Hm."))
    silent = write(tmp_path / "silent.jsonl", [row(task, response=other, reward=0.0) for task in range(4)])
    text = api.render(api.report(analysed(told, silent)))
    assert "### Cost and time" in text
    assert "| told | cost (total_cost_usd) | 0.5 (n = 4) | 0.5 (n = 4) |  | 2 |" in text
    assert "| told | seconds (agent_run_time) | 800 (n = 4) | 800 (n = 4) |  | 3,200 |" in text
    assert "| silent | cost | unknown | unknown | unknown | unknown |" in text
    assert "### Cost and time" not in api.render(api.report(analysed(silent)))


def test_one_number_on_every_row_is_a_placeholder_and_no_time(tmp_path: Path) -> None:
    constant = {"agent_run_time": 1.0}
    assert spent(tmp_path / "constant", *[constant] * 6)["seconds"] is None
    beside = spent(tmp_path / "beside", *({**constant, "total_time_s": 3.0 + task} for task in range(6)))
    assert (beside["seconds"]["field"], beside["seconds"]["all"]["median"]) == ("total_time_s", 5.5)
    assert spent(tmp_path / "few", *[constant] * 3)["seconds"]["all"] == {"median": 1.0, "n": 3}

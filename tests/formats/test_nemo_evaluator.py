"""NeMo Evaluator bundles: what is easily read wrongly."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import orjson
import pytest
from tests.formats.samples import nemo_evaluator as made

from blade import api
from blade.engine.discover import discover
from blade.options import Options


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BLADE_CACHE_DIR", str(tmp_path / "cache"))


def rows_at(path: Path) -> dict[tuple[str, int], dict[str, Any]]:
    (plan,) = discover([path])
    assert plan.translated is not None
    rows = [orjson.loads(line) for line in plan.translated.path.read_bytes().splitlines()]
    return {(row["task_id"], row["_ng_rollout_index"]): row for row in rows}


def test_a_zero_that_infrastructure_left_is_no_grade_though_the_bundle_counts_it(tmp_path: Path) -> None:
    (place,) = made.write(tmp_path)
    analysis = api.analyze_runs(api.read(place), Options())
    (run,) = analysis.runs
    assert (run.denominator.graded, run.denominator.expected) == (5, 6)
    assert run.metrics["score_zero_fill"] == pytest.approx(4 / 6)
    assert run.statuses == {"infrastructure": 1, "truncated": 1, "ok": 4}
    assert not [item for item in analysis.health if item["check"] == "summary_files"]


def test_a_row_is_told_with_what_its_trajectory_adds(tmp_path: Path) -> None:
    (place,) = made.write(tmp_path)
    rows = rows_at(place)
    assert rows["2", 0]["_translated"]["reason"] == "infra_error: the sandbox is gone"
    assert rows["1", 1]["_translated"]["reason"] == "finish reason length"
    right = rows["0", 0]
    assert right["response"]["usage"]["output_tokens"] == 3
    assert right["response"]["output"] == [{"type": "message", "role": "assistant", "content": "an echo"}]
    assert right["verifier"]["scores"] == {"politeness": 0.5}
    assert "reward" not in right["verifier"]["details"]
    assert right["responses_create_params"]["temperature"] == 0.5


def test_an_empty_response_is_a_message_that_says_nothing(tmp_path: Path) -> None:
    place = tmp_path / "bundle"
    place.mkdir()
    rows = [made.result(0, repeat) | {"model_response": "", "trajectory": []} for repeat in range(2)]
    made.write_lines(place / "results.jsonl", rows)
    made.write_lines(
        place / "trajectories.jsonl",
        [made.more(0, repeat) | {"failure_category": "empty_response"} for repeat in range(2)],
    )
    row = rows_at(place)["0", 0]
    assert row["response"]["output"] == [{"type": "message", "role": "assistant", "content": ""}]
    assert row["verifier"]["failure_category"] == "empty_response"


def test_a_run_that_died_is_read_from_its_logs_and_what_nobody_verified_has_no_score(tmp_path: Path) -> None:
    keys = [(problem, repeat) for problem in (0, 1) for repeat in (0, 1)]
    answered = [made.result(*key) | {"finish_reason": "stop"} for key in keys]
    for row in answered:
        row["response"] = row.pop("model_response")
        for name in ("reward", "scoring_details", "extracted_answer"):
            row.pop(name)
    verified = [
        {name: made.result(*key)[name] for name in ("problem_idx", "repeat", "reward", "scoring_details")}
        for key in keys
    ]
    made.write_lines(tmp_path / "inference_log.jsonl", [{"_type": "meta", "config_hash": "x"}, *answered])
    made.write_lines(tmp_path / "verified_log.jsonl", verified[:3])
    rows = rows_at(tmp_path)
    assert {key: row["reward"] for key, row in rows.items()} == {
        ("0", 0): 1.0, ("0", 1): 1.0, ("1", 0): 1.0, ("1", 1): None,
    }  # fmt: skip
    assert rows["0", 0]["verifier"]["expected_answer"] == "an echo"


def test_of_a_problem_and_repeat_that_stand_twice_the_later_counts(tmp_path: Path) -> None:
    rows = [made.result(0, 0) | {"reward": 0.0}, made.result(0, 0)]
    made.write_lines(tmp_path / "results.jsonl", rows)
    assert rows_at(tmp_path)["0", 0]["reward"] == 1.0
    (plan,) = discover([tmp_path])
    assert plan.translated is not None
    assert [flaw.rows for flaw in plan.translated.flaws] == [1]


def test_its_rows_are_not_taken_for_rollouts_of_nemo_gym_though_they_have_a_reward(tmp_path: Path) -> None:
    (place,) = made.write(tmp_path)
    (plan,) = discover([place / "results.jsonl"])
    assert plan.rollouts[0].kind == "nemo_evaluator"


def test_a_file_under_another_name_is_a_run_of_its_own(tmp_path: Path) -> None:
    for name in ("monday", "friday"):
        made.write_lines(tmp_path / f"{name}.jsonl", [made.result(0, 0), made.result(1, 0)])
    assert [plan.name for plan in discover([tmp_path])] == ["friday", "monday"]

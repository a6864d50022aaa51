"""NeMo-Skills: seeds, chunks, the correctness keys of its benchmarks, and what its metrics state."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.formats.samples.nemo_skills import keep, row, write
from tests.formats.translated_rows import translated_rows

import blade
from blade.engine.discover import discover
from blade.model import Status


def test_seeds_are_attempts_at_the_problem_on_the_same_line(tmp_path: Path) -> None:
    (rows,) = translated_rows(*write(tmp_path)).values()
    assert [(each["task_id"], each["_ng_rollout_index"], each["reward"]) for each in rows] == [
        ("sums/line 1", 0, 1.0),
        ("sums/line 2", 0, 1.0),
        ("sums/line 3", 0, 0.0),
        ("sums/line 1", 1, 1.0),
        ("sums/line 2", 1, 0.0),
        ("sums/line 3", 1, 0.0),
    ]


def test_an_answer_that_was_not_extracted_is_malformed(tmp_path: Path) -> None:
    (rows,) = translated_rows(*write(tmp_path)).values()
    assert [each["_translated"].get("status") for each in rows] == [None, None, Status.MALFORMED, None, None, None]
    assert rows[2]["verifier"]["extracted_answer"] == ""


def test_metrics_count_in_percent_over_all_seeds(tmp_path: Path) -> None:
    (plan,) = discover(write(tmp_path))
    assert plan.translated is not None
    assert plan.translated.reported == 0.5


def test_chunks_follow_each_other_until_they_are_put_together(tmp_path: Path) -> None:
    folder = tmp_path / "sums"
    keep(folder, "output-rs0_chunk_0.jsonl", [row(0, "4"), row(1, "5")])
    keep(folder, "output-rs0_chunk_1.jsonl", [row(2, "6")])
    assert [each["task_id"] for each in translated_rows(folder)["sums"]] == ["line 1", "line 2", "line 3"]
    keep(folder, "output-rs0.jsonl", [row(0, "4")])
    assert len(translated_rows(folder)["sums"]) == 1


def test_greedy_outputs_beside_seeds_are_a_run_of_their_own(tmp_path: Path) -> None:
    folder = tmp_path / "sums"
    keep(folder, "output-rs0.jsonl", [row(0, "4")])
    keep(folder, "output-greedy.jsonl", [row(0, "5")])
    made = translated_rows(folder)
    assert {name: [each["reward"] for each in rows] for name, rows in made.items()} == {
        "sums": [1.0],
        "output-greedy": [0.0],
    }


def test_an_id_names_the_task(tmp_path: Path) -> None:
    keep(tmp_path / "sums", "output.jsonl", [row(0, "4", id="sum-7")])
    assert translated_rows(tmp_path / "sums")["sums"][0]["task_id"] == "sum-7"


YES = "The two agree.\nJudgement: Yes"


@pytest.mark.parametrize(
    ("given", "reward", "scores"),
    [
        ({"is_correct": True, "is_correct-plus": False}, 1.0, {"is_correct": 1.0, "is_correct-plus": 0.0}),
        ({"is_correct": 0.25}, 0.25, {"is_correct": 0.25}),
        ({"proof_status": "completed"}, 1.0, {"proof_completed": 1.0}),
        ({"proof_status": "timeout"}, 0.0, {"proof_completed": 0.0}),
        ({"graded_list": [True]}, 1.0, {"graded": 1.0}),
        ({"swe-bench-metrics": {"resolved": True}}, 1.0, {"resolved": 1.0}),
        ({"judgement": YES}, 1.0, {"judge_correct": 1.0}),
        ({"judgement": "Judgement: no."}, 0.0, {"judge_correct": 0.0}),
        ({"judgement": "I cannot say."}, None, {}),
        ({"judgement": YES, "expected_judgement": "Judgement: No"}, 0.0, {"correct_judgement": 0.0}),
        ({"judgement": YES, "expected_judgement": "Judgement: Yes"}, 1.0, {"correct_judgement": 1.0}),
        (
            {"strict_eval": {"follow_all_instructions": False}, "loose_eval": {"follow_all_instructions": True}},
            0.0,
            {"prompt_strict": 0.0, "prompt_loose": 1.0},
        ),
    ],
)
def test_every_benchmark_has_its_own_correctness(
    tmp_path: Path, given: dict[str, Any], reward: float | None, scores: dict[str, float]
) -> None:
    keep(tmp_path / "any", "output-rs0.jsonl", [given])
    (made,) = translated_rows(tmp_path / "any")["any"]
    assert (made["reward"], made["verifier"].get("scores", {})) == (reward, scores)


def test_a_judge_that_says_neither_yes_nor_no_gave_no_verdict(tmp_path: Path) -> None:
    keep(tmp_path / "any", "output-rs0.jsonl", [{"judgement": "Hm."}, {"judgement": "Hm.", "expected_judgement": YES}])
    made = translated_rows(tmp_path / "any")["any"]
    assert [each["_translated"]["status"] for each in made] == [Status.VERIFIER_ERROR, Status.MALFORMED]
    assert [each["reward"] for each in made] == [
        None,
        0.0,
    ]  # where judging is the task, it is the model that said nothing


def test_a_text_that_the_token_limit_ended_is_truncated(tmp_path: Path) -> None:
    keep(tmp_path / "any", "output.jsonl", [row(0, "5", finish_reason="length")])
    assert translated_rows(tmp_path / "any")["any"][0]["_translated"]["status"] == Status.TRUNCATED


def test_where_judging_is_the_task_the_judgement_is_the_answer(tmp_path: Path) -> None:
    texts = ("Why not. Judgement: No", "**Judgement:** Yes")
    keep(tmp_path / "any", "output-rs0.jsonl", [{"judgement": text, "expected_judgement": YES} for text in texts])
    made = translated_rows(tmp_path / "any")["any"]
    assert [each["verifier"]["extracted_answer"] for each in made] == ["No", ""]
    assert {each["verifier"]["expected_answer"] for each in made} == {"Yes"}
    assert "no 'Judgement: Yes' or 'Judgement: No' is found in the judgement" in str(made[1]["_translated"])


def test_metrics_of_all_seeds_accuse_no_seed_that_is_given_by_itself(tmp_path: Path) -> None:
    (there,) = write(tmp_path)
    stated = {"sums": {"_all_": {"pass@1": {"num_entries": 3, "symbolic_correct": 50.0}}}}
    (there / "metrics.json").write_text(json.dumps(stated))
    files = sorted((there / "sums").glob("output-rs*.jsonl"))
    apart = blade.analyze(*files, options=blade.Options(cache=False))
    assert [run.metrics["score"] for run in apart.runs] == [pytest.approx(2 / 3), pytest.approx(1 / 3)]
    assert "summary_files" not in {entry["check"] for entry in apart.health}
    alone = blade.analyze(files[0], options=blade.Options(cache=False))
    assert "summary_files" in {entry["check"] for entry in alone.health}

"""How many rollouts there should be, and where those that do not count were lost."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given as drawn
from hypothesis import strategies as st
from tests.examples import examples
from tests.gym_rows import ABSENT, bare, given, message, request, response, row, write

Count = Callable[..., dict[str, Any]]


def failure(task: int, attempt: int, name: str = "transient", **fields: Any) -> dict[str, Any]:
    return {**given(task, attempt), "_ng_failure_class": name, **fields}


def lost(run: dict[str, Any]) -> dict[str, int]:
    return {loss["reason"]: loss["rollouts"] for loss in run["denominator"]["losses"]}


def family(folder: Path, rows: list[Any], inputs: list[Any] | None = None, failures: list[Any] | None = None) -> Path:
    if inputs is not None:
        write(folder / "rollouts_materialized_inputs.jsonl", inputs)
    if failures is not None:
        write(folder / "rollouts_failures.jsonl", failures)
    return write(folder / "rollouts.jsonl", rows)


def test_the_manifest_says_what_was_expected_and_the_chain_adds_up(tmp_path: Path, counted: Count) -> None:
    inputs = [given(t, a) for t in range(4) for a in range(3)]
    rows = [row(t, a) for t in range(3) for a in range(3)][:-1]
    rows[0] |= {"verification_skipped": True}
    rows[1]["reward"] = None
    failures = [failure(3, 0), failure(3, 1, "judge_failed"), failure(0, 0), failure(9, 9)]
    made = counted(family(tmp_path, rows, inputs, failures))
    run = made["runs"][0]
    chain = run["denominator"]
    assert (chain["expected"], chain["expected_source"]) == (12, "manifest")
    assert (chain["started"], chain["finished"], chain["graded"], chain["counted"]) == (10, 9, 6, 6)
    assert lost(run) == {
        "failed: transient": 1,
        "failed: judge_failed": 1,
        "missing without a trace": 2,
        "verification was skipped": 1,
        "no usable score": 1,
    }
    assert run["statuses"] == {
        "missing": 2,
        "skipped_verification": 1,
        "infrastructure": 1,
        "verifier_error": 2,
        "ok": 6,
    }
    assert {flaw["slug"] for flaw in made["flaws"]} == {"stale-failures", "no-score"}
    assert chain["expected"] == chain["counted"] + sum(lost(run).values()) == sum(run["statuses"].values())


places = st.sets(st.tuples(st.integers(0, 4), st.integers(0, 3)), min_size=1)


@examples(40)
@drawn(there=places, broken=places, manifest=st.booleans())
def test_what_was_expected_is_what_counts_and_what_was_lost(
    tmp_path_factory: pytest.TempPathFactory,
    counted: Count,
    there: set[tuple[int, int]],
    broken: set[tuple[int, int]],
    manifest: bool,
) -> None:
    folder = tmp_path_factory.mktemp("chain")
    inputs = [given(t, a) for t in range(5) for a in range(4)] if manifest else None
    failures = [failure(t, a, "timeout_exceeded") for t, a in sorted(broken)]
    run = counted(family(folder, [row(t, a) for t, a in sorted(there)], inputs, failures))["runs"][0]
    chain = run["denominator"]
    if chain["expected"] is None:
        assert not manifest
        return
    assert chain["expected"] == chain["counted"] + sum(lost(run).values())
    assert sum(run["statuses"].values()) == chain["expected"]
    assert run["statuses"].get("timed_out", 0) == len(broken - there)
    assert run["metrics"]["coverage"] == pytest.approx(len(there) / chain["expected"])
    assert manifest == (chain["expected_source"] == "manifest")


def test_inputs_of_another_run_are_left_aside(tmp_path: Path, counted: Count) -> None:
    rows = [row(t, a) for t in range(3) for a in range(2)]
    made = counted(family(tmp_path, rows, [given(t) for t in range(50, 60)]))
    assert made["runs"][0]["expected"] == 6
    assert made["runs"][0]["denominator"]["expected_source"] == "inferred"
    (flaw,) = made["flaws"]
    assert flaw["slug"] == "manifest-does-not-match"
    assert "0 of the 3 tasks" in flaw["statement"]


def test_inputs_of_other_tasks_under_the_same_indices_are_left_aside(tmp_path: Path, counted: Count) -> None:
    others = [given(t, responses_create_params=request(f"Another {t}"), expected_answer=f"x{t}") for t in range(8)]
    made = counted(family(tmp_path, [row(t) for t in range(3)], others))
    assert made["runs"][0]["expected"] == 3
    assert [flaw["slug"] for flaw in made["flaws"]] == ["manifest-does-not-match"]


@pytest.mark.parametrize("fields", [{"expected_answer": "another"}, {"responses_create_params": request("More words")}])
def test_another_text_or_another_answer_alone_still_is_the_manifest(
    tmp_path: Path, counted: Count, fields: dict[str, Any]
) -> None:
    made = counted(family(tmp_path, [row(t) for t in range(3)], [given(t, **fields) for t in range(4)]))
    assert made["runs"][0]["denominator"]["expected_source"] == "manifest"
    assert made["runs"][0]["expected"] == 4


def test_rows_that_the_manifest_does_not_know_are_counted_and_said(tmp_path: Path, counted: Count) -> None:
    made = counted(family(tmp_path, [row(t) for t in range(4)], [given(t) for t in range(3)]))
    run = made["runs"][0]
    assert (run["expected"], run["metrics"]["rollouts"], lost(run)) == (3, 4, {})
    assert [(flaw["slug"], flaw["rows"]) for flaw in made["flaws"]] == [("rows-not-in-manifest", 1)]


def test_rows_without_an_index_find_their_inputs_by_text(tmp_path: Path, counted: Count) -> None:
    rows = [bare(t) for t in range(3)]
    run = counted(family(tmp_path, rows, [given(t) for t in range(4)]))["runs"][0]
    assert (run["expected"], run["denominator"]["expected_source"]) == (4, "manifest")
    assert run["statuses"] == {"missing": 1, "ok": 3}


def test_a_surplus_in_one_task_does_not_hide_a_gap_in_another(tmp_path: Path, counted: Count) -> None:
    rows = [row(0, a) for a in range(5)] + [row(1, a) for a in range(3)]
    run = counted(write(tmp_path / "a.jsonl", rows), repeats=4)["runs"][0]
    assert run["expected"] == 8
    assert run["statuses"] == {"missing": 1, "ok": 8}
    assert run["metrics"]["coverage"] == pytest.approx(7 / 8)


def test_without_a_manifest_the_usual_number_of_attempts_is_expected(tmp_path: Path, counted: Count) -> None:
    rows = [row(t, a) for t in range(5) for a in range(3)][:-1]
    run = counted(write(tmp_path / "a.jsonl", rows))["runs"][0]
    assert (run["expected"], run["denominator"]["expected_source"]) == (15, "inferred")
    assert "5 tasks seen × 3 attempts (usual)" in run["denominator"]["expected_note"]


@pytest.mark.parametrize("counts", [(2, 2, 1), (1, 2, 3), (3, 2)])
def test_where_attempts_follow_no_pattern_nothing_is_called_missing(
    tmp_path: Path, counted: Count, counts: tuple[int, ...]
) -> None:
    rows = [
        row(t, _ng_rollout_index=ABSENT, response=response(message(f"{a}"), created_at=a + 1.0))
        for t, many in enumerate(counts)
        for a in range(many)
    ]
    run = counted(write(tmp_path / "a.jsonl", rows))["runs"][0]
    assert run["expected"] is None
    assert run["denominator"]["expected_source"] == "unknown"
    assert run["statuses"] == {"ok": sum(counts)}
    assert run["metrics"]["coverage"] is None
    assert run["metrics"]["score_zero_fill"] is None


def test_a_key_that_failed_before_it_passed_is_no_loss(tmp_path: Path, counted: Count) -> None:
    run = counted(family(tmp_path, [row(0), row(1)], [given(0), given(1)], [failure(1, 0)]))["runs"][0]
    assert lost(run) == {}


def test_a_key_that_failed_several_times_ended_as_its_last_failure(tmp_path: Path, counted: Count) -> None:
    tries = [failure(1, 0, "transient", _ng_attempt_index=2), failure(1, 0, "judge_failed", _ng_attempt_index=1)]
    run = counted(family(tmp_path, [row(0)], [given(0), given(1)], tries))["runs"][0]
    assert lost(run) == {"failed: transient": 1}
    final = failure(1, 0, "timeout_exceeded", _ng_failure_terminal=True)
    run = counted(family(tmp_path, [row(0)], [given(0), given(1)], [final, *tries]))["runs"][0]
    assert lost(run) == {"failed: timeout_exceeded": 1}
    assert run["statuses"] == {"timed_out": 1, "ok": 1}

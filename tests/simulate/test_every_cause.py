"""Promises that every planted cause keeps: it changes what it says, and nothing else."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from blade.simulate import Scenario, cause, expected_score, make_run, score, truth_of
from blade.simulate.causes import names
from blade.simulate.gym_rows import rollout_row

RESPONSE = {"response"}
REQUEST = RESPONSE | {"responses_create_params"}
DESK_VERDICT = {"reward", "state_match", "state_diff", "num_tool_calls", "num_tool_errors"}
NOTES_VERDICT = {"reward", "extracted_answer"}
ERRORS = {"error_kind", "error_message"}
TASK = {"responses_create_params", "task_id", "expected_answer", "difficulty"}
TAGS = set("region source author batch topic format origin theme season shelf".split())


@dataclass(frozen=True, slots=True)
class Case:
    cause: str
    may_change: set[str]
    dose: dict[str, Any] = field(default_factory=dict)
    benchmark: str = "front_desk"
    sign: int = -1
    """Which way the score goes; 0 where it may go either way."""
    touches: bool = True
    """Whether any single row reads differently."""
    settings: set[str] = field(default_factory=set)
    """What changes on every row because a setting is written there."""


CASES = [
    Case("outage", RESPONSE | DESK_VERDICT | ERRORS),
    Case("outage", RESPONSE | NOTES_VERDICT | ERRORS, benchmark="field_notes"),
    Case(
        "outage", RESPONSE | DESK_VERDICT | ERRORS | {"_ng_failure_class", "error_class"}, {"shape": "failures"}, sign=0
    ),
    Case("outage", set(), {"shape": "absent"}, sign=0),
    Case("missing_rows", set(), sign=0),
    Case("missing_rows", set(), {"by": "length"}, sign=0),
    Case("missing_tasks", set(), sign=1),
    Case("missing_tasks", set(), {"hardest": False}, sign=0),
    Case("lower_token_cap", RESPONSE | NOTES_VERDICT | {"responses_create_params"}, benchmark="field_notes"),
    Case("lower_token_cap", RESPONSE | DESK_VERDICT | {"responses_create_params"}, {"cap": 60}),
    Case("lost_format", RESPONSE | NOTES_VERDICT, {"share": 0.4}, "field_notes"),
    Case("lost_format", RESPONSE | DESK_VERDICT, {"share": 0.4}),
    Case("broken_tool", RESPONSE | DESK_VERDICT),
    Case("broken_tool", RESPONSE | DESK_VERDICT, {"tool": "directory_find", "start": 0.2}),
    Case("verifier_change", {"reward"}),
    Case("verifier_change", {"reward"}, {"category": "booking", "to": 1.0, "start": 0.5}, sign=1),
    Case("duplicate_rows", set(), sign=0),
    Case("duplicate_rows", set(), {"passes_only": True, "share": 0.3}, sign=1),
    Case("slice_regression", RESPONSE | DESK_VERDICT),
    Case("unresolved_name", RESPONSE | DESK_VERDICT),
    Case("head_filter", RESPONSE | DESK_VERDICT),
    Case("ends_on_tool_output", RESPONSE | DESK_VERDICT),
    Case("wrong_model_rows", RESPONSE | DESK_VERDICT),
    Case("wrong_model_rows", RESPONSE | NOTES_VERDICT, {"keep_name": True, "share": 0.5}, "field_notes"),
    Case("reward_rescaled", {"reward"}, sign=1),
    Case("wrong_gold", {"reward", "expected_answer"}, {"share": 0.3}, "field_notes"),
    Case("missing_rows", set(), {"by": "failure", "share": 0.3}, sign=1),
    Case("lost_format", RESPONSE | NOTES_VERDICT, {"share": 0.4, "by": "length"}, "field_notes"),
    Case("swapped_tasks", TASK | RESPONSE | NOTES_VERDICT, {"harder": 0.3}, "field_notes"),
    Case("swapped_tasks", TASK | RESPONSE | NOTES_VERDICT, {"harder": -0.3}, "field_notes", sign=1),
    Case("hotter_sampling", REQUEST | NOTES_VERDICT, {}, "field_notes", sign=0, settings=REQUEST),
    Case("hotter_sampling", REQUEST | NOTES_VERDICT, {"loss": 0.2}, "field_notes", settings=REQUEST),
    Case("judge_drift", {"reward"}),
    Case("longer_outputs", RESPONSE, sign=0),
    Case("renamed_levels", {"category"}, sign=0),
    Case("shuffled_rows", set(), sign=0, touches=False),
    Case("relabelled_failures", RESPONSE | NOTES_VERDICT, {}, "field_notes", sign=0),
    Case("extra_slices", TAGS, sign=0),
]
EVERY = pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.cause}-{case.benchmark}")


def planted(case: Case) -> Scenario:
    return Scenario(benchmark=case.benchmark, causes=(cause(case.cause, **case.dose),))


def test_every_cause_is_tried_here() -> None:
    assert {case.cause for case in CASES} == set(names())
    assert [cause(name).name for name in names()] == names()


def test_an_unknown_cause_names_the_known_ones() -> None:
    with pytest.raises(KeyError, match="outage"):
        cause("outrage")


@EVERY
def test_it_changes_what_it_says_and_nothing_else(case: Case) -> None:
    scenario = planted(case)
    run = make_run(scenario)
    touched = run.planted[0].rows
    before = {row.key: (row, rollout_row(scenario, "a", row)) for row in run.clean}
    assert bool(touched) is case.touches
    for row in run.rows[: len(run.clean)]:
        old, was = before[row.key]
        now = rollout_row(scenario, "a", row)
        changed = {key for key in was.keys() | now.keys() if was.get(key) != now.get(key)}
        assert changed <= case.may_change
        assert row.finished == old.finished
        if row.key not in touched:
            assert row.place == old.place
            assert changed <= {"responses_create_params"} | case.settings


@pytest.mark.slow
@EVERY
def test_the_truth_tells_rows_and_points(case: Case) -> None:
    truth = truth_of(planted(case))
    planted_cause = truth["causes"][0]
    assert json.loads(json.dumps(truth)) == truth
    assert planted_cause["cause"] == case.cause
    assert planted_cause["rollouts"] == len(planted_cause["rows"])
    assert planted_cause["score_without"] == truth["score_clean"]
    assert planted_cause["points"] == pytest.approx(truth["score"] - truth["score_clean"])
    if case.sign:
        assert planted_cause["points"] * case.sign > 0


SHARED = {"outage", "missing_rows", "lost_format", "wrong_model_rows", "head_filter", "duplicate_rows"}
BY_SHARE = [case for case in CASES if case.cause in SHARED]


@pytest.mark.parametrize("case", BY_SHARE, ids=lambda case: f"{case.cause}-{case.benchmark}")
def test_no_dose_no_change(case: Case) -> None:
    run = make_run(planted(replace(case, dose={**case.dose, "share": 0.0})))
    assert run.rows == run.clean
    assert not run.planted[0].rows


def test_an_outage_fills_one_window() -> None:
    run = make_run(Scenario(causes=(cause("outage", start=0.2, length=0.3),)))
    first, last = run.planted[0].where["window"]
    rows_in_window = [row for row in run.rows if first <= row.finished <= last]
    assert {row.key for row in rows_in_window} == set(run.planted[0].rows)
    assert all(row.reward == 0 and row.stamps["error_kind"] for row in rows_in_window)
    spots = [spot for spot, row in enumerate(run.rows) if row.stamps]
    assert spots == list(range(spots[0], spots[-1] + 1))


def test_a_lowered_cap_really_cuts_the_text() -> None:
    scenario = planted(Case("lower_token_cap", set(), {"cap": 100}, "field_notes"))
    run = make_run(scenario)
    for row, old in zip(run.rows, run.clean, strict=True):
        row_data = rollout_row(scenario, "a", row)
        assert row_data["responses_create_params"]["max_output_tokens"] == 100
        assert row.transcript.output_tokens <= 100
        is_cut = row_data["response"]["incomplete_details"] == {"reason": "max_output_tokens"}
        assert is_cut == (old.transcript.output_tokens > 100) == (row_data["response"]["status"] == "incomplete")


def test_a_broken_tool_answers_errors_only_after_its_time() -> None:
    run = make_run(planted(Case("broken_tool", set())))
    place = run.planted[0].where
    for row in run.rows:
        outputs = [item["output"] for item in row.transcript.items if item["type"] == "function_call_output"]
        if place["message"] in outputs:
            assert row.finished >= place["since"]


def test_a_regression_stays_in_its_category() -> None:
    run = make_run(planted(Case("slice_regression", set(), {"category": "billing"})))
    touched = {row.task.category for row in run.rows if row.key in run.planted[0].rows}
    assert touched == {"billing"}
    assert all(row.reward <= old.reward for row, old in zip(run.rows, run.clean, strict=True))


def test_rows_of_another_model_carry_its_name_unless_hidden() -> None:
    for hidden in (False, True):
        scenario = Scenario(causes=(cause("wrong_model_rows", keep_name=hidden),))
        models = {rollout_row(scenario, "a", row)["response"]["model"] for row in make_run(scenario).rows}
        assert ("sim-other" in models) is not hidden


def test_missing_by_length_takes_the_long_rows() -> None:
    run = make_run(planted(Case("missing_rows", set(), {"by": "length", "share": 0.25})))
    missing = [row.transcript.output_tokens for row in run.rows if row.place == "nowhere"]
    remaining = [row.transcript.output_tokens for row in run.rows if row.place == "main"]
    assert sum(missing) / len(missing) > sum(remaining) / len(remaining)


def test_several_causes_share_the_whole_change_out() -> None:
    causes = (cause("missing_rows"), cause("outage"), cause("slice_regression"))
    truth = truth_of(Scenario(causes=causes))
    assert [planted_cause["cause"] for planted_cause in truth["causes"]] == [
        "slice_regression",
        "outage",
        "missing_rows",
    ]
    total = sum(planted_cause["points"] for planted_cause in truth["causes"])
    assert total == pytest.approx(truth["score"] - truth["score_clean"])


def test_the_order_in_which_causes_are_named_changes_no_stage() -> None:
    run = make_run(Scenario(causes=(cause("reward_rescaled"), cause("outage"))))
    assert [planted_cause.cause for planted_cause in run.planted] == ["outage", "reward_rescaled"]
    assert score(run.rows) > 1


@pytest.mark.parametrize(
    "decoy", ["longer_outputs", "renamed_levels", "shuffled_rows", "relabelled_failures", "extra_slices"]
)
def test_a_decoy_changes_no_reward(decoy: str) -> None:
    run = make_run(Scenario(benchmark="field_notes", causes=(cause(decoy),)))
    assert {row.key: row.reward for row in run.rows} == {row.key: row.reward for row in run.clean}


def test_hot_sampling_keeps_the_mean_and_moves_the_tasks() -> None:
    run = make_run(Scenario(benchmark="field_notes", tasks=80, causes=(cause("hotter_sampling", factor=4.0),)))
    assert expected_score(run.rows) == pytest.approx(expected_score(run.clean), abs=0.005)
    assert run.planted[0].where["mean_move"] > 0.1
    lossy = make_run(Scenario(benchmark="field_notes", tasks=80, causes=(cause("hotter_sampling", loss=0.08),)))
    assert expected_score(lossy.rows) == pytest.approx(expected_score(lossy.clean) - 0.08, abs=0.005)


def test_swapped_tasks_have_other_names_in_the_same_places() -> None:
    run = make_run(Scenario(benchmark="field_notes", causes=(cause("swapped_tasks", share=0.25),)))
    place = run.planted[0].where
    assert len(place["removed"]) == len(place["added"]) == 10
    assert not set(place["added"]) & {row.task.task_id for row in run.clean}
    assert {row.task.task_id for row in run.rows} >= set(place["added"])


def test_a_drifting_judge_leaves_the_outputs_and_the_early_rows() -> None:
    run = make_run(Scenario(benchmark="field_notes", causes=(cause("judge_drift", share=1.0, start=0.5),)))
    since = run.planted[0].where["since"]
    for row, old in zip(run.rows, run.clean, strict=True):
        assert row.transcript == old.transcript
        assert row.finished >= since or row.reward == old.reward


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "dose", "benchmark"),
    [
        ("outage", {"length": 0.3}, "field_notes"),
        ("broken_tool", {"start": 0.2}, "front_desk"),
        ("slice_regression", {"category": "total"}, "field_notes"),
        ("lower_token_cap", {"cap": 120}, "field_notes"),
        ("lost_format", {"share": 0.3}, "patch_bench"),
        ("judge_drift", {"share": 0.7}, "patch_bench"),
    ],
)
def test_the_expected_change_is_the_mean_over_many_reruns(name: str, dose: dict[str, Any], benchmark: str) -> None:
    plain = Scenario(benchmark=benchmark, tasks=24, repeats=2, causes=(cause(name, **dose),))
    runs = [make_run(replace(plain, dice=number)) for number in range(25)]
    realised = [score(run.rows) - score(run.clean) for run in runs]
    expected = [expected_score(run.rows) - expected_score(run.clean) for run in runs]
    gaps = [
        realised_change - expected_change for realised_change, expected_change in zip(realised, expected, strict=True)
    ]
    mean = sum(gaps) / len(gaps)
    spread = (sum((gap - mean) ** 2 for gap in gaps) / (len(gaps) - 1) / len(gaps)) ** 0.5
    assert sum(expected) / len(expected) < -0.02
    assert abs(mean) < 3.5 * spread + 1e-9

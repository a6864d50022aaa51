"""What the first screen says of rollouts without a score, and what it calls the part that they have in a change."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from tests.formats.samples import terminal_bench as sample
from tests.gym_rows import ABSENT, Json, analysed, message, response, row, write
from tests.questions.made_cases import called, task_row, words

from blade.sections import executive_summary, score_change


def test_tasks_that_one_run_has_no_score_for_are_said_to_be_that(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BLADE_CACHE_DIR", str(tmp_path / "cache"))
    tasks = [f"mend-{number}" for number in range(40)]
    for name in ("old", "new"):
        trials = [
            sample.trial(task, place < 20, ungraded=name == "new" and place >= 28) for place, task in enumerate(tasks)
        ]
        (tmp_path / name).mkdir()
        sample.write_results(tmp_path / name / "results.json", trials)
        metadata = {"agent_name": "house-agent", "task_ids": tasks, "n_attempts": 1}
        (tmp_path / name / "run_metadata.json").write_text(json.dumps(metadata))
    told = words(executive_summary.build(analysed(tmp_path / "old", tmp_path / "new")))
    counted = r"not how they went, accounts for [^.]*\.\d pp from tasks with a score in only one of the two runs"
    assert re.search(counted, told), told
    assert "Significant causes" not in told, "no test calls significant which rows are counted"
    assert "from coverage" not in told


def test_a_run_that_lost_every_rollout_is_said_to_be_broken(tmp_path: Path) -> None:
    error = {"error": "503 Service Unavailable: the sandbox is gone"}
    lost = [row(task, 0, 0.0, response=response(**error)) for task in range(12)]
    others = [row(task, 0, float(task < 6)) for task in range(12)]
    paths = [f"{name}={write(tmp_path / name, some)}" for name, some in (("gone", lost), ("here", others))]
    told = words(executive_summary.build(analysed(*paths)))
    assert (
        "Broken: gone lost all of its 12 rollouts: none ran and was judged, so that it has no score. 12 lost rollouts "
        "show “response.error: 503 Service Unavailable: the sandbox is gone”." in told
    ), told


def test_behind_cancelled_rollouts_stands_the_error_of_the_one_that_failed(tmp_path: Path) -> None:
    def lost(task: int) -> Json:
        says = (
            "500 Internal Server Error: no key left" if task == 5 else "503 Service Unavailable: cancelled by scope 7"
        )
        return row(task, 0, None, response=response(error=says))

    rows = [lost(task) if task < 10 else row(task, 0, float(task < 25)) for task in range(40)]
    told = words(executive_summary.build(analysed(write(tmp_path / "run.jsonl", rows))))
    assert (
        "9 lost rollouts show “response.error: 503 Service Unavailable: cancelled by scope 7”; they may have been "
        "cancelled when another failed: “response.error: 500 Internal Server Error: no key left”." in told
    ), told


def test_a_score_without_the_lost_rollouts_is_not_said_to_count_them(tmp_path: Path) -> None:
    rows = [row(task, 0, float(task < 20) if task < 28 else None) for task in range(40)]
    others = [row(task, 0, float(task < 20)) for task in range(40)]
    paths = [f"{name}={write(tmp_path / name, some)}" for name, some in (("some", rows), ("all", others))]
    told = words(executive_summary.build(analysed(*paths)))
    assert (
        "Broken: some lost 12 of 40 rollouts; 28 ran and were judged. Its score leaves out the lost ones (as 0: "
        "50.0%); over judged rollouts it is 71.4%." in told
    ), told


def test_a_sign_that_passes_show_as_often_is_no_way_of_failing(tmp_path: Path) -> None:
    def made(task: int, *, passed: bool, blank: bool) -> Json:
        parts = [message("")] if blank else called("ring", {"bell": f"bell {task}"}, "rung")
        error = {} if passed else {"error": "The wrong bell was rung in the tower."}
        return task_row(task, parts, passed=passed, verifier=error)

    rows = [made(task, passed=True, blank=task % 2 == 0) for task in range(24)]
    rows += [made(task, passed=False, blank=task < 27) for task in range(24, 36)]
    told = words(executive_summary.build(analysed(write(tmp_path / "bells.jsonl", rows))))
    assert "verifier message: “The wrong bell was rung in the tower.”" in told
    assert "no final answer" not in told


def _late(task: int, late: bool) -> Json:
    error = {"error": f"Execution timed out after {600 + task} seconds"} if late else {}
    return row(task, reward=0.0, verifier=error, extracted_answer=ABSENT, expected_answer=ABSENT)


def test_a_common_way_of_failing_is_told_with_the_runs_that_fail_so_most(tmp_path: Path) -> None:
    late = {"one": 9, "two": 5, "three": 1}
    paths = [
        write(tmp_path / f"{name}.jsonl", [_late(task, task < rollouts) for task in range(20)])
        for name, rollouts in late.items()
    ]
    told = words(executive_summary.build(analysed(*paths)))
    assert " in 15 of 60 failed rollouts of all runs (one 9, two 5 and three 1), e.g. " in told, told


def test_rollouts_that_never_ran_are_not_among_the_failures_that_a_way_is_told_of(tmp_path: Path) -> None:
    broken = {"response": response(status="failed", error={"code": "server_error", "message": "502 Bad Gateway"})}
    rows = [_late(task, task < 8) | (broken if task >= 12 else {}) for task in range(20)]
    paths = [write(tmp_path / f"{name}.jsonl", rows) for name in ("one", "two", "three")]
    told = words(executive_summary.build(analysed(*paths)))
    assert " in 24 of 36 judged failures of all runs (one 8, three 8 and two 8), e.g. " in told, told


def test_a_way_of_hardly_any_failure_does_not_stand_on_the_first_screen(tmp_path: Path) -> None:
    rows = [_late(task, task < 1) for task in range(40)]
    paths = [write(tmp_path / f"{name}.jsonl", rows) for name in ("one", "two", "three")]
    assert "failed rollouts of all runs" not in words(executive_summary.build(analysed(*paths)))


def test_failures_that_show_a_symptom_and_one_nearer_to_a_cause_are_counted_too(tmp_path: Path) -> None:
    """Fifteen failures have the limit for their way of failing; four more show it beside a nearer cause."""
    late = {"one": 9, "two": 5, "three": 1}
    paths = [
        write(tmp_path / f"{name}.jsonl", [_late(task, task < rollouts) for task in range(20)])
        for name, rollouts in late.items()
    ]
    analysis = analysed(*paths)
    mode = next(mode for mode in analysis.modes if mode.runs["one"]["rollouts"] == 9)
    mode.runs["two"]["any_failed"] += 4  # type: ignore[index]
    told = words(executive_summary.build(analysis))
    assert (
        " in 19 of 60 failed rollouts of all runs (one 9, two 9 and three 1); 15 of them show no symptom nearer to a "
        "cause, e.g. " in told
    ), told


def test_sets_of_checks_that_hold_anyway_are_no_part_of_the_work(tmp_path: Path) -> None:
    """Nine failures pass checks that hold before any work, and seven of them nothing of the set that asks for it."""

    def sets(task: int) -> dict[str, dict[str, list[str]]]:
        met = ["a", "b"] if task >= 9 else ["a"] if task >= 7 else []
        kept = ["c"] if task != 7 else []
        return {
            "wanted": {"success": met, "failure": [name for name in ("a", "b") if name not in met]},
            "kept": {"success": kept, "failure": [] if kept else ["c"]},
        }

    rows = [
        row(task, 0, float(task >= 9), expected_answer=None, extracted_answer=None, tests_status=sets(task))
        for task in range(30)
    ]
    told = words(executive_summary.build(analysed(write(tmp_path / "a.jsonl", rows))))
    assert "; 7 of 9 that record their parts meet nothing of “wanted”" in told


def test_answers_of_another_kind_than_the_key_are_nearer_to_a_cause_than_wrong(tmp_path: Path) -> None:
    """Six of eight failures give a number where the key says 'None'."""
    rows = [
        row(task, 0, float(task >= 8), expected_answer="None" if task < 6 else "40", extracted_answer=str(33 + task))
        for task in range(30)
    ]
    for one in rows[8:]:
        one["extracted_answer"] = "40"
    told = words(executive_summary.build(analysed(write(tmp_path / "a.jsonl", rows))))
    assert "; 6 of all 8 failures give a number where the key says 'none'" in told


def test_a_difference_that_the_table_does_not_show_says_that_it_counts_lost_rollouts(tmp_path: Path) -> None:
    """The table has what was judged; beside it a difference of all rollouts looks like a mistake."""
    error = {"output": [], "error": "503 Service Unavailable: the gateway closed the connection"}
    rows = {"old": [row(task, 0, float(task < 40)) for task in range(100)]}
    rows["new"] = [row(task, 0, float(task < 70)) for task in range(97)]
    rows["new"] += [row(task, 0, 0.0) | {"response": error} for task in range(97, 100)]
    paths = {name: write(tmp_path / name, some) for name, some in rows.items()}
    told = words(executive_summary.build(analysed(*(f"{name}={path}" for name, path in paths.items()))))
    assert (
        "new scores 30.0 pp above old: a real difference. Lost rollouts count as 0 in that; over judged rollouts it is "
        "+32.2 pp." in told
    ), told
    whole = [row(task, 0, float(task < 70)) for task in range(100)]
    alone = words(executive_summary.build(analysed(f"old={paths['old']}", f"new={write(tmp_path / 'w', whole)}")))
    assert "new scores 30.0 pp above old: a real difference." in alone
    assert "Lost rollouts count as 0" not in alone
    change = words(score_change.build(analysed(*(f"{name}={path}" for name, path in paths.items()))))
    assert "new scores 30.0 pp above old, lost as 0." in change


def test_a_difference_over_all_rollouts_with_a_score_names_the_other_bases(tmp_path: Path) -> None:
    """A rollout that infrastructure broke has a score of 0, and one without a verdict has none."""
    error = {"output": [], "error": "503 Service Unavailable: the gateway closed the connection"}
    old = [row(task, 0, float(task < 40)) for task in range(98)]
    old += [row(98, 0, 0.0) | {"response": error}, row(99, 0, None)]
    new = [row(task, 0, float(task < 70)) for task in range(100)]
    paths = [f"old={write(tmp_path / 'old', old)}", f"new={write(tmp_path / 'new', new)}"]
    analysis = analysed(*paths)
    told = words(executive_summary.build(analysis))
    assert (
        "The 29.6 pp are over all rollouts with a score; over judged rollouts it is +29.2 pp, with every lost one as 0 "
        "+30.0 pp." in told
    ), told
    assert "new scores 29.6 pp above old, over all rollouts with a score." in words(score_change.build(analysis))

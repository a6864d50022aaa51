"""The table of runs: the pass rate stands beside a mean of graded rewards, and nowhere else."""

from __future__ import annotations

from pathlib import Path

from tests.gym_rows import analysed, message, response, row, write

from blade.document import Table
from blade.summary.run_summary import failing_symptoms, leaderboard, run_summary


def table(tmp_path: Path, failing: float) -> Table:
    runs = [
        write(tmp_path / f"{name}.jsonl", [row(task, reward=1.0 if task < passes else failing) for task in range(20)])
        for name, passes in (("one", 5), ("two", 8))
    ]
    return leaderboard(analysed(*runs, pass_threshold=1.0))


def test_the_pass_rate_stands_beside_a_mean_that_failures_raise(tmp_path: Path) -> None:
    graded = table(tmp_path, 0.6)
    assert graded.columns[:4] == ("Run", ">Score", ">95% interval", ">Pass rate")
    assert [str(line[3].text) for line in graded.rows if not isinstance(line[3], str)] == ["40.0%", "25.0%"]


def test_a_score_that_is_the_pass_rate_is_told_once(tmp_path: Path) -> None:
    assert ">Pass rate" not in table(tmp_path, 0.0).columns


def test_two_runs_are_told_side_by_side_how_many_failures_show_a_symptom(tmp_path: Path) -> None:
    runs = []
    for name, asking in (("one", 3), ("two", 9)):
        rows = [row(task, reward=float(task >= 12)) for task in range(30)]
        for task in range(asking):
            rows[task]["response"] = response(message(""))
        runs.append(write(tmp_path / f"{name}.jsonl", rows))
    (sentence,) = failing_symptoms(analysed(*runs))
    assert sentence.text.startswith("By symptom, of 12 failures of one and 12 of two: ")
    assert "3 and 9" in sentence.text
    assert not list(failing_symptoms(analysed(runs[0])))


def test_one_failure_is_told_as_one(tmp_path: Path) -> None:
    runs = []
    for name, failing in (("one", 1), ("two", 9)):
        rows = [row(task, reward=float(task >= failing)) for task in range(30)]
        for task in range(failing):
            rows[task]["response"] = response(message(""))
        runs.append(write(tmp_path / f"{name}.jsonl", rows))
    (sentence,) = failing_symptoms(analysed(*runs))
    assert sentence.text.startswith("By symptom, of 1 failure of one and 9 of two: ")


def test_a_mean_over_rollouts_that_is_another_number_is_told(tmp_path: Path) -> None:
    rows = [row(0, attempt, 1.0) for attempt in range(6)] + [row(task, 0, 0.0) for task in (1, 2)]
    (run,) = analysed(write(tmp_path / "one.jsonl", rows)).runs
    said = [sentence.text for sentence in run_summary(run)]
    assert (
        "The mean over rollouts is 75.0%: tasks have different numbers of them, and each task weighs the same here."
        in said
    )
    (even,) = analysed(write(tmp_path / "two.jsonl", [row(task) for task in range(3)])).runs
    assert not any("mean over rollouts" in sentence.text for sentence in run_summary(even))


def test_what_was_judged_is_counted_of_what_was_expected_where_missing_rows_count_as_zero(tmp_path: Path) -> None:
    whole = [row(task, attempt) for task in range(10) for attempt in range(2)]
    paths = [write(tmp_path / f"{name}.jsonl", rows) for name, rows in (("whole", whole), ("short", whole[:-3]))]
    places = {"whole": "20 of 20", "short": "17 of 20"}
    lines = leaderboard(analysed(*paths)).rows
    cells = {str(line[0].text): [str(cell.text) for cell in line[-2:]] for line in lines}  # type: ignore[union-attr]
    assert {name: judged for name, (judged, _) in cells.items()} == places
    assert cells["short"][1] != cells["whole"][1]


def test_a_run_that_records_no_model_is_not_given_that_of_the_baseline(tmp_path: Path) -> None:
    runs = []
    for name, model in (("monday", "rye"), ("tuesday", "oat"), ("wednesday", None)):
        rows = [row(task, reward=float(task % 2), response=response(message("x"), model=model)) for task in range(8)]
        runs.append(write(tmp_path / f"{name}.jsonl", rows))
    models = leaderboard(analysed(*runs))
    assert models.columns[:2] == ("Run", "Model")
    assert {(str(line[0].text), line[1]) for line in models.rows if not isinstance(line[0], str)} == {
        ("monday", "rye"),
        ("tuesday", "oat"),
        ("wednesday", ""),
    }

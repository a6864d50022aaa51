"""The report says what to do next, and only what its numbers ask for."""

from __future__ import annotations

from pathlib import Path

from tests.gym_rows import message, response, row, write

import blade
from blade.sections import recommendations


def told(*paths: Path) -> list[str]:
    analysis = blade.analyze(*paths, options=blade.Options(cache=False))
    return [item.sentences[0].text for block in recommendations.build(analysis) for item in getattr(block, "items", ())]


def test_a_run_that_passes_everything_asks_for_nothing(tmp_path: Path) -> None:
    assert told(write(tmp_path / "a.jsonl", [row(task, attempt) for task in range(4) for attempt in range(2)])) == []


def test_broken_rows_come_before_tasks_to_read(tmp_path: Path) -> None:
    rows = [row(task, attempt, float(attempt != task % 2)) for task in range(4) for attempt in range(2)]
    for one in rows[:2]:
        one["reward"] = 0.0
        one["response"] = response(message("x"), error={"code": "x", "message": "503 Service Unavailable"})
    said = told(write(tmp_path / "a.jsonl", rows))
    assert said[0].startswith("Run again 2 rollouts of a that infrastructure broke; without such rows its score is ")
    assert said[-1].startswith("Hold passing against failing attempts of a")


def test_missing_rollouts_are_asked_for(tmp_path: Path) -> None:
    a = write(tmp_path / "a.jsonl", [row(task) for task in range(8)])
    b = write(tmp_path / "b.jsonl", [row(task) for task in range(10)])
    assert [text for text in told(a, b) if text.startswith("Find or run 2 rollouts of a")]


def test_a_limit_that_many_rollouts_reach_is_named(tmp_path: Path) -> None:
    rows = [row(task, reward=0.0, agent_timed_out=task < 3) for task in range(6)]
    (said,) = (text for text in told(write(tmp_path / "a.jsonl", rows)) if text.startswith("Raise the limit"))
    assert "3 rollouts of 3 tasks (first 0, 1 and 2) fail this way" in said


def test_a_limit_of_an_earlier_run_is_still_named(tmp_path: Path) -> None:
    a = write(tmp_path / "a.jsonl", [row(task, reward=0.0, agent_timed_out=task < 3) for task in range(6)])
    b = write(tmp_path / "b.jsonl", [row(task) for task in range(6)])
    assert [text for text in told(a, b) if "3 rollouts ran out of time" in text]


def test_below_eight_tasks_no_points_are_told(tmp_path: Path) -> None:
    rows = [row(task, reward=0.0, agent_timed_out=task < 3) for task in range(6)]
    analysis = blade.analyze(write(tmp_path / "a.jsonl", rows), options=blade.Options(cache=False))
    text = blade.render(blade.report(analysis))
    assert "No points are told (fewer than 8 tasks are hit); at most +50.0 pp if each of them had passed." in text
    assert "### If things were otherwise in a" in text


def test_two_equal_runs_are_told_no_change_and_the_same_labels(tmp_path: Path) -> None:
    rows = [row(task, attempt, float(task % 3 > 0)) for task in range(9) for attempt in range(3)]
    paths = [write(tmp_path / f"{name}.jsonl", rows) for name in "ab"]
    analysis = blade.analyze(*paths, options=blade.Options(cache=False))
    by_run = {run: [(x.task, x.labels, x.why) for x in analysis.labels if x.run == run] for run in "ab"}
    assert by_run["a"] == by_run["b"]
    assert not [text for text in told(*paths) if "moved" in text or "settle" in text]
    assert [row["gain"] for row in analysis.counterfactuals if row["mode"] == "reference"] == [0.0, 0.0]

"""The report says what to do next, and only what its numbers ask for."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tests.gym_rows import message, request, response, row, write

import blade
from blade.diagnosis import interventions
from blade.diagnosis.remedies import BENCHMARK
from blade.sections import recommendations
from blade.summary import limit_advice, repair_advice


def told(*paths: Path) -> list[str]:
    analysis = blade.analyze(*paths, options=blade.Options(cache=False))
    return [item.sentences[0].text for block in recommendations.build(analysis) for item in getattr(block, "items", ())]


def whole(path: Path) -> str:
    return blade.render(blade.report(blade.analyze(path, options=blade.Options(cache=False))))


def test_a_run_that_passes_everything_asks_for_nothing(tmp_path: Path) -> None:
    assert told(write(tmp_path / "a.jsonl", [row(task, attempt) for task in range(4) for attempt in range(2)])) == []


def test_broken_rows_come_before_tasks_to_read(tmp_path: Path) -> None:
    rows = [row(task, attempt, float(attempt != task % 2)) for task in range(4) for attempt in range(2)]
    for one in rows[:2]:
        one["reward"] = 0.0
        one["response"] = response(message("x"), error={"code": "x", "message": "503 Service Unavailable"})
    said = told(write(tmp_path / "a.jsonl", rows))
    assert said[0].startswith("Run again 2 rollouts of a that infrastructure broke; without such rows its score is ")
    assert said[-1].startswith("Compare passing and failing attempts of a")


def test_missing_rollouts_are_asked_for(tmp_path: Path) -> None:
    a = write(tmp_path / "a.jsonl", [row(task) for task in range(8)])
    b = write(tmp_path / "b.jsonl", [row(task) for task in range(10)])
    assert [text for text in told(a, b) if text.startswith("Find or run again 2 rollouts of a")]


def test_a_limit_that_many_rollouts_reach_is_named(tmp_path: Path) -> None:
    rows = [row(task, reward=0.0, agent_timed_out=task < 3) for task in range(6)]
    (said,) = (text for text in told(write(tmp_path / "a.jsonl", rows)) if text.startswith("Raise the limit"))
    assert "3 rollouts of 3 tasks (agent timeout; first tasks 0, 1 and 2)" in said


def test_a_limit_of_an_earlier_run_is_still_named(tmp_path: Path) -> None:
    a = write(tmp_path / "a.jsonl", [row(task, reward=0.0, agent_timed_out=task < 3) for task in range(6)])
    b = write(tmp_path / "b.jsonl", [row(task) for task in range(6)])
    assert [text for text in told(a, b) if "3 rollouts ran out of time" in text]


def test_below_eight_tasks_no_points_are_told(tmp_path: Path) -> None:
    rows = [row(task, reward=0.0, agent_timed_out=task < 3) for task in range(6)]
    analysis = blade.analyze(write(tmp_path / "a.jsonl", rows), options=blade.Options(cache=False))
    text = blade.render(blade.report(analysis))
    assert "No estimate of points (fewer than 8 tasks are hit). Ceiling: +50.0 pp, if all of them had passed." in text


def test_what_if_tells_ceilings_and_calls_them_so(tmp_path: Path) -> None:
    rows = [row(task, reward=float(task >= 9), agent_timed_out=task < 9) for task in range(12)]
    text = whole(write(tmp_path / "a.jsonl", rows))
    table = text.split("### What-if (ceilings): a")[1]
    assert "Each line gives a ceiling: the score if every rollout of one failure mode had passed." in table
    assert "| the score | score | ceiling | what that is |" in table
    assert "100.0% | +75.0 pp | 9 rollouts passed instead |" in table
    told = "No estimate of points (no task has an attempt without it to compare with). Ceiling: +75.0 pp"
    assert told in text


def test_tasks_that_cannot_be_explained_ask_for_what_would_settle_them(tmp_path: Path) -> None:
    text = whole(write(tmp_path / "a.jsonl", [row(task, reward=float(task < 2)) for task in range(6)]))
    assert "For 4 tasks the evidence is insufficient (IE). What would settle most of them: at least 3 repeats" in text
    assert "No change is proposed" in text


def test_a_limit_at_which_all_failures_end_is_not_called_too_low(tmp_path: Path) -> None:
    rows = [row(task, reward=float(task >= 12), agent_timed_out=task < 12) for task in range(20)]
    good = write(tmp_path / "b.jsonl", [row(task) for task in range(20)])
    said = told(write(tmp_path / "a.jsonl", rows), good)
    assert [
        text
        for text in said
        if text.startswith("Nearly every failure of a ends this way: 12 rollouts ran out of time.")
    ]
    assert not [text for text in said if "too low" in text]


def test_two_equal_runs_are_told_no_change_and_the_same_labels(tmp_path: Path) -> None:
    rows = [row(task, attempt, float(task % 3 > 0)) for task in range(9) for attempt in range(3)]
    paths = [write(tmp_path / f"{name}.jsonl", rows) for name in "ab"]
    analysis = blade.analyze(*paths, options=blade.Options(cache=False))
    by_run = {run: [(x.task, x.labels, x.why) for x in analysis.labels if x.run == run] for run in "ab"}
    assert by_run["a"] == by_run["b"]
    assert not [text for text in told(*paths) if "moved" in text or "settle" in text]
    assert [row["gain"] for row in analysis.counterfactuals if row["mode"] == "reference"] == [0.0, 0.0]


def test_a_cheap_test_asks_for_no_more_tasks_than_there_are(tmp_path: Path) -> None:
    few, many = (
        [row(task, reward=float(task >= hit), agent_timed_out=task < hit) for task in range(60)] for hit in (9, 30)
    )
    assert "run these tasks with twice the limit." in whole(write(tmp_path / "a.jsonl", few))
    assert "run 20 of these tasks with twice the limit." in whole(write(tmp_path / "b.jsonl", many))


def test_nobody_is_sent_to_read_transcripts_that_are_not_there(tmp_path: Path) -> None:
    rows = [row(task, attempt, float(attempt)) for task in range(4) for attempt in range(2)]
    bare = [{**one, "response": None} for one in rows]
    assert [text for text in told(write(tmp_path / "a.jsonl", rows)) if text.startswith("Compare passing")]
    assert not [text for text in told(write(tmp_path / "b.jsonl", bare)) if text.startswith("Hold passing")]


def test_of_many_runs_each_ceiling_bears_the_name_of_its_run(tmp_path: Path) -> None:
    late = {"a": 4, "b": 3, "c": 2}
    paths = []
    for name, many in late.items():
        rows = [row(task, 0, float(task >= many), agent_timed_out=task < many) for task in range(8)]
        paths.append(write(tmp_path / f"{name}.jsonl", rows))
    analysis = blade.analyze(*paths, options=blade.Options(cache=False))
    text = blade.render(blade.report(analysis))
    assert "Ceiling, if all of them had passed: a +50.0 pp, b +37.5 pp, c +25.0 pp." in text


def test_a_change_between_repeats_of_one_configuration_is_not_to_be_settled(tmp_path: Path) -> None:
    """Of three runs two record the same model, prompt and sampling: only the third is another configuration."""

    def rows(model: str, lost: int) -> list[dict[str, Any]]:
        said = response(message("It is so."), model=model)
        system = [{"role": "system", "content": "Answer.", "type": "message"}]
        return [
            row(task, attempt, float((task, attempt) != (0, 0) or not lost), response=said)
            | {"responses_create_params": {"input": system + request(f"What is {task}?")["input"]}}
            for task in range(6)
            for attempt in range(3)
        ]

    paths = [
        write(tmp_path / f"{name}.jsonl", rows(model, lost))
        for name, model, lost in (("one", "m", 1), ("two", "m", 0), ("three", "other", 0))
    ]
    advice = [sentence for sentence in told(*paths) if sentence.startswith("To settle")]
    assert [sentence.split(" for ")[0] for sentence in advice] == ["To settle the change from one to three"]


@pytest.mark.parametrize(("passed", "words"), [(1, "though 1 of them passes"), (2, "though 2 of them pass")])
def test_rollouts_that_pass_at_a_limit_are_told_as_one_or_many(passed: int, words: str) -> None:
    reasons = [{"status": "truncated", "passed": passed, "passed_all_the_same": 0}]
    run = SimpleNamespace(reasons=reasons)
    assert limit_advice._though(run, "truncated") == f", as their rows say, {words}"  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("lost", "advice", "left_out"),
    [
        (1, "grade what its row keeps, or run it again", "this one"),
        (2, "grade those whose rows keep the work, and run the others again", "these"),
    ],
)
def test_rollouts_without_a_verdict_are_told_as_one_or_many(lost: int, advice: str, left_out: str) -> None:
    scores = {
        "all": {"rows": 10, "points": 4.0},
        "ended": {"rows": 8, "points": 4.0},
        "judged": {"rows": 8 - lost, "points": 4.0},
    }
    run = SimpleNamespace(name="a", statuses={"verifier_error": lost}, audit={"scores": scores}, scale="unit")
    analysis = SimpleNamespace(interventions=(), other_interventions=())
    assert repair_advice._judged_again(run, analysis) == advice  # type: ignore[arg-type]
    told = repair_advice._alone(run, "verifier_error")  # type: ignore[arg-type]
    assert told.startswith(f" (with only {left_out} left out the mean reward is ")


def test_a_ceiling_leaves_out_tasks_that_no_run_passes(tmp_path: Path) -> None:
    """Task 0 fails in all nine attempts of three runs: to lift its limit need not pass it."""
    paths = []
    for name, late in {"a": 4, "b": 3, "c": 2}.items():
        rows = [
            row(task, attempt, float(task >= late), agent_timed_out=task < late)
            for task in range(8)
            for attempt in range(3)
        ]
        for one in rows:
            if one["_ng_task_index"] == 1 and name == "c":
                one |= {"reward": 1.0, "agent_timed_out": False}
        paths.append(write(tmp_path / f"{name}.jsonl", rows))
    analysis = blade.analyze(*paths, options=blade.Options(cache=False))
    text = blade.render(blade.report(analysis))
    assert "Ceiling, without the 9 at tasks that no run passes: a +37.5 pp, b +25.0 pp, c 0.0 pp;" in text
    (item,) = (one for one in analysis.interventions if one.unpassed)
    assert (item.unpassed, item.most, item.reachable, item.highest) == (3, 0.125, 0.0, 0.0)


def test_a_task_that_is_to_be_repaired_itself_stays_in_the_ceiling() -> None:
    """Nobody passes it until its key is right: that is what the step is for."""
    item: Any = SimpleNamespace(exact=False, kind="verifier")
    hit: Any = SimpleNamespace(remedy=BENCHMARK, cases=[SimpleNamespace(key="1")])
    assert interventions._within_reach(item, SimpleNamespace(), hit, {"1"}) is item  # type: ignore[arg-type]

"""The words with which a harness names the end of an attempt, against what became of the rows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.gym_rows import Json, analysed, message, response, row, write
from tests.questions.made_cases import called, task_row, words

from blade.questions import status_words


def rollout(task: int, attempt: int, status: str, *, passed: bool, **fields: Any) -> Json:
    calls = [called("run", {"n": attempt}, "done"), called("submit", {}, "ok")] if status == "agent_timeout" else []
    made = task_row(task, *calls, passed=passed, verifier={"failure_mode": status}, **fields)
    return made | {"_ng_rollout_index": attempt}


def test_a_word_of_trouble_on_passes_is_a_label(tmp_path: Path) -> None:
    rows = [rollout(task, 0, "unset", passed=task % 2 == 0) for task in range(8)]
    rows += [rollout(task, 1, "agent_timeout", passed=task < 4) for task in range(8)]
    answer = analysed(write(tmp_path / "run.jsonl", rows)).investigation["status_words"]
    (field,) = answer["fields"]
    assert field["field"] == "verifier.failure_mode"
    (run,) = field["runs"]
    assert run["values"]["agent_timeout"] == {"rows": 8, "passes": 4, "not_judged": 0}
    (label,) = field["labels"]
    assert [label[key] for key in ("passes", "rows", "submitted", "acting", "other_passes", "others")] == [
        4,
        8,
        8,
        8,
        4,
        8,
    ]
    said = words(status_words.tell(answer))
    assert "agent_timeout | 8 (4 passes, 4 failures)" in said
    assert (
        "“agent_timeout” is a label, not by itself a cause: 4 of its 8 rows pass (others that were judged: 4 of 8); 8 "
        "of the 8 that show what they did had already handed in their work (passes in 0, 1, 2 and 3)."
    ) in said


def test_scores_are_told_without_the_passes_that_bear_a_word_of_trouble(tmp_path: Path) -> None:
    def run_of(name: str, late: int) -> Path:
        rows = [rollout(task, 0, "unset", passed=task < 6) for task in range(8)]
        rows += [rollout(task, 1, "agent_timeout", passed=task < late) for task in range(8)]
        return write(tmp_path / name / "run.jsonl", rows)

    many, few = (analysed(*paths) for paths in ((run_of("a", 4), run_of("b", 0)), (run_of("c", 4),)))
    said = words(status_words.tell(many.investigation["status_words"]))
    assert (
        "4 passes are labelled “agent_timeout”; counted as failures, they leave a 6 of 16 (37.5%) and b 6 of 16 "
        "(37.5%) of all rows; the order of the runs stays."
    ) in said
    said = words(status_words.tell(few.investigation["status_words"]))
    assert "counted as failures, they leave c 6 of 16 (37.5%) of all rows." in said


def test_two_words_that_a_duration_tells_apart(tmp_path: Path) -> None:
    def unjudged(task: int, attempt: int, status: str, seconds: int) -> Json:
        made = rollout(task, attempt, status, passed=False, error="verifier: the grader could not be reached")
        return made | {"agent_seconds": seconds}

    rows = [rollout(task, 0, "unset", passed=task % 2 == 0) | {"agent_seconds": 50} for task in range(12)]
    rows += [unjudged(task, 1, "test_timeout", 100 + task) for task in range(6)]
    rows += [unjudged(task, 1, "grader_timeout", 300 + task) for task in range(6, 12)]
    made = analysed(write(tmp_path / "run.jsonl", rows))
    (field,) = made.investigation["status_words"]["fields"]
    (alike,) = field["alike"]
    assert (alike["values"], alike["at_most"], alike["at_least"], alike["exceptions"]) == (
        ["test_timeout", "grader_timeout"],
        105,
        306,
        0,
    )
    assert "look like one event under two names" in words(status_words.tell(made.investigation["status_words"]))


def test_a_field_of_the_task_or_of_the_run_is_no_status(tmp_path: Path) -> None:
    rows = [
        row(task, attempt, float(task % 2), task_state="hard" if task > 3 else "easy", run_mode="train")
        for task in range(8)
        for attempt in range(2)
    ]
    assert "status_words" not in analysed(write(tmp_path / "run.jsonl", rows)).investigation


def test_a_word_that_passes_bear_as_often_is_no_cause(tmp_path: Path) -> None:
    """All passes and half of the failures say it, and no failure shows how it ended: none is put down to the clock."""
    rows = [rollout(task, 0, "agent_timeout", passed=True) for task in range(6)]
    rows += [
        task_row(task, passed=False, verifier={"failure_mode": status}) | {"_ng_rollout_index": 1}
        for task, status in enumerate(["agent_timeout", "unset"] * 3)
    ]
    made = analysed(write(tmp_path / "run.jsonl", rows))
    assert any("was believed only of 0 whose own record" in flaw.statement for flaw in made.flaws)
    assert "agent_timeout" not in {mode.id for mode in made.modes}
    assert not any(label.rule == "agent_timeout" for label in made.labels)
    features = {one["feature"] for found in made.contrasts for one in found["features"]}
    assert "rule agent_timeout" not in features


def test_work_handed_in_as_text_counts_as_handed_in(tmp_path: Path) -> None:
    """A screen that shows the last message alone: no call stands in the row, and the command in it says the rest."""
    screen = "All is done. I hand it in.\n\n```bash\necho TASK_COMPLETE_AND_SUBMIT\n```"
    quoted = "You could run this:\n\n```bash\necho TASK_COMPLETE_AND_SUBMIT\n```\nbut I have not."
    rows = [rollout(task, 0, "unset", passed=task % 2 == 0) for task in range(8)]
    for task in range(8):
        said = message(screen if task % 4 < 3 else quoted)
        made = row(task, 1, float(task < 4), response=response(said), verifier={"failure_mode": "agent_timeout"})
        rows.append(made)
    answer = analysed(write(tmp_path / "run.jsonl", rows)).investigation["status_words"]
    (label,) = answer["fields"][0]["labels"]
    assert (label["submitted"], label["acting"]) == (6, 6)


def test_the_clock_that_runs_before_the_agent_is_told(tmp_path: Path) -> None:
    """Rollouts whose agent never started spent a minute of the agent's time: all of it is set-up."""
    rows = [rollout(task, 0, "unset", passed=task % 2 == 0) | {"agent_seconds": 90} for task in range(8)]
    rows += [rollout(task, 1, "agent_timeout", passed=task < 4) | {"agent_seconds": 300} for task in range(8)]
    log = message("Collecting helper\nerror: this place is managed by others\nbash: helper: command not found")
    unused = {"input_tokens": 0, "output_tokens": 0, "total_tokens": 0}
    for task in range(8, 16):
        failed = row(task, 0, 0.0, response=response(log, usage=unused), verifier={"failure_mode": "unset"})
        rows.append(failed | {"agent_seconds": 60 + task})
    made = analysed(write(tmp_path / "run.jsonl", rows))
    (label,) = made.investigation["status_words"]["fields"][0]["labels"]
    assert label["before_start"] == {"part": "agent_seconds", "rows": 8, "median": 72}
    assert (
        "The agent's clock includes its installation and set-up: 8 rollouts whose agent never started took a median of "
        "72 s of it (agent_seconds)."
    ) in words(status_words.tell(made.investigation["status_words"]))

"""A check is never called clean of a trouble that another part of the same report states."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.gym_rows import Json, analysed, message, response, row, write
from tests.questions.made_cases import called, task_row, words

from blade.document import Section, Table
from blade.model import Analysis
from blade.registry import plugins
from blade.renderers.html.health_checks import health_checks
from blade.sections import benchmark_health
from blade.short_report.pieces import pieces_of

WORK = [called("look", {"at": 1}, "a jar"), called("fill", {"at": 1}, "done"), called("close", {"at": 1}, "done")]


def same_work(attempt: int, *, passed: bool, judged: bool = True) -> Json:
    checks: dict[str, Any] = {"verifier": {"test_results": {"test_jar": "passed" if passed else "failed"}}}
    if not judged:
        checks = {"verifier": {"test_results": None, "error": "evaluation timed out"}}
    called_item = called("look", {"at": 2}, f"seen at minute {attempt}")
    return task_row(0, *WORK, called_item, passed=passed, **checks) | {"_ng_rollout_index": attempt}


def equal_calls() -> list[Json]:
    """Task 0: the same calls pass once and get no verdict once, with other words in the answers."""
    rows = [same_work(0, passed=True), same_work(1, passed=False, judged=False)]
    for task in range(1, 8):
        for attempt in range(2):
            look = called("look", {"at": task * 10 + attempt}, f"shelf {task}")
            tests = {"test_jar": "passed" if task % 2 else "failed"}
            rollout = task_row(task, look, passed=bool(task % 2), verifier={"test_results": tests})
            rows.append(rollout | {"_ng_rollout_index": attempt})
    return rows


def equal_answers() -> list[Json]:
    """The answer 7 of task 0 passes in one attempt and fails in another, with different words around it."""
    rows = [row(0, 0, 1.0, extracted_answer="7"), row(0, 1, 0.0, extracted_answer="7.0")]
    rows += [
        row(task, attempt, float(task % 2), extracted_answer=str(2 * task if task % 2 else task * 31 + attempt))
        for task in range(1, 8)
        for attempt in range(2)
    ]
    return [{name: value for name, value in rollout.items() if name != "expected_answer"} for rollout in rows]


@pytest.mark.parametrize(
    ("rows", "question", "check"),
    [(equal_calls(), "equal_work", "flaky_verifier"), (equal_answers(), "answers_and_keys", "flaky_verifier")],
    ids=["equal work", "equal answers"],
)
def test_what_an_answer_states_no_tick_denies(rows: list[Json], question: str, check: str, tmp_path: Path) -> None:
    analysis = analysed(write(tmp_path / "run.jsonl", rows))
    assert question in analysis.investigation
    states = {ended["check"]: ended["state"] for ended in analysis.health_checks}
    assert states[check] == "found"
    assert check in {item["check"] for item in analysis.health}
    *_, closing = benchmark_health.build(analysis)
    assert check.replace("_", " ") not in "".join(sentence.text for sentence in getattr(closing, "sentences", ()))
    consistent(analysis)


def consistent(analysis: Analysis) -> None:
    """What has an item is found, and what is found has an item."""
    checks_found = {ended["check"] for ended in analysis.health_checks if ended["state"] == "found"}
    assert checks_found == {item["check"] for item in analysis.health}


def test_every_question_that_speaks_of_health_names_a_check() -> None:
    speaking = [name for name, question in plugins("questions").items() if hasattr(question, "health")]
    assert {"equal_work", "answers_and_keys"} <= set(speaking)


def test_a_healthy_run_keeps_its_ticks(tmp_path: Path) -> None:
    rows = [row(task, attempt, float((task + attempt) % 2)) for task in range(8) for attempt in range(2)]
    analysis = analysed(write(tmp_path / "run.jsonl", rows))
    consistent(analysis)
    closing_text = words(benchmark_health.build(analysis))
    assert "Checked, no problem found: " in closing_text
    assert (
        "lost attempt index (one attempt of every task was mostly void or never ran, while the others were not)"
        in closing_text
    )


def with_turns(task: int, turns: int, *, passed: bool) -> Json:
    looks = [item for number in range(turns - 1) for item in called("look", {"at": f"door {number}"}, "a door")]
    answer = response(*looks, message(f"Said {task} in {turns}."))
    return row(task, reward=float(passed), response=answer, expected_answer=None, extracted_answer=None)


def test_a_limit_that_another_part_tells_of_is_not_called_clean(tmp_path: Path) -> None:
    """Eight rollouts stop at 10 turns and pass as often as the others: the check sees no cost, and it is a limit."""
    rows = [with_turns(task, 2 + task % 3, passed=task % 2 > 0) for task in range(32)]
    rows += [with_turns(task, 10, passed=task % 2 > 0) for task in range(32, 40)]
    analysis = analysed(write(tmp_path / "run.jsonl", rows))
    assert analysis.investigation["more_room"]["unnamed"] == [analysis.runs[0].name]
    ended = {check["check"]: check for check in analysis.health_checks}
    assert ended["unnamed_limits"]["state"] == "elsewhere"
    text = words(benchmark_health.build(analysis))
    assert "Told elsewhere in this report: unnamed limits (“Would a higher limit help?”)." in text
    _, _, clean = text.partition("Checked, no problem found: ")
    assert "unnamed limits" not in clean.partition(".")[0]
    line = next(line for line in health_checks(analysis) if line.name == "Unnamed limits")
    assert (line.state, line.found) == ("look", "The report tells of it elsewhere: “Would a higher limit help?”.")


def test_rows_that_are_missing_are_not_called_clean_of_void_attempts(tmp_path: Path) -> None:
    rows = [row(task, attempt, float((task + attempt) % 2)) for task in range(8) for attempt in range(3)][:-1]
    analysis = analysed(write(tmp_path / "run.jsonl", rows))
    text = words(benchmark_health.build(analysis))
    assert "Told elsewhere in this report: void attempts (rows that are missing: “Denominator”)." in text


def test_the_names_of_what_was_found_stand_wherever_the_section_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    analysis = analysed(write(tmp_path / "run.jsonl", equal_calls()))
    table = benchmark_health.build(analysis)[0]
    assert isinstance(table, Table)
    assert (len(table.rows), table.pinned) == (2, True), "a few findings stand in the short report whole"
    monkeypatch.setattr(benchmark_health, "PINNED_ROWS", 1)
    blocks = tuple(benchmark_health.build(analysis))
    assert words(blocks).startswith("Problems found: void attempts and flaky verifier.")
    pieces = pieces_of(Section("benchmark_health", benchmark_health.TITLE, blocks), ["run"])
    first = pieces[0]
    assert first.kind == "frame"
    for piece in pieces[1:]:
        assert first in list(piece.closure())

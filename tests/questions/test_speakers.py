"""Several agents in one transcript are told apart by their names."""

from __future__ import annotations

from pathlib import Path

from tests.gym_rows import Json, analysed, message, response, row, write
from tests.questions.made_cases import words

from blade.questions import speakers


def named(name: str, text: str) -> Json:
    return message(text) | {"name": name}


def test_agents_and_the_program_among_them(tmp_path: Path) -> None:
    rows = [
        row(
            task,
            reward=float(task % 2),
            response=response(
                named("solver", f"Think of {'abcdefgh'[task]}{'hgfedcba'[task]} first, then of the rest."),
                named("runner", f"exit code: {task % 2}\nprinted {task}"),
                named("solver", f"So {'abcdefgh'[task] * 3} it is."),
            ),
        )
        for task in range(8)
    ]
    answer = analysed(write(tmp_path / "team" / "team.jsonl", rows)).investigation["speakers"]
    assert words(speakers.tell(answer)) == (
        "In 8 of 8 judged rollouts of team several speakers write as the assistant: solver (16 messages) and "
        "runner (8 messages). What this report calls the model is all of them together. Fixed texts, as a program "
        "writes them: runner begins “exit code: #” in 8 of 8 rollouts."
    )


def test_one_speaker_is_the_model(tmp_path: Path) -> None:
    rows = [
        row(task, response=response(named("assistant", "Hello."), named("assistant", "Done."))) for task in range(4)
    ]
    assert "speakers" not in analysed(write(tmp_path / "one.jsonl", rows)).investigation


def team(task: int, verdict: str, *, passed: bool) -> Json:
    answer = response(named("solver", f"I think {task}."), named("checker", f"Well.\n{verdict}: {task}"))
    return row(task, reward=float(passed), response=answer)


def test_a_mark_that_a_speaker_closes_with_is_counted_by_outcome(tmp_path: Path) -> None:
    rows = [team(task, "ALL_GOOD", passed=task < 12) for task in range(20)]
    assert (
        "The last message of checker says “ALL_GOOD” in 8 of 8 failures and 12 of 12 passes: it does not tell them "
        "apart." in words(speakers.tell(analysed(write(tmp_path / "team.jsonl", rows)).investigation["speakers"]))
    )
    rows = [team(task, "ALL_GOOD" if task < 14 else "Not sure", passed=task < 12) for task in range(20)]
    assert "says “ALL_GOOD” in 2 of 8 failures and 12 of 12 passes." in words(
        speakers.tell(analysed(write(tmp_path / "apart.jsonl", rows)).investigation["speakers"])
    )
    rows = [team(task, "Fine", passed=task < 12) for task in range(20)]
    assert "last message" not in words(
        speakers.tell(analysed(write(tmp_path / "none.jsonl", rows)).investigation["speakers"])
    )

"""Lines with which one run begins or ends its answers, and the checks that they break."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.gym_rows import ABSENT, Json, analysed, message, response, row, write
from tests.questions.made_cases import causes, words

from blade.questions import first_and_last_lines

TASKS, ATTEMPTS = 12, 4
CHAT, CLOSE = "Sure! Here's your poem about rain number {}:\n\n", "\n\nLet me know if you'd like {} more."


def poem(task: int, attempt: int, text: str, *, begins: bool = True, short: bool = True) -> Json:
    checks = {"starts_with": begins, "max_words": short}
    return row(
        task,
        attempt,
        float(all(checks.values())),
        task_id=f"poem-{task}",
        response=response(message(text)),
        checks=[{"name": name, "passed": passed} for name, passed in checks.items()],
        expected_answer=ABSENT,
        extracted_answer=ABSENT,
    )


def line(task: int, attempt: int) -> str:
    """Words of which no two answers share a beginning."""
    return f"{'abcdefghijkl'[task]}{'wxyz'[attempt]}ain falls on the roof\nand {'abcdefghijkl'[task]}{attempt} stops"


def run_of(
    path: Path, *, head: str = "", tail: str = "", harms: bool = False, shuffle: int = 0, last: str = ""
) -> Path:
    """A run that chats in two attempts of four; where it harms, these do not begin as they should."""
    rows = []
    for task in range(TASKS):
        for attempt in range(ATTEMPTS):
            chats = bool(head or tail) and attempt < 2
            text = f"{head.format(task)}{line(task, attempt)}{tail.format(task)}" if chats else line(task, attempt)
            text += last
            fails = chats if harms else (task + attempt + shuffle) % 3 == 0
            rows.append(poem(task, attempt, text, begins=not fails or task > 9, short=task % 6 > 0))
    return write(path, rows)


def asked(*paths: Path) -> Any:
    return analysed(*paths).investigation.get("first_and_last_lines")


@pytest.fixture(scope="module")
def answer(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("poems")
    return asked(run_of(folder / "chatter.jsonl", head=CHAT, harms=True), run_of(folder / "plain.jsonl"))


def test_a_line_of_one_run_is_told_with_its_passes_and_the_check_that_it_breaks(answer: Any) -> None:
    assert words(first_and_last_lines.tell(answer)) == (
        "chatter begins 24 of 48 answers with a line that hardly any other run writes (“Sure! Here's your poem about "
        "rain number …” in 24). 4 of 24 such answers pass, 50 of 72 others and 20 of the run's own 24 others (exact "
        "test within tasks, corrected: p < 0.0001). With it they meet “starts_with” in 4 of 24 (the others in 58 of "
        "72): the line seems to be judged as a part of the answer. For example task poem-0, attempt 0 of chatter: "
        "“Sure! Here's your poem about rain number 0:”."
    )
    (head,) = first_and_last_lines.brief(answer)
    assert "For example" not in head.text
    (advice,) = first_and_last_lines.advise(answer)
    assert (advice.kind, advice.rollouts) == ("prompt", 20)
    assert advice.because.text == "20 failures of chatter begin with lines of its own."


def test_the_ends_of_answers_are_asked_for_alike(tmp_path: Path) -> None:
    chatter = run_of(tmp_path / "chatter.jsonl", tail=CLOSE, harms=True)
    text = words(first_and_last_lines.tell(asked(chatter, run_of(tmp_path / "plain.jsonl"))))
    assert text.startswith(
        "chatter ends 24 of 48 answers with a line that hardly any other run writes (“Let me know if"
    )


def test_lines_of_several_runs_are_told_without_a_run(tmp_path: Path) -> None:
    paths = [run_of(tmp_path / f"{last}.jsonl", head=CHAT, harms=True, last=last) for last in ("one", "two")]
    text = words(first_and_last_lines.tell(asked(*paths)))
    assert text.startswith(
        "48 answers of 12 tasks begin with “Sure! Here's your poem about rain number …” (one 24 and "
    )
    assert not list(first_and_last_lines.brief(asked(*paths)))


def test_a_manner_that_costs_nothing_is_not_told(tmp_path: Path) -> None:
    chatter = run_of(tmp_path / "chatter.jsonl", head=CHAT, tail=CLOSE, shuffle=1)
    assert asked(chatter, run_of(tmp_path / "plain.jsonl")) is None


def test_a_run_that_is_as_weak_without_the_line_is_not_blamed_on_it(tmp_path: Path) -> None:
    rows = [
        poem(task, attempt, (CHAT.format(task) if attempt < 2 else "") + line(task, attempt), begins=False)
        for task in range(TASKS)
        for attempt in range(ATTEMPTS)
    ]
    assert asked(write(tmp_path / "weak.jsonl", rows), run_of(tmp_path / "plain.jsonl")) is None


def test_a_line_in_two_tasks_is_too_seldom(tmp_path: Path) -> None:
    rows = [
        poem(task, attempt, (CHAT.format(1) if task < 2 else "") + line(task, attempt), begins=task > 1)
        for task in range(TASKS)
        for attempt in range(ATTEMPTS)
    ]
    assert asked(write(tmp_path / "seldom.jsonl", rows), run_of(tmp_path / "plain.jsonl")) is None


def test_the_failures_get_their_label(answer: Any) -> None:
    assert causes(answer) == [
        ("BI", "begins with a line of its own around the answer, which the verifier judges with it", 20)
    ]

"""Texts of a judge that hold two verdicts, of which one became the score."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.gym_rows import Json, analysed, row, write
from tests.questions.made_cases import words

from blade.questions import judge_labels

RIGHT, WRONG = "The jar is the one asked for. {}", "Another jar was asked for. {}"


def judged_row(task: int, text: str, *, passed: bool) -> Json:
    return row(task, 0, float(passed), judge={"output": text}, expected_answer=None, extracted_answer=None)


def run_of(path: Path, both: Callable[[int], tuple[str, bool]], good: str, bad: str, times: int = 4) -> Path:
    rows = [judged_row(task, RIGHT.format(good), passed=True) for task in range(10)]
    rows += [judged_row(task, WRONG.format(bad), passed=False) for task in range(10, 18)]
    for task in range(20, 20 + times):
        text, passed = both(task)
        rows.append(judged_row(task, text, passed=passed))
    return write(path, rows)


def told(path: Path) -> str:
    answer = analysed(path).investigation.get("judge_labels")
    return words(judge_labels.tell(answer)) if answer else ""


def test_a_score_that_is_searched_for_a_word_is_told_with_what_the_last_word_would_give(tmp_path: Path) -> None:
    path = run_of(
        tmp_path / "jars.jsonl",
        lambda _: ("No part of it is incorrect. Verdict: correct", False),
        "correct",
        "incorrect",
    )
    assert told(path) == (
        "4 of 22 texts of a judge hold both “correct” and “incorrect” (jars 4; 20, 21, 22 and 23): all are scored as "
        "failures, and in 4 the last of them says otherwise. As in task 20, attempt 0 of jars: “No part of it is "
        "incorrect. Verdict: correct”. If the last of them were the verdict, the runs would pass: jars 14 of 22 "
        "instead of 10. Read these texts: the score is read off them by their words, and may not be what the judge "
        "means."
    )
    (advice,) = judge_labels.advise(analysed(path).investigation["judge_labels"])
    assert (advice.rollouts, advice.because.text) == (
        4,
        "4 rollouts are scored against the last verdict in the judge's text.",
    )


def test_a_score_that_follows_the_first_label_is_told_as_that(tmp_path: Path) -> None:
    def both(task: int) -> tuple[str, bool]:
        labels = ("[[A=B]]", "[[A!=B]]") if task % 2 else ("[[A!=B]]", "[[A=B]]")
        return "At first {}. No, on second thoughts {}.".format(*labels), bool(task % 2)

    text = told(run_of(tmp_path / "jars.jsonl", both, "[[A=B]]", "[[A!=B]]"))
    assert text.startswith(
        "4 of 22 texts of a judge hold both “[[A=B]]” and “[[A!=B]]” (jars 4; 20, 21, 22 and 23): the score follows "
        "the first of them in 4, and in 4 the last of them says otherwise."
    ), text
    assert "instead of" not in text


@pytest.mark.parametrize(
    ("text", "good", "bad"),
    [
        ("The jar is the one asked for. correct", "correct", "incorrect"),
        ("Neither correct nor incorrect.", "3 points", "1 point"),
    ],
    ids=["one label each", "no labels elsewhere"],
)
def test_texts_with_one_verdict_say_nothing(tmp_path: Path, text: str, good: str, bad: str) -> None:
    assert told(run_of(tmp_path / "jars.jsonl", lambda _: (text, True), good, bad)) == ""


def test_two_such_texts_are_too_few(tmp_path: Path) -> None:
    text = "No part of it is incorrect. Verdict: correct"
    assert told(run_of(tmp_path / "jars.jsonl", lambda _: (text, False), "correct", "incorrect", times=2)) == ""

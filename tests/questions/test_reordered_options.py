"""One question under several tasks: counted by what is asked and what can be answered, in whatever order."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tests.gym_rows import Json, analysed, message, response, row, write
from tests.questions.made_cases import words

from blade.questions import reordered_options

CITIES = ("Paris", "Rome", "Oslo", "Bern")
EXAMPLE = "Question: Which is a fruit?\nA) Apple\nB) Stone\nAnswer: A\n\n"


def rollout(task: int, question: str, options: Sequence[str], chosen: str, key: str = "Paris") -> Json:
    listed = "\n".join(f"{letter}) {text}" for letter, text in zip("ABCD", options, strict=True))
    letters = {text: letter for letter, text in zip("ABCD", options, strict=True)}
    prompt = {"input": [{"role": "user", "content": f"{EXAMPLE}Question: {question}\n{listed}\nAnswer:"}]}
    return row(
        task,
        0,
        float(chosen == key),
        response=response(message(letters[chosen])),
        responses_create_params=prompt,
        expected_answer=letters[key],
        extracted_answer=letters[chosen],
    )


def turned(places: int) -> list[str]:
    return [*CITIES[places:], *CITIES[:places]]


def told(tmp_path: Path, rows: Sequence[Json]) -> str:
    answer = analysed(write(tmp_path / "run" / "rollouts.jsonl", rows)).investigation.get("reordered_options")
    return words(reordered_options.tell(answer)) if answer else ""


def asked_twice(second: Sequence[tuple[str, str]]) -> list[Json]:
    """Each question under two tasks, and one that is asked once."""
    rows = [rollout(99, "Where is nobody?", CITIES, "Paris")]
    for number, choices in enumerate(second):
        question = f"Where is person {number}?"
        rows += [rollout(10 * number + turn, question, turned(turn), one) for turn, one in enumerate(choices)]
    return rows


def test_questions_are_counted_once_and_their_verdicts_held_together(tmp_path: Path) -> None:
    rows = asked_twice([("Paris", "Paris"), ("Paris", "Rome"), ("Oslo", "Oslo"), ("Rome", "Oslo")])
    assert told(tmp_path, rows) == (
        "The 9 tasks of run with options ask 5 different questions: 4 stand under several tasks (8 in all), 4 of them "
        "with their options in another order. Of these questions 1 passes each time, 2 never and 1 only in part (e.g. "
        "10 and 11): the order of the options, or chance, decides there. In 1 of the 2 that never pass the same wrong "
        "option is chosen in every order (e.g. 20 and 21): a firm mistake, or a key to check. With each question "
        "counted once run passes 50.0%, by task 44.4%."
    )


def test_another_question_with_the_same_options_is_another_question(tmp_path: Path) -> None:
    rows = [rollout(task, f"Where is person {task}?", turned(task % 4), "Paris") for task in range(12)]
    assert told(tmp_path, rows) == ""


def test_the_same_order_is_left_to_the_check_of_repeated_tasks(tmp_path: Path) -> None:
    rows = [rollout(task, f"Where is person {task // 2}?", CITIES, "Paris") for task in range(12)]
    assert told(tmp_path, rows) == ""

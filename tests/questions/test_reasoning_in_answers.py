"""Final messages that hold the reasoning, beside those that do not, and what it costs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.gym_rows import ABSENT, Json, analysed, message, response, row, write
from tests.questions.made_cases import causes, words

from blade.questions import reasoning_in_answers

THOUGHT = {"type": "reasoning", "summary": [{"type": "summary_text", "text": "A poem about rain, without commas."}]}
LEAKED = "First a draft with many more words than any poem of rain has, and then some.</think>\nRain falls."
TASKS, ATTEMPTS = 8, 3


def poem(task: int, attempt: int, text: str, *, passed: bool, thinks: bool = True) -> Json:
    return row(
        task,
        attempt,
        float(passed),
        task_id=f"poem-{task}",
        response=response(*([THOUGHT] if thinks else []), message(text)),
        expected_answer=ABSENT,
        extracted_answer=ABSENT,
    )


def run_of(path: Path, leaks: str = "", *, leaks_pass: bool = False, every: bool = False, fails: bool = False) -> Path:
    """The first attempt at each task leaks; one of the others fails at every other task."""
    rows = []
    for task in range(TASKS):
        for attempt in range(ATTEMPTS):
            if leaks and (every or not attempt):
                rows.append(poem(task, attempt, leaks, passed=leaks_pass, thinks=False))
            else:
                passed = not fails and (task % 2 > 0 or attempt > 1)
                rows.append(poem(task, attempt, f"Rain {task} falls on {attempt} roofs.", passed=passed or task > 3))
    return write(path, rows)


def asked(*paths: Path) -> Any:
    return analysed(*paths).investigation.get("reasoning_in_answers")


@pytest.fixture(scope="module")
def answer(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("poems")
    return asked(run_of(folder / "thinker.jsonl", LEAKED), run_of(folder / "talker.jsonl"))


def test_leaked_reasoning_is_told_with_its_tag_and_what_the_other_answers_pass(answer: Any) -> None:
    assert words(reasoning_in_answers.tell(answer)) == (
        "8 of 24 final messages of thinker hold the reasoning itself (8 tasks: poem-0, poem-1, poem-2, poem-3, poem-4, "
        "poem-5, poem-6 and poem-7): a closing “</think>” without an opening one in 8. None of them passes; of the "
        "run's other answers 14 of 16 do (exact test within tasks p = 0.00061). These messages have 18 words and the "
        "others 6 (medians); e.g. task poem-0, attempt 0.\n"
        "No message of talker holds such a tag."
    )
    (head,) = reasoning_in_answers.brief(answer)
    assert head.text.startswith("8 of 24 final messages of thinker hold the reasoning itself")


def test_the_advice_is_to_parse_it_away_and_to_judge_again(answer: Any) -> None:
    (advice,) = reasoning_in_answers.advise(answer)
    assert (advice.kind, advice.rollouts, advice.before_scores) == ("harness", 8, True)
    assert advice.because.text == "8 rollouts fail with the reasoning in the message."


def test_long_answers_without_reasoning_beside_them_hold_it_without_a_tag(tmp_path: Path) -> None:
    path = run_of(tmp_path / "thinker.jsonl")
    long = [poem(task, 3, "A draft of rain, " * 9, passed=False, thinks=False) for task in range(4, TASKS)]
    path.write_bytes(path.read_bytes() + write(tmp_path / "long.txt", long).read_bytes())
    text = words(reasoning_in_answers.tell(asked(path)))
    assert "no reasoning beside the answer, and far more words, in 4. None of them passes" in text


def test_a_run_whose_messages_all_hold_it_is_held_against_the_others(tmp_path: Path) -> None:
    leaking = run_of(tmp_path / "thinker.jsonl", "<think>A draft.</think> Rain.", every=True)
    text = words(reasoning_in_answers.tell(asked(leaking, run_of(tmp_path / "talker.jsonl"))))
    assert "reasoning that ends with “</think>” in 24. None of them passes; of what the other runs answer" in text


def test_a_tag_that_passes_as_often_is_read_over_and_not_told(tmp_path: Path) -> None:
    assert asked(run_of(tmp_path / "thinker.jsonl", LEAKED, leaks_pass=True)) is None
    leaking = run_of(tmp_path / "every.jsonl", LEAKED, leaks_pass=True, every=True)
    assert asked(leaking, run_of(tmp_path / "talker.jsonl")) is None


def test_leaks_in_two_tasks_are_too_few(tmp_path: Path) -> None:
    path = run_of(tmp_path / "thinker.jsonl")
    leaks = [poem(task, attempt, LEAKED, passed=False) for task in (5, 7) for attempt in (3, 4)]
    path.write_bytes(path.read_bytes() + write(tmp_path / "leaks.txt", leaks).read_bytes())
    assert asked(path) is None


def test_where_no_message_holds_reasoning_nothing_is_told(tmp_path: Path) -> None:
    assert asked(run_of(tmp_path / "talker.jsonl")) is None


def test_the_failures_get_their_label(answer: Any) -> None:
    assert causes(answer) == [("BI", "its answer holds its reasoning", 8)]

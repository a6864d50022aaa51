"""Answers that the verifier could not read, and that stand in the message in another dress."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.gym_rows import Json, analysed, message, response, row, write
from tests.questions.made_cases import words

from blade.questions import unparsed_answers

READ = "Verdict: {}\n\nReasons: the lids are as they are."


def judged(task: int, text: str, key: str, extracted: str) -> Json:
    return row(
        task,
        reward=float(extracted == key),
        response=response(message(text)),
        expected_answer=key,
        extracted_answer=extracted,
    )


def usual() -> list[Json]:
    """Twelve answers that were read, half of them right."""
    return [
        judged(task, READ.format(given), key, given)
        for task in range(12)
        for given, key in [(("Yes", "No")[task % 2], ("Yes", "No")[task % 4 // 2])]
    ]


def asked(tmp_path: Path, *unread: tuple[str, str], read: list[Json] | None = None) -> dict[str, Any] | None:
    rows = [*(usual() if read is None else read)]
    rows += [judged(20 + place, text, key, "") for place, (text, key) in enumerate(unread)]
    found = analysed(f"run={write(tmp_path / 'run.jsonl', rows)}").investigation
    return found.get("unparsed_answers")  # type: ignore[return-value]


def test_they_are_told_with_what_a_lenient_reading_changes(tmp_path: Path) -> None:
    answer = asked(
        tmp_path, ("**Verdict:** Yes", "Yes"), ("I look.\n`No`", "No"), ("VERDICTS - yes, all", "No"), ("Hm, hm.", "No")
    )
    assert answer is not None
    assert words(unparsed_answers.tell(answer)) == (
        "Of 4 judged rollouts whose answer the verifier could not read, 3 state one of the usual answers, in other "
        "marks or spelling than those behind “verdict”, 2 of them the key (20 and 21): “**Verdict:** Yes” (run, task "
        "20, attempt 0); “`No`” (run, task 21, attempt 0). Read so, 8 of 16 rollouts of run (50.0%) instead of 6 would "
        "pass."
    )
    (advice,) = unparsed_answers.advise(answer)
    assert (advice.kind, advice.rollouts) == ("verifier", 2)
    assert advice.because.text == "2 failures give the key in a form that was not read (20 and 21)."
    assert len(list(unparsed_answers.brief(answer))) == 2


@pytest.mark.parametrize("text", ["Hm, hm.", "Verdict: Yes\nVerdict: No", "Yesterday", "Version: Yes"])
def test_no_answer_two_answers_and_other_words_are_none(tmp_path: Path, text: str) -> None:
    assert asked(tmp_path, (text, "Yes")) is None


def test_open_answers_and_words_that_introduce_nothing_are_left_alone(tmp_path: Path) -> None:
    open_answers = [judged(task, READ.format(f"lid {task}"), f"lid {task}", f"lid {task}") for task in range(20)]
    assert asked(tmp_path, ("**Verdict:** Yes", "Yes"), read=open_answers) is None
    without = [judged(task, f"So it is {key}, I say.", key, key) for task, key in enumerate(["Yes", "No"] * 6)]
    assert asked(tmp_path, ("**Verdict:** Yes", "Yes"), read=without) is None


def test_a_reading_that_does_not_give_what_was_read_is_not_trusted(tmp_path: Path) -> None:
    """The verdict is put first, and the verifier reads the last word."""
    turned = [judged(task, f"{READ.format('Yes')}\nFinal: No", "No", "No") for task in range(10)]
    turned += [judged(30 + task, READ.format("Yes"), "Yes", "Yes") for task in range(12)]
    assert asked(tmp_path, ("**Verdict:** Yes", "Yes"), read=turned) is None

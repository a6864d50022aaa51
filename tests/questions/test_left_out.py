"""Answers that are denied for what they leave out, while the prompt asks for short ones."""

from __future__ import annotations

from pathlib import Path

from tests.gym_rows import Json, analysed, message, request, response, row, write
from tests.questions.made_cases import words

from blade.questions import left_out

SHORT = "You are a baker. Give a concise answer in a few words."
PLAIN = "You are a baker."
LACKS = "The expert names the flour, the water and the time in the oven. The submission does not mention the time."
WHOLE = (
    "The expert names the flour, the water and the time. The submission names all of them, with no omissions at all."
)
FALSE = "The expert names rye flour and water. The submission says barley, which contradicts what the expert says."


def _row(task: int, reason: str, *, passed: bool, system: str = SHORT) -> Json:
    asked = request(f"How is loaf {task} made?")
    asked["input"] = [{"type": "message", "role": "system", "content": system}, *asked["input"]]
    beside = {"expected_answer": "rye, water, an hour", "explanation": reason}
    told = response(message("Rye and water."))
    return row(task, 0, float(passed), responses_create_params=asked, response=told, verifier=beside)


def _rows(failure: str, system: str = SHORT) -> list[Json]:
    failures = [_row(task, failure, passed=False, system=system) for task in range(6)]
    return [*failures, *(_row(task, WHOLE, passed=True, system=system) for task in range(6, 16))]


def test_failures_for_what_is_left_out_are_told_with_the_wish_for_brevity(tmp_path: Path) -> None:
    analysis = analysed(write(tmp_path / "loaves.jsonl", _rows(LACKS)))
    answer = analysis.investigation["left_out"]
    text = words(left_out.tell(answer))
    assert (
        "loaves: the reason of the verdict finds something left out in 6 of 6 failures and in 0 of 10 passes" in text
    ), text
    assert "Of 0 it says: “The submission does not mention the time”." in text
    assert "The prompt asks for brevity (“" in text
    (advice,) = left_out.advise(answer)
    assert advice.rollouts == 6
    assert len(list(left_out.brief(answer))) == 2


def test_without_a_wish_for_brevity_nothing_is_advised(tmp_path: Path) -> None:
    answer = analysed(write(tmp_path / "loaves.jsonl", _rows(LACKS, PLAIN))).investigation["left_out"]
    assert "brevity" not in words(left_out.tell(answer))
    assert not list(left_out.advise(answer))


def test_other_reasons_and_omissions_in_passes_say_nothing(tmp_path: Path) -> None:
    assert "left_out" not in analysed(write(tmp_path / "false.jsonl", _rows(FALSE))).investigation
    both = [_row(task, LACKS, passed=task > 5) for task in range(16)]
    assert "left_out" not in analysed(write(tmp_path / "both.jsonl", both)).investigation


def test_what_the_reference_leaves_out_is_no_fault_of_the_answer(tmp_path: Path) -> None:
    more = (
        "The submission names all, and salt, which the expert did not include. The expert answer does not mention it."
    )
    rows = [*_rows(LACKS)[:6], *(_row(task, more, passed=True) for task in range(6, 16))]
    answer = analysed(write(tmp_path / "loaves.jsonl", rows)).investigation["left_out"]
    assert "in 6 of 6 failures and in 0 of 10 passes" in words(left_out.tell(answer))

"""Rollouts that end by themselves without a word, and a verifier that passes them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.gym_rows import ABSENT, Json, analysed, message, response, row, write
from tests.questions.made_cases import called, causes, words

from blade.questions import empty_answers

THOUGHT = {"type": "reasoning", "summary": [{"type": "summary_text", "text": "A poem about rain, without commas."}]}
LIMITS = ("no_comma", "max_words")


def poem(task: int, attempt: int, text: str | None, *, passed: bool | None = None, **fields: Any) -> Json:
    """The first three tasks only forbid and limit; the others ask for a title. None is no message at all."""
    names = LIMITS if task < 3 else ("max_words", "title")
    met = {name: name in LIMITS or bool(text) for name in names}
    reward = float(all(met.values()) if passed is None else passed)
    output = [THOUGHT, *([] if text is None else [message(text)])]
    return row(
        task,
        attempt,
        reward,
        task_id=f"poem-{task}",
        response=response(*output, **fields),
        checks=[{"name": name, "passed": met[name]} for name in names],
        expected_answer=ABSENT,
        extracted_answer=ABSENT,
    )


def spoken(name: str, folder: Path, silent: tuple[Json, ...] = ()) -> Path:
    rows = [poem(task, 0, f"Rain {task} falls on the roof of {name}.", passed=task % 2 == 0) for task in range(8)]
    return write(folder / f"{name}.jsonl", [*rows, *silent])


def asked(*paths: Path) -> Any:
    return analysed(*paths).investigation.get("empty_answers")


@pytest.fixture(scope="module")
def answer(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("poems")
    silent = (poem(0, 1, ""), poem(1, 1, None), poem(2, 1, " \n"), poem(5, 1, ""))
    return asked(spoken("thinker", folder, silent), spoken("talker", folder))


def test_silence_is_told_with_its_passes_and_the_checks_that_it_cannot_break(answer: Any) -> None:
    assert words(empty_answers.tell(answer)) == (
        "4 rollouts of 4 tasks end with an empty answer and without a sign of a cut (thinker 4 of 12; none of talker), "
        "and 3 of them pass: the verifier rewards silence. Without these passes thinker passes 4 of 12 and not 7. "
        "The checks of those that pass are “no_comma” (3) and “max_words” (3): all of them only forbid or limit "
        "something, which an empty answer cannot break. What the others fail is “title” in 1. "
        "For example task poem-0, attempt 1 of thinker; all are in poem-0, poem-1, poem-2 and poem-5."
    )


def test_the_first_screen_and_the_advice_speak_of_the_verifier(answer: Any) -> None:
    (head,) = empty_answers.brief(answer)
    assert "the verifier rewards silence" in head.text
    verifier, harness = empty_answers.advise(answer)
    assert (verifier.kind, verifier.rollouts, verifier.because.text) == (
        "verifier",
        3,
        "3 rollouts pass without a word.",
    )
    assert (harness.kind, harness.rollouts, harness.because.text) == ("harness", 1, "1 rollout fails without a word.")


def test_silence_that_never_passes_is_told_and_is_no_fault_of_the_verifier(tmp_path: Path) -> None:
    silent = tuple(poem(task, 1, "") for task in (4, 5, 6))
    answer = asked(spoken("thinker", tmp_path, silent), spoken("talker", tmp_path))
    assert words(empty_answers.tell(answer)) == (
        "3 rollouts of 3 tasks end with an empty answer and without a sign of a cut (thinker 3 of 11; none of "
        "talker), and none passes. What the others fail is “title” in 3. For example task poem-4, attempt 1 of "
        "thinker; all are in poem-4, poem-5 and poem-6."
    )
    assert not list(empty_answers.brief(answer))
    assert [advice.kind for advice in empty_answers.advise(answer)] == ["harness"]


def test_answers_that_a_limit_cut_are_not_called_silent(tmp_path: Path) -> None:
    cut: Json = {"incomplete_details": {"reason": "max_output_tokens"}, "status": "incomplete"}
    silent = tuple(poem(task, 1, None, **cut) for task in range(3))
    assert asked(spoken("thinker", tmp_path, silent)) is None


def test_two_silent_rollouts_are_too_few(tmp_path: Path) -> None:
    assert asked(spoken("thinker", tmp_path, (poem(0, 1, ""), poem(1, 1, "")))) is None


def test_a_run_in_which_nobody_speaks_is_told_by_another_question(tmp_path: Path) -> None:
    mute = write(tmp_path / "mute.jsonl", [poem(task, 0, "", passed=False) for task in range(8)])
    assert asked(mute, spoken("thinker", tmp_path), spoken("talker", tmp_path)) is None


def test_where_tools_do_the_work_no_message_is_wanted(tmp_path: Path) -> None:
    rows = [
        row(
            task,
            attempt,
            float(attempt),
            response=response(*called("book", {"seat": task}, "booked"), message("" if attempt else "Booked.")),
            expected_answer=ABSENT,
            extracted_answer=ABSENT,
        )
        for task in range(8)
        for attempt in range(2)
    ]
    assert asked(write(tmp_path / "seats.jsonl", rows)) is None


def test_what_was_handed_in_beside_the_message_is_an_answer(tmp_path: Path) -> None:
    silent = tuple(poem(task, 1, "") | {"generation": f"Rain falls for {task} hours"} for task in range(3))
    assert asked(spoken("thinker", tmp_path, silent)) is None


def test_the_failures_get_their_label(answer: Any) -> None:
    assert causes(answer) == [("BI", "ends with an empty answer", 1)]

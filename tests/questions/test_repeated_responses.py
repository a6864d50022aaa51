"""One response in several rollouts of a run: a copied attempt is no attempt."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.gym_rows import Json, analysed, message, response, row, write
from tests.questions.made_cases import words

from blade.questions import repeated_responses

TASKS = 10


def rollout(task: int, attempt: int, source: int, *, name: str = "", words_said: str = "") -> Json:
    """A rollout whose response is that of the attempt `source`."""
    answer = response(
        message(words_said or f"The answer to {task} is {task}, says {source}."),
        id=name or f"resp-{task}-{source}",
        created_at=1_700_000_000 + 10 * task + source,
    )
    return row(task, attempt, float(task % 2), response=answer)


def told(path: Path, source_of: Callable[[int, int], int], **fields: str) -> str:
    rows = [rollout(task, attempt, source_of(task, attempt), **fields) for task in range(TASKS) for attempt in range(3)]
    answer = analysed(write(path / "one.jsonl", rows)).investigation.get("repeated_responses")
    return words(repeated_responses.tell(answer)) if answer else ""


def test_attempts_that_hold_the_response_of_another_one_are_told(tmp_path: Path) -> None:
    def source(task: int, attempt: int) -> int:
        return 1 if task < 4 and attempt == 2 else attempt

    assert told(tmp_path, source) == (
        "4 rollouts of one hold the response of another one, with its id, its time and every word of it (attempt 2 of "
        "0, 1, 2 and 3): they are no attempts of their own, and 26 independent judged rollouts are left. Without the "
        "copies it passes 13 of 26 (50.0%); with them, attempts at a task look more alike than they are."
    )


def test_equal_words_under_other_ids_are_no_copies(tmp_path: Path) -> None:
    assert told(tmp_path, lambda _, attempt: attempt, words_said="B") == ""


def test_ids_that_unlike_responses_share_name_no_response(tmp_path: Path) -> None:
    assert told(tmp_path, lambda task, attempt: 1 if task < 4 and attempt == 2 else attempt, name="resp-of-all") == ""


def test_the_copies_are_to_be_made_again(tmp_path: Path) -> None:
    rows = [rollout(task, attempt, 0 if task < 3 else attempt) for task in range(TASKS) for attempt in range(2)]
    answer = analysed(write(tmp_path / "one.jsonl", rows)).investigation["repeated_responses"]
    (advice,) = repeated_responses.advise(answer)
    assert (advice.kind, advice.because.text) == ("harness", "3 rollouts of one are copies.")
    assert next(repeated_responses.brief(answer)).text.startswith("3 rollouts of one hold the response of another one")


LONG = "I weigh each jar on the old scales and write down what it says. " * 10


def longer(task: int, attempt: int, source: int, temperature: float) -> Json:
    made = rollout(task, attempt, attempt, words_said=f"{LONG} Jar {task}, as of {source}.")
    made["responses_create_params"]["temperature"] = temperature
    return made


@pytest.mark.parametrize(("temperature", "copied"), [(0.5, 4), (0.0, 0)])
def test_long_outputs_that_stand_twice_under_other_ids_are_copies_where_one_samples(
    temperature: float, copied: int, tmp_path: Path
) -> None:
    rows = [
        longer(task, attempt, 1 if task < 4 and attempt == 2 else attempt, temperature)
        for task in range(TASKS)
        for attempt in range(3)
    ]
    answer = analysed(write(tmp_path / "one.jsonl", rows)).investigation.get("repeated_responses")
    assert (answer["runs"][0]["copies"] if answer else 0) == copied
    if answer:
        assert words(repeated_responses.tell(answer)).startswith(
            "4 rollouts of one hold word for word the long output of another attempt at their task, where nearly all "
            "attempts differ (attempt 2 of 0, 1, 2 and 3): copies, or answers kept from before, and 26 independent "
            "judged rollouts are left."
        )

"""Records that begin in mid-run: the first words answer what the record does not show."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.gym_rows import Json, analysed, message, request, response, row, write
from tests.questions.made_cases import called
from tests.questions.made_cases import words as words_of

import blade
from blade.extract.attempt import Attempt
from blade.extract.lost_head import begins_midway
from blade.questions import uneven_records

LOOK = called("bash", {"command": "ls"}, "a.txt")


def begun(words: str, **fields: Any) -> Json:
    return row(0, response=response(message(words), *LOOK), **fields)


@pytest.mark.parametrize(
    "words",
    [
        "Now let me run the jar again.",
        "THOUGHT: I see the issue - the list of jars is empty.",
        "Let me test this new jar counter with shelf 1.",
        "Excellent! I have successfully explored all shelves.",
        "Good, numpy is installed. Next come the jars.",
        "The pip install command timed out, but it was downloading.",
        "There are several issues with my approach.",
    ],
)
def test_an_answer_to_what_is_not_there_begins_midway(words: str) -> None:
    assert begins_midway(Attempt(begun(words)))


@pytest.mark.parametrize(
    "words",
    [
        "I need to start by looking around. Now let me run ls.",
        "Great! I can help you with the jars.",
        "The user says that the jars are gone.",
        "Let me test the jars.",
    ],
)
def test_first_words_of_a_whole_record(words: str) -> None:
    assert not begins_midway(Attempt(begun(words)))


def test_what_was_heard_before_is_in_the_record_or_the_request() -> None:
    again = row(0, response=response(*LOOK, message("Now let me run the jar again."), *LOOK))
    assert not begins_midway(Attempt(again))
    said = request("Count the jars.")
    said["input"].append({"role": "assistant", "content": "I look.", "type": "message"})
    assert not begins_midway(Attempt(begun("Now let me run the jar again.", responses_create_params=said)))
    silent = row(0, response=response(message("Now let me run the jar again.")))
    assert not begins_midway(Attempt(silent)), "without a call there is nothing to miss"


def test_a_record_without_its_head_claims_no_absence(tmp_path: Path) -> None:
    """Attempts 1 and 3 fail and their records lack the call that the passing ones make first."""

    def shell(task: int, attempt: int, *commands: str, passed: bool, words: str = "I look.") -> Json:
        items = [item for command in commands for item in called("bash", {"command": command}, "ok")]
        made = response(message(words), *items, message("Done."))
        return row(task, attempt, float(passed), response=made, extracted_answer=None, expected_answer=None)

    def rows(words: str) -> list[Json]:
        found = [shell(0, attempt, "man cipher", "make jar", passed=True) for attempt in (0, 2)]
        found += [shell(0, attempt, "make jar", passed=False, words=words) for attempt in (1, 3)]
        return found + [shell(task, attempt, "ls", passed=True) for task in range(1, 8) for attempt in range(4)]

    whole = analysed(write(tmp_path / "whole.jsonl", rows("I look.")))
    assert whole.investigation["deciding_calls"]["tasks"][0]["in_passes"] == ["man cipher"]
    cut = analysed(write(tmp_path / "cut.jsonl", rows("Now let me run the make again.")))
    assert "deciding_calls" not in cut.investigation
    assert cut.investigation["uneven_records"]["midway"] == {cut.runs[0].name: [2, 32]}
    told = words_of(uneven_records.tell(cut.investigation["uneven_records"]))
    assert "that make calls have records that begin in mid-run: what they lack may have happened before" in told
    assert [story["midway"] for story in (*whole.stories, *cut.stories)] == [False, True]
    assert "The record of attempt 1 begins in mid-run; it shows 1 call (bash)" in blade.render(blade.report(cut))
    assert "Attempt 1 makes 1 call (bash)" in blade.render(blade.report(whole))
    assert not any(entry["divergences"] for entry in cut.contrasts)

"""Who names a limit at which rollouts stop: the sampling settings, the prompt, the last messages, or no field."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.gym_rows import ABSENT, Json, analysed, message, request, response, row, write
from tests.questions.made_cases import called

NOBODY = "a limit that no field names"
PROMPT = "a limit that its prompt names"
LAST = "a limit that its last messages name"
SAMPLING = "a limit that the settings name"


def doors(task: int, answers: Sequence[str], prompt: str, *, says: bool) -> Json:
    parts = [item for place, text in enumerate(answers) for item in called("look", {"at": f"{task} {place}"}, text)]
    return row(
        task,
        0,
        float(says and task % 2 == 0),
        responses_create_params=request(prompt),
        response=response(*parts, *([message(f"Done with {task}.")] if says else [])),
        expected_answer=ABSENT,
        extracted_answer=ABSENT,
    )


def statement(path: Path, rows: list[Json]) -> str:
    (item,) = [item for item in analysed(write(path, rows)).health if item["check"] == "unnamed_limits"]
    return str(item["statement"])


def at_six_turns(folder: Path, prompt: str = "What stands there?", last: str = "a door", early: str = "a door") -> str:
    """What is said of six rollouts that stop at six turns: the first and the last of their doors may say more."""
    rows = [doors(task, ["a door"] * (2 + task % 4), prompt, says=True) for task in range(30)]
    rows += [doors(task, [early, *["a door"] * 4, last], prompt, says=False) for task in range(30, 36)]
    return statement(folder / "halls.jsonl", rows)


def six_turns_named_by(who: str) -> str:
    return (
        f"6 rollouts of halls stop at 6 turns of the model, the largest value there is: {who}. 0 of them passed "
        "(0.0%), of the 30 others 15 (50.0%)."
    )


@pytest.mark.parametrize(
    ("prompt", "who"),
    [
        ("What stands there?", NOBODY),
        ("You have at most 6 steps.", PROMPT),
        ("Make 6 calls, no more.", PROMPT),
        ("Your budget is 6.", PROMPT),
        ("TURNS: 6", PROMPT),
        ("You have at most 16 steps.", NOBODY),
        ("You have at most 60 steps.", NOBODY),
        ("There are 6 doors. Take as many steps as you like.", NOBODY),
        ("There are 6 doors\nTake as many steps as you like.", NOBODY),
        (f"6 {'x' * 50} steps", NOBODY),
        ("There are 6 doors.", NOBODY),
    ],
)
def test_a_prompt_that_names_the_number_names_the_limit(tmp_path: Path, prompt: str, who: str) -> None:
    assert at_six_turns(tmp_path, prompt) == six_turns_named_by(who)


def test_the_last_messages_may_name_it_and_earlier_ones_do_not(tmp_path: Path) -> None:
    words = "a door; all 6 of your turns are used"
    assert at_six_turns(tmp_path / "last", last=words) == six_turns_named_by(LAST)
    assert at_six_turns(tmp_path / "early", early=words) == six_turns_named_by(NOBODY)
    assert at_six_turns(tmp_path / "both", "You have 6 steps.", last=words) == six_turns_named_by(PROMPT)
    assert at_six_turns(tmp_path / "count", last="Step 6: look behind the door.") == six_turns_named_by(NOBODY)


def at_tokens(folder: Path, most: int, prompt: str = "What stands there?", **settings: Any) -> str:
    """What is said of six rollouts that stop at so many output tokens, while the others use fewer."""
    rows = []
    for task in range(36):
        at_limit = task >= 30
        rollout = doors(task, ["a door"] * (2 + task % 3), prompt, says=True)
        rollout["reward"] = float(not at_limit and task % 2 == 0)
        rollout["responses_create_params"] |= settings
        tokens = most if at_limit else 100 + 13 * task
        rollout["response"]["usage"] = {"input_tokens": 10, "output_tokens": tokens, "total_tokens": 10 + tokens}
        rows.append(rollout)
    return statement(folder / "halls.jsonl", rows)


@pytest.mark.parametrize(
    ("most", "setting", "who"),
    [
        (900, None, NOBODY),
        (900, 900, SAMPLING),
        (900, 900.0, SAMPLING),
        (1900, 1900, SAMPLING),
        (900, 1900, NOBODY),
        (900, 9000, NOBODY),
    ],
)
def test_a_setting_of_the_sampling_with_that_value_names_it(
    tmp_path: Path, most: int, setting: float | None, who: str
) -> None:
    settings: Json = {} if setting is None else {"max_output_tokens": setting}
    shown = at_tokens(tmp_path, most, **settings)
    assert f"stop at {most:,} output tokens, the largest value there is: {who}. 0 of them passed" in shown


def test_a_setting_goes_before_the_prompt(tmp_path: Path) -> None:
    prompt = "Write at most 1900 tokens."
    assert f": {PROMPT}. 0 of" in at_tokens(tmp_path / "prompt", 1900, prompt)
    assert f": {SAMPLING}. 0 of" in at_tokens(tmp_path / "both", 1900, prompt, max_output_tokens=1900)

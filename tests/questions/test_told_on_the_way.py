"""What rollouts are told on the way: fixed words of a harness, and errors of the code they ran."""

from __future__ import annotations

from pathlib import Path

from tests.gym_rows import Json, analysed, write
from tests.questions.made_cases import said, task_row, user, words

from blade.questions import told_on_the_way

AGAIN = "Go on. Write the next step until the sheet is done, please."
CRASH = "Traceback (most recent call last):\n  File \"a.py\", line 3\nNameError: name 'rope' is not defined"


def rollout(task: int, *told: str, passed: bool) -> Json:
    parts = [part for text in told for part in (said("I think."), user(text))]
    return task_row(task, *parts, said(f"It is {task}."), passed=passed)


def test_words_that_come_back_are_counted_by_run_and_by_outcome(tmp_path: Path) -> None:
    """The second run is asked to go on in every rollout, the first in three of 24; an error goes with failing."""
    first = [rollout(task, *([AGAIN] if task < 3 else [f"{task} ropes"]), passed=True) for task in range(24)]
    second = [rollout(task, AGAIN, AGAIN, passed=True) for task in range(12)]
    second += [rollout(task, AGAIN, CRASH, passed=False) for task in range(12, 24)]
    paths = [f"{name}={write(tmp_path / f'{name}.jsonl', rows)}" for name, rows in (("one", first), ("two", second))]
    answer = analysed(*paths).investigation["told_on_the_way"]
    by_words = {entry["words"]: entry for entry in answer["messages"]}
    assert by_words[AGAIN]["by_run"]["two"] == {
        "rollouts": 24,
        "times": 36,
        "passes": 12,
        "others": 0,
        "other_passes": 0,
    }
    assert by_words[AGAIN]["by_run"]["one"]["rollouts"] == 3
    assert by_words["NameError"]["by_run"]["two"]["passes"] == 0
    told = words(told_on_the_way.tell(answer))
    assert f"“{AGAIN}” | 3 (3 times; 3 pass) | 24 (36 times; 12 pass) | 24" in told
    assert f"two gets “{AGAIN}” more often than one: in 24 of 24 rollouts, there in 3 of 24 (p = " in told
    assert "Getting NameError in what was run goes with failing: 0 of 12 such rollouts pass, 36 of 36 others" in told


def test_what_a_user_says_once_and_what_every_rollout_hears_is_not_told(tmp_path: Path) -> None:
    rows = [
        rollout(task, f"My name is number {'abcdefghijkl'[task]} of the long list here", passed=True)
        for task in range(12)
    ]
    assert "told_on_the_way" not in analysed(write(tmp_path / "own.jsonl", rows)).investigation
    rows = [rollout(task, AGAIN, passed=task % 2 == 0) for task in range(24)]
    assert "told_on_the_way" not in analysed(write(tmp_path / "all.jsonl", rows)).investigation


def test_a_message_that_one_run_gets_far_more_often_is_for_the_first_screen(tmp_path: Path) -> None:
    second = [rollout(task, AGAIN, passed=True) for task in range(24)]

    def told(often: int) -> list[str]:
        first = [rollout(task, *([AGAIN] if task < often else [f"{task} ropes"]), passed=True) for task in range(24)]
        paths = [
            f"{name}={write(tmp_path / f'{name}{often}.jsonl', some)}"
            for name, some in (("one", first), ("two", second))
        ]
        answer = analysed(*paths).investigation.get("told_on_the_way")
        return [sentence.text for sentence in told_on_the_way.brief(answer)] if answer else []

    assert told(3) == [f"two gets the message “{AGAIN}” in 24 of 24 rollouts, one in 3 of 24."]
    assert told(21) == []


def parts_of(path: Path, *, told: bool) -> str:
    """Two parts of the tasks; in one of them the message comes in two of three attempts of one run, which then fail."""
    rows = []
    for task in range(24):
        for attempt in range(3):
            is_told = told and task < 10 and attempt < 2
            line = rollout(task, *([AGAIN] if is_told else []), passed=not is_told and (task + attempt) % 6 > 0)
            part = {"verifier_metadata": {"shelf": "upper" if task < 10 else "lower"}, "_ng_rollout_index": attempt}
            rows.append(line | part)
    return f"{path.stem}={write(path, rows)}"


def test_a_message_of_one_run_in_one_part_of_the_tasks_is_told_with_what_others_pass_there(tmp_path: Path) -> None:
    runs = [parts_of(tmp_path / f"{name}.jsonl", told=name == "one") for name in ("one", "two")]
    answer = analysed(*runs).investigation["told_on_the_way"]
    text = words(told_on_the_way.tell(answer))
    sentence = (
        "It comes in one alone, and all of its tasks are of verifier_metadata.shelf=upper: there one passes 0 of 20 "
        "with it and 9 of 10 without it, the other runs 26 of 30."
    )
    assert sentence in text, text
    (head,) = told_on_the_way.brief(answer)
    assert head.text.startswith(f"Getting “{AGAIN}” goes with failing: 0 of 20 such rollouts pass"), head.text
    assert head.text.endswith(sentence)

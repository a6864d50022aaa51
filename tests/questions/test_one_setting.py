"""Pairs of runs of one model that differ in one recorded setting alone."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Any

from tests.gym_rows import Json, analysed, request, row, write
from tests.questions.made_cases import words

from blade.questions import one_setting


def _run(folder: Path, name: str, model: str, passes: Collection[int], prompt: str = "", **setup: Any) -> str:
    def made(task: int) -> Json:
        line = row(task, 0, float(task in passes), setup={"kind": "plain", **setup})
        line["responses_create_params"] = request(f"What is {task} and {task}?{prompt}")
        line["response"] |= {"model": model}
        return line

    return f"{name}={write(folder / f'{name}.jsonl', [made(task) for task in range(20)])}"


HINTS = "\n## Hints\nAdd both."


def _four(folder: Path, prompt: str = HINTS, **other: Any) -> list[str]:
    return [
        _run(folder, "loaf-on", "loaf", range(12), prompt, with_hints=True),
        _run(folder, "roll-on", "roll", range(16), prompt, with_hints=True),
        _run(folder, "loaf-off", "loaf", [*range(9), 15], with_hints=False, **other),
        _run(folder, "roll-off", "roll", range(15), with_hints=False, **other),
    ]


def test_a_setting_is_told_for_each_model_and_for_all(tmp_path: Path) -> None:
    answer = analysed(*_four(tmp_path)).investigation["one_setting"]
    (entry,) = answer["settings"]
    assert (entry["field"], entry["values"]) == ("setup.with_hints", ["True", "False"])
    assert [pair["runs"] for pair in entry["pairs"]] == [["loaf-on", "loaf-off"], ["roll-on", "roll-off"]]
    text = words(one_setting.tell(answer))
    assert (
        "the two runs of each of these pairs differ in “setup.with_hints” alone (True and False, with the lines of the "
        "prompt that bear its name):" in text
    ), text
    assert (
        "loaf: 12 of 20 pass at with_hints = True (loaf-on) and 10 of 20 at False (loaf-off), on the 20 tasks judged "
        "in both; the second passes less often in 3 (9, 10 and 11) and more often in 1 (15) (exact test p = 0.62)."
        in text
    ), text
    assert "the second passes less often in 1 (15) and more often in none (exact test p = 1)." in text, text
    (brief,) = one_setting.brief(answer)
    assert (
        brief.text == "Over the 2 pairs of runs of one model that differ in “with_hints”, 28 of 40 pass at True (loaf "
        "12, roll 16) and 25 of 40 at False (loaf 10, roll 15); 4 tasks pass less often at the second and 1 more often "
        "(exact test p = 0.38): chance may explain it."
    ), brief.text


def test_the_stamp_of_the_code_is_told_beside_the_setting(tmp_path: Path) -> None:
    runs = _four(tmp_path)
    runs[2:] = [
        _run(tmp_path, "loaf-off", "loaf", range(9), with_hints=False, revision="two"),
        _run(tmp_path, "roll-off", "roll", range(15), with_hints=False, revision="two"),
    ]
    runs[:2] = [
        _run(tmp_path, "loaf-on", "loaf", range(12), HINTS, with_hints=True, revision="one"),
        _run(tmp_path, "roll-on", "roll", range(16), HINTS, with_hints=True, revision="one"),
    ]
    answer = analysed(*runs).investigation["one_setting"]
    (brief,) = one_setting.brief(answer)
    assert "that differ in “with_hints” (and in the stamp of the code), 28 of 40 pass" in brief.text
    text = words(one_setting.tell(answer))
    assert "differ in “setup.with_hints” (True and False, with the lines" in text, "not in that alone"
    assert "and in the stamp of the code (setup.revision), of which it does not say what changed:" in text, text


def test_a_prompt_that_the_setting_does_not_name_is_a_second_difference(tmp_path: Path) -> None:
    assert "one_setting" not in analysed(*_four(tmp_path, "\nBe quick.")).investigation


def test_two_settings_are_not_one(tmp_path: Path) -> None:
    runs = _four(tmp_path, kind="fancy")
    assert "one_setting" not in analysed(*runs).investigation


def test_two_runs_are_compared_elsewhere(tmp_path: Path) -> None:
    assert "one_setting" not in analysed(*_four(tmp_path)[::2]).investigation


def test_repeats_are_not_pooled_as_if_they_were_pairs_of_their_own(tmp_path: Path) -> None:
    runs = [*_four(tmp_path)[::2], _run(tmp_path, "loaf-again", "loaf", range(8), with_hints=False)]
    (entry,) = analysed(*runs).investigation["one_setting"]["settings"]
    assert len(entry["pairs"]) == 2
    assert entry["pooled"] is None, "one run stands in both pairs"

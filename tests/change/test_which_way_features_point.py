"""What separates passes from failures is told with its direction, and not where the field is not what was judged."""

from __future__ import annotations

from pathlib import Path

from tests.gym_rows import Json, analysed, message, response, row, write
from tests.questions.made_cases import words

from blade.sections import sometimes_pass_deep_dives

TASKS, ATTEMPTS = 12, 4


def _rows(*, empty_passes: bool) -> list[Json]:
    """Half of the attempts pass; the answer field is empty in the passes, or in most failures."""
    rows = []
    for task in range(TASKS):
        for attempt in range(ATTEMPTS):
            passed = attempt < ATTEMPTS // 2
            empty = passed if empty_passes else not passed and task
            done = response(message("The end is reached. " * (1 + attempt % 2)))
            rows.append(
                row(task, attempt, float(passed), response=done, extracted_answer="" if empty else str(2 * task))
            )
    return rows


def test_a_feature_that_separates_says_which_way(tmp_path: Path) -> None:
    analysis = analysed(write(tmp_path / "run.jsonl", _rows(empty_passes=False)))
    told = words(sometimes_pass_deep_dives.build(analysis))
    assert "An answer was given (24 of 26 pass with it, 0 of 22 without)" in told
    (item,) = (one for one in analysis.contrasts[0]["features"] if one["feature"] == "an answer was given")
    assert (item["with"], item["without"]) == ([24, 26], [0, 22])


def test_an_answer_field_that_is_empty_in_passes_is_no_feature(tmp_path: Path) -> None:
    analysis = analysed(write(tmp_path / "run.jsonl", _rows(empty_passes=True)))
    features = {item["feature"] for contrast in analysis.contrasts for item in contrast["features"]}
    assert features.isdisjoint({"an answer was given", "rule parse_failed"})

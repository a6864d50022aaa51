"""Which tasks moved, in the words of the report: nothing is called more than chance that one attempt cannot show."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.gym_rows import analysed, row, write

from blade.document import Paragraph
from blade.model import Analysis
from blade.sections import recommendations, score_change


def pair(folder: Path, tasks: int, attempts: tuple[int, int], falls: int) -> Analysis:
    """Two runs: the first `falls` tasks pass in the base only, of the rest every other one passes in both."""
    runs = [
        [
            row(task, attempt, float(task % 2 if task >= falls else side == "base"), response_id=f"{side} {attempt}")
            for task in range(tasks)
            for attempt in range(many)
        ]
        for side, many in zip(("base", "candidate"), attempts, strict=True)
    ]
    return analysed(write(folder / "base.jsonl", runs[0]), write(folder / "candidate.jsonl", runs[1]))


def words(analysis: Analysis) -> str:
    told = (block.sentences for block in score_change.build(analysis) if isinstance(block, Paragraph))
    return " ".join(sentence.text for sentences in told for sentence in sentences)


def test_with_one_attempt_per_task_no_flip_is_beyond_noise(tmp_path: Path) -> None:
    analysis = pair(tmp_path, 120, (1, 1), falls=40)
    (change,) = analysis.changes
    assert len(change.flips) == 40
    assert {(flip["lfdr"], flip["beyond_noise"]) for flip in change.flips} == {(None, False)}
    assert change.flips_expected is not None
    assert (change.flips_expected["controlled"], change.flips_expected["changed_by_chance"]) == (False, None)
    assert (
        "40 tasks changed their pass rate. With one attempt per task, no single task can be separated from noise; "
        "how many chance alone would change is unknown without repeats."
    ) in words(analysis)
    assert "Chance alone would change" not in words(analysis)
    advice = " ".join(str(block) for block in recommendations.build(analysis))
    assert "beyond noise" not in advice


TOGETHER = (
    "(all tasks are judged together, and hardly any is expected to be chance; one at a time Fisher's exact test, "
    "p ≤ 0.05 and not corrected, shows 20)."
)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("tasks", "attempts", "told"),
    [
        (80, (4, 4), f"20 tasks changed their pass rate, 20 of them beyond noise {TOGETHER}"),
        (30, (4, 4), "20 tasks changed their pass rate; with fewer than 50 tasks none is tested by itself."),
        (80, (1, 4), "With one attempt per task in one of the runs, no single task can be separated from noise"),
    ],
)
def test_repeats_and_fifty_tasks_make_a_test(tmp_path: Path, tasks: int, attempts: tuple[int, int], told: str) -> None:
    assert told in words(pair(tmp_path, tasks, attempts, falls=20))

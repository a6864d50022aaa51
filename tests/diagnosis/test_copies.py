"""Runs that hold the rollouts of another are no second witness."""

from __future__ import annotations

from pathlib import Path

from tests.gym_rows import Json, analysed, message, response, row, write
from tests.questions.made_cases import words

from blade.model import Analysis
from blade.registry import plugins

TASKS = 24
WANTING = 9


def rows(model: str, rescored: bool = False) -> list[Json]:
    """A run that fails 9 tasks with one and the same complaint of its verifier."""
    return [
        row(
            task,
            reward=float(task >= WANTING or (rescored and task == 0)),
            response={**response(message(f"{model} thinks of task {task} so and so.")), "model": model},
            verifier={"error": f"Error in '{task}': a number is not callable."} if task < WANTING else {},
        )
        for task in range(TASKS)
    ]


def asked(folder: Path, *runs: list[Json]) -> Analysis:
    paths = [write(folder / f"run{place}" / "rollouts.jsonl", made) for place, made in enumerate(runs)]
    return analysed(*(path.parent for path in paths))


def recurring(analysis: Analysis) -> bool:
    return "The same tasks of every run fail with" in str(_words(analysis))


def _words(analysis: Analysis) -> list[str]:

    return [words(plugins("questions")[name].tell(answer)) for name, answer in analysis.investigation.items()]


def test_what_two_runs_share_is_told_of_both_only_where_both_were_made(tmp_path: Path) -> None:
    made = asked(tmp_path / "made", rows("m"), rows("n"))
    assert recurring(made)
    assert made.investigation["unsolved_tasks"]["none"] == WANTING
    copied = asked(tmp_path / "copied", rows("m"), rows("m"))
    assert not recurring(copied)
    assert "unsolved_tasks" not in copied.investigation
    assert copied.investigation["verifier_classes"]["runs"] == ["run0"]
    told = _words(copied)
    assert any("What this report says of run0 also applies to run1." in text for text in told)


def test_a_run_that_was_scored_again_keeps_its_counts_and_is_no_witness(tmp_path: Path) -> None:
    analysis = asked(tmp_path, rows("m"), rows("m", rescored=True))
    assert not recurring(analysis)
    assert "unsolved_tasks" not in analysis.investigation
    classes = analysis.investigation["verifier_classes"]
    assert (classes["runs"], classes["failed"]) == (["run0", "run1"], [9, 8])
    assert not any("holds for run1 as well" in text for text in _words(analysis))


def test_two_models_with_equal_right_answers_are_two_witnesses(tmp_path: Path) -> None:
    first, second = rows("m"), rows("n")
    for left, right in zip(first[WANTING:], second[WANTING:], strict=True):
        right["response"]["output"] = left["response"]["output"]
    assert recurring(asked(tmp_path, first, second))

"""The report cuts long names of runs to the parts that differ: sentences with those are checked alike."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from tests.gym_rows import message, read, response, row, write

from blade import api
from blade.checking import CitedCounts, ReportCheck, check_text

Checker = Callable[[str], ReportCheck]
PASSED = {"harbour__tall-model__0605": 9, "meadow__tall-model__0605": 4, "summit__tall-model__0606": 2}
TASKS = [f"lay-the-{noun}" for noun in "brick cable carpet course floor hedge pipe rope slab stone track wire".split()]


def _words(run: str, task: str) -> dict[str, Any]:
    return response(message(f"{run} {task}"), model="harbour" if run.startswith("harbour") else "tall-model")


@pytest.fixture(scope="module")
def check(tmp_path_factory: pytest.TempPathFactory) -> Checker:
    folder = tmp_path_factory.mktemp("long")
    runs = read(
        *(
            write(
                folder / f"{run}.jsonl",
                [
                    row(place, number, float(place < good), task_id=task, response=_words(run, task))
                    for place, task in enumerate(TASKS)
                    for number in range(2)
                ],
            )
            for run, good in PASSED.items()
        )
    )
    analysis = api.analyze_runs(runs)
    counts = {run: {"rollouts": float(good), "of_rollouts": 24.0} for run, good in PASSED.items()}
    cited = {"0a1b2c3d": CitedCounts(counts | {"": {"rollouts": 15.0, "passes": 4.0, "of_rollouts": 72.0}})}
    return partial(
        check_text,
        report=api.report(analysis),
        analysis=analysis,
        runs=runs,
        cited=cited,
        compared=partial(api.compare_pair, runs),
    )


def outcome(result: ReportCheck) -> str:
    return "wrong" if result.wrong else "listed" if result.unverifiable else "right"


@pytest.mark.parametrize(
    ("true", "false"),
    [
        ("harbour beats meadow overall.", "meadow beats harbour overall."),
        ("The best run is harbour.", "The best run is `summit`."),
        ("The gap between harbour and summit is real.", "The gap between harbour and summit is within noise."),
        ("harbour scores 75.0 % and summit 16.7 %.", "harbour scores 75.0 % and summit 33.3 %."),
        (
            "All 13 rollouts of harbour and meadow loop [q:0a1b2c3d].",
            "All 12 rollouts of harbour and meadow loop [q:0a1b2c3d].",
        ),
        ("9 rollouts of harbour loop [q:0a1b2c3d].", "4 rollouts of harbour loop [q:0a1b2c3d]."),
        ("harbour solves `lay-the-slab` every single time, meadow never does.", "meadow solves `lay-the-slab`."),
        (
            "`lay-the-pipe` passes 2 of 2 by every run except meadow (0/2) and summit (0/2).",
            "`lay-the-carpet` passes 2 of 2 by every run except harbour.",
        ),
        ("The model of harbour is harbour.", "The model of meadow is harbour."),
    ],
)
def test_a_true_sentence_is_right_and_a_false_one_wrong(check: Checker, true: str, false: str) -> None:
    assert outcome(check(true)) == "right"
    assert outcome(check(false)) == "wrong"


def test_a_superlative_among_some_runs_is_listed(check: Checker) -> None:
    assert outcome(check("summit has the highest score of the two hilly runs.")) == "listed"

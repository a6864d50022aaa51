"""Parts of the tasks where a run falls behind, with what its tools print there alone."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import numpy as np
import polars as pl
import pytest
from tests.gym_rows import Json, analysed, row, write
from tests.questions.made_cases import called, case, words

from blade.counting.run import Run
from blade.diagnosis.cases import RunCases
from blade.extract.phrases import ENVIRONMENT
from blade.questions import weak_parts

BROKEN = "sh: line 3: shop: program is not installed"


def rollout(family: str, number: int, *, passed: bool, output: str) -> Json:
    items = called("run", {"line": f"count {family} {number}"}, output)
    name = f"{family}_{number}"
    return row(
        hash_of(family) + number,
        reward=float(passed),
        task_id=name,
        response={"id": "r", "model": "m", "output": items},
        responses_create_params={"input": [{"role": "user", "content": f"Count {name}."}]},
        expected_answer=None,
        extracted_answer=None,
    )


def hash_of(family: str) -> int:
    return {"red": 0, "blue": 100}[family]


def test_a_part_that_one_run_loses_is_told_with_what_is_printed_there_alone(tmp_path: Path) -> None:
    rows = {
        "good": [
            rollout(family, n, passed=n % 4 > 0, output=f"There are {n} things")
            for family in ("red", "blue")
            for n in range(20)
        ]
    }
    rows["bad"] = [
        rollout(family, n, passed=family == "blue" and n % 4 > 0, output=BROKEN if family == "red" else f"Things: {n}")
        for family in ("red", "blue")
        for n in range(20)
    ]
    found = analysed(*(write(tmp_path / f"{name}.jsonl", lines) for name, lines in rows.items()))
    answer = found.investigation["weak_parts"]
    told = words(weak_parts.tell(answer))
    assert "bad passes 0 of 20 (0.0%) where the task family is red (red_0, red_1, " in told
    assert "the other runs 15 of 20 (75.0%) at the same tasks; on its other tasks it passes 15 of 20 (75.0%)" in told
    (advice,) = weak_parts.advise(answer)
    assert advice.change == (
        "Find out why bad alone meets this so often where the task family is red: by what it does there, or by its "
        "prompt, harness or environment"
    )
    assert "in 20 of 20 rollouts, 0 of which pass; the other runs pass 75.0% at the same tasks" in advice.because.text
    assert (advice.rollouts, advice.sure) == (20, 0.75)
    assert ", they 15 of 20 (75.0%; exact test p = " in told
    (part,) = answer["parts"]
    assert part["text"]["words"] in BROKEN
    assert "in 20 of 20, none of which passes, and in 0 of its 20 others. At the same tasks: good 0 of 20." in told


@pytest.fixture
def halves(monkeypatch: pytest.MonkeyPatch) -> Callable[[int, float], list[RunCases]]:
    """Two runs of 60 tasks in two halves; the second fails more of the first half by so much."""
    monkeypatch.setattr(
        weak_parts, "task_levels", lambda run: {one.key: {"half": str(int(one.key) // 30)} for one in run.cases}
    )

    def made(seed: int, worse: float) -> list[RunCases]:
        chance = random.Random(seed)
        runs = []
        for name in ("one", "two"):
            cases = []
            for task in range(60):
                rate = 0.6 - (worse if name == "two" and task < 30 else 0.0)
                one = case(task, passed=chance.random() < rate)
                one.run = name
                cases.append(one)
            marks = np.array([5], np.uint32).tobytes()
            frame = pl.DataFrame({ENVIRONMENT: [marks] * 60, "task": [one.key for one in cases]})
            runs.append(RunCases(cast("Run", SimpleNamespace(name=name, graded=frame)), tuple(cases)))
        return runs

    return made


def test_a_run_that_is_worse_everywhere_has_no_weak_part_and_chance_makes_none(
    halves: Callable[[int, float], list[RunCases]],
) -> None:
    assert weak_parts.ask(halves(1, 0.6)) is not None
    claims = sum(weak_parts.ask(halves(seed, 0.0)) is not None for seed in range(60))
    assert claims <= 3


def test_a_run_that_fails_nearly_everything_has_no_weak_part_where_the_others_are_strong(
    halves: Callable[[int, float], list[RunCases]],
) -> None:
    """3 of 30 against 24 of 30 is a larger gap than 1 of 30 against 8 of 30, but the odds are no worse there."""
    strong, weak = halves(1, 0.0)
    passes = {"strong": {0: 24, 1: 8}, "weak": {0: 3, 1: 1}}
    for run, name in ((strong, "strong"), (weak, "weak")):
        for place, rollout_case in enumerate(run.cases):
            rollout_case.passed = place % 30 < passes[name][place // 30]
    assert weak_parts.ask([strong, weak]) is None
    for place, rollout_case in enumerate(weak.cases):
        rollout_case.passed = place >= 30 and place % 30 < 8
    answer = weak_parts.ask([strong, weak])
    assert answer is not None
    assert [(part["run"], part["level"], part["inside_passes"]) for part in answer["parts"]] == [("two", "0", 0)]


def test_another_run_that_falls_behind_there_too_is_named_among_the_others(tmp_path: Path) -> None:
    def rows(name: str, *, weak: bool) -> list[Json]:
        return [
            rollout(family, n, passed=n % 4 > 0 and not (weak and family == "red"), output=f"{name} counts {n}")
            for family in ("red", "blue")
            for n in range(20)
        ]

    weakness = {"first": True, "second": True, "third": False, "fourth": False, "fifth": False}
    paths = [write(tmp_path / f"{name}.jsonl", rows(name, weak=weak)) for name, weak in weakness.items()]
    told = words(weak_parts.tell(analysed(*paths).investigation["weak_parts"]))
    assert "the other runs 45 of 80 (56.2%, of these second only 0 of 20) at the same tasks" in told
    assert "the other runs 45 of 80 (56.2%, of these first only 0 of 20) at the same tasks" in told


def test_what_others_print_in_the_middle_of_long_outputs_is_not_the_runs_alone(tmp_path: Path) -> None:
    """Of long outputs the ends alone are kept."""
    long = "\n".join(["one more thing"] * 40)
    rows = {
        name: [
            rollout(
                family,
                n,
                passed=n % 4 > 0 and (name == "good" or family == "blue"),
                output=(f"{long}\n{BROKEN}\n{long}" if name == "good" else BROKEN)
                if family == "red"
                else f"Things: {n}",
            )
            for family in ("red", "blue")
            for n in range(20)
        ]
        for name in ("good", "bad")
    }
    answer = analysed(*(write(tmp_path / f"{name}.jsonl", lines) for name, lines in rows.items())).investigation
    (part,) = answer["weak_parts"]["parts"]
    assert (part["run"], part["text"]) == ("bad", None)

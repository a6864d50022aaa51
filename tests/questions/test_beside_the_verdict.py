"""Sub-checks that are recorded and do not decide the verdict."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.gym_rows import Json, analysed, row, write
from tests.questions.made_cases import words

from blade.questions import beside_the_verdict


def _row(task: int, *, passed: bool, **verifier: Any) -> Json:
    return row(task, reward=float(passed), expected_answer=None, extracted_answer=None, verifier=verifier)


def _answer(folder: Path, rows: list[Json]) -> Any:
    return analysed(write(folder / "one.jsonl", rows)).investigation.get("beside_the_verdict")


def test_what_the_source_leaves_out_of_the_reward(tmp_path: Path) -> None:
    shares = [(True, 1.0)] * 4 + [(True, 0.5)] * 3 + [(False, 1.0)] * 2 + [(False, 0.0)] * 3
    rows = [
        _row(task, passed=passed, not_in_the_reward={"steps": share}) for task, (passed, share) in enumerate(shares)
    ]
    assert words(beside_the_verdict.tell(_answer(tmp_path, rows))) == (
        "“steps” does not decide the verdict: it is met in full in 2 of 5 judged failures (one: 7 and 8), and not in 3 "
        "of 7 passes."
    )


def _checked(task: int, *, passed: bool, met: int) -> Json:
    results = {f"step_{place}": "passed" if place < met else "failed" for place in range(3)}
    return _row(task, passed=passed, step_results=results)


def test_named_checks_that_go_either_way(tmp_path: Path) -> None:
    outcomes = [(True, 3)] * 3 + [(True, 1)] * 4 + [(False, 3)] + [(False, 0)] * 4
    rows = [_checked(task, passed=passed, met=met) for task, (passed, met) in enumerate(outcomes)]
    (group,) = _answer(tmp_path, rows)["groups"]
    assert (group["met"], group["failures"], group["missed"], group["passes"]) == (1, 5, 4, 7)


def test_a_pass_for_a_share_of_the_checks_is_decided_by_them(tmp_path: Path) -> None:
    outcomes = [(True, 3)] * 3 + [(True, 2)] * 4 + [(False, 1)] * 5
    assert (
        _answer(tmp_path, [_checked(task, passed=passed, met=met) for task, (passed, met) in enumerate(outcomes)])
        is None
    )


def test_checks_that_agree_with_the_verdict_are_not_told(tmp_path: Path) -> None:
    rows = [_checked(task, passed=task < 6, met=3 if task < 6 else task % 3) for task in range(12)]
    assert _answer(tmp_path, rows) is None

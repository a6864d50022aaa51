"""Verdicts on the criteria of a rubric, some of which take points: to meet such a one is to fail it."""

from __future__ import annotations

from typing import Any

import pytest

from blade.extract.checks import checks_of

RUBRIC = [{"cid": "jar-1", "text": "Names the jar", "pts": 5}, {"cid": "jar-2", "text": "Breaks the lid", "pts": -3}]


def results(row: dict[str, Any]) -> dict[str, bool]:
    (checks,) = checks_of(row)
    return {check.name: check.passed for check in checks.checks}


@pytest.mark.parametrize(("broken", "kept"), [(True, False), (False, True)])
def test_a_criterion_with_negative_points_is_kept_where_it_is_not_met(broken: bool, kept: bool) -> None:
    verdicts = [{"cid": "jar-1", "met": True, "why": ""}, {"cid": "jar-2", "met": broken, "why": ""}]
    assert results({"rubric": RUBRIC, "grading": {"verdicts": verdicts}}) == {"jar-1": True, "jar-2": kept}


def test_points_beside_the_verdict_tell_as_well() -> None:
    rubric = [
        {"criterion": "Names the jar", "points": 5, "criteria_met": True},
        {"criterion": "Breaks the lid", "points": -3, "criteria_met": True},
        {"criterion": "Drops the jar", "points": -8, "criteria_met": False},
    ]
    assert results({"rubric": rubric}) == {"Names the jar": True, "Breaks the lid": False, "Drops the jar": True}


def test_without_points_a_verdict_is_taken_at_its_word() -> None:
    verdicts = [{"cid": "jar-1", "met": True}, {"cid": "jar-2", "met": False}]
    assert results({"grading": {"verdicts": verdicts}}) == {"jar-1": True, "jar-2": False}

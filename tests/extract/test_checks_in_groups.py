"""Records of words below a group of checks are checks, whatever they are called."""

from __future__ import annotations

from typing import Any

import pytest

from blade.extract.checks import checks_of

SHOWN = {"lid": "pass", "shelf": "pass"}
HIDDEN = {"date": "fail", "label": "pass"}
Json = dict[str, Any]


def sets_of(row: Json) -> dict[str, dict[str, bool]]:
    """Field → the state of each check there."""
    return {checks.field: {check.name: check.passed for check in checks.checks} for checks in checks_of(row)}


@pytest.mark.parametrize("group", ["checks", "hidden_tests", "verifier.results"])
def test_each_record_is_a_set_of_its_own(group: str) -> None:
    *holders, name = group.split(".")
    row: Json = {name: {"shown": SHOWN, "hidden": HIDDEN}}
    for holder in holders:
        row = {holder: row}
    assert sets_of(row) == {
        f"{group}.shown": {"lid": True, "shelf": True},
        f"{group}.hidden": {"date": False, "label": True},
    }


def test_each_check_says_where_it_stands_and_how_many_pass() -> None:
    (checks,) = checks_of({"checks": {"hidden": HIDDEN}})
    assert (checks.passed, checks.total, checks.named, checks.paired) == (1, 2, True, False)
    assert [check.field for check in checks.checks] == ["checks.hidden.date", "checks.hidden.label"]


@pytest.mark.parametrize(
    "row",
    [
        {"notes": {"shown": SHOWN, "hidden": HIDDEN}},  # no group of checks
        {"checks_were": {"hidden": HIDDEN}},  # the last word of the name tells
        {"hidden": HIDDEN},
        {"checks": {"part": {"hidden": HIDDEN}}},  # the group stands one level further up
        {"checks": {"hidden": {"date": "fail"}}},  # one word
        {"checks": {"hidden": {"date": "fail", "label": "late"}}},  # a word that is no state
        {"checks": {"hidden": {"date": "fail", "label": None}}},
        {"checks": {"hidden": {"date": False, "label": True}}},  # flags
        {"checks": {"hidden": {"date": "fail", "points": 1}}},
        {"checks": {"hidden": {}}},
    ],
)
def test_any_other_record_holds_none(row: Json) -> None:
    assert sets_of(row) == {}


def test_a_record_that_is_named_for_checks_needs_no_group() -> None:
    assert sets_of({"notes": {"tests": {"date": False, "label": "pass"}}}) == {
        "notes.tests": {"date": False, "label": True}
    }

"""Lists of checks: what an entry is called and whether it passed may stand one level deeper, or in a list beside."""

from __future__ import annotations

from typing import Any

import pytest

from blade.extract.checks import checks_of, joined, states_results


def read(verifier: dict[str, Any]) -> list[tuple[str, bool]]:
    (found,) = checks_of({"verifier": verifier})
    return [(check.name, check.passed) for check in found.checks]


def test_one_entry_is_no_set() -> None:
    entry = {"criterion": {"title": "names the tide"}, "verdict": {"met": True}}
    assert not list(checks_of({"verifier": {"rubric": [entry]}}))


@pytest.mark.parametrize(
    "entries",
    [
        pytest.param(
            [
                {"criterion": {"title": "names the tide", "weight": 5}, "verdict": {"met": True, "why": "it does"}},
                {"criterion": {"title": "gives the hour", "weight": 2}, "verdict": {"met": False, "why": "none"}},
            ],
            id="one level deeper",
        ),
        pytest.param(
            [
                {"action": {"name": "names the tide", "arguments": {}}, "action_match": True, "action_reward": 1.0},
                {"action": {"name": "gives the hour", "arguments": {}}, "action_match": False, "action_reward": 0.0},
            ],
            id="a flag by its last word",
        ),
        pytest.param(
            [
                {"title": "names the tide", "points": 5, "max_points": 5},
                {"title": "gives the hour", "points": 0.5, "max_points": 2},
            ],
            id="points of all points",
        ),
    ],
)
def test_entries_are_read_with_their_names(entries: list[dict[str, Any]]) -> None:
    assert read({"checks": entries}) == [("names the tide", True), ("gives the hour", False)]


def test_names_stand_in_a_list_of_entries_beside() -> None:
    verifier = {
        "rubric_items": [{"criterion": "names the tide", "points": 5}, {"criterion": "gives the hour", "points": 2}],
        "grade_list": [{"explanation": "it does", "criteria_met": True}, {"explanation": "no", "criteria_met": False}],
    }
    assert read(verifier) == [("names the tide", True), ("gives the hour", False)]


def test_points_without_their_maximum_are_no_verdict() -> None:
    assert not list(checks_of({"checks": [{"title": "a", "points": 3}, {"title": "b", "points": 2}]}))


def test_sets_of_what_passes_and_fails_side_by_side_are_one_verdict() -> None:
    status = {
        "due": {"success": ["low water"], "failure": ["high water"]},
        "kept": {"success": ["spring", "neap"], "failure": []},
    }
    (one,) = joined(list(checks_of({"tests_status": status})))
    assert (one.field, one.passed, one.total) == ("tests_status", 3, 4)
    assert [check.name for check in one.checks] == ["high water", "low water", "spring", "neap"]
    assert one.checks[0].field == "tests_status.due.failure.0"


def test_a_set_by_itself_and_other_lists_stay_as_they_are() -> None:
    alone = list(checks_of({"due": {"success": ["low"], "failure": ["high"]}, "checks": [True, False]}))
    assert joined(alone) == alone


def test_names_that_differ_at_their_end_stay_apart() -> None:
    names = [f"{'tests/of/the/harbour/' * 4}test_tides.py::test_tide[{place}]" for place in range(3)]
    (one,) = checks_of({"due": {"success": [], "failure": names}})
    assert len({check.name for check in one.checks}) == 3


@pytest.mark.parametrize(
    ("lines", "checks"),
    [
        (
            ("PASSED t.py::a", "FAILED t.py::b - assert 1", "1 failed, 1 passed"),
            [("t.py::b", False), ("t.py::a", True)],
        ),
        (("FAILED t.py::b - assert 1", "1 failed, 1 passed"), [("t.py::b", False)]),
        (("PASSED t.py::a", "FAILED t.py::b - assert 1", "1 failed, 2 passed"), [("t.py::b", False)]),
    ],
)
def test_passed_checks_of_a_log_count_where_it_names_all_of_them(
    lines: tuple[str, ...], checks: list[tuple[str, bool]]
) -> None:
    assert read({"test_output": "\n".join(lines)}) == checks


def test_entries_are_called_by_the_short_text_in_which_they_differ() -> None:
    probes = [{"probe": name, "ok": name != "roof", "msg": "dry"} for name in ("door", "roof", "cellar")]
    (checks,) = checks_of({"probe_results": probes})
    assert [(check.name, check.passed) for check in checks.checks] == [
        ("door", True),
        ("roof", False),
        ("cellar", True),
    ]
    alike = [{"kind": "script", "ok": ok} for ok in (True, False)]
    (checks,) = checks_of({"probe_results": alike})
    assert [check.name for check in checks.checks] == ["number 1", "number 2"]


def test_the_short_words_of_programming_contests_are_verdicts() -> None:
    cases = [{"case": number, "verdict": word} for number, word in enumerate(("OK", "WA", "TL", "RE", "MLE"))]
    (checks,) = checks_of({"cases": cases})
    assert [check.passed for check in checks.checks] == [True, False, False, False, False]
    assert next(iter(checks_of({"cases": [{"verdict": "WA"}, {"verdict": "TL"}]}))).passed == 0


def test_a_single_check_is_a_result_and_no_set() -> None:
    one = {"state_checks": [{"item": "door", "ok": False}]}
    assert states_results(one)
    assert not list(checks_of(one))
    assert not states_results({"state_checks": []})
    assert not states_results({"state_checks": [{"item": "door"}], "reward": 0.0})


def test_lists_of_checks_with_other_names_are_parts_of_one_verdict() -> None:
    readings = [{"id": "h1", "want": "9", "met": True}, {"id": "h2", "want": "7", "met": False}]
    note = [{"id": "N1", "met": True}, {"id": "N2", "met": True}, {"id": "N3", "met": False}]
    row = {"cellar": {"readings": readings}, "note_review": {"items": note}}
    (whole,) = joined(list(checks_of(row)))
    assert (whole.passed, whole.total) == (3, 5)
    assert [check.name for check in whole.checks if not check.passed] == ["h2", "N3"]
    row = {"cellar": {"readings": readings}, "second_look": {"items": readings}}
    assert [(checks.passed, checks.total) for checks in joined(list(checks_of(row)))] == [(1, 2), (1, 2)]


def test_entries_without_a_flag_of_a_check_are_no_checks() -> None:
    assert list(checks_of({"jars": [{"id": "a", "open": True}, {"id": "b", "open": False}]})) == []
    assert list(checks_of({"jars": [{"met": True}, {"met": False}]})) == []


def test_lists_of_checks_and_of_what_passes_and_fails_are_no_one_verdict() -> None:
    row = {
        "due": {"success": ["low water"], "failure": ["high water"]},
        "items": [{"id": "N1", "met": True}, {"id": "N2", "met": True}],
    }
    assert [(checks.passed, checks.total) for checks in joined(list(checks_of(row)))] == [(1, 2), (2, 2)]

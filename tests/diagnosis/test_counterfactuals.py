"""The table of what would be, checked by hand."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.diagnosis.made import a_run, attempt, moded, rules, saw

from blade.diagnosis.cases import RunCases
from blade.diagnosis.counterfactuals import counterfactuals


@pytest.fixture(autouse=True)
def _rules() -> Iterator[None]:
    with rules():
        yield


def table(*runs: RunCases, name: str = "a") -> dict[str, float]:
    rows = counterfactuals(runs, moded(*runs))
    return {row["mode"]: row["score"] for row in rows if row["run"] == name}


def test_each_line_is_what_a_pencil_gives() -> None:
    run = a_run(
        attempt(0, True, task="t"),
        attempt(1, False, saw("zz_no_retest"), task="t"),
        attempt(0, False, saw("zz_no_retest"), task="u"),
        attempt(1, False, saw("zz_made_up_id"), task="u"),
        attempt(0, False, task="v"),
        attempt(1, True, task="v"),
    )
    assert table(run) == pytest.approx(
        {
            "baseline": 1 / 3,  # 1/2, 0, 1/2
            "zz_no_retest": 2 / 3,  # 1, 1/2, 1/2
            "zz_made_up_id": 1 / 2,  # 1/2, 1/2, 1/2
            "all modes": 5 / 6,  # 1, 1, 1/2
            "oracle": 2 / 3,
        }
    )


def test_a_line_of_a_mode_is_its_ceiling_and_is_called_so() -> None:
    run = a_run(attempt(0, True), attempt(1, False, saw("zz_no_retest")), attempt(2, False))
    (mode,) = (mode for mode in moded(run) if mode.id == "zz_no_retest")
    (row,) = (row for row in counterfactuals([run], [mode]) if row["mode"] == mode.id)
    assert row["gain"] == pytest.approx(mode.recoverable["most"])
    assert row["gain"] == pytest.approx(1 / 3)
    assert row["note"].startswith("a ceiling: ")


def test_the_best_other_run_is_the_reference() -> None:
    bad, good = a_run(attempt(0, False)), a_run(attempt(0, True), name="b")
    rows = counterfactuals([bad, good], moded(bad, good))
    (reference,) = (row for row in rows if row["mode"] == "reference")
    assert (reference["run"], reference["reference"], reference["score"], reference["gain"]) == ("a", "b", 1.0, 1.0)


def test_a_run_of_other_tasks_is_no_reference() -> None:
    bad, good = a_run(attempt(0, False)), a_run(attempt(0, True, task="another"), name="b")
    assert "reference" not in table(bad, good)


def test_a_run_that_passes_everything_has_no_table() -> None:
    assert counterfactuals([a_run(attempt(0, True))], ()) == ()


def test_a_sign_that_stands_on_passes_alike_is_said_to_be_no_cause() -> None:
    cases = [attempt(i, i > 0, saw("zz_no_retest"), task=f"t{t}") for t in range(4) for i in range(4)]
    rows = counterfactuals([run := a_run(*cases)], moded(run))
    assert "no cause by itself" in next(row["note"] for row in rows if row["mode"] == "zz_no_retest")
    assert not [row for row in rows if row["mode"] == "all modes"]

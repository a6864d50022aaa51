"""Which of many findings an analysis keeps to show."""

from __future__ import annotations

from tests.diagnosis.made import a_run, attempt, rules, saw

from blade.diagnosis.findings_table import FEWEST_OF_MODE, MOST, examples


def test_a_rule_that_makes_many_modes_keeps_some_findings_of_each() -> None:
    """Those of the first mode fill the places of the rule; without a few of the others no example shows them."""
    with rules():
        cases = [attempt(0, False, saw("zz_cut_bracket"), task=f"t{number}") for number in range(MOST + 40)]
        for number, case in enumerate(cases):
            case.mode = "zz_cut_bracket_first" if number < MOST + 5 else "zz_cut_bracket_second"
        shown = [finding.task for finding in examples([a_run(*cases)])]
    assert shown == [f"t{number}" for number in (*range(MOST), *range(MOST + 5, MOST + 5 + FEWEST_OF_MODE))]

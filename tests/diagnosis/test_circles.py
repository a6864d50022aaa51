"""One rule tells who goes in circles, whether a detector names it or most of the later calls were made before."""

from __future__ import annotations

from tests.diagnosis.made_cases import case

from blade.diagnosis.circles import in_circles


def test_a_loop_by_a_rule_and_calls_that_come_round_both_count_and_other_signs_do_not() -> None:
    assert in_circles(case("jars", 0, 0.0, fired=("loops_to_the_end",)))
    assert in_circles(case("jars", 0, 0.0, observed_json='{"going_round": [3, 4]}'))
    assert not in_circles(case("jars", 0, 0.0, fired=("turn_limit",), observed_json='{"cut": 1}'))

"""24 rows in a row find no sandbox. 12 of them would have passed: 32 of 80 do."""

from __future__ import annotations

import re

from tests.whole_report.reading import GAIN, LOSS, Told
from tests.whole_report.scenarios import NO_SANDBOX

from blade.pages.colours import outcome_of


def test_the_first_lines_say_what_was_lost_how_far_whether_it_is_real_and_that_the_machine_did_it(outage: Told) -> None:
    lost, first, *_ = outage.bullets("Executive Summary")
    after = outage.bullet("Executive Summary", "`after` scores 40.0%")
    assert lost == (
        "Broken: `after` lost 24 of 80 rollouts; 56 ran and were judged. Its reported score of 40.0% counts the lost "
        "ones; over judged rollouts it is 56.7% as a mean over tasks, 57.1% over all 56. 24 lost rollouts show "
        "“response.error: sandbox unavailable: connection refused by host”."
    )
    assert first.startswith(
        "Difference: `after` scores 15.0 pp below `before`: a difference by lost rollouts, not shown among those "
        "judged. Lost rollouts count as 0 in that; over judged rollouts it is +1.7 pp, which chance may explain. "
    )
    assert "Significant causes: −16.5 pp" in first
    assert "from infrastructure" in first
    assert after.startswith("`after` scores 40.0% (95% interval 25.8% to 56.0%) over 80 graded rollouts of 20 tasks. ")
    assert "0 tasks always pass, 13 sometimes do, 7 never do." in after
    assert "24 rollouts are abnormal: 24 broken by infrastructure." in after
    # 8 tasks at 3 of 3, two at 2 of 3, then 1 of 2, 0 of 2, 1 of 2 and 2 of 2
    assert "Over judged rollouts only, the score (mean over 20 tasks) is 56.7%." in after
    assert outage.row("Aggregate Results", "Score, judged rollouts only") == ["55.0%", "56.7%"]


def test_the_ledger_names_the_outage_and_where_it_was(outage: Told) -> None:
    told = outage.section("Score Change")
    assert "`after` scores 15.0 pp below `before`, lost as 0." in told
    assert (
        "the difference is −15.0 pp (95% interval −22.0 pp to −8.0 pp): a difference by lost rollouts, not shown among "
        "those judged." in told
    )
    assert "Significant causes: infrastructure (−16.5 pp)." in told
    assert "although the mean did not" not in told
    row = outage.row("Score Change", "infrastructure")
    assert row[0] == "−16.5 pp"
    assert row[3:5] == ["yes", "24"]
    assert row[5] == f"rows 31 to 54 in order of time; response.error: {NO_SANDBOX}"
    assert outage.row("Score Change", "all parts")[0] == "−15.0 pp"
    assert outage.row("Score Change", "`11`")[:2] == ["2 of 4", "0 of 2"]
    assert outage.row("Score Change", "`13`")[:2] == ["2 of 4", "2 of 2"]


def test_broken_rows_are_counted_apart_and_quoted(outage: Told) -> None:
    assert outage.row("Denominator", "infrastructure") == ["0", "24"]
    assert outage.row("Denominator", "ok") == ["80", "56"]
    assert outage.row("Denominator", "after") == ["infrastructure", "24", "0", f"response.error: {NO_SANDBOX}"]
    assert outage.row("Denominator", "counted") == ["80", "80"]
    assert outage.row("Workflow Funnel", "first action") == ["80 (100.0%)", "80", "56 (70.0%)", "56"]
    assert outage.row("Workflow Funnel", "passed") == ["44 (55.0%)", "44", "32 (40.0%)", "32"]
    for bucket, many in (("always", "0"), ("sometimes", "13"), ("never", "7"), ("missing", "0")):
        assert outage.row("Task Outcome Buckets", bucket)[1] == many


def test_the_outage_is_a_finding_about_the_run_and_not_about_the_model(outage: Told) -> None:
    broken = "24 rollouts of after were broken by infrastructure between rows 31 and 54 in order of time"
    row = outage.row("Benchmark Health", "high")
    assert row == ["outage window", f"{broken} (100% there, 0% elsewhere).", "−16.5 pp"]
    assert outage.rows("Benchmark Health", "high") == 2
    void = outage.section("Benchmark Health")
    assert "24 rollouts of after were broken off by infrastructure. Most of them share the line" in void
    assert "The mean reward is 40.0% with the 24 void rollouts of this run, 57.1% without." in void
    told = outage.section("Recommendations")
    assert (
        "that infrastructure broke; without such rows its score is 56.7% as a mean over tasks, 57.1% over rollouts."
        in told
    )
    assert outage.row("Dominant Failure Modes", "wrong answer")[5] == "24"
    assert outage.row("Recommendations", "1")[:2] == [
        "Fix or retry the infrastructure, and run these rollouts again",
        "environment",
    ]
    assert outage.row("Recommendations", "1")[2:] == ["−16.5 pp", "+30.0 pp", "24", "20"]


def test_the_page_points_down_and_paints_the_loss_as_a_loss(outage: Told) -> None:
    answer = outage.answer
    assert answer["classes"] == "verdict-inconclusive way-down"
    assert answer["headline"] == "−15.0 pp"
    assert answer["verdict"] == "a difference by lost rollouts, not shown among those judged"
    assert answer["scores"].startswith("55.0% → 40.0%.")
    assert outage.check("infrastructure") == ("bad", "✕", "after: 24 of 80 rollouts broken by infrastructure.")
    assert outage.check("outage")[:2] == ("bad", "✕")
    assert outage.check("foreign")[0] == "well"
    assert outage.parts()[0] == ("way-down", "−16.5 pp", "infrastructure")
    assert [way for way, _, _ in outage.parts()] == ["way-down", "way-up pale"]
    assert outage.bars() == {"1. infrastructure: −16.5 pp": LOSS, "2. wrong answer: +1.5 pp": GAIN}


def test_the_page_shows_broken_attempts_as_broken(outage: Told) -> None:
    broken = ["pass", "pass", "broken", "pass"]
    assert outage.matrix("0") == ("down", ["pass"] * 4 + broken, ["4 of 4", "3 of 4"])
    assert outage.matrix("19") == ("same", ["fail"] * 4 + ["fail", "broken", "fail", "fail"], ["0 of 4", "0 of 4"])


def test_an_attempt_that_was_broken_is_drawn_as_neither_pass_nor_failure() -> None:
    assert outcome_of(False, "infrastructure", evaluable=False) == "broken"
    assert outcome_of(True, "ok") == "pass"
    assert outcome_of(False, "ok") == "fail"


def test_the_picture_of_the_flips_paints_losses_as_losses_and_leaves_broken_attempts_out(outage: Told) -> None:
    flips = outage.analysis.changes[0].flips
    assert [flip["task"] for flip in flips] == ["11", "13", "8", "9"]
    lines = re.findall(rf'stroke="({GAIN}|{LOSS})" stroke-width="3"', outage.pictures["flips"])
    assert (lines.count(LOSS), lines.count(GAIN)) == (1, 3)


def test_the_screen_names_the_cause(outage: Told) -> None:
    assert outage.line("after ") == "after 56.7% 36.0% to 75.3% 56 of 80 40.0%"
    told = " ".join(outage.screen.split())
    assert (
        "• Broken: after lost 24 of 80 rollouts; 56 ran and were judged. Its reported score of 40.0% counts the" in told
    )
    assert "• Difference: after scores 15.0 pp below before: a difference by lost rollouts, not shown" in told
    assert "−16.5 pp from infrastructure" in told

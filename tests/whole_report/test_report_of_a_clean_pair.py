"""Nothing is wrong with either run. Four tasks are lost and four others won: the score stays, the tasks do not."""

from __future__ import annotations

import pytest
from tests.whole_report.reading import GAIN, LOSS, Told

USUAL = (
    "scores 55.0% (95% interval 35.8% to 72.8%) over 80 graded rollouts of 20 tasks. "
    "8 tasks always pass, 6 sometimes do, 6 never do. "
)


def test_the_first_line_says_that_nothing_moved_and_that_this_proves_nothing(clean: Told) -> None:
    first, *_ = clean.bullets("Executive Summary")
    before, after = (clean.bullet("Executive Summary", f"`{run}` scores 55.0%") for run in ("before", "after"))
    assert first.startswith("Difference: `after` scores the same as `before` (0.0 pp apart): inconclusive")
    assert before.startswith(f"`before` {USUAL}")
    assert after.startswith(f"`after` {USUAL}")
    assert "no plain attempt" not in before + after
    assert "do not count" not in before + after


def test_offsetting_gains_and_losses_are_told(clean: Told) -> None:
    told = clean.section("Score Change")
    assert "`after` scores the same as `before` (0.0 pp apart)." in told
    assert "the difference is 0.0 pp (95% interval −30.4 pp to +30.4 pp): inconclusive." in told
    assert "Single tasks changed more than chance allows although the mean did not" in told
    assert "Named causes" not in told
    assert clean.row("Score Change", "all parts")[0] == "0.0 pp"
    for task in (0, 1, 2, 3):
        assert clean.row("Score Change", f"`{task}`")[:2] == ["4 of 4", "0 of 4"]
    for task in (14, 15, 16, 17):
        assert clean.row("Score Change", f"`{task}`")[:2] == ["0 of 4", "4 of 4"]
    assert clean.rows("Score Change", "`8`") == 0


@pytest.mark.parametrize(
    ("metric", "value"),
    [
        ("Score (mean over tasks)", "55.0%"),
        ("pass@1", "55.0%"),
        ("pass@2", "65.0%"),  # (8 + 6 × 5/6) / 20
        ("pass@3", "70.0%"),
        ("pass@4", "70.0%"),
        ("pass^2", "45.0%"),  # (8 + 6 × 1/6) / 20
        ("pass^3", "40.0%"),
        ("pass^4", "40.0%"),
        ("Tasks passed at least once", "70.0%"),
        ("Tasks passed every time", "40.0%"),
        ("Two attempts disagree", "20.0%"),  # 6 × 4/6 / 20
        ("Coverage of expected rollouts", "100.0%"),
    ],
)
def test_every_metric_is_what_was_planted(clean: Told, metric: str, value: str) -> None:
    assert clean.row("Aggregate Results", metric) == [value, value]


def test_no_rollout_is_lost_and_none_is_a_copy(clean: Told) -> None:
    for stage in ("expected", "started", "finished", "graded", "counted"):
        assert clean.row("Denominator", stage) == ["80", "80"]
    told = clean.section("Denominator")
    source = "the expected number comes from the materialized inputs"
    unfinished = "Each of these runs may be unfinished: there is no file of aggregates beside its rows."
    assert f"before and after: {source}. No rollout was lost. {unfinished}\n" in told
    assert "repeat another row" not in told
    assert clean.row("Denominator", "ok") == ["80", "80"]
    assert "Every row could be read." in clean.section("Artifact Inventory")


def test_tasks_fall_into_their_buckets_and_move_between_them(clean: Told) -> None:
    for bucket, many in (("always", "8"), ("sometimes", "6"), ("never", "6"), ("missing", "0")):
        assert clean.row("Task Outcome Buckets", bucket) == [many, many]
    told = clean.section("Cross-Model Comparison")
    assert "Of 20 tasks tried in both runs, 4 moved up a bucket from `before` to `after` and 4 down." in told
    assert clean.row("Cross-Model Comparison", "always") == ["4", "0", "4"]
    assert clean.row("Cross-Model Comparison", "sometimes") == ["0", "6", "0"]
    assert clean.row("Cross-Model Comparison", "never") == ["4", "0", "2"]
    assert clean.row("Slices", "even")[:3] == ["55.0%", "27.0% to 80.1%", "10"]
    assert clean.row("Slices", "odd")[3:] == ["55.0%", "27.0% to 80.1%", "10"]


def test_all_failures_are_wrong_answers(clean: Told) -> None:
    assert "Of the 36 failed rollouts of `before`: wrong answer (36)." in clean.bullets("Executive Summary")
    row = clean.row("Dominant Failure Modes", "wrong answer")
    assert row[1:5] == ["36", "100.0%", "12", "36"]
    assert row[5:9] == ["36", "100.0%", "12", "36"]
    assert row[9:] == ["0.0 pp", "+45.0 pp"]
    assert "answers '17'; '0' was expected" in clean.section("Dominant Failure Modes")
    assert clean.row("Workflow Funnel", "passed") == ["44 (55.0%)", "44", "44 (55.0%)", "44"]
    assert clean.row("Workflow Funnel", "submitted") == ["80 (100.0%)", "80", "80 (100.0%)", "80"]


def test_a_task_that_wavers_is_told_by_an_attempt_of_each_kind_and_their_places(clean: Told) -> None:
    told = clean.section("Sometimes-Pass Deep Dives")
    story = told[told.index("### 8: ") :].split("\n### ", 1)[0]
    assert "> What is 8 and 8?\n>\n> — the task, the prompt" in story
    assert "It passes in 2 of 4 attempts. Attempt 2 ends on a message." in story
    assert "answers '17'; '16' was expected" in story
    assert "> — failing attempt 2, item 0" in story
    assert "> — passing attempt 0, item 0" in story


def test_the_page_gives_the_same_answer_and_doubts_nothing(clean: Told) -> None:
    answer = clean.answer
    assert answer["classes"] == "verdict-inconclusive way-same"
    assert answer["headline"] == "0.0 pp"
    assert answer["verdict"] == "inconclusive (chance may explain it)"
    assert answer["scores"].startswith("55.0% → 55.0%.")
    for name, words in {
        "duplicates": "No duplicate rows.",
        "foreign": "No row looks like another model's.",
        "infrastructure": "No rollout is broken by infrastructure.",
        "verifier": "No rollout is without a verdict.",
        "outage": "No stretch of a run is broken more than chance allows.",
        "readable": "Every row could be read.",
        "coverage": "before: 80 of 80 expected (100.0%); after: 80 of 80 expected (100.0%).",
    }.items():
        assert clean.check(name) == ("well", "✓", words)
    assert clean.parts() == []
    assert clean.bars() == {}


def test_the_page_shows_which_tasks_went_which_way(clean: Told) -> None:
    assert clean.matrix("0") == ("down", ["pass"] * 4 + ["fail"] * 4, ["4 of 4", "0 of 4"])
    assert clean.matrix("14") == ("up", ["fail"] * 4 + ["pass"] * 4, ["0 of 4", "4 of 4"])
    assert clean.matrix("8") == ("same", ["pass", "pass", "fail", "fail"] * 2, ["2 of 4", "2 of 4"])
    flips = clean.pictures["flips"]
    assert flips.count(f'stroke="{GAIN}" stroke-width="3"') == 4
    assert flips.count(f'stroke="{LOSS}" stroke-width="3"') == 4


def test_the_screen_says_it_in_a_line_per_run(clean: Told) -> None:
    assert clean.line("before ") == "before 55.0% 35.8% to 72.8% 80 of 80 55.0%"
    assert clean.line("after ") == "after 55.0% 35.8% to 72.8% 80 of 80 55.0%"
    told = " ".join(clean.screen.split())
    assert "• Difference: after scores the same as before (0.0 pp apart): inconclusive (chance may explain it)." in told
    assert "flaw" not in clean.screen

"""12 rows of another model passed tasks 17 to 19, and 10 rows stand twice: none of this is the model's doing."""

from __future__ import annotations

from tests.whole_report.reading import GAIN, Told

COPIES = "10 rows repeat another row of the same task and attempt (first: task 0, attempt 0); copies are not counted"
FOREIGN = "12 rows were made by another model than the rest of the run: another-model (12); they are not counted"


def test_the_first_line_parts_what_was_found_from_what_is_so(foreign_and_copies: Told) -> None:
    first, *_ = foreign_and_copies.bullets("Executive Summary")
    after = foreign_and_copies.bullet("Executive Summary", "`after` scores 64.7%")
    # found: 8 + 2 × 3/5 + 4 × 1/2 + 3 foreign, of 20; own tasks: 8 + 6 × 1/2, of 17
    assert first.startswith("Difference: `after` scores 16.0 pp above `before`; on common tasks")
    assert "+14.9 pp from foreign rows" in first
    assert "+1.1 pp from duplicate rows" in first
    assert after.startswith("`after` scores 64.7% (95% interval 44.1% to 81.0%) over 68 graded rollouts of 17 tasks. ")
    assert "8 tasks always pass, 6 sometimes do, 3 never do." in after
    bounds = "with all of them failed or passed, the score would be 55.0% to 70.0%"
    assert f"12 of 80 expected rollouts do not count; {bounds}." in after


def test_the_inventory_names_both_flaws(foreign_and_copies: Told) -> None:
    told = foreign_and_copies.section("Artifact Inventory")
    assert f"| `after` | 81 | 10 | {COPIES} |" in told
    assert f"| `after` |  | 12 | {FOREIGN} |" in told
    assert told.count("| `after` |") == 2
    assert "Every row could be read" not in told


def test_the_denominator_counts_neither_foreign_rows_nor_copies(foreign_and_copies: Told) -> None:
    for stage in ("expected", "started", "finished", "graded"):
        assert foreign_and_copies.row("Denominator", stage) == ["80", "80"]
    assert foreign_and_copies.row("Denominator", "counted") == ["80", "68"]
    told = foreign_and_copies.section("Denominator")
    assert "Lost on the way: 12 made by another model." in told
    assert "If all lost rollouts failed, or all passed, the score would be 55.0% to 70.0%." in told
    assert told.count("No rollout was lost.") == 1
    for bucket, many in (("always", "8"), ("sometimes", "6"), ("never", "3"), ("missing", "3")):
        assert foreign_and_copies.row("Task Outcome Buckets", bucket)[1] == many
    assert foreign_and_copies.row("Cross-Model Comparison", "never") == ["0", "0", "3", "3"]
    assert foreign_and_copies.row("Workflow Funnel", "passed") == ["44 (55.0%)", "44", "44 (64.7%)", "44"]


def test_the_ledger_takes_the_books_apart_and_nothing_is_left_for_the_model(foreign_and_copies: Told) -> None:
    told = foreign_and_copies.section("Score Change")
    assert "`after` scores 16.0 pp above `before`." in told
    assert "On the 17 common tasks, with counting errors corrected, the difference is 0.0 pp" in told
    assert foreign_and_copies.row("Score Change", "rows of another model")[0] == "+14.9 pp"
    assert foreign_and_copies.row("Score Change", "rows of another model")[4] == "12"
    assert foreign_and_copies.row("Score Change", "rows counted twice")[0] == "+1.1 pp"
    assert foreign_and_copies.row("Score Change", "rows counted twice")[4] == "10"
    assert "task missing" not in told  # three tasks are gone because their rows are foreign: that is one cause
    assert foreign_and_copies.row("Score Change", "all parts")[0] == "+16.0 pp"
    assert "what the model did" not in told


def test_the_page_says_what_was_left_out(foreign_and_copies: Told) -> None:
    answer = foreign_and_copies.answer
    assert answer["headline"] == "+16.0 pp"
    assert "17 common tasks" in answer["rest"]
    assert answer["scores"].startswith("55.0% → 64.7%.")
    assert foreign_and_copies.check("duplicates") == ("look", "!", "10 rows repeat another and were left out.")
    assert foreign_and_copies.check("foreign") == ("look", "!", "12 rows of another model were left out.")
    assert foreign_and_copies.check("infrastructure")[0] == "well"
    assert [way for way, _, _ in foreign_and_copies.parts()] == ["way-up"] * 2
    assert set(foreign_and_copies.bars().values()) == {GAIN}
    assert foreign_and_copies.matrix("18")[2] == ["0 of 4", "missing"]


def test_the_screen_says_that_the_input_is_flawed(foreign_and_copies: Told) -> None:
    assert foreign_and_copies.line("after ") == "after 64.7% 44.1% to 81.0% 68 of 80 55.0%"
    assert "on common tasks, with counting errors corrected, 0.0 pp" in " ".join(foreign_and_copies.screen.split())
    assert foreign_and_copies.line("2 flaws") == (
        "2 flaws in the input (duplicate-rows and foreign-rows; 22 rows affected): see Artifact Inventory"
    )

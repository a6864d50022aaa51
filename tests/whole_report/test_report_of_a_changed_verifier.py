"""The same 80 outputs, scored twice; the second verifier passes the eight attempts at tasks 18 and 19 as well."""

from __future__ import annotations

from tests.whole_report.reading import GAIN, Told


def test_the_first_line_gives_the_points_to_the_verifier(changed_verifier: Told) -> None:
    """Before it stands only what puts the verdicts themselves in doubt."""
    doubt, first, *_ = changed_verifier.bullets("Executive Summary")
    assert doubt == (
        "In doubt: 8 passes of 2 tasks give an answer that differs from the key, of 96 that show both (e.g. task 18: "
        "'17', key '36')."
    )
    after = changed_verifier.bullet("Executive Summary", "`after` scores 65.0%")
    assert first == (
        "Difference: `after` scores 10.0 pp above `before`: a real difference. Significant causes: +10.0 pp from the "
        "verifier."
    )
    assert after.startswith("`after` scores 65.0% (95% interval 45.4% to 80.6%) over 80 graded rollouts of 20 tasks. ")
    assert "10 tasks always pass, 6 sometimes do, 4 never do." in after


def test_no_chance_is_involved_and_no_behaviour(changed_verifier: Told) -> None:
    told = changed_verifier.section("Score Change")
    assert "`after` scores 10.0 pp above `before`." in told
    assert "The runs share every output and differ in scores only: no chance is involved." in told
    assert "Significant causes: the verifier (change) (+10.0 pp)." in told
    row = changed_verifier.row("Score Change", "the verifier (change)")
    assert (row[0], row[2], row[3]) == ("+10.0 pp", "identified", "yes")
    assert changed_verifier.row("Score Change", "all parts")[0] == "+10.0 pp"
    assert "Every output of the candidate stands in the base: it is the same run, scored again." in told
    assert "Chance alone would change" not in told
    for task in (18, 19):
        assert changed_verifier.row("Score Change", f"`{task}`")[:2] == ["0 of 4", "4 of 4"]
    assert changed_verifier.rows("Score Change", "`17`") == 0


def test_the_rows_that_the_verifiers_score_apart_stand_behind_the_part(changed_verifier: Told) -> None:
    (change,) = changed_verifier.analysis.changes
    (part,) = change.parts
    assert (part.cause, part.sub, part.tasks) == ("verifier", "change", ("18", "19"))
    for run in ("before", "after"):
        assert sorted(line for file, line in part.rows if f"/{run}.jsonl" in file) == [19, 20, 39, 40, 59, 60, 79, 80]


def test_the_tables_count_the_points_once(changed_verifier: Told) -> None:
    assert changed_verifier.row("Aggregate Results", "pass@1") == ["55.0%", "65.0%"]
    assert changed_verifier.row("Aggregate Results", "pass@4") == ["70.0%", "80.0%"]
    assert changed_verifier.row("Aggregate Results", "Tasks passed every time") == ["40.0%", "50.0%"]
    for bucket, many in (("always", "10"), ("sometimes", "6"), ("never", "4"), ("missing", "0")):
        assert changed_verifier.row("Task Outcome Buckets", bucket)[1] == many
    told = changed_verifier.section("Cross-Model Comparison")
    assert "Of 20 tasks tried in both runs, 2 moved up a bucket from `before` to `after` and 0 down." in told
    assert changed_verifier.row("Slices", "even")[3] == "65.0%"
    assert changed_verifier.row("Workflow Funnel", "passed") == ["44 (55.0%)", "44", "52 (65.0%)", "52"]


def test_the_page_points_up_and_paints_the_gain_as_a_gain(changed_verifier: Told) -> None:
    answer = changed_verifier.answer
    assert answer["classes"] == "verdict-real way-up"
    assert answer["headline"] == "+10.0 pp"
    assert answer["verdict"] == "a real difference"
    assert answer["scores"].startswith("55.0% → 65.0%.")
    assert changed_verifier.parts() == [("way-up", "+10.0 pp", "the verifier (change)")]
    assert list(changed_verifier.bars().values()) == [GAIN]
    assert changed_verifier.matrix("18") == ("up", ["fail"] * 4 + ["pass"] * 4, ["0 of 4", "4 of 4"])
    assert changed_verifier.matrix("0")[0] == "same"


def test_the_screen_names_the_verifier(changed_verifier: Told) -> None:
    assert changed_verifier.line("after ") == "after 65.0% 45.4% to 80.6% 80 of 80 65.0%"
    told = " ".join(changed_verifier.screen.split())
    assert "• Difference: after scores 10.0 pp above before: a real difference" in told
    assert "Significant causes: +10.0 pp from the verifier" in told

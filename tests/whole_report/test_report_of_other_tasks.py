"""Two runs whose tasks bear the same names and are others: nothing may be compared task by task."""

from __future__ import annotations

from tests.whole_report.reading import Told


def test_nothing_is_compared_in_any_form(other_tasks: Told) -> None:
    (change,) = other_tasks.analysis.changes
    assert change.verdict == "not_comparable"
    assert change.common_tasks == 0
    told = other_tasks.section("Score Change")
    assert "The runs cannot be compared task by task" in told
    assert "common task" not in told
    assert other_tasks.answer["classes"].startswith("verdict-not_comparable")
    assert other_tasks.answer["verdict"] == "not comparable"
    assert other_tasks.answer["headline"] == "no difference"
    assert other_tasks.check("identity")[:2] == ("bad", "✕")
    assert other_tasks.parts() == []
    assert "the two cannot be compared task by task" in " ".join(other_tasks.screen.split())

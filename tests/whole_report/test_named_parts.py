"""A part of a change is named in `analysis.json` only where it is significant and tells a cause."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from tests.questions.made_cases import words
from tests.whole_report.reading import Told

from blade.renderers.json import change_data
from blade.sections import executive_summary, score_change


@pytest.mark.parametrize(
    ("significant", "blame", "named"),
    [(True, "model", True), (True, "unexplained", False), (False, "model", False), (True, "", True)],
)
def test_what_is_unexplained_is_never_named(outage: Told, significant: bool, blame: str, named: bool) -> None:
    (change,) = outage.analysis.changes
    part = replace(change.parts[0], named=significant, blame=blame)
    (kept,) = list[dict[str, Any]](change_data(replace(change, parts=(part,)))["parts"])
    assert (kept["significant"], kept["named"]) == (significant, named)


def test_a_part_whose_interval_holds_zero_is_not_called_significant(outage: Told) -> None:
    """It is named as the largest of what is significant in total, and the largest part of all is told beside it."""
    (change,) = outage.analysis.changes
    shape = replace(
        change.parts[0],
        cause="behaviour",
        sub="partial_credit",
        points=-0.03,
        interval=(-0.07, 0.01),
        named=True,
        blame="unexplained",
        where={"mode": "some checks passed, others failed"},
    )
    late = replace(
        shape, cause="truncation", sub=None, points=-0.11, named=False, interval=(-0.17, 0.02), blame="", where={}
    )
    changed = replace(change, parts=(shape, late), delta=-0.14, verdict="real")
    analysis = replace(outage.analysis, changes=(changed,))
    summary = words(executive_summary.build(analysis))
    assert "Significant, but the cause" not in summary
    assert (
        "The failures of rollouts that ran differ beyond chance only when taken together, and no rule says why; among "
        "them: “some checks passed, others failed” (−3.0 pp)." in summary
    ), summary
    assert (
        "The largest part is not shown to be beyond chance: outputs cut off or out of time, −11.0 pp (−17.0 pp to "
        "+2.0 pp)." in summary
    ), summary
    assert "| in total |" in words(score_change.build(analysis))
    clear = replace(changed, parts=(replace(shape, interval=(-0.07, -0.01)), replace(late, points=-0.01)))
    summary = words(executive_summary.build(replace(analysis, changes=(clear,))))
    assert (
        "The runs differ beyond chance in “some checks passed, others failed” (−3.0 pp), but no rule says why."
        in summary
    )
    assert "The largest part is not shown" not in summary

"""Unnamed limits: rollouts pile up at the largest value of a count or a time, and no field says that they were cut."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from blade.counting.audit import COUNTS
from blade.health import Context, Item, item
from blade.wording import count, percent

NAMED = 0.5
"""Where so many of the rows are said to be cut or timed out, the limit has a name."""
HIGH = 0.05
"""A limit that may cost so much of the score is no small matter."""


def check(context: Context) -> list[Item]:
    return [
        _item(run.name, limit)
        for run, measured in zip(context.runs, context.measured, strict=True)
        for limit in measured.analysis.audit.get("limits", ())
        if limit["named"] < NAMED * limit["rows"] and _costs(limit)
    ]


def _costs(limit: Mapping[str, Any]) -> bool:
    """Whether the rows at the limit pass at most half as often as the others."""
    cross_inside, cross_outside = limit["passed"] * limit["others"], limit["others_passed"] * limit["rows"]
    return bool(cross_outside > 0 and 2 * cross_inside <= cross_outside)


def _item(run: str, limit: Mapping[str, Any]) -> Item:
    rows, passed, other_rows, other_passes = (limit[key] for key in ("rows", "passed", "others", "others_passed"))
    rate_inside, rate_outside = passed / rows, other_passes / other_rows
    loss = (rate_outside - rate_inside) * rows / (rows + other_rows)
    measure = COUNTS.get(limit["count"], f"“{limit['count']}”")
    return item(
        "unnamed_limits",
        "medium" if loss >= HIGH else "low",
        f"{count(rows, 'rollout')} of {run} stop at {limit['value']:,.10g} {measure}, "
        f"the largest value there is: a limit that no field names. {passed} of them passed ({percent(rate_inside)}), "
        f"of the {other_rows} others {other_passes} ({percent(rate_outside)}).",
        run=run,
    )

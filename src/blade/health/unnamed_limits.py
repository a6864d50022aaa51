"""Unnamed limits: rollouts pile up at the largest value of a count or a time, and no field says that they were cut."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from blade.counting.audit import COUNTS
from blade.counting.row_settings import limit_settings
from blade.counting.run import Run
from blade.evidence import open_rows
from blade.extract.transcript import output_steps, prompt_steps
from blade.health import Context, Item, item
from blade.model import Source
from blade.wording import count, percent

NAMED = 0.5
"""Where so many of the rows are said to be cut or timed out, the limit has a name."""
LAST = 3
_OF = r"\b(?:(?:turn|step|call|action|message|command|iteration|round|token|second|minute)s?|budget|limit)\b"
_ENDS = r"\b(?:limit|max(?:imum)?|budget|reached|exceeded|exhausted|remaining|left|allowed|out of|used|no more|stop)"
HIGH = 0.05
"""A limit that may cost so much of the score is no small matter."""


def check(context: Context) -> list[Item]:
    return [
        _item(run, limit)
        for run, measured in zip(context.runs, context.measured, strict=True)
        for limit in measured.analysis.audit.get("limits", ())
        if limit["named"] < NAMED * limit["rows"] and _costs(limit)
    ]


def _costs(limit: Mapping[str, Any]) -> bool:
    """Whether the rows at the limit pass at most half as often as the others."""
    cross_inside, cross_outside = limit["passed"] * limit["others"], limit["others_passed"] * limit["rows"]
    return bool(cross_outside > 0 and 2 * cross_inside <= cross_outside)


def _item(run: Run, limit: Mapping[str, Any]) -> Item:
    rows, passed, other_rows, other_passes = (limit[key] for key in ("rows", "passed", "others", "others_passed"))
    rate_inside, rate_outside = passed / rows, other_passes / other_rows
    loss = (rate_outside - rate_inside) * rows / (rows + other_rows)
    measure = COUNTS.get(limit["count"], f"“{limit['count']}”")
    return item(
        "unnamed_limits",
        "medium" if loss >= HIGH else "low",
        f"{count(rows, 'rollout')} of {run.name} stop at {limit['value']:,.10g} {measure}, "
        f"the largest value there is: {_named_by(run, limit)}. {passed} of them passed ({percent(rate_inside)}), "
        f"of the {other_rows} others {other_passes} ({percent(rate_outside)}).",
        run=run.name,
    )


def _named_by(run: Run, limit: Mapping[str, Any]) -> str:
    """Who names the limit: a setting of the sampling, the prompt, what the agent is told at the end, or nothing."""
    value = float(limit["value"])
    if value in limit_settings(run.columns, run.facts.height, run.graded["sampling"].to_list()).values():
        return "a limit that the settings name"
    same = (places for entry, places in run.reached_limits if (entry.count, entry.value) == (limit["count"], value))
    rows = run.facts[sorted(next(same, ()))[:1]].select("file", "line", "offset", "length").rows()
    for _, row in open_rows([Source(run.raw.sources[file], *place) for file, *place in rows]):
        if any(_names(step.text, value) for step in prompt_steps(row.get("responses_create_params"))):
            return "a limit that its prompt names"
        if any(_tells(step.text, value) for step in output_steps(row.get("response"))[-LAST:]):
            return "a limit that its last messages name"
    return "a limit that no field names"


def _tells(text: str, value: float) -> bool:
    """Whether a message says that the value ends the work: that it is the twelfth step says nothing of a limit."""
    return _names(text, value) and re.search(_ENDS, text, re.IGNORECASE) is not None


def _names(text: str, value: float) -> bool:
    number = f"(?:{value:.10g}|{value:,.10g})"
    pattern = (
        rf"(?<![\w.,]){number}(?![\w]|[.,]\d)[^.\n]{{0,40}}{_OF}|{_OF}[^.\n]{{0,40}}(?<![\w.,]){number}(?![\w]|[.,]\d)"
    )
    return re.search(pattern, text, re.IGNORECASE) is not None

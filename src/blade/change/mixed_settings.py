"""The settings that changed together, in words: of prompts and tools what differs, where that is short."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from blade.change.config_diff import NOT_RECORDED
from blade.model import Change
from blade.wording import listed

MOST_TOOLS = 4
SHORT_LINE = 120


def mixed_settings(change: Change) -> str:
    """The settings whose effects cannot be separated: what changed, and what one run alone records."""
    one_sided = {item["field"] for item in change.passport if NOT_RECORDED in (item["base"], item["candidate"])}
    differences = {item["field"]: _in_words(item, change) for item in change.passport}
    changed_fields = listed(
        [field + differences.get(field, "") for field in change.confounded_with if field not in one_sided]
    )
    if not one_sided:
        return f"{changed_fields} changed together"
    return f"{changed_fields} changed, and the {listed(sorted(one_sided))} of one run is not recorded"


def _in_words(item: Mapping[str, Any], change: Change) -> str:
    """What differs, in brackets: tools that one run alone offers, or a single line of a prompt; else nothing."""
    diff = item.get("diff")
    if not diff:
        return ""
    sides = (
        (change.base, diff["removed"], diff["removed_lines"]),
        (change.candidate, diff["added"], diff["added_lines"]),
    )
    if item["field"] == "tools":
        others = {change.base: change.candidate, change.candidate: change.base}
        offered = [
            f"{listed(names)} in {run}, not in {others[run]}"
            for run, names, number in sides
            if number == len(names) > 0
        ]
        return f" ({listed(offered)})" if offered and sum(len(names) for _, names, _ in sides) <= MOST_TOOLS else ""
    short = all(number <= 1 and all(len(line) <= SHORT_LINE for line in lines) for _, lines, number in sides)
    quotes = [f"“{lines[0]}” in {run}" for run, lines, _ in sides if lines] if short else []
    return f" ({' and '.join(quotes)})" if quotes else ""

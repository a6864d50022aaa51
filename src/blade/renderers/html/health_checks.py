"""The health checks, each stated either way: what it found, that it found nothing, or why it could not look."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from blade.frozen import frozen
from blade.health import ELSEWHERE
from blade.model import Analysis
from blade.registry import plugins, summary
from blade.wording import count

UNTRIED = {"state": "not_checked", "why": "it was not run"}
STATES = {"high": "bad", "medium": "look", "low": "look"}
SEVERITIES = ("high", "medium", "low")
OPEN, MOST = 2, 12
"""Findings of one check whose cards are open, and those that have a card at all; the others fold and are counted."""


@frozen
class HealthCheckLine:
    """One check. `state` is well (nothing found), look, bad, or open where it could not look."""

    name: str
    words: str
    state: str
    found: str


@frozen
class FindingsOfCheck:
    """What one check found, the worst first: the findings that are open, those that fold, and how many are neither."""

    open: Sequence[Mapping[str, Any]]
    folded: Sequence[Mapping[str, Any]]
    left_out: int


def findings_of_checks(analysis: Analysis) -> list[FindingsOfCheck]:
    """The findings of each check, the worst check first: a check that fires on every other task hides no other."""
    by_check: dict[str, list[Mapping[str, Any]]] = {}
    for item in sorted(analysis.health, key=lambda item: SEVERITIES.index(item["severity"])):
        by_check.setdefault(item["check"], []).append(item)
    return [FindingsOfCheck(items[:OPEN], items[OPEN:MOST], max(len(items) - MOST, 0)) for items in by_check.values()]


def health_checks(analysis: Analysis) -> list[HealthCheckLine]:
    """Every check there is, those that found something first."""
    ended = {check["check"]: check for check in analysis.health_checks}
    lines = [
        _check_line(name, summary(module), ended.get(name, UNTRIED), analysis)
        for name, module in plugins("health").items()
    ]
    order = ("bad", "look", "open", "well")
    return sorted(lines, key=lambda line: order.index(line.state))


def _check_line(name: str, words: str, ended: Mapping[str, str], analysis: Analysis) -> HealthCheckLine:
    title, _, asks = words.partition(": ")
    items = [item for item in analysis.health if item["check"] == name]
    if items:
        worst = min((STATES.get(item["severity"], "look") for item in items), key=("bad", "look").index)
        return HealthCheckLine(title, asks, worst, count(len(items), "finding"))
    if ended["state"] == ELSEWHERE:
        return HealthCheckLine(title, asks, "look", f"The report tells of it elsewhere: {ended['why']}.")
    if ended["state"] != "clean":
        return HealthCheckLine(title, asks, "open", f"Not checked: {ended['why']}.")
    return HealthCheckLine(
        title, asks, "well", f"Nothing found ({ended['why']})." if ended["why"] else "Nothing found."
    )

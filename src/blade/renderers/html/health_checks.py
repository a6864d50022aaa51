"""The health checks, each stated either way: what it found, that it found nothing, or why it could not look."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from blade.model import Analysis
from blade.registry import plugins, summary
from blade.wording import count

UNTRIED = {"state": "not_checked", "why": "it was not run"}
STATES = {"high": "bad", "medium": "look", "low": "look"}


@dataclass(frozen=True, slots=True)
class Looked:
    """One check. `state` is well (nothing found), look, bad, or open where it could not look."""

    name: str
    words: str
    state: str
    found: str


def looked(analysis: Analysis) -> list[Looked]:
    """Every check there is, those that found something first."""
    ended = {check["check"]: check for check in analysis.health_checks}
    made = [
        _looked(name, summary(module), ended.get(name, UNTRIED), analysis) for name, module in plugins("health").items()
    ]
    order = ("bad", "look", "open", "well")
    return sorted(made, key=lambda one: order.index(one.state))


def _looked(name: str, words: str, ended: Mapping[str, str], analysis: Analysis) -> Looked:
    title, _, asks = words.partition(": ")
    items = [item for item in analysis.health if item["check"] == name]
    if items:
        worst = min((STATES.get(item["severity"], "look") for item in items), key=("bad", "look").index)
        return Looked(title, asks, worst, count(len(items), "finding"))
    if ended["state"] != "clean":
        return Looked(title, asks, "open", f"Not checked: {ended['why']}.")
    return Looked(title, asks, "well", f"Nothing found ({ended['why']})." if ended["why"] else "Nothing found.")

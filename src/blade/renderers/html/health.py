"""The health checks, each stated either way: what it looks for, and what it found or that it found nothing."""

from __future__ import annotations

from dataclasses import dataclass

from blade.model import Analysis
from blade.registry import plugins, summary
from blade.wording import count

STATES = {"high": "bad", "medium": "look", "low": "look"}


@dataclass(frozen=True, slots=True)
class Looked:
    """One check. `state` is well (nothing found), look, bad, or open where the runs are too few to look."""

    name: str
    words: str
    state: str
    found: str


def looked(analysis: Analysis) -> list[Looked]:
    """Every check there is, those that found something first."""
    known = plugins("health").items()
    made = [_looked(name, summary(module), getattr(module, "RUNS", 1), analysis) for name, module in known]
    order = ("bad", "look", "open", "well")
    return sorted(made, key=lambda one: order.index(one.state))


def _looked(name: str, words: str, needs: int, analysis: Analysis) -> Looked:
    title, _, asks = words.partition(": ")
    items = [item for item in analysis.health if item["check"] == name]
    if items:
        worst = min((STATES.get(item["severity"], "look") for item in items), key=("bad", "look").index)
        return Looked(title, asks, worst, count(len(items), "finding"))
    if len(analysis.runs) < needs:
        return Looked(title, asks, "open", f"Needs {count(needs, 'run')}.")
    return Looked(title, asks, "well", "Nothing found.")

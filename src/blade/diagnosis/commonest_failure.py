"""The failure that is shown first: the commonest mode, with one rollout that shows it in its own words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from blade.findings import Finding, Mode
from blade.model import NOT_EVALUABLE, Analysis, RunAnalysis

FEW_RUNS = 2
EXPLAINED = 2
"""A mode whose cause is known weighs so many times as much as one that is only a shape."""
COMMON = 0.05
"""A mode of a smaller share of the failures is not shown first."""
FEWEST_WORDS = 2
OF_THE_LOST = frozenset({"infrastructure", *(f"status_{status.value}" for status in NOT_EVALUABLE)})
"""Blames and modes of rollouts that did not run or were not judged."""


@dataclass(frozen=True, slots=True)
class CommonestFailure:
    """A mode, its rollouts among all failed ones of the runs, and the place of the finding that shows it.

    `lost` of the failed ones did not run or were not judged; 0 where the mode is one of theirs.
    """

    mode: Mode
    rollouts: int
    failed: int
    runs: Sequence[RunAnalysis]
    place: int
    finding: Finding
    lost: int = 0

    @property
    def is_judged(self) -> bool:
        """Whether a pass is declared in every run: elsewhere no rollout may be said to have failed."""
        return all(run.score_threshold is not None for run in self.runs)


def commonest_failure(analysis: Analysis) -> CommonestFailure | None:
    """The mode of most failures, of two runs in the last and of more in all; None where none can be quoted."""
    places = {finding.id: place for place, finding in enumerate(analysis.findings)}
    runs = analysis.runs[-1:] if len(analysis.runs) <= FEW_RUNS else analysis.runs
    best: tuple[int, int, Mode, int] | None = None
    failed = sum(mode.runs[run.name]["rollouts"] for mode in analysis.modes for run in runs)
    for mode in analysis.modes:
        rollouts = sum(mode.runs[run.name]["rollouts"] for run in runs)
        quotable = (places[name] for name in mode.findings if name in places and _quotable(analysis, places[name]))
        place = next(quotable, None)
        worth = rollouts * (EXPLAINED if mode.blame not in {None, "unexplained"} else 1)
        separates = mode.separation is None or mode.separation["separates"]
        if place is not None and rollouts > max(1, COMMON * failed) and separates and (best is None or worth > best[0]):
            best = worth, rollouts, mode, place
    if best is None:
        return None
    _, rollouts, mode, place = best
    lost = 0 if mode.blame in OF_THE_LOST or mode.id in OF_THE_LOST else sum(map(_lost, runs))
    return CommonestFailure(mode, rollouts, failed, runs, place, analysis.findings[place], lost)


def _lost(run: RunAnalysis) -> int:
    return int(run.metrics["rollouts"] - run.metrics["evaluable"]["rollouts"])


def _quotable(analysis: Analysis, place: int) -> bool:
    """Whether a finding shows words that say something by themselves."""
    evidence = analysis.findings[place].evidence
    return bool(evidence) and len(evidence[0].quote.split()) >= FEWEST_WORDS

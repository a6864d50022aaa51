"""The failure that is shown first: the commonest mode, with one rollout that shows it in its own words."""

from __future__ import annotations

from collections.abc import Sequence

from blade.diagnosis.named_values import told_value
from blade.findings import Finding, Mode
from blade.frozen import frozen
from blade.model import NOT_EVALUABLE, Analysis, RunAnalysis

FEW_RUNS = 2
EXPLAINED = 2
"""A mode whose cause is known weighs so many times as much as one that is only a shape."""
COMMON = 0.05
"""A mode of a smaller share of the failures is not shown first."""
FEWEST_WORDS = 2
OF_THE_LOST = frozenset({"infrastructure", *(f"status_{status.value}" for status in NOT_EVALUABLE)})
"""Blames and modes of rollouts that did not run or were not judged."""


@frozen
class CommonestFailure:
    """A mode, its rollouts among all failed ones of the runs, and the place of the finding that shows it.

    `lost` of the failed ones did not run or were not judged; 0 where the mode is one of theirs. `shapes` are modes
    of more rollouts, the most first, that only say how a rollout differs from what was expected.
    """

    mode: Mode
    rollouts: int
    failed: int
    runs: Sequence[RunAnalysis]
    place: int
    finding: Finding
    lost: int = 0
    shapes: tuple[tuple[Mode, int], ...] = ()

    @property
    def is_judged(self) -> bool:
        """Whether a pass is declared in every run: elsewhere no rollout may be said to have failed."""
        return all(run.score_threshold is not None for run in self.runs)


def commonest_failure(analysis: Analysis) -> CommonestFailure | None:
    """The mode of most failures, of two runs in the last and of more in all; None where no finding shows one.

    A finding in words of its own is shown before one that quotes a bare value, and a mode of judged failures before one
    of rollouts that were lost: these are told as what is broken.
    """
    places = {finding.id: place for place, finding in enumerate(analysis.findings)}
    runs = analysis.runs[-1:] if len(analysis.runs) <= FEW_RUNS else analysis.runs
    failed = sum(mode.runs[run.name]["rollouts"] for mode in analysis.modes for run in runs)
    candidates: list[tuple[int, int, Mode, int]] = []
    for mode in analysis.modes:
        rollouts = sum(mode.runs[run.name]["rollouts"] for run in runs)
        shown = _of_the_commonest(analysis, mode, [places[finding] for finding in mode.findings if finding in places])
        place = next((place for place in shown if _quotable(analysis, place)), shown[0] if shown else None)
        separates = mode.separation is None or mode.separation["separates"]
        if place is not None and rollouts > max(1, COMMON * failed) and separates:
            candidates.append((rollouts * (EXPLAINED if _explained(mode) else 1), rollouts, mode, place))
    of_judged = [candidate for candidate in candidates if not _is_of_the_lost(candidate[2])]
    candidates = of_judged or candidates
    if not candidates:
        return None
    _, rollouts, mode, place = max(candidates, key=lambda candidate: candidate[0])
    lost = 0 if _is_of_the_lost(mode) else sum(map(_lost, runs))
    larger = sorted(((size, shape.id, shape) for _, size, shape, _ in candidates if size > rollouts), reverse=True)
    shapes = tuple((shape, size) for size, _, shape in larger)
    return CommonestFailure(mode, rollouts, failed, runs, place, analysis.findings[place], lost, shapes)


def _of_the_commonest(analysis: Analysis, mode: Mode, places: Sequence[int]) -> Sequence[int]:
    """The findings that name what most rollouts of a mode name; all of them where nothing recurs."""
    told = told_value(mode, [run.name for run in analysis.runs])
    if told is None:
        return places
    return [place for place in places if analysis.findings[place].value == told[1].value] or places


def _is_of_the_lost(mode: Mode) -> bool:
    return mode.blame in OF_THE_LOST or mode.id in OF_THE_LOST


def _explained(mode: Mode) -> bool:
    return mode.blame not in {None, "unexplained"}


def _lost(run: RunAnalysis) -> int:
    return int(run.metrics["rollouts"] - run.metrics["evaluable"]["rollouts"])


def _quotable(analysis: Analysis, place: int) -> bool:
    """Whether a finding shows words that say something by themselves."""
    evidence = analysis.findings[place].evidence
    return bool(evidence) and len(evidence[0].quote.split()) >= FEWEST_WORDS

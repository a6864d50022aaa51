"""The verdict in one line for each comparison."""

from __future__ import annotations

from dataclasses import dataclass

from blade.change_words import points_span, same_runs, verdict_words
from blade.model import Analysis, Change
from blade.wording import count, difference, score

WORDS = {
    "real": "a real change",
    "noise": "within noise",
    "inconclusive": "not proven",
    "not_comparable": "not comparable",
}


@dataclass(frozen=True, slots=True)
class RunVerdict:
    """One candidate against the baseline, as the top of the page tells it."""

    base: str
    candidate: str
    base_score: str
    candidate_score: str
    delta: str
    interval: str
    kind: str
    words: str
    reason: str
    tasks: str
    way: str  # up, down, same


def verdict(analysis: Analysis) -> list[RunVerdict]:
    scale = analysis.runs[0].scale if analysis.runs else "unit"
    scores = {run.name: score(run.metrics["score"], run.scale) for run in analysis.runs}
    return [_verdict(change, scores, scale) for change in analysis.changes]


def _verdict(change: Change, scores: dict[str, str], scale: str) -> RunVerdict:
    delta = change.delta or 0.0
    return RunVerdict(
        change.base,
        change.candidate,
        scores[change.base],
        scores[change.candidate],
        difference(change.delta, scale),
        points_span(change.interval, scale) if change.interval and not same_runs(change) else "",
        change.verdict,
        verdict_words(change, WORDS),
        change.reason,
        count(change.common_tasks, "common task"),
        "up" if delta > 5e-4 else "down" if delta < -5e-4 else "same",
    )

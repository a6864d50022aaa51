"""The verdict in one line for each comparison."""

from __future__ import annotations

from dataclasses import replace

from blade.counting.lost_rollouts import mostly_lost
from blade.frozen import frozen
from blade.model import Analysis, Change
from blade.summary.change_words import VERDICTS, common_difference, points_span, same_runs, verdict_words, weight
from blade.summary.lost_words import ONLY_LOST, hangs_on_lost
from blade.summary.series_words import real_alone
from blade.wording import count, difference, score

ALONE = "real by itself, but chance may explain it among so many pairs of checkpoints"
ON_PAPER = "no fair comparison: one of them lost most of its rollouts"


@frozen
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
    """Every change, those that weigh most first; one of a run that was mostly lost is none, and comes last."""
    scale = analysis.runs[0].scale if analysis.runs else "unit"
    scores = {run.name: score(run.metrics["score"], run.scale) for run in analysis.runs}
    lost = {run.name for run in analysis.runs if mostly_lost(run)}
    ranked = sorted(analysis.changes, key=lambda change: (bool(lost & {change.base, change.candidate}), weight(change)))
    return [
        replace(made, kind="inconclusive", words=words) if (words := _instead(analysis, change)) else made
        for change in ranked
        for made in [_verdict(change, scores, scale, on_paper=bool(lost & {change.base, change.candidate}))]
    ]


def _instead(analysis: Analysis, change: Change) -> str:
    """What is said in place of the verdict where it would claim too much; empty where it stands."""
    if real_alone(analysis, change):
        return ALONE
    return ONLY_LOST if hangs_on_lost(analysis, change) is not None else ""


def _verdict(change: Change, scores: dict[str, str], scale: str, *, on_paper: bool) -> RunVerdict:
    delta = common_difference(change)
    return RunVerdict(
        change.base,
        change.candidate,
        scores[change.base],
        scores[change.candidate],
        "no difference" if change.verdict == "not_comparable" else difference(delta, scale),
        points_span(change.interval, scale) if change.interval and not same_runs(change) and not on_paper else "",
        "not_comparable" if on_paper else change.verdict,
        ON_PAPER if on_paper else verdict_words(change, VERDICTS),
        change.reason,
        count(change.common_tasks, "common task"),
        "up" if (delta or 0.0) > 5e-4 else "down" if (delta or 0.0) < -5e-4 else "same",
    )

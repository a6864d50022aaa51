"""What became of the rollouts that a run lost, and what a difference is without them, in words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from blade.document import Fact, Sentence, say
from blade.model import Analysis, Change, RunAnalysis
from blade.wording import CHANCE, SAME, amount, count, difference, fact, name, p_value

LOST = {
    "not_started": "never started",
    "no_trial": "never ran",
    "broken": "were broken off by infrastructure",
    "not_ended": "were ended by another party",
    "not_judged": "got no verdict",
}


def lost_parts(run: RunAnalysis) -> tuple[list[str], dict[str, Fact]]:
    """A phrase with a place for its count for each stage at which rollouts were lost, and these counts."""
    stages = {stage: words for stage, words in LOST.items() if run.audit[stage]}
    parts = [f"{{{stage}}} {_agreeing(words, run.audit[stage])}" for stage, words in stages.items()]
    return parts, {stage: amount(run.audit[stage], "runs", run.name, "audit", stage) for stage in stages}


def _agreeing(words: str, number: int) -> str:
    return words.replace("were ", "was ", 1) if number == 1 else words


def scored_over(analysis: Analysis, change: Change) -> str:
    """What the difference of two scores is over, as the end of a sentence; empty where it is over judged rollouts."""
    runs = _runs(analysis, change)
    scores = [run.metrics["evaluable"]["score"] for run in runs]
    if change.delta is None or change.verdict == "not_comparable" or None in scores:
        return ""
    if all(abs(run.metrics["score"] - score) < SAME for run, score in zip(runs, scores, strict=True)):
        return ""
    return "lost as 0" if _zero_filled(runs) else "over all rollouts with a score"


def _runs(analysis: Analysis, change: Change) -> list[RunAnalysis]:
    return [run for name in (change.base, change.candidate) for run in analysis.runs if run.name == name]


def _zero_filled(runs: Sequence[RunAnalysis]) -> bool:
    return all(run.metrics["score"] == run.metrics["evaluable"]["score_zero_fill"] for run in runs)


ONLY_LOST = "a difference by lost rollouts, not shown among those judged"
"""What a verdict is called that is real only while lost rollouts count as 0."""


def lost_as_zero(analysis: Analysis, change: Change) -> Iterator[Sentence]:
    """What a difference counts of lost rollouts, where the scores of what was judged differ by another number."""
    runs = _runs(analysis, change)
    scores, zeros = ([run.metrics["evaluable"][metric] for run in runs] for metric in ("score", "score_zero_fill"))
    if change.delta is None or None in scores or change.verdict == "not_comparable":
        return
    alone = scores[1] - scores[0]
    if _zero_filled(runs):
        if abs(alone - change.delta) >= SAME:
            judged_alone = difference(alone, runs[0].scale)
            chance = ", which chance may explain" if hangs_on_lost(analysis, change) is not None else ""
            yield say(
                "Lost rollouts count as 0 in that; over judged rollouts it is {alone}" + chance + ".",
                alone=judged_alone,
            )
    elif None not in zeros and scored_over(analysis, change):
        yield say(
            "The {whole} are over all rollouts with a score; over judged rollouts it is {alone}, with every lost one "
            "as 0 {zero}.",
            whole=difference(change.delta, runs[0].scale).lstrip("+−"),
            alone=difference(alone, runs[0].scale),
            zero=difference(zeros[1] - zeros[0], runs[0].scale),
        )


def like_for_like(analysis: Analysis, change: Change, apart: float = 0.0) -> Iterator[Sentence]:
    """What the runs pass of the tasks that were judged in both, where rollouts were lost outside the model.

    With `apart` only where that differs so much from the change of the scores.
    """
    pairs = ((analysis.investigation or {}).get("like_for_like") or {}).get("pairs", ())
    over = {"lost as 0": "That counts lost rollouts as 0: on", "": "On"}.get(
        scored_over(analysis, change), "That is over all rollouts with a score: on"
    )
    for place, pair in enumerate(pairs):
        if pair["runs"] == [change.base, change.candidate] and pair["tasks"] < change.common_tasks:
            at = ("investigation", "like_for_like", "pairs", place)
            base, candidate = (
                fact(f"{passes:,} of {rollouts:,}", passes, *at, "passes", side)
                for side, (passes, rollouts) in enumerate(zip(pair["passes"], pair["rollouts"], strict=True))
            )
            before, after = (part / whole for part, whole in zip(pair["passes"], pair["rollouts"], strict=True))
            if abs(after - before - (change.delta or 0.0)) < apart:
                continue
            yield say(
                (over if apart else "On") + " the {tasks} judged in both, {one} passes {base} and {other} {candidate}.",
                tasks=fact(count(pair["tasks"], "task"), pair["tasks"], *at, "tasks"),
                one=name(change.base), base=base, other=name(change.candidate), candidate=candidate,
            )  # fmt: skip


def hangs_on_lost(analysis: Analysis, change: Change) -> float | None:
    """What the runs differ by over judged rollouts, where a change is real only while lost rollouts count as 0.

    The interval of the change, moved by as much as the difference moves, then holds zero.
    """
    pairs = ((analysis.investigation or {}).get("like_for_like") or {}).get("pairs", ())
    pair = next((pair for pair in pairs if pair["runs"] == [change.base, change.candidate]), None)
    if change.verdict != "real" or change.interval is None or pair is None or not scored_over(analysis, change):
        return None
    before, after = (part / whole for part, whole in zip(pair["passes"], pair["rollouts"], strict=True))
    moved = after - before - (change.delta or 0.0)
    low, high = change.interval
    return after - before if low + moved <= 0 <= high + moved else None


def judged_in_both(analysis: Analysis, change: Change) -> Iterator[Sentence]:
    """What two runs pass of the tasks that were judged in both, and whether that is more than chance."""
    pairs = ((analysis.investigation or {}).get("like_for_like") or {}).get("pairs", ())
    for place, pair in enumerate(pairs):
        if pair["runs"] != [change.base, change.candidate]:
            continue
        at = ("investigation", "like_for_like", "pairs", place)
        base, candidate = (
            fact(f"{passes:,} of {rollouts:,}", passes, *at, "passes", side)
            for side, (passes, rollouts) in enumerate(zip(pair["passes"], pair["rollouts"], strict=True))
        )
        p = pair.get("p_corrected")
        chance = "" if p is None else f" (p {{p}}: {'within' if p > CHANCE else 'beyond'} chance)"
        yield say(
            "On the {tasks} judged in both, {one} passes {base} and {other} {candidate}; {one} is ahead in {first} and "
            "{other} in {second}" + chance + ".",
            tasks=fact(count(pair["tasks"], "task"), pair["tasks"], *at, "tasks"),
            one=name(change.base),
            base=base,
            other=name(change.candidate),
            candidate=candidate,
            first=fact(count(pair["first"], "task"), pair["first"], *at, "first"),
            second=amount(pair["second"], *at, "second"),
            p="" if p is None else p_value(pair["p"], *at, "p"),
        )

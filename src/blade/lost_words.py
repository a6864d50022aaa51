"""What became of the rollouts that a run lost, and what a difference is without them, in words."""

from __future__ import annotations

from collections.abc import Iterator

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


def lost_as_zero(analysis: Analysis, change: Change) -> Iterator[Sentence]:
    """That a difference counts lost rollouts as 0, where the scores of what was judged differ by another number."""
    runs = [run for name in (change.base, change.candidate) for run in analysis.runs if run.name == name]
    judged = [run.metrics["evaluable"]["score"] for run in runs]
    zero_filled = all(run.metrics["score"] == run.metrics["evaluable"]["score_zero_fill"] for run in runs)
    if change.delta is not None and None not in judged and zero_filled:
        before, after = judged
        if abs(after - before - change.delta) >= SAME:
            judged_alone = difference(after - before, runs[0].scale)
            yield say("Lost rollouts count as 0 in that; over judged rollouts it is {alone}.", alone=judged_alone)


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

"""What became of the rollouts that a run lost, in words."""

from __future__ import annotations

from blade.document import Fact
from blade.model import RunAnalysis
from blade.wording import amount

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

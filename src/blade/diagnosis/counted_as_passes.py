"""What the scores of runs would be if some failures, doubtful ones, counted as passes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from blade.diagnosis.cases import Case, RunCases
from blade.document import Sentence, say
from blade.wording import listed, percent


def run_counts(runs: Sequence[RunCases], doubtful: Sequence[Case]) -> list[dict[str, Any]]:
    """Per run how many failures are doubtful, and the judged rollouts and passes beside them."""
    of_run = Counter(case.run for case in doubtful)
    return [
        {
            "run": run.run.name,
            "rollouts": of_run[run.run.name],
            "judged": sum(1 for _ in run.judged()),
            "passes": sum(bool(case.passed) for case in run.judged()),
        }
        for run in runs
    ]


def by_run(counts: Sequence[Mapping[str, Any]]) -> str:
    """How many of each run, where there are any."""
    return listed([f"{run['run']} {run['rollouts']:,}" for run in counts if run["rollouts"]])


def counted_as_passes(counts: Sequence[Mapping[str, Any]]) -> Sentence:
    """The score of each run that has doubtful failures, as it is and with these counted as passes."""
    lines = [
        f"{run['run']} {percent(run['passes'] / run['judged'])} → "
        f"{percent((run['passes'] + run['rollouts']) / run['judged'])}"
        for run in counts
        if run["rollouts"]
    ]
    return say("Counted as passes: {runs} of judged rollouts.", runs=listed(lines))

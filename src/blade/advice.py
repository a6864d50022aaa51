"""What to do first over all runs: the advice that follows from the answers, ranked by rollouts and how sure it is."""

from __future__ import annotations

from collections.abc import Iterator

from blade.document import Advice, say
from blade.model import Analysis, Status
from blade.registry import plugins
from blade.wording import count, fact, listed

CERTAIN = 0.9
BROKEN = Status.INFRASTRUCTURE.value


def advised(analysis: Analysis) -> list[Advice]:
    """The advice of all questions that have some, that with the most to win first."""
    found = [*_rerun(analysis)]
    for name, question in sorted(plugins("questions").items()):
        if name in analysis.investigation and hasattr(question, "advise"):
            found += question.advise(analysis.investigation[name])
    return sorted(found, key=lambda item: (-item.worth, item.change))


def _rerun(analysis: Analysis) -> Iterator[Advice]:
    """Rollouts that were broken from outside, worth what the judged ones of their run pass."""
    struck = [(run, run.statuses[BROKEN]) for run in analysis.runs if run.statuses.get(BROKEN)]
    many = sum(lost for _, lost in struck)
    if not many:
        return
    rates = [(lost, run.metrics["evaluable"]["score"] or 0.0) for run, lost in struck]
    share = min(1.0, max(0.0, sum(lost * rate for lost, rate in rates) / many))
    runs = [fact(f"{run.name} {lost:,}", lost, "runs", run.name, "statuses", BROKEN) for run, lost in struck]
    yield Advice(
        "environment",
        "Repair or retry what broke from outside, run these rollouts again, and leave them out of the score until then",
        say(
            "Infrastructure broke {many}: " + listed([f"{{run{n}}}" for n in range(len(runs))]) + ".",
            many=count(many, "rollout"),
            **{f"run{n}": run for n, run in enumerate(runs)},
        ),
        many,
        CERTAIN * share,
    )

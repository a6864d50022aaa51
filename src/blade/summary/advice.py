"""What to do first over all runs: the advice that follows from the answers, ranked by rollouts and how sure it is."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from blade.diagnosis.remedies import START, UNFINISHED
from blade.document import Advice, Sentence, say
from blade.findings import Intervention
from blade.model import Analysis, RunAnalysis, Status
from blade.registry import plugins
from blade.wording import count, listed

CERTAIN = 0.9
MOSTLY = 0.5
BROKEN = Status.INFRASTRUCTURE.value
RETRY = "Fix or retry the infrastructure, run these rollouts again, and leave them out of the score until then"


def advised(analysis: Analysis) -> list[Advice]:
    """The advice of all questions that have some, that with the most to win first.

    What keeps most rollouts of a run from running goes before all else: until then its other failures say little. Then
    comes what puts the scores themselves in doubt: no failure is worth a repair before the verdict on it is right.
    """
    advice = [*_rerun(analysis)]
    opening = {START.change, RETRY} if any(map(_mostly_lost, analysis.runs)) else set()
    for name, question in sorted(plugins("questions").items()):
        if name in analysis.investigation and hasattr(question, "advise"):
            advice += question.advise(analysis.investigation[name])
    return sorted(
        _joined(advice),
        key=lambda item: (item.change not in opening, not item.before_scores, -item.worth, item.change),
    )


def _joined(advice: Sequence[Advice]) -> list[Advice]:
    """One step where several questions ask for the same, with all of their reasons."""
    steps: dict[str, Advice] = {}
    for item in advice:
        earlier = steps.get(item.change)
        if earlier is None:
            steps[item.change] = item
            continue
        steps[item.change] = replace(
            earlier,
            because=Sentence((*earlier.because.parts, " ", *item.because.parts)),
            rollouts=max(earlier.rollouts, item.rollouts),
            sure=max(earlier.sure, item.sure),
        )
    return list(steps.values())


def _mostly_lost(run: RunAnalysis) -> bool:
    return bool(run.statuses.get(BROKEN, 0) > MOSTLY * run.rollouts)


def _rerun(analysis: Analysis) -> Iterator[Advice]:
    """Rollouts that never started, were broken from outside or got no verdict: worth what their run's judged ones pass.

    Where no attempt at a task started, running it again as it is helps nothing, and it is told apart.
    """
    steps = (*analysis.interventions, *analysis.other_interventions)
    barred = {item.run: item for item in steps if item.change == START.change}
    unfinished = {item.run: item for item in steps if item.change == UNFINISHED.change}
    struck = {
        run.name: left
        for run in analysis.runs
        if (left := run.statuses.get(BROKEN, 0) - (barred[run.name].rollouts if run.name in barred else 0)) > 0
    }
    whole = [run.name for run in analysis.runs if run.name in struck and struck[run.name] == run.rollouts]
    groups = (
        (
            START.kind,
            START.change,
            {run: item.rollouts for run, item in barred.items()},
            "In {tasks} no attempt of a run starts its agent",
        ),
        (
            "environment",
            RETRY,
            struck,
            "Infrastructure broke {many}" + (" elsewhere" if barred else ""),
        ),
        (
            UNFINISHED.kind,
            UNFINISHED.change,
            {run: item.rollouts for run, item in unfinished.items()},
            "{many} got no verdict",
        ),
    )
    for kind, change, rollouts, words in groups:
        total = sum(rollouts.values())
        if not total:
            continue
        tasks = _distinct_tasks(barred.values())
        runs = sorted(rollouts.items(), key=lambda pair: (-pair[1], pair[0]))
        of_one_run = len(runs) == 1 and "{many}" in words
        yield Advice(
            kind,
            change,
            say(
                words.replace("{many}", "{many} of {run}") + ".{whole}" if of_one_run else words + ": {runs}.{whole}",
                run=runs[0][0],
                many=count(total, "rollout"),
                whole=f" No rollout of {listed(whole)} was spared: look at the error before another run."
                if whole and change == RETRY
                else "",
                tasks=tasks,
                runs=listed([f"{run} {rollouts_lost:,}" for run, rollouts_lost in runs]),
            ),
            total,
            CERTAIN * _passing(analysis, rollouts),
        )


def _distinct_tasks(items: Collection[Intervention]) -> str:
    """How many tasks there are over all runs, one that several runs share once."""
    tasks = {task for item in items for task in item.tasks}
    if all(len(item.tasks) == item.tasks_total for item in items):
        return count(len(tasks), "task")
    return f"at least {count(max(len(tasks), *(item.tasks_total for item in items)), 'task')}"


def _passing(analysis: Analysis, rollouts: Mapping[str, int]) -> float:
    """The share of these rollouts that would pass if they did as the judged ones of their run."""
    score_of = {run.name: run.metrics["evaluable"]["score"] or 0.0 for run in analysis.runs}
    expected = sum(rollouts_lost * score_of[run] for run, rollouts_lost in rollouts.items())
    return float(min(1.0, max(0.0, expected / sum(rollouts.values()))))

"""What to run or grade again: rollouts that were lost, not judged, left no trace or cannot be read."""

from __future__ import annotations

from collections.abc import Iterator

from blade.counting.denominator import UNREAD, UNTRACED
from blade.diagnosis.remedies import UNFINISHED
from blade.document import Fact, Sentence, say
from blade.model import Analysis, RunAnalysis
from blade.wording import count, fact, name, percent, score


def repair_advice(run: RunAnalysis, analysis: Analysis) -> Iterator[Sentence]:
    """What a run needs before anybody reads its score."""
    yield from _broken(run, analysis)
    yield from _missing(run)


def _broken(run: RunAnalysis, analysis: Analysis) -> Iterator[Sentence]:
    """Rows that say nothing about the model."""
    at = ("runs", run.name, "statuses")
    words = {
        "infrastructure": "Run again {many} of {run} that infrastructure broke",
        "verifier_error": "{many} of {run} got no verdict: " + _judged_again(run, analysis),
    }
    never = run.audit.get("never_attempted", ()) if run.audit else ()
    if never and run.audit["not_started"]:
        words["infrastructure"] += (
            f", once the agent can start: in {count(len(never), 'task')} it starts in no attempt, and a rerun alone "
            "changes nothing"
        )
    requests = {status: request for status, request in words.items() if run.statuses.get(status)}
    without, facts = _without(run)
    for status, request in requests.items():
        rollouts = run.statuses[status]
        yield say(
            request + (_alone(run, status) if len(requests) > 1 else "; " + without) + ".",
            many=fact(count(rollouts, "rollout"), rollouts, *at, status),
            run=name(run.name),
            **facts,
        )
    if len(requests) > 1:
        without = without.replace("its score", "the score of {run}").replace("there is", "{run} has")
        yield say(without.replace("without such", "Without all of these") + ".", run=name(run.name), **facts)


def _judged_again(run: RunAnalysis, analysis: Analysis) -> str:
    """How rows without a verdict come to one: from what they keep of the work, if they keep any."""
    steps = (*analysis.interventions, *analysis.other_interventions)
    unfinished = sum(item.rollouts for item in steps if item.run == run.name and item.change == UNFINISHED.change)
    if not unfinished:
        if run.statuses.get("verifier_error") == 1:
            return "grade what its row keeps, or run it again"
        return "grade those whose rows keep the work, and run the others again"
    if unfinished >= run.statuses["verifier_error"]:
        return "run them again, as the rows keep nothing that could be graded"
    return f"run {unfinished:,} of them again, as these rows keep nothing that could be graded, and check the others"


def _without(run: RunAnalysis) -> tuple[str, dict[str, Fact | str]]:
    """The score without rows that were lost or not judged, as a mean over tasks and over rollouts."""
    path, clean = ("runs", run.name, "metrics", "evaluable"), run.metrics["evaluable"]
    if clean["score"] is None:
        return "without such rows there is no score", {}
    facts: dict[str, Fact | str] = {"score": fact(score(clean["score"], run.scale), clean["score"], *path, "score")}
    if clean["micro"] is None or score(clean["micro"], run.scale) == score(clean["score"], run.scale):
        return "without such rows its score is {score}", facts
    facts["micro"] = fact(score(clean["micro"], run.scale), clean["micro"], *path, "micro")
    return "without such rows its score is {score} as a mean over tasks, {micro} over rollouts", facts


def _alone(run: RunAnalysis, status: str) -> str:
    """The mean reward without the rows of one kind alone, where the audit knows them all."""
    if not run.audit or run.scale != "unit":
        return ""
    scores = run.audit["scores"]
    everything, ended, judged_score = (scores[key] for key in ("all", "ended", "judged"))
    ended_score = ended if status == "infrastructure" else None
    rows = ended_score["rows"] if ended_score else everything["rows"] - (ended["rows"] - judged_score["rows"])
    points = ended_score["points"] if ended_score else everything["points"] - (ended["points"] - judged_score["points"])
    if everything["rows"] - rows != run.statuses[status] or not rows:
        return ""
    left_out = "this one" if run.statuses[status] == 1 else "these"
    return f" (with only {left_out} left out the mean reward is {percent(points / rows)}, {points:g} of {rows:,})"


def _missing(run: RunAnalysis) -> Iterator[Sentence]:
    """Rollouts without a row, and rows that nobody can make anything of: the status `missing` has both."""
    requests = {
        UNTRACED: (
            "rollout",
            "Find or run again {many} of {run} that left no trace: the score covers only those that finished.",
        ),
        UNREAD: ("row", "Check {many} of {run} in an unknown format; --reward-field names the field with their score."),
    }
    for place, loss in enumerate(run.denominator.losses):
        if loss.reason in requests:
            noun, text = requests[loss.reason]
            at = ("runs", run.name, "denominator", "losses", place, "rollouts")
            yield say(text, many=fact(count(loss.rollouts, noun), loss.rollouts, *at), run=name(run.name))

"""Recommendations: what the numbers alone already ask for, most urgent first."""

from __future__ import annotations

from collections.abc import Iterator

from blade.document import Block, Bullets, Fact, Paragraph, Sentence, say
from blade.model import Analysis, Bucket, Change, RunAnalysis, Task
from blade.wording import count, fact, listed, name, score

TITLE = "Recommendations"
ORDER = 100
MANY = 0.05
SHOWN = 3


def build(analysis: Analysis) -> list[Block]:
    told: list[Sentence] = []
    for run in analysis.runs:
        told += _broken(run)
        told += _missing(run)
    for place, change in enumerate(analysis.changes):
        told += _change(change, place)
    for run in analysis.runs:
        told += _limits(run)
        told += _read(run, analysis.tasks)
    return [Bullets(tuple(Paragraph((sentence,)) for sentence in told))] if told else []


def _broken(run: RunAnalysis) -> Iterator[Sentence]:
    """Rows that say nothing about the model: repair before anybody reads the score."""
    at = ("runs", run.name, "statuses")
    clean = run.metrics["evaluable"]["score"]
    words = {
        "infrastructure": "Run again {many} of {run} that infrastructure broke",
        "verifier_error": "Grade again {many} of {run} that got no verdict",
    }
    for status, asked in words.items():
        many = run.statuses.get(status, 0)
        if many:
            facts: dict[str, Fact | str] = {
                "many": fact(count(many, "rollout"), many, *at, status),
                "run": name(run.name),
            }
            if clean is not None:
                facts["score"] = fact(score(clean, run.scale), clean, "runs", run.name, "metrics", "evaluable", "score")
            rest = "; without such rows its score is {score}." if clean is not None else "."
            yield say(asked + rest, **facts)


def _missing(run: RunAnalysis) -> Iterator[Sentence]:
    many = run.statuses.get("missing", 0)
    if many:
        yield say(
            "Find or run {many} of {run} that left no trace: the score holds only for those that finished.",
            many=fact(count(many, "rollout"), many, "runs", run.name, "statuses", "missing"),
            run=name(run.name),
        )


def _change(change: Change, place: int) -> Iterator[Sentence]:
    at = ("changes", place)
    moved = [flip["task"] for flip in change.flips if flip["beyond_noise"]]
    if moved:
        yield say(
            "Read the tasks that moved beyond noise from {base} to {candidate}, first {tasks}.",
            base=name(change.base),
            candidate=name(change.candidate),
            tasks=listed(moved[:SHOWN]),
        )
    if change.verdict == "inconclusive" and change.repeats_needed:
        yield say(
            "To settle the change from {base} to {candidate}, give each task about {many}.",
            base=name(change.base),
            candidate=name(change.candidate),
            many=fact(count(change.repeats_needed, "attempt"), change.repeats_needed, *at, "repeats_needed"),
        )


def _limits(run: RunAnalysis) -> Iterator[Sentence]:
    """Limits that many rollouts reach: either they are too low or the model does not come to an end."""
    at = ("runs", run.name, "statuses")
    for status, text in (("truncated", "reached a length or turn limit"), ("timed_out", "ran out of time")):
        many = run.statuses.get(status, 0)
        if many > MANY * run.denominator.counted:
            yield say(
                "See whether the limit is too low for {run}: {many} " + text + ".",
                run=name(run.name),
                many=fact(count(many, "rollout"), many, *at, status),
            )


def _read(run: RunAnalysis, tasks: tuple[Task, ...]) -> Iterator[Sentence]:
    """Tasks that pass now and then show most: the same task, done right and done wrong."""
    mixed = [task for task in tasks if run.name in task.runs and task.runs[run.name].bucket is Bucket.SOMETIMES]
    mixed.sort(key=lambda task: (abs((task.runs[run.name].mean or 0.0) - 0.5), task.task))
    if mixed:
        yield say(
            "Hold passing against failing attempts of {run} (blade show PATH TASK --attempt N), first {tasks}.",
            run=name(run.name),
            tasks=listed([task.task for task in mixed[:SHOWN]]),
        )

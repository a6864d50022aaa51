"""Task Outcome Buckets: tasks that always, sometimes and never pass, and those without a rollout."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from blade.document import Block, Fact, Heading, Paragraph, Table, say
from blade.model import Analysis, Bucket, RunAnalysis, Task, TaskResult
from blade.questions import in_order
from blade.wording import abridged, amount, count, name, percent

TITLE = "Task Outcome Buckets"
ORDER = 50
SHARE = 0.00
SHOWN = 15
SHOWN_ONCE = 8
FEW_RUNS = 2
NAMES_SHOWN = 20
FULL = (Bucket.SOMETIMES, Bucket.NEVER, Bucket.MISSING)
SHORT = (Bucket.SOMETIMES, Bucket.MISSING)


def build(analysis: Analysis) -> list[Block]:
    runs = [run for run in analysis.runs if run.buckets is not None]
    if not runs:
        return [
            Paragraph(
                (say("No pass threshold is declared, so there are no buckets. Declare one with --pass-threshold."),)
            )
        ]
    blocks: list[Block] = [_counts(runs, "buckets"), *_judged_buckets(runs)]
    few_runs = len(runs) <= FEW_RUNS
    for run in () if few_runs else runs:
        blocks += _never(run, analysis.tasks)
    for run in runs:
        blocks += _tasks(run, analysis.tasks, FULL if few_runs else SHORT)
        blocks += _doubted(run, analysis)
    return blocks


def _doubted(run: RunAnalysis, analysis: Analysis) -> list[Block]:
    """Tasks that count here as they were scored, though some of their passes may not rest on the work."""
    answer = analysis.investigation.get("unearned_passes") or {"runs": ()}
    entries = [entry for entry in answer["runs"] if entry["run"] == run.name]
    tasks = in_order(item["task"] for entry in entries for item in (*entry["copied"], *entry["typed"]))
    if not tasks:
        return []
    sentence = "Some passes of {run} may be unearned, and count here as scored: {tasks}."
    return [Paragraph((say(sentence, run=name(run.name), tasks=abridged(tasks, NAMES_SHOWN)),))]


def _judged_buckets(runs: Sequence[RunAnalysis]) -> list[Block]:
    """The buckets over judged attempts alone, where they differ: what was lost makes a task neither sure nor unsure."""
    differing = [run for run in runs if run.buckets_evaluable and run.buckets_evaluable != run.buckets]
    if not differing:
        return []
    lead = "Counting only attempts that ran and were judged; “missing” are tasks without any:"
    return [Paragraph((say(lead),)), _counts(differing, "buckets_evaluable")]


def _counts(runs: Sequence[RunAnalysis], counted_in: str) -> Table:
    rows = []
    for bucket in Bucket:
        counts = [(run.name, (getattr(run, counted_in) or {})[bucket.value]) for run in runs]
        rows.append((bucket.value, *(amount(tasks, "runs", run, counted_in, bucket.value) for run, tasks in counts)))
    return Table(("Bucket", *(f">{run.name}" for run in runs)), tuple(rows))


def _never(run: RunAnalysis, tasks: Sequence[Task]) -> list[Block]:
    """Of many runs those that never pass are one line each, of the tasks' names, before the heading of any run."""
    members = _members(run, tasks, Bucket.NEVER)
    return [_ids(run.name, sorted(members, key=lambda pair: _rank(pair[1])))] if members else []


def _counts_judged(run: RunAnalysis) -> bool:
    return bool(run.buckets_evaluable) and run.buckets_evaluable != run.buckets


def _members(run: RunAnalysis, tasks: Sequence[Task], bucket: Bucket) -> list[tuple[Task, TaskResult]]:
    by_judged = _counts_judged(run)
    results = [(task, task.runs[run.name]) for task in tasks if run.name in task.runs]
    return [pair for pair in results if (pair[1].judged_bucket if by_judged else pair[1].bucket) is bucket]


def _tasks(run: RunAnalysis, tasks: Sequence[Task], buckets: Sequence[Bucket]) -> list[Block]:
    """The tasks worth reading first: those that sometimes pass, then those that never do, then the missing ones."""
    results = [(task, task.runs[run.name]) for task in tasks if run.name in task.runs]
    blocks: list[Block] = []
    by_judged = _counts_judged(run)
    for bucket in buckets:
        members = _members(run, tasks, bucket)
        if by_judged and bucket is Bucket.MISSING:
            blocks += _unjudged(run.name, members)
            members = [pair for pair in members if pair[1].bucket is bucket]
        if not members:
            continue
        members.sort(key=lambda pair: _rank(pair[1]))
        blocks.append(Heading(f"{run.name}: {bucket.value}"))
        limit = SHOWN if (run.metrics["k"] or 0) > 1 else SHOWN_ONCE
        alike = {percent(result.rate_above, 0) for _, result in members} if bucket is Bucket.NEVER else set()
        table = _table(run.name, bucket, members[:limit], chances=len(alike) > 1, by_judged=by_judged)
        captions = [
            f"For each of these the chance of a true pass rate above 10% is {chance}"
            for chance in alike
            if len(alike) == 1
        ]
        if len(members) > limit:
            captions.append(f"{count(len(members), 'task')} in this bucket, all of them in facts.parquet")
        blocks.append(replace(table, caption="; ".join(captions)))
        if by_judged and bucket is Bucket.SOMETIMES:
            blocks += _unsure_by_loss(run.name, results)
    return blocks


def _unsure_by_loss(run: str, results: Sequence[tuple[Task, TaskResult]]) -> list[Block]:
    """Tasks that pass in every judged attempt, and sometimes only because others were lost."""
    names = [task.task for task, result in results if _only_lost(result)]
    if not names:
        return []
    text = "{many} of {run} {pass_} in every judged attempt; only lost attempts keep {them} out of “always”: {tasks}."
    return [
        Paragraph(
            (
                say(
                    text,
                    many=count(len(names), "more task"),
                    run=name(run),
                    pass_="passes" if len(names) == 1 else "pass",
                    them="it" if len(names) == 1 else "them",
                    tasks=abridged(names, NAMES_SHOWN),
                ),
            )
        )
    ]


def _only_lost(result: TaskResult) -> bool:
    return result.bucket is Bucket.SOMETIMES and result.judged_bucket is Bucket.ALWAYS


def _unjudged(run: str, members: Sequence[tuple[Task, TaskResult]]) -> list[Block]:
    """Tasks that were tried and of which no attempt was judged: that they never pass says nothing."""
    names = [task.task for task, result in members if result.attempts]
    if not names:
        return []
    text = "No attempt of {run} was judged on {many} not measure the model: {tasks}."
    tasks_words = count(len(names), "task, which does", "tasks, which do")
    sentence = say(text, run=name(run), many=tasks_words, tasks=abridged(names, NAMES_SHOWN))
    return [Paragraph((sentence,))]


def _ids(run: str, members: Sequence[tuple[Task, TaskResult]]) -> Paragraph:
    judged_words = (
        " in an attempt that was judged" if any(result.judged < result.attempts for _, result in members) else ""
    )
    text = "Never passed by {run}{judged}: {tasks}."
    tasks = abridged([task.task for task, _ in members], NAMES_SHOWN)
    return Paragraph((say(text, run=name(run), judged=judged_words, tasks=tasks),))


def _rank(result: TaskResult) -> float:
    """Most balanced first among those that sometimes pass; likeliest to pass yet first among those that never did."""
    if result.bucket is Bucket.SOMETIMES:
        return abs((result.mean or 0.0) - 0.5)
    return -(result.rate_above or 0.0)


def _table(
    run: str, bucket: Bucket, members: Sequence[tuple[Task, TaskResult]], *, chances: bool, by_judged: bool
) -> Table:
    rows: list[tuple[str | Fact, ...]] = []
    for task, result in members:
        cells: list[str | Fact] = [name(task.task, "tasks", task.task, "task")]
        if bucket is not Bucket.MISSING:
            cells.append(
                Fact(
                    f"{result.passes} of {result.judged if by_judged else result.attempts}",
                    "number",
                    result.passes,
                    {"query": "analysis", "args": {"path": ["tasks", task.task, "runs", run, "passes"]}},
                )
            )
        if chances:
            cells.append(percent(result.rate_above, 0))
        cells.append(task.text)
        rows.append(tuple(cells))
    columns = ["Task"]
    columns += [">Passed of judged" if by_judged else ">Passed"] if bucket is not Bucket.MISSING else []
    columns += [">Chance that its true pass rate is above 10%"] if chances else []
    return Table((*columns, "Begins"), tuple(rows))

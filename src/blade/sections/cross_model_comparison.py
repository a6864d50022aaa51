"""Cross-Model Comparison: several runs on the same tasks, ranked as far as the data can tell them apart."""

from __future__ import annotations

from collections import Counter

from blade.change.single_differences import Alike, alike_but_for_one
from blade.counting.lost_rollouts import lost_much
from blade.document import Block, Fact, Heading, Paragraph, Sentence, Table, say
from blade.model import Analysis, Bucket, Task, TaskResult
from blade.wording import count, fact, listed, name, percent, score

TITLE = "Cross-Model Comparison"
ORDER = 90
SHARE = 0.00
TASKS_SHOWN = 15


def build(analysis: Analysis) -> list[Block]:
    """Appears from two runs on, where tasks are shared. Two runs move between buckets; more are ranked."""
    shared = [task for task in analysis.tasks if len(task.runs) == len(analysis.runs) > 1]
    if not shared:
        return []
    if len(analysis.runs) == 2 and all(run.buckets is not None for run in analysis.runs):
        return [Paragraph((_moved(analysis, shared),)), _moves(analysis, shared)]
    blocks: list[Block] = []
    if analysis.ranking is not None and len(analysis.runs) > 2:
        blocks += _ranking(analysis)
    return [*blocks, *_alike(analysis), *_differences(analysis, shared)]


def _alike(analysis: Analysis) -> list[Block]:
    """Which runs differ in one setting alone, where the baseline differs from some run in several."""
    if len(analysis.runs) < 3 or all(change.separable for change in analysis.changes):
        return []
    passports = [(change.candidate, change.passport) for change in analysis.changes]
    groups = alike_but_for_one([run.name for run in analysis.runs], passports)
    sentences = [
        say(
            "{runs} differ in the {field} alone{shared}: compare these (blade report RUN… --pair A B)."
            if group.field
            else "{runs} are repeats of one configuration: they differ by chance, or by lost rollouts.",
            runs=listed(_by_value(group) if group.field else group.runs),
            field=group.field,
            shared=", which those in brackets share" if len(set(group.values)) < len(group.values) else "",
        )
        for group in groups
    ]
    return [Paragraph((sentence,)) for sentence in sentences]


def _by_value(group: Alike) -> list[str]:
    """The runs of a group, those that share the value of the field together in brackets."""
    sharing: dict[str, list[str]] = {}
    for run, value in zip(group.runs, group.values, strict=True):
        sharing.setdefault(value, []).append(run)
    return [runs[0] if len(runs) == 1 else f"({', '.join(runs[:-1])} or {runs[-1]})" for runs in sharing.values()]


def _moved(analysis: Analysis, shared: list[Task]) -> Sentence:
    """How many tasks do better and how many worse, by bucket."""
    order: dict[Bucket | None, int] = {Bucket.ALWAYS: 2, Bucket.SOMETIMES: 1, Bucket.NEVER: 0}
    base, candidate = (run.name for run in analysis.runs)
    pairs = [(order.get(task.runs[base].bucket), order.get(task.runs[candidate].bucket)) for task in shared]
    known_pairs = [(before, after) for before, after in pairs if before is not None and after is not None]
    better, worse = (
        sum(after > before for before, after in known_pairs),
        sum(after < before for before, after in known_pairs),
    )
    return say(
        "Of {tasks} tried in both runs, {better} moved up a bucket from {base} to {candidate} and {worse} down.",
        tasks=count(len(known_pairs), "task"), better=f"{better:,}", worse=f"{worse:,}",
        base=name(base), candidate=name(candidate),
    )  # fmt: skip


def _moves(analysis: Analysis, shared: list[Task]) -> Table:
    """How many tasks went from which bucket to which."""
    base, candidate = (run.name for run in analysis.runs)
    moves = Counter((task.runs[base].bucket, task.runs[candidate].bucket) for task in shared)
    buckets_seen = [bucket for bucket in Bucket if any(bucket in pair for pair in moves)]
    rows = tuple(
        (bucket.value, *(f"{moves[bucket, second_bucket]:,}" for second_bucket in buckets_seen))
        for bucket in buckets_seen
    )
    caption = f"Tasks by their bucket in {base} (down) and in {candidate} (across):"
    return Table(("", *(f">{bucket.value}" for bucket in buckets_seen)), rows, caption=caption)


def _ranking(analysis: Analysis) -> list[Block]:
    ranking = analysis.ranking or {}
    rows: list[tuple[str | Fact, ...]] = []
    scale = analysis.runs[0].scale
    order = sorted(range(len(ranking["runs"])), key=lambda place: -ranking["scores"][place])
    runs_lost = [run.name for run in analysis.runs if lost_much(run)]
    for place in order:
        low, high = ranking["ranks"][place]
        run = ranking["runs"][place]
        rows.append(
            (
                name(run),
                fact(score(ranking["scores"][place], scale), ranking["scores"][place], "ranking", "scores", place),
                *([_judged_cell(analysis, run)] if runs_lost else []),
                "not ranked" if run in runs_lost else f"{low}" if low == high else f"{low} to {high}",
                "" if run in runs_lost else percent(ranking["best"][place], 0),
            ),
        )
    opening = say(
        "On {tasks} that all runs share; rank ranges hold simultaneously at 95% confidence.",
        tasks=fact(count(ranking["tasks"], "task"), ranking["tasks"], "ranking", "tasks"),
    )
    paper = "Ranks use the reported scores; {runs} lost too many rollouts to be ranked."
    warning = (say(paper, runs=listed(runs_lost)),) if runs_lost else ()
    columns = (
        "Run",
        ">Score",
        *([">Judged rollouts only, on all its tasks"] if runs_lost else []),
        ">Rank",
        ">Chance of being best",
    )
    return [Paragraph((opening, *warning)), Table(columns, tuple(rows))]


def _judged_cell(analysis: Analysis, name_of_run: str) -> str | Fact:
    """The mean reward of the rollouts that ran and were judged."""
    run = next(run for run in analysis.runs if run.name == name_of_run)
    mean = run.metrics["evaluable"]["micro"]
    return fact(score(mean, run.scale), mean, "runs", run.name, "metrics", "evaluable", "micro")


def _differences(analysis: Analysis, shared: list[Task]) -> list[Block]:
    """The tasks on which the runs lie furthest apart; where more lie as far apart than fit, none of them stands out."""
    apart = sorted((task for task in shared if _spread(task) > 0), key=lambda task: (-_spread(task), task.task))
    is_cut = len(apart) > TASKS_SHOWN
    if is_cut and _spread(apart[0]) == _spread(apart[TASKS_SHOWN]):
        alike = sum(_spread(task) == _spread(apart[0]) for task in apart)
        text = "The runs differ on {apart}, and on {alike} of them by the same amount: no task stands out."
        if _spread(apart[0]) == 1:
            text = (
                "The runs differ on {apart}; on {alike} of them one run passes every attempt and another none, so that "
                "no task stands out."
            )
        extent = "all" if alike == len(apart) else f"{alike:,}"
        return [Paragraph((say(text, apart=count(len(apart), "shared task"), alike=extent),))]
    runs = [run.name for run in analysis.runs]
    rows = tuple((name(task.task), *(_cell(task, run) for run in runs)) for task in apart[:TASKS_SHOWN])
    caption = f"Of {len(apart):,} tasks on which the runs differ, those furthest apart:" if is_cut else ""
    if any(_lost_any(result) for task in shared for result in task.runs.values()):
        caption = (caption.rstrip(":") or "Tasks on which the runs differ") + ", of the attempts that were judged:"
    table = Table(("Task", *(f">{run}" for run in runs)), rows, caption=caption, ranked=True)
    return [Heading("Tasks on which the runs differ most"), table]


def _spread(task: Task) -> float:
    """How far apart the runs are: in pass rates where there are passes, as those are what the table shows."""
    results = [
        result for result in task.runs.values() if result.mean is not None and (result.judged or not _lost_any(result))
    ]
    rates = [(result.mean or 0.0) if result.passes is None else _passes(result) / _of(result) for result in results]
    return max(rates) - min(rates) if len(rates) > 1 else 0.0


def _lost_any(result: TaskResult) -> bool:
    """Whether some attempts did not run or were not judged: they say nothing about the run."""
    return bool(result.outcomes) and result.passes is not None and result.judged < result.attempts


def _passes(result: TaskResult) -> int:
    return result.judged_passes if _lost_any(result) else result.passes or 0


def _of(result: TaskResult) -> int:
    return result.judged if _lost_any(result) else result.attempts


def _cell(task: Task, run: str) -> str | Fact:
    result = task.runs[run]
    if result.mean is None:
        return "missing"
    if result.passes is None:
        return fact(f"{result.mean:.3g}", result.mean, "tasks", task.task, "runs", run, "mean")
    if _lost_any(result) and not result.judged:
        return "not judged"
    passes = f"{_passes(result)} of {_of(result)}"
    return fact(passes, result.passes, "tasks", task.task, "runs", run, "passes")

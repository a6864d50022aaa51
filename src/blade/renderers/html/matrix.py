"""The task matrix: a line per task with every attempt of every run, the tasks that changed most on top."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from markupsafe import Markup

from blade.frozen import frozen
from blade.model import Analysis, Task
from blade.quoted_evidence.attempts import OUTCOME, by_change
from blade.renderers.html.links import Links, task_anchor
from blade.wording import difference

MOST = 2_000
MOST_RUNS = 20
FEW_RUNS = 3
"""So many runs have room for every attempt; of more, each has one cell with its passes."""
TEXT = 110


@frozen
class Cell:
    outcome: str
    attempt: int
    href: str


@frozen
class Rate:
    """The result of a task in one run of many. `value` is its mean, empty where it has none."""

    words: str
    value: str
    tone: str
    href: str


@frozen
class MatrixLine:
    """One task. `change` is down, up or same between the first and the last run; `tags` are what filters ask for."""

    anchor: str
    task: str
    text: str
    cells: tuple[tuple[str, tuple[Cell, ...], str], ...]
    """Run, its attempts, and the task's result in words; none where there are many runs."""
    rates: tuple[Rate, ...]
    """The result in each of many runs; none where there are few."""
    buckets: tuple[str, ...]
    moves: str
    """From the bucket in the first run to that in the last."""
    change: str
    moved: str
    labels: tuple[str, ...]
    modes: tuple[str, ...]
    suspect: bool
    twin: str


@frozen
class Matrix:
    runs: tuple[str, ...]
    lines: tuple[MatrixLine, ...]
    left_out: int
    modes: tuple[tuple[str, str], ...]
    labels: tuple[str, ...]
    suspects: int
    moves: tuple[tuple[str, tuple[tuple[str, int], ...]], ...]
    """Bucket in the first run → for each bucket in the last, the move's name and its tasks; none with one run."""


BUCKETS = ("always", "sometimes", "never", "missing")
SUSPECT = {"suspect_gold", "flaky_verifier", "negative_discrimination", "contradictory_fields", "repeated_tasks"}
"""Health checks that doubt single tasks."""


@frozen
class _MatrixIndex:
    """What is known of the tasks beside their results, by task."""

    runs: tuple[str, ...]
    scale: str
    labels: dict[str, dict[str, None]]
    modes: dict[str, dict[str, None]]
    suspects: set[str]


def once() -> Callable[[Cell, Callable[..., Markup]], Markup]:
    """Draws each different cell once: most attempts of a large matrix look alike."""
    markup_of_cell: dict[Cell, Markup] = {}

    def draw_once(cell: Cell, macro: Callable[..., Markup]) -> Markup:
        if cell not in markup_of_cell:
            markup_of_cell[cell] = macro(cell.outcome, f"attempt {cell.attempt}", cell.href or None)
        return markup_of_cell[cell]

    return draw_once


def matrix(analysis: Analysis, links: Links) -> Matrix:
    """The tasks that changed most first; the rest is counted."""
    index = _analysis_index(analysis)
    ordered = by_change(analysis)
    lines = tuple(_line(task, index, links) for task in ordered[:MOST])
    mode_names = tuple((mode.id, mode.name) for mode in analysis.modes)
    labels = tuple(sorted({label for line in lines for label in line.labels}))
    suspects = sum(line.suspect for line in lines)
    return Matrix(
        index.runs, lines, max(0, len(ordered) - MOST), mode_names, labels, suspects, _moves(ordered, index.runs)
    )


def _moves(tasks: Sequence[Task], runs: Sequence[str]) -> tuple[tuple[str, tuple[tuple[str, int], ...]], ...]:
    """How many tasks went from each bucket to each."""
    move_counts = Counter(_move(task, runs) for task in tasks)
    if len(runs) < 2 or not any(move_counts[move] for move in move_counts if move):
        return ()
    return tuple(
        (before, tuple((f"{before}-{after}", move_counts[f"{before}-{after}"]) for after in BUCKETS))
        for before in BUCKETS
    )


def _move(task: Task, runs: Sequence[str]) -> str:
    """Its bucket in the first run and in the last; empty where a run has none for it."""
    ends = [task.runs[run].bucket for run in (runs[0], runs[-1]) if run in task.runs] if len(runs) > 1 else []
    return "-".join(end.value for end in ends if end) if len(ends) == 2 and all(ends) else ""


def _analysis_index(analysis: Analysis) -> _MatrixIndex:
    labels: dict[str, dict[str, None]] = {}
    for label in analysis.labels:
        labels.setdefault(label.task, {}).update(dict.fromkeys(label.labels))
    modes: dict[str, dict[str, None]] = {}
    for mode in analysis.modes:
        for counts in mode.runs.values():
            for task in counts["examples"]:
                modes.setdefault(task, {})[mode.id] = None
    suspects = {task for item in analysis.health if item["check"] in SUSPECT for task in item["tasks"]}
    scale = analysis.runs[0].scale if analysis.runs else "unit"
    return _MatrixIndex(tuple(run.name for run in analysis.runs[:MOST_RUNS]), scale, labels, modes, suspects)


def _line(task: Task, index: _MatrixIndex, links: Links) -> MatrixLine:
    cells = []
    many = len(index.runs) > FEW_RUNS
    for run in () if many else index.runs:
        result = task.runs.get(run)
        letters = result.outcomes if result else ""
        attempts = tuple(
            Cell(OUTCOME[letter], number, links.attempt(run, task.task, number))
            for number, letter in enumerate(letters)
        )
        cells.append((run, attempts, _result(task, run)))
    results = [task.runs[run] for run in index.runs if run in task.runs]
    means = [result.mean for result in results if result.mean is not None]
    moved = means[-1] - means[0] if len(means) > 1 else 0.0
    return MatrixLine(
        task_anchor(task.task),
        task.task,
        task.text[:TEXT] + ("…" if len(task.text) > TEXT else ""),
        tuple(cells),
        tuple(_rate(task, run, links) for run in index.runs) if many else (),
        tuple(dict.fromkeys(result.bucket.value for result in results if result.bucket)),
        _move(task, index.runs),
        "down" if moved < -1e-9 else "up" if moved > 1e-9 else "same",
        difference(moved, index.scale) if len(means) > 1 else "",
        tuple(index.labels.get(task.task, ())),
        tuple(index.modes.get(task.task, ())),
        task.task in index.suspects,
        next((link for run in index.runs if (link := links.twin(run, task.task))), ""),
    )


def _rate(task: Task, run: str, links: Links) -> Rate:
    """Passes of attempts, and the way to what the page shows of the first attempt that it shows."""
    result = task.runs.get(run)
    if result is None or result.mean is None:
        return Rate("–", "", "missing", "")
    hrefs = (links.attempt(run, task.task, number) for number in range(len(result.outcomes)))
    href = next((href for href in hrefs if href), "")
    tone = "pass" if result.passes == result.attempts else "fail" if result.passes == 0 else "partial"
    words = f"{result.passes}/{result.attempts}" if result.passes is not None else f"{result.mean:.3g}"
    return Rate(words, f"{result.mean:.6g}", tone, href)


def _result(task: Task, run: str) -> str:
    result = task.runs.get(run)
    if result is None:
        return "not in this run"
    if result.mean is None:
        return "missing"
    return f"{result.passes} of {result.attempts}" if result.passes is not None else f"{result.mean:.3g}"

"""Task matrix: every attempt of every task in every run, the tasks that changed most on top."""

from __future__ import annotations

from collections import Counter
from typing import Any

from blade.document import Picture, Table
from blade.drawing import SOFT, WIDTH, Sheet, draw_legend, short, text_width, titled
from blade.model import Analysis, Task
from blade.pages.colours import OUTCOMES
from blade.quoted_evidence.attempts import OUTCOME, by_change
from blade.wording import count

TITLE = "Every attempt of every task"
SECTION = "task_outcome_buckets"
SHOWN = 40
ATTEMPTS_SHOWN = 16
RUNS_SHOWN = 4
CELL = 13
COLUMN, LINE_HEIGHT, GAP = CELL + 6, CELL + 3, 24


def draw(analysis: Analysis) -> Picture | None:
    """The tasks with the largest change first; without a comparison, those that fail most."""
    runs = [run.name for run in analysis.runs[:RUNS_SHOWN]]
    tasks = [task for task in by_change(analysis) if any(_letters(task, run) for run in runs)]
    if not tasks or not runs:
        return None
    drawn_tasks = tasks[:SHOWN]
    rows = [
        {"task": short(task.task, 34), "run": short(run), "attempt": number, "outcome": OUTCOMES[OUTCOME[letter]].words}
        for task in drawn_tasks
        for run in runs
        for number, letter in enumerate(_letters(task, run)[:ATTEMPTS_SHOWN])
    ]
    lines = tuple((task.task, *(_outcome_text(_letters(task, run)) for run in runs)) for task in drawn_tasks)
    totals = [f"{run}: {_outcome_text(''.join(_letters(task, run) for task in tasks))}" for run in runs]
    remainder = f" The {len(drawn_tasks)} that changed most are drawn." if len(tasks) > len(drawn_tasks) else ""
    alt = f"Attempts of {count(len(tasks), 'task')}. " + "; ".join(totals) + f".{remainder}"
    table = Table(("Task", *runs), lines)
    attempts = max(len(_letters(task, run)) for task in drawn_tasks for run in runs)
    title = titled(
        TITLE,
        (len(drawn_tasks), len(tasks), "tasks"),
        (min(attempts, ATTEMPTS_SHOWN), attempts, "attempts"),
        (len(runs), len(analysis.runs), "runs"),
    )
    return Picture("task_matrix", title, alt, table, _chart(rows))


def _letters(task: Task, run: str) -> str:
    return task.runs[run].outcomes if run in task.runs else ""


def _outcome_text(letters: str) -> str:
    outcome_counts = Counter(OUTCOME[letter] for letter in letters)
    words = {"pass": "passed", "fail": "failed", "partial": "graded", "broken": "broken", "missing": "missing"}
    return ", ".join(f"{outcome_counts[name]:,} {words[name]}" for name in words if outcome_counts[name]) or "none"


def _chart(rows: list[dict[str, Any]]) -> str:
    outcomes_drawn = {row["outcome"] for row in rows}
    colours = {kind.words: kind.colour.light for kind in OUTCOMES.values() if kind.words in outcomes_drawn}
    tasks = {task: place for place, task in enumerate(dict.fromkeys(row["task"] for row in rows))}
    runs = dict.fromkeys(row["run"] for row in rows)
    sheet = Sheet()
    names = GAP / 4 + max(map(text_width, tasks))
    top = draw_legend(sheet, colours, 0, names + WIDTH) + 2 * LINE_HEIGHT
    bottom = top + len(tasks) * LINE_HEIGHT
    for task, place in tasks.items():
        sheet.text(names, top + (place + 0.5) * LINE_HEIGHT, task, anchor="end")
    left = names + GAP / 2
    for run in runs:
        cells = [row for row in rows if row["run"] == run]
        width = COLUMN * (1 + max(row["attempt"] for row in cells))
        sheet.text(left, top - LINE_HEIGHT, run, bold=True)
        for row in cells:
            x, y = left + COLUMN * row["attempt"], top + tasks[row["task"]] * LINE_HEIGHT
            sheet.rect(x + 4, y + 2.5, CELL - 2, CELL - 2, colours[row["outcome"]], radius=2)
        for attempt in range(width // COLUMN):
            sheet.text(left + COLUMN * (attempt + 0.5), bottom + LINE_HEIGHT / 2, str(attempt), anchor="middle")
        sheet.text(left + width / 2, bottom + 1.5 * LINE_HEIGHT, "attempt", fill=SOFT, anchor="middle")
        left += max(width, text_width(run)) + GAP
    return sheet.svg()

"""Task matrix: every attempt of every task in every run, the tasks that changed most on top."""

from __future__ import annotations

from collections import Counter
from typing import Any

from blade.document import Picture, Table
from blade.drawing import can_draw, data, short, svg, titled
from blade.exhibits.attempts import OUTCOME, by_change
from blade.model import Analysis, Task
from blade.pages.colours import OUTCOMES
from blade.wording import count

TITLE = "Every attempt of every task"
SECTION = "task_outcome_buckets"
SHOWN = 40
ATTEMPTS_SHOWN = 16
RUNS_SHOWN = 4
CELL = 13


def draw(analysis: Analysis) -> Picture | None:
    """The tasks with the largest change first; without a comparison, those that fail most."""
    runs = [run.name for run in analysis.runs[:RUNS_SHOWN]]
    tasks = [task for task in by_change(analysis) if any(_letters(task, run) for run in runs)]
    if not tasks or not runs:
        return None
    shown = tasks[:SHOWN]
    rows = [
        {"task": short(task.task, 34), "run": short(run), "attempt": number, "outcome": OUTCOMES[OUTCOME[letter]].words}
        for task in shown
        for run in runs
        for number, letter in enumerate(_letters(task, run)[:ATTEMPTS_SHOWN])
    ]
    lines = tuple((task.task, *(_told(_letters(task, run)) for run in runs)) for task in shown)
    totals = [f"{run}: {_told(''.join(_letters(task, run) for task in tasks))}" for run in runs]
    more = f" The {len(shown)} that changed most are drawn." if len(tasks) > len(shown) else ""
    alt = f"Attempts of {count(len(tasks), 'task')}. " + "; ".join(totals) + f".{more}"
    table = Table(("Task", *runs), lines)
    attempts = max(len(_letters(task, run)) for task in shown for run in runs)
    title = titled(
        TITLE,
        (len(shown), len(tasks), "tasks"),
        (min(attempts, ATTEMPTS_SHOWN), attempts, "attempts"),
        (len(runs), len(analysis.runs), "runs"),
    )
    return Picture("task_matrix", title, alt, table, svg(_chart(rows)) if can_draw() else "")


def _letters(task: Task, run: str) -> str:
    return task.runs[run].outcomes if run in task.runs else ""


def _told(letters: str) -> str:
    found = Counter(OUTCOME[letter] for letter in letters)
    words = {"pass": "passed", "fail": "failed", "partial": "graded", "broken": "broken", "missing": "missing"}
    return ", ".join(f"{found[name]:,} {words[name]}" for name in words if found[name]) or "none"


def _chart(rows: list[dict[str, Any]]) -> Any:
    import altair as alt  # noqa: PLC0415 - an extra: only when something is drawn

    seen = {row["outcome"] for row in rows}
    kinds = [outcome for outcome in OUTCOMES.values() if outcome.words in seen]
    tasks = list(dict.fromkeys(row["task"] for row in rows))
    runs = list(dict.fromkeys(row["run"] for row in rows))
    colour = alt.Color(
        "outcome:N",
        scale=alt.Scale(domain=[kind.words for kind in kinds], range=[kind.colour.light for kind in kinds]),
        legend=alt.Legend(title=None, orient="top", columns=5, labelLimit=260),
    )
    panels = [
        alt.Chart(data([row for row in rows if row["run"] == run]), title=alt.TitleParams(run, anchor="start"))
        .mark_rect(width=CELL - 2, height=CELL - 2, cornerRadius=2)
        .encode(
            x=alt.X("attempt:O", axis=alt.Axis(title="attempt", labelAngle=0, ticks=False, domain=False)),
            y=alt.Y(
                "task:N",
                sort=tasks,
                scale=alt.Scale(domain=tasks),
                axis=alt.Axis(title=None, labels=place == 0, ticks=False, domain=False),
            ),
            color=colour,
        )
        .properties(width=alt.Step(CELL + 6), height=alt.Step(CELL + 3))
        for place, run in enumerate(runs)
    ]
    return alt.hconcat(*panels, spacing=24)

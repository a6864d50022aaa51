"""CSV: tasks for a spreadsheet, where no foreign text is a formula."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from io import StringIO

from blade.model import Analysis
from blade.wording import short_name

EXTENSION = "csv"
FILE = "tasks.csv"
_COMMAND = (*"=+-@|%＝＋－＠", "::")
"""How a formula of a spreadsheet begins, and a command that a pipeline reads out of what is printed."""
OF_A_RUN = ("attempts", "judged", "passes", "mean", "bucket")
DIGITS = 9


def render_change(analysis: Analysis, _gate: object = None) -> str:
    """One line per task: what it scored in the base and in the candidate."""
    (change,) = analysis.changes
    tested = {flip["task"]: flip["beyond_noise"] for flip in change.flips if flip["lfdr"] is not None}
    sides = change.base, change.candidate
    heads = [f"{side}_{field}" for side in ("base", "candidate") for field in OF_A_RUN]
    rows = []
    for task in analysis.tasks:
        results = [task.runs.get(side) for side in sides]
        cells = [getattr(result, field, None) for result in results for field in OF_A_RUN]
        one, two = (result.mean if result else None for result in results)
        moved = None if one is None or two is None else two - one
        rows.append([task.task, *cells, moved, tested.get(task.task)])
    return table(["task", *heads, "difference", "beyond_noise"], rows)


def render_analysis(analysis: Analysis) -> str:
    """One line per task and run."""
    heads = ["task", "run", "attempts", "expected", "passes", "judged", "judged_passes", "mean", "bucket"]
    rows = [
        [task.task, name, *(getattr(result, field) for field in heads[2:])]
        for task in analysis.tasks
        for name, result in task.runs.items()
    ]
    return table(heads, rows)


def table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Lines of cells; numbers stand as they are, and a text is never taken for a formula."""
    stream = StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(map(_cell, columns))
    writer.writerows(map(_cell, row) for row in rows)
    return stream.getvalue()


def _cell(value: object) -> object:
    """A spreadsheet runs what begins like a formula; an apostrophe before it says that it is text."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return round(value, DIGITS)
    if not isinstance(value, str):
        return value
    text = short_name(value)
    return f"'{text}" if text.startswith(_COMMAND) else text

"""Blade tasks: tasks against runs."""

from __future__ import annotations

import sys
from pathlib import Path
from string import ascii_uppercase
from typing import TYPE_CHECKING, Any

import click

from blade.cli.asking_options import asking, cited, keeping, opened
from blade.cli.printing import echo

if TYPE_CHECKING:
    from blade.queries.matrix import TaskMatrix

LONGEST_NAME = 14


@click.command("tasks")
@click.argument("paths", nargs=-1, required=True, metavar="RUN...")
@click.option("--run", multiple=True, metavar="NAME", help="Ask bucket, mode, label and status of this run alone.")
@click.option("--bucket", type=click.Choice(["always", "sometimes", "never", "missing"]), help="In some run.")
@click.option("--never", is_flag=True, help="Passed in no run, and judged in at least one.")
@click.option("--lost", "moved", flag_value="lost", help="Lower pass rate in the second run of the pair.")
@click.option("--won", "moved", flag_value="won", help="Higher pass rate in the second run of the pair.")
@click.option("--pair", nargs=2, metavar="A B", help="The two runs to compare (default: the first and the last).")
@click.option("--mode", metavar="WORDS", help="Some rollout fails this way: the mode's id, or words of its name.")
@click.option("--label", metavar="LABEL", help="Some failed rollout has this label: KG, UK, BI, TI, IR, DA, IE.")
@click.option("--status", metavar="STATUS", help="Some rollout has this status.")
@click.option("--slice", "slice_of", metavar="FIELD=VALUE", help="Some rollout or the task has this value.")
@click.option("--where", metavar="CONDITION", help="Some rollout meets a condition as `blade count` takes it.")
@click.option("--task", multiple=True, metavar="TASK", help="These tasks alone.")
@click.option(
    "--sort",
    type=click.Choice(["name", "rate", "change", "spread"]),
    default="name",
    show_default=True,
    help="By name, pass rate, change within the pair (losses first) or spread between the runs.",
)
@click.option("--json", "form", flag_value="json", help="Print all of it as JSON.")
@click.option("--csv", "form", flag_value="csv", help="Print all of it as CSV.")
@keeping
@asking
def command(
    paths: tuple[str, ...],
    slice_of: str | None,
    sort: str,
    form: str | None,
    tokens: int,
    kept_in: Path | None,
    no_keep: bool,
    **options: Any,
) -> None:
    """Show tasks against runs: passes of judged attempts, void attempts apart.

    RUN is what `blade analyze` takes. A cell "2/3 v1" is two passes of three judged attempts, and one void attempt: it
    did not run, or was not judged.
    """
    from blade.queries.asking import ask  # noqa: PLC0415 - heavy: only when the command runs
    from blade.queries.question_file import Query  # noqa: PLC0415 - as above

    names = ("run", "bucket", "never", "moved", "pair", "mode", "label", "status", "where", "task")
    params = {name: value for name in names if (value := options.pop(name))}
    params |= ({"slice": slice_of} if slice_of else {}) | ({"sort": sort} if sort != "name" else {})
    index = opened(paths, options)
    query = Query("tasks", params)
    answer = ask(index, query)
    matrix = answer.matrix
    assert matrix is not None  # noqa: S101 - of this kind of question
    if form == "json":
        _json(matrix, query.id(index.facts["digests"]))
    elif form == "csv":
        _csv(matrix)
    else:
        _print(matrix, tokens)
        echo(cited(index, query, answer.counts, kept_in, no_keep=no_keep))


def _print(matrix: TaskMatrix, tokens: int) -> None:
    from blade.queries.page import fitting, table  # noqa: PLC0415 - as above
    from blade.wording import count  # noqa: PLC0415 - as above

    long = any(len(run) > LONGEST_NAME for run in matrix.runs)
    heads = dict(zip(matrix.runs, ascii_uppercase, strict=False)) if long and len(matrix.runs) <= 26 else {}
    totals = matrix.totals()
    for run, letter in heads.items():
        echo(f"{letter} = {run}")
    echo(f"{count(len(matrix.lines), 'task')} of {matrix.of:,}; passes/judged attempts, v: void attempts")
    if not matrix.lines:
        return
    rows = [[line.task, *(str(line.cells.get(run, "–")) for run in matrix.runs)] for line in matrix.lines]
    rows.append(["together", *(str(totals.get(run, "–")) for run in matrix.runs)])
    *lines, last = table(["task", *(heads.get(run, run) for run in matrix.runs)], rows)
    shown_lines, left = fitting(lines, tokens)
    echo("\n".join([*shown_lines, last]))
    if left:
        echo(f"{count(left, 'task')} left out: --csv, --json or --tokens {2 * tokens} show more")


def _json(matrix: TaskMatrix, name: str) -> None:
    from blade.renderers import json  # noqa: PLC0415 - as above

    tasks = [
        {"task": line.task, "runs": {run: cell._asdict() for run, cell in line.cells.items()}} for line in matrix.lines
    ]
    document = {"id": name, "runs": matrix.runs, "of_tasks": matrix.of, "tasks": tasks}
    sys.stdout.write(json.dump(json.plain(document)).decode())


def _csv(matrix: TaskMatrix) -> None:
    from blade.renderers import csv  # noqa: PLC0415 - as above

    rows = ([line.task, run, *cell] for line in matrix.lines for run, cell in line.cells.items())
    sys.stdout.write(csv.table(["task", "run", "passes", "judged", "void"], rows))

"""Blade show: one trajectory in the terminal."""

from __future__ import annotations

import sys
from typing import Any

import click

from blade.cli.reading_options import as_options, caching, scoring


@click.command("show")
@click.argument("path")
@click.argument("task")
@click.option("--attempt", type=int, help="Which attempt (default: the first that failed, else the first).")
@click.option("--run", "run_name", metavar="NAME", help="Which run, where PATH holds several.")
@click.option(
    "--twin", is_flag=True, help="A passing and a failing attempt beside each other, from where they part ways."
)
@click.option(
    "--against",
    metavar="RUN",
    help="With --twin: the one attempt from here, the other from this run (a path, or a name where PATH holds both).",
)
@click.option("--tail", type=click.IntRange(min=1), metavar="N", help="The last N parts alone.")
@click.option("--writes", is_flag=True, help="The changes that are expected against those that were made.")
@click.option("--full", is_flag=True, help="Fold nothing.")
@click.option("--raw", is_flag=True, help="Print the row's JSON as it stands in the file.")
@scoring
@caching
def command(
    path: str,
    task: str,
    attempt: int | None,
    run_name: str | None,
    twin: bool,
    against: str | None,
    tail: int | None,
    writes: bool,
    full: bool,
    raw: bool,
    **given: Any,
) -> None:
    """Show one trajectory: prompt, thinking, calls, outputs, the verifier's word, and what was noticed in it.

    PATH is what `blade analyze` takes; TASK is a task as the report names it.
    """
    from blade import api, evidence  # noqa: PLC0415 - heavy: only when the command runs
    from blade.renderers import terminal  # noqa: PLC0415 - as above

    options = as_options(given)
    runs = api.read(path, options=options)
    if twin or against:
        from blade.cli.side_by_side import show_twin  # noqa: PLC0415 - as above

        if against and against not in {run.name for run in runs}:
            run_name = run_name or runs[0].name
            runs = api.read(path, against, options=options)
            against = runs[-1].name
        pair_of_attempts = api.find_twin(runs, task, attempt=attempt, run=run_name, against=against)
        show_twin(pair_of_attempts, sys.stdout, full=full)
        return
    found = api.find_rollout(runs, task, attempt=attempt, run=run_name)
    if raw:
        sys.stdout.buffer.write(evidence.open_bytes_at(found.rollout.source) + b"\n")
        return
    if writes:
        from blade.cli.change_list import change_lines  # noqa: PLC0415 - as above

        click.echo("\n".join(change_lines(found.observed)))
        return
    terminal.trajectory(found, evidence.open_row(found.rollout.source), sys.stdout, full=full, tail=tail)

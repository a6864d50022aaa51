"""Blade rerun-list: the attempts to run again."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import click

from blade.cli.printing import echo
from blade.cli.progress import reading
from blade.cli.reading_options import as_options, caching, comparing, describing, running, scoring


@click.command("rerun-list")
@click.argument("paths", nargs=-1, required=True, metavar="RUN...")
@click.option("--run", "chosen", metavar="NAME", help="The attempts of this run alone; the others tell of its tasks.")
@click.option("-o", "--output", type=click.Path(path_type=Path), metavar="FILE", help="Write the lines to this file.")
@describing
@scoring
@caching
@running
@comparing
def command(paths: tuple[str, ...], chosen: str | None, output: Path | None, **reading_options: Any) -> None:
    """Print the void and missing attempts as JSONL: input rows that NeMo Gym takes, each with why it is void.

    RUN is what `blade analyze` takes. A line is the row of the materialized inputs, where they are there; else what the
    rows of the task tell of it. Under `_blade` stand the run, the task, the attempt, its status, why it is void, and
    where the row is from: inputs, rollout, another attempt, another run, or nowhere (null).
    """
    from blade import api  # noqa: PLC0415 - heavy: only when the command runs
    from blade.queries.rerun_list import attempts_to_rerun, input_rows  # noqa: PLC0415 - as above
    from blade.run_names import run_named  # noqa: PLC0415 - as above
    from blade.wording import count, listed  # noqa: PLC0415 - as above

    options = as_options(reading_options)
    with reading(paths) as progress:
        runs = api.read(*paths, options=options, progress=progress)
    names = [run.name for run in runs]
    if chosen is not None:
        chosen = run_named(chosen, names)
    attempts = [attempt for attempt in attempts_to_rerun(runs, options.match_by) if chosen in {None, attempt.run}]
    with click.open_file(str(output or "-"), "w", encoding="utf-8") as file:
        file.writelines(f"{json.dumps(row)}\n" for row in input_rows(attempts))
    unnamed = sum(sum(run.expected.unnamed) for run in runs if chosen in {None, run.name})
    for run in [chosen] if chosen else names:
        run_attempts = [attempt for attempt in attempts if attempt.run == run]
        statuses = Counter(attempt.status.replace("_", " ") for attempt in run_attempts)
        kinds = (
            f": {listed([f'{number:,} {status}' for status, number in sorted(statuses.items())])}"
            if run_attempts
            else ""
        )
        echo(f"{run}: {count(len(run_attempts), 'attempt')} to run again{kinds}", err=True)
    if unnamed:
        echo(f"{count(unnamed, 'more attempt')} of tasks that no file names cannot be listed", err=True)

"""Blade extract-anchor-facts: the facts that a report must know, as a draft to review."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from blade.cli.progress import reading
from blade.cli.reading_options import as_options, caching, scoring
from blade.cli.run_lists import ManyRuns
from blade.errors import UsageError

MOST_WRONG = 20


@click.command("extract-anchor-facts", cls=ManyRuns)
@click.option("--golden", type=click.Path(path_type=Path), required=True, help="The golden report, in Markdown.")
@click.option("--output", type=click.Path(path_type=Path), required=True, help="The file of facts to write.")
@click.option("--benchmark", required=True, metavar="NAME", help="The benchmark's name.")
@click.option("--model-name", required=True, metavar="MODEL", help="The model that the report is about.")
@click.option(
    "--num-facts",
    type=click.IntRange(min=1, max=200),
    help="Facts at most (default: 25 out of runs, 12 out of a text).",
)
@click.option(
    "--min-facts",
    type=click.IntRange(min=0),
    default=8,
    show_default=True,
    help="Exit with 1 if there are fewer facts.",
)
@click.option(
    "--runs",
    "paths",
    multiple=True,
    metavar="PATH...",
    help="The runs of the report (default: the rollouts of the package it lies in).",
)
@click.option("--generated-at", metavar="DATE", help="The date to write into the file (default: today).")
@scoring
@caching
def command(
    golden: Path,
    output: Path,
    benchmark: str,
    model_name: str,
    num_facts: int | None,
    min_facts: int,
    paths: tuple[str, ...],
    generated_at: str | None,
    **reading_options: Any,
) -> None:
    """Write the facts that a good report must know, out of its runs or its text.

    With runs every fact is counted from the rollouts, held against chance and marked with whether the report states it.
    Without them the file is a draft from the text alone and says so. Review it before it is used.
    """
    from blade import toolkit  # noqa: PLC0415 - heavy: only when the command runs
    from blade.anchors.anchor import dump  # noqa: PLC0415 - as above
    from blade.anchors.extract import PackageNames  # noqa: PLC0415 - as above

    options = as_options(reading_options, benchmark=benchmark)
    date = generated_at or datetime.now(tz=UTC).date().isoformat()
    with reading(paths) as progress:
        extracted, checked = toolkit.anchor_facts(
            golden,
            PackageNames(benchmark, model_name, date),
            *paths,
            most=num_facts,
            options=options,
            progress=progress,
        )
    try:
        output.parent.mkdir(parents=True, exist_ok=True)
        output.write_bytes(dump(extracted.anchors))
    except OSError as error:
        raise UsageError(
            f"{output}: cannot be written ({error.strerror or error}).", "Give another --output."
        ) from None
    facts = len(extracted.anchors.facts)
    if checked is None:
        click.echo(f"{facts} facts from the text alone: a weaker draft, no runs were found", err=True)
    else:
        from_runs = facts - extracted.manual
        click.echo(f"{from_runs} facts out of the runs, {extracted.stated} of them stated in the report", err=True)
        if extracted.manual:
            click.echo(f"{extracted.manual} claims that only the report makes, to be accepted by hand", err=True)
        for note in extracted.anchors.notes:
            click.echo(note, err=True)
        for item in checked.wrong[:MOST_WRONG]:
            correction = f"; right is {item.wanted!r}" if item.wanted else ""
            click.echo(f"package error: {golden}:{item.line}: {item.said!r} is wrong{correction}", err=True)
    click.echo(f"wrote {output}", err=True)
    if facts < min_facts:
        click.echo(f"{facts} facts are fewer than --min-facts {min_facts}", err=True)
        sys.exit(1)

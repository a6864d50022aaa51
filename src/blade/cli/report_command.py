"""Blade report: single sections of the report, of all runs or of a pair."""

from __future__ import annotations

import sys
from typing import Any

import click

from blade.cli.asking_options import asking, opened
from blade.cli.printing import echo


@click.command("report")
@click.argument("paths", nargs=-1, required=True, metavar="RUN...")
@click.option(
    "--section",
    "names",
    multiple=True,
    metavar="NAME",
    help="A section, or a heading inside one, by name or title; may be given several times.",
)
@click.option("--pair", nargs=2, metavar="A B", help="Compare these two runs alone; A is the baseline.")
@click.option("--pairs", "only_pairs", is_flag=True, help="Which runs differ in one setting alone, and how they score.")
@click.option("--list", "only_list", is_flag=True, help="The names of the sections and how long each is.")
@click.option("--full", is_flag=True, help="Print the sections whole, however long they are.")
@click.option("--json", "as_json", is_flag=True, help="Print whole sections as JSON.")
@asking
def command(
    paths: tuple[str, ...],
    names: tuple[str, ...],
    pair: tuple[str, str] | None,
    only_pairs: bool,
    only_list: bool,
    full: bool,
    as_json: bool,
    tokens: int,
    **options: Any,
) -> None:
    """Print sections of the report: the first one, those named, or those that speak of a pair.

    RUN is what `blade analyze` takes. The whole report is what `blade analyze --full` writes.
    """
    from blade.queries import pairs, report_parts  # noqa: PLC0415 - heavy: only when the command runs
    from blade.renderers import json  # noqa: PLC0415 - as above

    index = opened(paths, options, pair or ())
    if only_list:
        echo("\n".join(report_parts.contents(index)))
        return
    if only_pairs:
        echo("\n".join(pairs.pair_lines(index)))
        return
    sections = report_parts.choose(index, names, pair=pair is not None)
    if as_json:
        sys.stdout.write(json.dump({"runs": index.runs, "sections": sections}).decode())
        return
    echo("\n".join(report_parts.shortened(sections, sys.maxsize if full else tokens)).rstrip())

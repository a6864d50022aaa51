"""Blade check: a report held against its runs."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from blade.cli.printing import echo
from blade.cli.progress import reading
from blade.cli.reading_options import as_options, caching, comparing, describing, scoring
from blade.cli.run_lists import ManyRuns

if TYPE_CHECKING:
    from blade.checking import Checked, ReportCheck

MOST_LINES, MOST_CLAIMS, LONGEST_CLAIM = 12, 4, 40


@click.command("check", cls=ManyRuns)
@click.argument("report", type=click.Path(path_type=Path))
@click.option(
    "--runs", "paths", multiple=True, required=True, metavar="PATH...", help="The runs that the report speaks of."
)
@click.option(
    "--queries",
    type=click.Path(path_type=Path),
    help="The file of the questions that it cites as [q:…] (default: queries.jsonl beside it, and here).",
)
@click.option("-v", "--verbose", is_flag=True, help="List what nothing could be held against, too.")
@click.option("--json", "as_json", is_flag=True, help="Print the list as JSON.")
@describing
@scoring
@caching
@comparing
def command(
    report: Path,
    paths: tuple[str, ...],
    queries: Path | None,
    verbose: bool,
    as_json: bool,
    **given: Any,
) -> None:
    """Check a report against its runs: every number, id and quote.

    REPORT is a report in Markdown, by BLADE or by somebody else. The options are those that the report was made with.
    """
    from blade import toolkit  # noqa: PLC0415 - heavy: only when the command runs
    from blade.renderers import json  # noqa: PLC0415 - as above

    options = as_options(given)
    with reading(paths) as progress:
        found = toolkit.check(report, *paths, queries=queries, options=options, progress=progress)
    if as_json:
        sys.stdout.write(json.dump(json.plain(found.data())).decode())
    else:
        _tell(report, found, verbose=verbose)
    if not found.things:
        click.echo("nothing in this report can be checked", err=True)
    if found.wrong:
        sys.exit(1)


def _tell(report: Path, found: ReportCheck, *, verbose: bool) -> None:
    for thing in found.things:
        if thing.outcome.value == "wrong" or (verbose and thing.outcome.value == "unverifiable"):
            echo(_line(report, thing))
    if not verbose:
        for question, lines in found.open_claims().items():
            echo(f"not judged, {_listed(lines)}: {question}")
    counts = found.counts
    click.echo(f"{counts['right']:,} right, {counts['wrong']:,} wrong, {counts['unverifiable']:,} unverifiable")


def _listed(lines: dict[int, list[str]]) -> str:
    """The lines, each with what in it is not judged."""
    from blade.extract.text import clip  # noqa: PLC0415 - as above
    from blade.wording import abridged, printable  # noqa: PLC0415 - as above

    claims = [
        f"{line} ({', '.join(repr(clip(printable(claim), LONGEST_CLAIM)) for claim in claims[:MOST_CLAIMS])})"
        for line, claims in lines.items()
    ]
    return ("line " if len(lines) == 1 else "lines ") + abridged(claims, MOST_LINES)


def _line(report: Path, thing: Checked) -> str:
    from blade.wording import printable  # noqa: PLC0415 - as above

    told = f"{report}:{thing.line}: {thing.kind.value} {printable(thing.said)!r} is {thing.outcome.value}"
    if thing.wanted is not None:
        told += f"; right is {printable(thing.wanted)!r}"
    if thing.note:
        told += f" ({printable(thing.note)})"
    if thing.path:
        told += f" [{printable('.'.join(map(str, thing.path)))}]"
    return told if thing.context == thing.said else f"{told}\n    {printable(thing.context)}"

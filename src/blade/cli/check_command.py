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
    **reading_options: Any,
) -> None:
    """Check a report against its runs: every number, id and quote.

    REPORT is a report in Markdown, by BLADE or by somebody else. The options are those that the report was made with.
    """
    from blade import toolkit  # noqa: PLC0415 - heavy: only when the command runs
    from blade.renderers import json  # noqa: PLC0415 - as above

    options = as_options(reading_options)
    with reading(paths) as progress:
        checked = toolkit.check(report, *paths, queries=queries, options=options, progress=progress)
    if as_json:
        sys.stdout.write(json.dump(json.plain(checked.data())).decode())
    else:
        _tell(report, checked, verbose=verbose)
    if not checked.things:
        click.echo("nothing in this report can be checked", err=True)
    if checked.wrong:
        sys.exit(1)


def _tell(report: Path, checked: ReportCheck, *, verbose: bool) -> None:
    for item in checked.things:
        if item.outcome.value == "wrong" or (verbose and item.outcome.value == "unverifiable"):
            echo(_line(report, item))
    if not verbose:
        for question, lines in checked.open_claims().items():
            echo(f"not judged, {_listed(lines)}: {question}")
    counts = checked.counts
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


def _line(report: Path, item: Checked) -> str:
    from blade.wording import printable  # noqa: PLC0415 - as above

    line = f"{report}:{item.line}: {item.kind.value} {printable(item.said)!r} is {item.outcome.value}"
    if item.wanted is not None:
        line += f"; right is {printable(item.wanted)!r}"
    if item.note:
        line += f" ({printable(item.note)})"
    if item.path:
        line += f" [{printable('.'.join(map(str, item.path)))}]"
    return line if item.context == item.said else f"{line}\n    {printable(item.context)}"

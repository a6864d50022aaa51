"""Blade analyze: the main job."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from blade import timings
from blade.cli.progress import reading
from blade.cli.reading_options import as_options, caching, comparing, describing, running, scoring
from blade.options import Options


@click.command("analyze")
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    default=Path("blade-report"),
    show_default=True,
    help="Folder for the report.",
)
@describing
@click.option("--golden", metavar="MODEL", help="Draft this model's golden report and metrics sidecar in the package.")
@click.option(
    "--benchmark-dir",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="The package that --golden writes into (default: the one that PATH lies in).",
)
@scoring
@caching
@running
@click.option("--timings", is_flag=True, help="Say how long each stage and each detector took.")
@comparing
@click.pass_context
def command(
    context: click.Context,
    /,
    paths: tuple[str, ...],
    output: Path,
    golden: str | None,
    benchmark_dir: Path | None,
    **given: Any,
) -> None:
    """Read runs, count them truthfully, and write the report.

    PATH is a rollout file, a folder, a quoted glob (one run of many shards), or NAME=PATH. With --golden the runs are
    those of the package, and the draft of a golden report goes there; the report itself is written if -o is given.
    """
    from blade import api  # noqa: PLC0415 - heavy: only when the command runs
    from blade.renderers import terminal  # noqa: PLC0415 - heavy: only when the command runs

    options = as_options(given)
    if golden is not None:
        _draft(golden, benchmark_dir, paths, options)
        if context.get_parameter_source("output") is click.core.ParameterSource.DEFAULT:
            return
    with timings.measuring() as measured:
        with reading(paths) as progress:
            runs = api.read(*paths, options=options, progress=progress)
        analysis = api.analyze_runs(runs, options)
        written = api.write(output, runs, analysis)
    terminal.summary(analysis, written, sys.stdout)
    if options.timings:
        click.echo(timings.table(measured), err=True)


def _draft(model: str, folder: Path | None, paths: tuple[str, ...], options: Options) -> None:
    """Write the draft of a golden report into its package and say where it is."""
    from blade import toolkit  # noqa: PLC0415 - heavy: only when the command runs
    from blade.package import golden  # noqa: PLC0415 - as above
    from blade.package.contents import read_contents  # noqa: PLC0415 - as above

    layout = golden.find_package(folder, paths)
    with reading(paths) as progress:
        contents = read_contents(layout, paths, toolkit.stages(), options, progress)
    for path in golden.write_draft(contents, model):
        click.echo(str(path))
    click.echo(f"a draft: read it, then blade review {layout.folder} {model}", err=True)

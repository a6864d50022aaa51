"""Blade analyze: the main job."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

import click

from blade import timings
from blade.cli.finite_numbers import FiniteRange
from blade.cli.loading import loading
from blade.cli.next_commands import next_commands
from blade.cli.output_options import append_summary, summarising, summary_file
from blade.cli.printing import echo
from blade.cli.progress import reading
from blade.cli.reading_options import as_options, caching, comparing, describing, running, scoring
from blade.cli.screen import ScreenText, screen_shape
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
@click.option(
    "--format",
    "forms",
    type=click.Choice(["github", "csv", "junit"]),
    multiple=True,
    help="Also write comment.md, tasks.csv or junit.xml beside the report; may be given several times.",
)
@summarising
@click.option("--full", is_flag=True, help="Write the whole report into report.md, not only what weighs most.")
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
@click.option("--follow", is_flag=True, help="Watch a run that is being written; write the report when it is done.")
@click.option("--every", type=FiniteRange(0.1), default=2.0, show_default=True, help="Seconds between two looks.")
@click.option("--idle", type=FiniteRange(0), help="Stop following when nothing new came for so many seconds.")
@click.option("--summary", is_flag=True, help="Count only, in partitions: for runs that are too large to hold.")
@click.option("-q", "--quiet", is_flag=True, help="Print nothing but errors, and no progress.")
@click.option("--timings", is_flag=True, help="Say how long each stage and each detector took.")
@comparing
@click.pass_context
def command(
    context: click.Context,
    /,
    paths: tuple[str, ...],
    output: Path,
    forms: tuple[str, ...],
    step_summary: Path | None,
    full: bool,
    golden: str | None,
    benchmark_dir: Path | None,
    follow: bool,
    every: float,
    idle: float | None,
    summary: bool,
    quiet: bool,
    **reading_options: Any,
) -> None:
    """Read runs, count them truthfully, and write the report.

    PATH is a rollout file, a folder, a quoted glob (one run of many shards), or NAME=PATH. With --golden the runs are
    those of the package, and the draft of a golden report goes there; the report itself is written if -o is given.
    With --follow the run may still be written: one line after every look, until all is there or Ctrl-C.
    """
    options = as_options(reading_options)
    if golden is not None:
        _draft(golden, benchmark_dir, paths, options)
        if context.get_parameter_source("output") is click.core.ParameterSource.DEFAULT:
            return
    if summary:
        _summarize(paths, options)
        return
    if follow:
        _watch(paths, options, every, idle)
    cached = None
    if options.cache and not options.timings and summary_file(step_summary, forms) is None:
        from blade.cli.report_cache import cached_report  # noqa: PLC0415 - reads no rows, but finds the files

        cached = cached_report(paths, options, [output.absolute(), forms, full, quiet, *screen_shape(sys.stdout)])
        printed = cached.restore(output) if cached is not None else None
        if printed is not None:
            if not quiet:
                echo(
                    "nothing changed since this was analyzed: the same report (--no-cache works it out anew)", err=True
                )
            sys.stdout.write(printed)
            return
    with loading():
        from blade import api  # noqa: PLC0415 - heavy: only when the command runs
        from blade.output import outdated  # noqa: PLC0415 - as above
        from blade.renderers import terminal  # noqa: PLC0415 - as above

    with timings.measuring() as measured, reading(paths, quiet=quiet) as progress:
        runs = api.read(*paths, options=options, progress=progress)
        analysis = api.analyze_runs(runs, options)
        paths_written = api.write(output, runs, analysis, full=full, forms=forms)
    append_summary(step_summary, forms, lambda: api.render_analysis(analysis, "github"))
    screen = ScreenText(sys.stdout)
    if not quiet:
        terminal.summary(analysis, paths_written, screen, next_commands(analysis, paths, options))
        sys.stdout.write(screen.getvalue())
    if cached is not None:
        names = [str(path.relative_to(output)) for path in paths_written]
        cached.save(output, names, outdated(names), screen.getvalue())
    if options.timings:
        echo(timings.table(measured), err=True)


def _summarize(paths: tuple[str, ...], options: Options) -> None:
    from blade import overview  # noqa: PLC0415 - heavy: only when the command runs

    with reading(paths) as progress:
        summaries = overview.summarize(*paths, options=options, progress=progress)
    for name, summary in summaries.items():
        echo(overview.page(name, summary))


def _watch(paths: tuple[str, ...], options: Options, every: float, idle: float | None) -> None:
    """Tell what is known whenever it changes; Ctrl-C ends the watching and not the command."""
    from blade import overview  # noqa: PLC0415 - heavy: only when the command runs

    last = None
    try:
        for summary in overview.follow(*paths, options=options, every=every, idle=idle):
            if summary != last:
                echo(f"{time.strftime('%H:%M:%S')}  {overview.summary_line(summary)}")
            if summary.alarm and (last is None or not last.alarm):
                echo(f"{time.strftime('%H:%M:%S')}  ALARM: {summary.alarm}", err=True)
            last = summary
    except KeyboardInterrupt:
        echo("no longer followed", err=True)


def _draft(model: str, folder: Path | None, paths: tuple[str, ...], options: Options) -> None:
    """Write the draft of a golden report into its package and say where it is."""
    from blade import toolkit  # noqa: PLC0415 - heavy: only when the command runs
    from blade.package import golden  # noqa: PLC0415 - as above
    from blade.package.contents import read_contents  # noqa: PLC0415 - as above

    layout = golden.find_package(folder, paths)
    with reading(paths) as progress:
        contents = read_contents(layout, paths, toolkit.stages(), options, progress)
    for path in golden.write_draft(contents, model):
        echo(str(path))
    echo(f"a draft: read it, then blade review {layout.folder} {model}", err=True)

"""Blade demo: two simulated runs, analyzed."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from blade.cli.next_commands import next_commands
from blade.options import Options


@click.command("demo")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    default=Path("blade-demo"),
    show_default=True,
    help="Folder for the runs and the report.",
)
def command(output: Path) -> None:
    """Simulate two runs with planted causes, analyze them, and say where the report is."""
    from blade import api  # noqa: PLC0415 - heavy: only when the command runs
    from blade.renderers import terminal  # noqa: PLC0415 - as above
    from blade.simulate import demo_pair  # noqa: PLC0415 - as above

    click.echo(f"simulating two runs of a tool-agent benchmark in {output}/runs …", err=True)
    baseline, candidate = demo_pair(output / "runs")
    options = Options(cache=False, benchmark="front_desk")
    runs = api.read(baseline, candidate, options=options)
    analysis = api.analyze_runs(runs, options)
    paths_written = api.write(output / "report", runs, analysis)
    folders = [str(path.parent) for path in (baseline, candidate)]
    commands = next_commands(analysis, folders, options)
    terminal.summary(analysis, paths_written, sys.stdout, commands)

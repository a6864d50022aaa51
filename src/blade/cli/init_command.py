"""Blade init: a package from runs."""

from __future__ import annotations

from pathlib import Path

import click

from blade.cli.run_lists import ManyRuns
from blade.errors import BladeError
from blade.options import Options


@click.command("init", cls=ManyRuns)
@click.argument("name")
@click.option("--runs", "paths", multiple=True, required=True, metavar="PATH...", help="The runs, as for analyze.")
@click.option(
    "--dir",
    "folder",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="The benchmark's directory, new or existing (default: benchmarks/NAME).",
)
def command(name: str, paths: tuple[str, ...], folder: Path | None) -> None:
    """Make a benchmark package from runs, or complete the directory of a benchmark.

    Rollouts are copied to rollouts/ as RUN_rollouts.jsonl; metrics, inputs, configs and notes that go with them to
    artifacts/. A skill is drafted from the data where there is none. Nothing is overwritten. One run is enough to draft
    skill and report; a complete package has two.
    """
    from blade.package.init import init, safe_name  # noqa: PLC0415 - heavy: only when the command runs

    place = folder or Path("benchmarks") / safe_name(name)
    package = init(place, paths)
    for path in package.written:
        click.echo(str(path))
    if package.layout.skill is None:
        _draft_skill(place, name)
    if package.kept:
        click.echo(f"{len(package.kept)} files were there already", err=True)
    click.echo("next:", err=True)
    for line in package.next:
        click.echo(f"  {line}", err=True)


def _draft_skill(place: Path, name: str) -> None:
    """Draft the skill from the rollouts; where that is not possible, the command is among those that come next."""
    from blade import toolkit  # noqa: PLC0415 - heavy: only when the command runs

    target = place / "skill" / "SKILL.md"
    try:
        toolkit.draft_skill(place / "rollouts", output=target, options=Options(benchmark=name))
    except BladeError as error:
        click.echo(f"no skill was drafted: {error}", err=True)
    else:
        click.echo(str(target))

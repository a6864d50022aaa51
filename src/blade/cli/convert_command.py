"""Blade convert: runs of other programs as rollout files."""

from __future__ import annotations

from pathlib import Path

import click


@click.command("convert")
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    default=Path("rollouts"),
    show_default=True,
    help="Folder for the rollout files.",
)
@click.option("--map", "field_map", type=click.Path(path_type=Path), help="A field map: what the fields are.")
def command(paths: tuple[str, ...], output: Path, field_map: Path | None) -> None:
    """Write the runs of other programs as NeMo Gym rollouts: one file of rows per run.

    PATH is what `analyze` takes. `blade list formats` names the formats that are known.
    """
    from blade.engine.convert import convert  # noqa: PLC0415 - heavy: only when the command runs
    from blade.wording import count  # noqa: PLC0415 - as above

    for file, rows in convert(paths, output, field_map):
        click.echo(f"{file}: {count(rows, 'rollout', 'rollouts')}")

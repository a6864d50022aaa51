"""Blade map: suggests a field map for rows of an unknown shape."""

from __future__ import annotations

from pathlib import Path

import click


@click.command("map")
@click.argument("file", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.option("--rows", default="", metavar="PATH", help="Where the rows stand in a JSON document, such as results[].")
def command(file: Path, rows: str) -> None:
    """Look at JSONL, JSON, CSV or Parquet rows and print a field map for them, with its reasons.

    Nothing is used before you say so: keep the map as blade-map.yaml beside the data, or give it with --map.
    """
    from blade.translate.suggest_map import map_page  # noqa: PLC0415 - heavy: only when the command runs

    click.echo(map_page(file, rows), nl=False)

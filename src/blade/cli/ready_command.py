"""Blade ready: the readiness checklist."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from blade.cli.reading_options import as_options, caching, scoring


@click.command("ready")
@click.argument("folder", type=click.Path(path_type=Path), metavar="DIR")
@click.option("--json", "as_json", is_flag=True, help="Print the checklist as JSON.")
@scoring
@caching
def command(
    folder: Path,
    as_json: bool,
    **reading_options: Any,
) -> None:
    """Walk the readiness checklist of a package: what is met, what is open, and what mends it.

    Exit code 1 while something is open.
    """
    from blade import toolkit  # noqa: PLC0415 - heavy: only when the command runs
    from blade.package.contents import open_contents  # noqa: PLC0415 - as above
    from blade.package.layout import open_layout  # noqa: PLC0415 - as above
    from blade.package.ready import ready  # noqa: PLC0415 - as above
    from blade.renderers import json  # noqa: PLC0415 - as above
    from blade.wording import printable  # noqa: PLC0415 - as above

    options = as_options(reading_options)
    points = ready(open_contents(open_layout(folder), toolkit.stages(), options))
    points_met = sum(point.met for point in points)
    if as_json:
        data = {
            "benchmark_dir": str(folder),
            "ready": points_met == len(points),
            "points": [point.data() for point in points],
        }
        sys.stdout.write(json.dump(json.plain(data)).decode())
    else:
        for point in points:
            click.echo(f"[{'x' if point.met else ' '}] {point.says}")
            for open_item in point.open:
                click.echo(f"    {printable(open_item.what)}")
                click.echo(f"    -> {printable(open_item.mend)}")
        click.echo(
            f"{points_met} of {len(points)} points are met" + (": BLADE-ready" if points_met == len(points) else "")
        )
    if points_met < len(points):
        sys.exit(1)

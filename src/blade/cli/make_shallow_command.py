"""Blade make-shallow: the negative control of a golden report."""

from __future__ import annotations

from pathlib import Path

import click

from blade.errors import InputError, UsageError


@click.command("make-shallow")
@click.option("--input", "source", type=click.Path(path_type=Path), required=True, help="The golden report.")
@click.option("--output", "target", type=click.Path(path_type=Path), required=True, help="Where the baseline goes.")
def command(source: Path, target: Path) -> None:
    """Make the shallow baseline of a golden report: its titles and the tables of its metric and funnel sections.

    Prose, bullets, code, deeper headings and every other table are dropped: it looks like a report and explains
    nothing.
    """
    from blade.package.shallow import shallow  # noqa: PLC0415 - only when the command runs
    from blade.package.texts import read_text  # noqa: PLC0415 - as above

    text = read_text(source)
    if text.problem:
        raise InputError(f"{source}: the report {text.problem}.", "Give a report in Markdown.")
    if target.exists() and target.samefile(source):
        raise UsageError(f"{target}: this is the report itself.", "Give another --output.")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(shallow(text.value), encoding="utf-8")
    except OSError as error:
        raise UsageError(
            f"{target}: cannot be written ({error.strerror or error}).", "Give another --output."
        ) from None
    click.echo(str(target))

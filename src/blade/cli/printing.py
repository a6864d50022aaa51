"""What commands print: lines in which no name or text out of a file does anything to the screen."""

from __future__ import annotations

import click


def echo(text: str = "", *, err: bool = False) -> None:
    """Print lines without control, format or surrogate characters: no colour, no link, no turned writing direction."""
    from blade.wording import printable_line  # noqa: PLC0415 - only when something is printed

    click.echo("\n".join(printable_line(line) for line in text.split("\n")), err=err)

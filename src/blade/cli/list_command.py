"""Blade list: what there is."""

from __future__ import annotations

import click

from blade.registry import FOLDERS, plugins, summary


@click.command("list")
@click.argument("kind", type=click.Choice(FOLDERS))
def command(kind: str) -> None:
    """List what BLADE has of a kind, with one line on each."""
    found = plugins(kind)
    width = max(map(len, found))
    for name, module in found.items():
        click.echo(f"{name:<{width}}  {summary(module)}")

"""Blade list: what there is."""

from __future__ import annotations

import click

from blade.diagnosis.definitions import definitions
from blade.registry import FOLDERS, plugins, summary

LABELS = "labels"


@click.command("list")
@click.argument("kind", type=click.Choice((*FOLDERS, LABELS)))
def command(kind: str) -> None:
    """List what BLADE has of a kind, with one line on each."""
    if kind == LABELS:
        found = {code: f"{label.name}: {label.meaning}" for code, label in definitions().items()}
    else:
        found = {name: summary(module) for name, module in plugins(kind).items()}
    width = max(map(len, found))
    for name, text in found.items():
        click.echo(f"{name:<{width}}  {text}")

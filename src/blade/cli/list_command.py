"""Blade list: what there is."""

from __future__ import annotations

import click

from blade.registry import FOLDERS, summaries

LABELS = "labels"


@click.command("list")
@click.argument("kind", type=click.Choice((*FOLDERS, LABELS)), required=False)
def command(kind: str | None) -> None:
    """List what BLADE has of a kind, with one line on each; without a kind, how many there are of each."""
    counts = {name: f"{len(_of(name))}" for name in (*FOLDERS, LABELS)} if kind is None else None
    found = counts or _of(str(kind))
    width = max(map(len, found))
    for name, text in found.items():
        click.echo(f"{name:<{width}}  {text}")


def _of(kind: str) -> dict[str, str]:
    if kind == LABELS:
        from blade.diagnosis.definitions import definitions  # noqa: PLC0415 - only where it is asked for

        return {code: f"{label.name}: {label.meaning}" for code, label in definitions().items()}
    return summaries(kind)

"""Blade list: what there is."""

from __future__ import annotations

import click

from blade.registry import FOLDERS, summaries

LABELS, OBSERVATIONS = "labels", "observations"
KINDS = (*FOLDERS, LABELS, OBSERVATIONS)


@click.command("list")
@click.argument("kind", type=click.Choice(KINDS), required=False)
def command(kind: str | None) -> None:
    """List what BLADE has of a kind, with one line on each; without a kind, how many there are of each."""
    counts = {name: f"{len(_of(name))}" for name in KINDS} if kind is None else None
    entries = counts or _of(str(kind))
    width = max(map(len, entries))
    for name, text in entries.items():
        click.echo(f"{name:<{width}}  {text}")


def _of(kind: str) -> dict[str, str]:
    if kind == LABELS:
        from blade.diagnosis.definitions import definitions  # noqa: PLC0415 - only where it is asked for

        return {code: f"{label.name}: {label.meaning}" for code, label in definitions().items()}
    if kind == OBSERVATIONS:
        from blade.index.observations import OBSERVATIONS as MEANINGS  # noqa: PLC0415 - as above

        return {name: f"{meaning[:1].upper()}{meaning[1:]}." for name, (_, meaning) in MEANINGS.items()}
    return summaries(kind)

"""Blade review: who accepted what, and when."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import click


@click.command("review")
@click.argument("folder", type=click.Path(path_type=Path), metavar="DIR")
@click.argument("model")
@click.option("--accept", multiple=True, metavar="SECTION", help="A section to accept, or `all` (may be repeated).")
@click.option(
    "--accept-fact", multiple=True, metavar="ID", help="An anchor fact to accept, or `all` (may be repeated)."
)
@click.option("--by", metavar="NAME", default="", help="Who accepts.")
@click.option("--date", "day", type=click.DateTime(["%Y-%m-%d"]), metavar="YYYY-MM-DD", help="When (default: today).")
def command(
    folder: Path,
    model: str,
    accept: tuple[str, ...],
    accept_fact: tuple[str, ...],
    by: str,
    day: dt.datetime | None,
) -> None:
    """Show or record the review of a golden report: DIR is the package, MODEL the model of the report.

    Acceptances are kept in MODEL_review.json with the hash of what was accepted: a section or fact that is changed
    later is open again. Once every section and fact is accepted the mark of a draft is taken off.
    """
    from blade.package import review  # noqa: PLC0415 - only when the command runs
    from blade.package.layout import open_layout  # noqa: PLC0415 - as above
    from blade.wording import printable  # noqa: PLC0415 - as above

    layout = open_layout(folder)
    golden = layout.golden_of(model)
    date = (day.date() if day else dt.datetime.now(tz=dt.UTC).date()).isoformat()
    state = review.accept(layout, golden, accept, accept_fact, by, date)
    for item in state.items:
        acceptance = item.accepted
        word = (
            "open"
            if acceptance is None
            else f"accepted {acceptance.get('date')}" + (f" by {acceptance['by']}" if acceptance.get("by") else "")
        )
        text = item.name if item.kind == "section" else f"{item.name}: {item.text}"
        click.echo(printable(f"{item.kind}: {text} [{word}]"))
    if state.facts_missing:
        click.echo("there are no anchor facts yet: blade extract-anchor-facts", err=True)
    click.echo(
        f"{len(state.items) - len(state.open)} of {len(state.items)} accepted" + (", draft" if state.draft else "")
    )

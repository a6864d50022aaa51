"""Blade cache: what is kept between analyses."""

from __future__ import annotations

from pathlib import Path

import click


@click.command("cache")
@click.argument("action", type=click.Choice(["info", "clear"]))
@click.option("--cache-dir", type=click.Path(path_type=Path), help="The folder (default: the user's cache folder).")
def command(action: str, cache_dir: Path | None) -> None:
    """Show or clear what is kept between commands: facts, translated rows, indexes and reports."""
    from blade.facts.cache import FactsCache  # noqa: PLC0415 - heavy: only when the command runs
    from blade.wording import count, size  # noqa: PLC0415 - as above

    cache = FactsCache(cache_dir)
    if action == "clear":
        click.echo(f"{cache.folder}: {count(cache.clear(), 'entry', 'entries')} removed")
        return
    entries, used = cache.info()
    click.echo(f"{cache.folder}: {count(entries, 'entry', 'entries')}, {size(used)}")

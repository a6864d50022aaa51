"""Blade skill: the agent skill, and a benchmark's own."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from blade.cli.progress import reading
from blade.cli.reading_options import as_options, caching, scoring


@click.group("skill")
def command() -> None:
    """Put the agent skill into a repository, or draft a benchmark's own skill from its data."""


@command.command("install")
@click.option(
    "--dir",
    "repository",
    type=click.Path(path_type=Path),
    default=Path(),
    show_default="here",
    metavar="REPO",
    help="The repository.",
)
@click.option("--force", is_flag=True, help="Replace what is there and differs.")
def install(repository: Path, force: bool) -> None:
    """Put the BLADE skill where coding agents look: .agents/skills, linked from .claude/skills and .codex/skills.

    All or nothing: where another skill of this name, or a changed file, is in the way, it is named, nothing is written,
    and the exit code is 1. --force replaces it.
    """
    from blade.skill import install as installing  # noqa: PLC0415 - only when the command runs

    steps = installing.install(repository, force=force)
    for item in steps:
        click.echo(f"{item.what:<7}  {item.path}")
    changed = sum(item.what == "differs" for item in steps)
    if changed:
        statement = "one place holds something else" if changed == 1 else f"{changed} places hold something else"
        click.echo(f"nothing was written: {statement}; move it away, or replace it with --force", err=True)
        sys.exit(1)


@command.command("draft")
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option("--name", metavar="NAME", help="The benchmark's name (default: as the runs or their folder tell).")
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), metavar="FILE", help="Where it goes (default: printed)."
)
@click.option("--force", is_flag=True, help="Overwrite the file if it is there.")
@scoring
@caching
def draft(
    paths: tuple[str, ...],
    name: str | None,
    output: Path | None,
    force: bool,
    **reading_options: Any,
) -> None:
    """Draft a benchmark's own analysis skill (SKILL.md) from its runs.

    Fields, stages and failure modes are counted; what the data cannot tell is marked `unknown:` for you to answer.
    """
    from blade import toolkit  # noqa: PLC0415 - heavy: only when the command runs

    options = as_options(reading_options, benchmark=name)
    with reading(paths) as progress:
        text, target = toolkit.draft_skill(*paths, output=output, force=force, options=options, progress=progress)
    if target is None:
        sys.stdout.write(text)
        return
    click.echo(str(target))
    open_ends = text.count("unknown:")
    click.echo(f"{open_ends} places are marked `unknown:`; answer them, then validate the package", err=True)

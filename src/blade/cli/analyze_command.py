"""Blade analyze: the main job."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from blade.cli.progress import reading
from blade.cli.reading_options import caching, comparing, describing, scoring
from blade.options import Options


@click.command("analyze")
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    default=Path("blade-report"),
    show_default=True,
    help="Folder for the report.",
)
@describing
@scoring
@caching
@comparing
def command(
    paths: tuple[str, ...],
    output: Path,
    baseline: str | None,
    pass_threshold: float | None,
    reward_field: str | None,
    slices: str | None,
    benchmark: str | None,
    config: Path | None,
    notes: Path | None,
    checkpoint: str | None,
    repeats: int | None,
    limit: int | None,
    missing: str,
    no_cache: bool,
    cache_dir: Path | None,
    treatment: tuple[str, ...],
    seed: int,
) -> None:
    """Read runs, count them truthfully, and write the report.

    PATH is a rollout file, a folder, a quoted glob (one run of many shards), or NAME=PATH.
    """
    from blade import api  # noqa: PLC0415 - heavy: only when the command runs
    from blade.renderers import terminal  # noqa: PLC0415 - heavy: only when the command runs

    options = Options(
        pass_threshold=pass_threshold,
        reward_field=reward_field,
        config=config,
        notes=notes,
        checkpoint=checkpoint,
        repeats=repeats,
        limit=limit,
        baseline=baseline,
        missing=missing,
        slices=tuple(part.strip() for part in slices.split(",") if part.strip()) if slices else (),
        cache=not no_cache,
        cache_dir=cache_dir,
        seed=seed,
        benchmark=benchmark,
        treatment=treatment,
    )
    with reading(paths) as progress:
        runs = api.read(*paths, options=options, progress=progress)
    analysis = api.analyze_runs(runs, options)
    written = api.write(output, runs, analysis)
    terminal.summary(analysis, written, sys.stdout)

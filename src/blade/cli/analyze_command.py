"""Blade analyze: the main job."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from blade.cli.progress import reading
from blade.cli.reading_options import caching, comparing, scoring
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
@click.option("--baseline", metavar="NAME", help="The run that others are compared with (default: the first).")
@click.option("--slices", metavar="FIELD,...", help="Task properties to slice by (default: all that qualify).")
@click.option("--benchmark", metavar="NAME", help="The benchmark's name.")
@click.option("--config", type=click.Path(path_type=Path), help="The run's config (YAML, TOML or JSON).")
@click.option(
    "--notes",
    type=click.Path(path_type=Path),
    help="What is known of the run: missing rows, timeouts, flaky infrastructure.",
)
@click.option("--checkpoint", metavar="REF", help="The model's checkpoint.")
@click.option("--repeats", type=click.IntRange(min=1, max=100_000), help="Attempts that each task was given.")
@click.option("--limit", type=click.IntRange(min=1, max=10_000_000), help="Tasks that the run was limited to.")
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

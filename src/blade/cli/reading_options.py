"""Options of every command that reads runs: what a pass is, and what is kept between analyses."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import click

from blade.cli.finite_numbers import FiniteFloat
from blade.options import Options
from blade.per_run import by_run

Command = TypeVar("Command", bound=Callable[..., None])


def as_options(arguments: Mapping[str, Any], **further: Any) -> Options:
    """The options of these decorators, as a command was given them."""
    settings = {name: value for name, value in arguments.items() if name not in {"no_cache", "slices"}}
    slices = arguments.get("slices") or ""
    fields = tuple(part.strip() for part in slices.split(",") if part.strip())
    return Options(**settings, cache=not arguments["no_cache"], slices=fields, **further)


def scoring(command: Command) -> Command:
    """--map, --pass-threshold and --reward-field."""
    mapped = click.option(
        "--map",
        "field_map",
        type=click.Path(path_type=Path),
        help="A field map for rows of another shape: which field is the task, the score, the transcript.",
    )
    field = click.option(
        "--reward-field", metavar="FIELD", help="The field that holds the reward (dotted names reach inside)."
    )
    threshold = click.option(
        "--pass-threshold", type=FiniteFloat(), help="A rollout passes if its reward reaches this."
    )
    return mapped(threshold(field(command)))


def caching(command: Command) -> Command:
    """--no-cache and --cache-dir."""
    folder = click.option("--cache-dir", type=click.Path(path_type=Path), help="Where facts are kept between analyses.")
    return click.option("--no-cache", is_flag=True, help="Read everything anew and keep nothing.")(folder(command))


def running(command: Command) -> Command:
    """Where and how rows are read: --workers, --engine, --ray-address, --fingerprint."""
    for option in reversed(RUNNING):
        command = option(command)
    return command


RUNNING = (
    click.option("--workers", type=click.IntRange(1, 1024), help="Processes that read (default: one per processor)."),
    click.option(
        "--engine",
        type=click.Choice(["local", "ray"]),
        default="local",
        show_default=True,
        help="Read on this machine or as Ray tasks.",
    ),
    click.option("--ray-address", metavar="ADDRESS", help="A Ray cluster that is running (default: start one here)."),
    click.option(
        "--fingerprint",
        type=click.Choice(["xxh3", "sha256"]),
        default="xxh3",
        show_default=True,
        help="How the cache knows content again.",
    ),
)


def comparing(command: Command) -> Command:
    """--match-by, --allow-unrelated, --treatment, --missing and --seed."""
    seed = click.option("--seed", type=int, default=0, show_default=True, help="Seed of the few random steps.")
    missing = click.option(
        "--missing",
        type=click.Choice(["drop", "zero"]),
        default="drop",
        show_default=True,
        help="How the headline takes missing rollouts.",
    )
    treatment = click.option(
        "--treatment", multiple=True, metavar="FIELD", help="What was meant to change (may be given several times)."
    )
    match_by = click.option(
        "--match-by",
        metavar="FIELD",
        help="The field that names a task in all runs; or index, or text (default: what joins the most tasks).",
    )
    unrelated = click.option(
        "--allow-unrelated", is_flag=True, help="Take runs of different benchmarks, which are refused otherwise."
    )
    return match_by(unrelated(treatment(missing(seed(command)))))


def judging(command: Command) -> Command:
    """--runs and --golden-only."""
    only = click.option("--golden-only", is_flag=True, help="Believe the golden report, even where runs are there.")
    runs = click.option(
        "--runs",
        "paths",
        multiple=True,
        metavar="PATH...",
        help="The runs (default: the rollouts of the package that the golden report lies in).",
    )
    return runs(only(command))


def describing(command: Command) -> Command:
    """What is known of the runs beside their files, and which of them is the baseline."""
    for option in reversed(DESCRIBING):
        command = option(command)
    return command


def _per_run(name: str, value: str, words: str) -> Callable[[Command], Command]:
    return click.option(
        name,
        multiple=True,
        metavar=f"[RUN=]{value}",
        callback=lambda _context, _parameter, values: by_run(values) or None,
        help=f"{words} May be given several times.",
    )


DESCRIBING = (
    click.option("--baseline", metavar="NAME", help="The run that others are compared with (default: the first)."),
    click.option("--slices", metavar="FIELD,...", help="Task properties to slice by (default: all that qualify)."),
    click.option("--benchmark", metavar="NAME", help="The benchmark's name."),
    _per_run("--config", "PATH", "The config (YAML, TOML or JSON) of every run, or of one."),
    _per_run("--notes", "PATH", "What is known of the runs, or of one: missing rows, timeouts, flaky infrastructure."),
    _per_run("--annotations", "PATH", "What `blade note` wrote, where it does not stand beside the run."),
    _per_run("--checkpoint", "REF", "The checkpoint of the model, of every run or of one."),
    click.option("--repeats", type=click.IntRange(min=1, max=100_000), help="Attempts that each task was given."),
    click.option("--limit", type=click.IntRange(min=1, max=10_000_000), help="Tasks that the run was limited to."),
)

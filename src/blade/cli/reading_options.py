"""Options of every command that reads runs: what a pass is, and what is kept between analyses."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import click

Command = TypeVar("Command", bound=Callable[..., None])


def scoring(command: Command) -> Command:
    """--pass-threshold and --reward-field."""
    field = click.option(
        "--reward-field", metavar="FIELD", help="The field that holds the reward (dotted names reach inside)."
    )
    threshold = click.option("--pass-threshold", type=float, help="A rollout passes if its reward reaches this.")
    return threshold(field(command))


def caching(command: Command) -> Command:
    """--no-cache and --cache-dir."""
    folder = click.option("--cache-dir", type=click.Path(path_type=Path), help="Where facts are kept between analyses.")
    return click.option("--no-cache", is_flag=True, help="Read everything anew and keep nothing.")(folder(command))


def comparing(command: Command) -> Command:
    """--treatment, --missing and --seed."""
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
    return treatment(missing(seed(command)))

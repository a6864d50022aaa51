"""Options of the commands that write for a pipeline."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import click

from blade.errors import UsageError

Command = TypeVar("Command", bound=Callable[..., None])


def summarising(command: Command) -> Command:
    """--step-summary."""
    return click.option(
        "--step-summary",
        type=click.Path(dir_okay=False, path_type=Path),
        metavar="FILE",
        help="Append the form for GitHub to this file (default with --format github: $GITHUB_STEP_SUMMARY).",
    )(command)


def summary_file(asked: Path | None, forms: str | tuple[str, ...]) -> Path | None:
    """The file given; with the form for GitHub, the one that GitHub names."""
    github_file = os.environ.get("GITHUB_STEP_SUMMARY")
    return asked or (Path(github_file) if github_file and "github" in forms else None)


def append_summary(asked: Path | None, forms: str | tuple[str, ...], text: Callable[[], str]) -> None:
    """Append to the file of the summary, where there is one."""
    place = summary_file(asked, forms)
    if place is None:
        return
    try:
        with place.open("a", encoding="utf-8") as file:
            file.write(text())
    except OSError as error:
        raise UsageError(
            f"{place}: cannot be written ({error.strerror or error}).", "Give another file with --step-summary."
        ) from None

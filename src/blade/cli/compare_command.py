"""Blade compare: the change only."""

from __future__ import annotations

import sys
from typing import Any

import click

from blade.cli.reading_options import as_options, caching, comparing, running, scoring


@click.command("compare")
@click.argument("base")
@click.argument("candidate")
@click.option(
    "--fail-on", type=click.Choice(["regression", "real-regression"]), help="Exit 1 on a lower score, or on a real one."
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["terminal", "markdown", "json"]),
    default="terminal",
    show_default=True,
    help="How the change is written.",
)
@scoring
@caching
@running
@comparing
def command(
    base: str,
    candidate: str,
    fail_on: str | None,
    form: str,
    **given: Any,
) -> None:
    """Compare two runs: the verdict, the ledger, the tasks that moved.

    BASE and CANDIDATE are what `blade analyze` takes, each holding one run.
    """
    from blade import api  # noqa: PLC0415 - heavy: only when the command runs

    options = as_options(given)
    analysis = api.compare_paths(base, candidate, options)
    sys.stdout.write(api.render_change(analysis, form))
    (change,) = analysis.changes
    lower = change.delta is not None and change.delta < 0
    if lower and (fail_on == "regression" or (fail_on == "real-regression" and change.verdict == "real")):
        sys.exit(1)

"""Blade compare: the change only."""

from __future__ import annotations

import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from blade.cli.finite_numbers import FiniteRange
from blade.cli.loading import loading
from blade.cli.output_options import append_summary, summarising
from blade.cli.progress import reading
from blade.cli.reading_options import as_options, caching, comparing, running, scoring

if TYPE_CHECKING:
    from blade.change.gate import GateRule

CONFIDENCE = 0.95


@click.command("compare")
@click.argument("base")
@click.argument("candidate")
@click.option(
    "--fail-on", type=click.Choice(["regression", "real-regression"]), help="Exit 1 on a lower score, or on a real one."
)
@click.option(
    "--max-drop",
    type=FiniteRange(min=0),
    metavar="POINTS",
    help="Exit 1 only if the score fell by more than so many points (percentage points, or units of a native scale).",
)
@click.option(
    "--confidence",
    type=FiniteRange(0.5, 1, max_open=True),
    metavar="LEVEL",
    help=f"How sure a real regression must be (default: {CONFIDENCE}); implies --fail-on real-regression.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["terminal", "markdown", "json", "github", "csv", "junit"]),
    default="terminal",
    show_default=True,
    help="How the change is written.",
)
@summarising
@click.option("-q", "--quiet", is_flag=True, help="Print neither progress nor the result of the gate.")
@scoring
@caching
@running
@comparing
def command(
    base: str,
    candidate: str,
    fail_on: str | None,
    max_drop: float | None,
    confidence: float | None,
    form: str,
    step_summary: Path | None,
    quiet: bool,
    **reading_options: Any,
) -> None:
    """Compare two runs: the verdict, the ledger, the tasks that moved.

    BASE and CANDIDATE are what `blade analyze` takes, each holding one run. --fail-on, --max-drop and --confidence make
    a gate: the exit code is 1 if it is crossed.
    """
    with loading():
        from blade import api  # noqa: PLC0415 - heavy: only when the command runs

    rule = _rule(fail_on, max_drop, confidence)
    with reading([base, candidate], quiet=quiet) as progress:
        analysis = api.compare_paths(base, candidate, as_options(reading_options), progress)
    gate = api.gate_of(analysis, rule) if rule else None
    if gate and not quiet:
        click.echo(gate.statement, err=True)
    append_summary(step_summary, form, lambda: api.render_change(analysis, "github", gate))
    with suppress(BrokenPipeError):  # the gate is crossed whether somebody reads on or not
        if form == "terminal":
            from blade.renderers import terminal  # noqa: PLC0415 - as above

            terminal.show(api.change_report(analysis), sys.stdout)
        else:
            sys.stdout.write(api.render_change(analysis, form, gate))
    if gate and gate.crossed:
        sys.exit(1)


def _rule(fail_on: str | None, max_drop: float | None, confidence: float | None) -> GateRule | None:
    """The gate that the options describe; none where none of them is given."""
    from blade.change.gate import GateRule  # noqa: PLC0415 - as above

    if fail_on == "regression" and confidence is not None:
        raise click.UsageError("--confidence says how sure a real regression must be: leave out --fail-on regression.")
    if fail_on is None and max_drop is None and confidence is None:
        return None
    real = fail_on == "real-regression" or confidence is not None
    return GateRule(max_drop or 0.0, (confidence or CONFIDENCE) if real else None)

"""Blade calibrate: can this package tell a true report from a false one."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from blade.cli.finite_numbers import FiniteFloat
from blade.cli.progress import reading
from blade.cli.reading_options import judging
from blade.cli.run_lists import ManyRuns
from blade.options import Options

if TYPE_CHECKING:
    from blade.judge.calibration import Attacked, Calibration


@click.command("calibrate", cls=ManyRuns)
@click.option("--golden-report", type=click.Path(path_type=Path), required=True, help="The golden report.")
@click.option("--anchor-facts", type=click.Path(path_type=Path), required=True, help="Its anchor facts, in JSON.")
@click.option("--shallow-report", type=click.Path(path_type=Path), required=True, help="The shallow baseline.")
@judging
@click.option(
    "--output-dir", type=click.Path(path_type=Path, file_okay=False), help="Write the grades and the summary here."
)
@click.option(
    "--min-spread", type=FiniteFloat(), default=0.50, show_default=True, help="Golden less shallow, at least."
)
def command(
    golden_report: Path,
    anchor_facts: Path,
    shallow_report: Path,
    paths: tuple[str, ...],
    golden_only: bool,
    output_dir: Path | None,
    min_spread: float,
) -> None:
    """Grade the golden report, the shallow baseline and every attack.

    Each attack is printed with its score and the band it must lie in, or n/a where it cannot be made of this package.
    Exit code 1 if golden and shallow lie closer together than --min-spread.
    """
    from blade import toolkit  # noqa: PLC0415 - heavy: only when the command runs

    with reading(paths) as progress:
        calibration = toolkit.calibrate(
            golden_report,
            anchor_facts,
            shallow_report,
            *paths,
            min_spread=min_spread,
            golden_only=golden_only,
            options=Options(),
            progress=progress,
        )
    if output_dir is not None:
        toolkit.write_json(output_dir / "golden-vs-self" / "reward.json", calibration.golden.data())
        toolkit.write_json(output_dir / "shallow-vs-golden" / "reward.json", calibration.shallow.data())
        toolkit.write_json(output_dir / "calibration_summary.json", calibration.data())
    _tell(calibration)
    if not calibration.passed:
        click.echo(f"spread {calibration.spread:.3f} is below {min_spread:.2f}", err=True)
        sys.exit(1)


def _tell(calibration: Calibration) -> None:
    click.echo(f"golden_vs_self    {calibration.golden.score:.3f}")
    click.echo(f"shallow_vs_golden {calibration.shallow.score:.3f}")
    click.echo(f"spread            {calibration.spread:.3f} (fact base: {calibration.golden.fact_base})")
    for attacked in calibration.attacks:
        click.echo(_line(attacked))
    outside = len(calibration.outside)
    graded = sum(attacked.grade is not None for attacked in calibration.attacks)
    click.echo(f"{graded - outside} of {graded} inside their bands, {len(calibration.attacks) - graded} n/a")


def _line(attacked: Attacked) -> str:
    low, high = attacked.band
    band = f"{low:.2f} to {high:.2f}"
    if attacked.grade is None:
        return f"  n/a          {attacked.name:<24} {band}  {attacked.what}"
    mark = "ok " if attacked.inside else "OUT"
    return f"  {mark} {attacked.grade.score:.3f}    {attacked.name:<24} {band}  {attacked.what}"

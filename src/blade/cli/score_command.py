"""Blade score: the grade of a report."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from blade.cli.progress import reading
from blade.cli.reading_options import judging
from blade.cli.run_lists import ManyRuns
from blade.options import Options


@click.command("score", cls=ManyRuns)
@click.option("--report", type=click.Path(path_type=Path), required=True, help="The report to grade, in Markdown.")
@click.option("--golden", type=click.Path(path_type=Path), required=True, help="The golden report.")
@click.option("--anchor-facts", type=click.Path(path_type=Path), required=True, help="Its anchor facts, in JSON.")
@judging
@click.option("--output-dir", type=click.Path(path_type=Path, file_okay=False), help="Write reward.json here.")
def command(
    report: Path,
    golden: Path,
    anchor_facts: Path,
    paths: tuple[str, ...],
    golden_only: bool,
    output_dir: Path | None,
) -> None:
    """Grade a report: its anchors, diagnosis, numbers, ids and quotes.

    Prints JSON. Every number, id and quote is held against the rollouts; where there are none, against the golden
    report, and the grade says so (fact_base: golden-only).
    """
    from blade import toolkit  # noqa: PLC0415 - heavy: only when the command runs
    from blade.renderers import json  # noqa: PLC0415 - as above

    with reading(paths) as progress:
        grade = toolkit.score(
            report, golden, anchor_facts, *paths, golden_only=golden_only, options=Options(), progress=progress
        )
    grade_text = json.dump(json.plain(grade.data()))
    if output_dir is not None:
        toolkit.write_json(output_dir / "reward.json", grade.data())
    sys.stdout.write(grade_text.decode())
    click.echo(f"{grade.verdict}: {grade.score:.3f} (fact base: {grade.fact_base})", err=True)

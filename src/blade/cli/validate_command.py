"""Blade validate: D1, D2 and D3 of a package."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from blade.cli.printing import echo
from blade.cli.reading_options import as_options, caching, scoring


@click.command("validate")
@click.option(
    "--benchmark-dir", type=click.Path(path_type=Path), required=True, metavar="DIR", help="The package's directory."
)
@click.option(
    "--phase",
    type=click.Choice(["all", "skill", "rollouts", "golden"]),
    default="all",
    show_default=True,
    help="What to check: everything, D1, D2 or D3.",
)
@click.option(
    "--min-anchor-facts",
    type=click.IntRange(min=0),
    default=8,
    show_default=True,
    help="Fewest anchor facts of a golden report.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the checks as JSON.")
@scoring
@caching
def command(
    benchmark_dir: Path,
    phase: str,
    min_anchor_facts: int,
    as_json: bool,
    **reading_options: Any,
) -> None:
    """Check a benchmark package: one line a check, then the summary. Exit code 1 if a check failed.

    Numbers of the metrics sidecar and of the golden report are computed anew from the rollouts.
    """
    from blade import toolkit  # noqa: PLC0415 - heavy: only when the command runs
    from blade.package.contents import open_contents  # noqa: PLC0415 - as above
    from blade.package.layout import open_layout  # noqa: PLC0415 - as above
    from blade.package.validate import CheckState, summary, validate  # noqa: PLC0415 - as above
    from blade.renderers import json  # noqa: PLC0415 - as above

    options = as_options(reading_options)
    contents = open_contents(open_layout(benchmark_dir), toolkit.stages(), options, phase)
    results = validate(contents, phase, min_anchor_facts)
    bad = any(result.state is CheckState.FAIL for result in results)
    if as_json:
        data = {"benchmark_dir": str(benchmark_dir), "phase": phase, "passed": not bad, "summary": summary(results)}
        sys.stdout.write(json.dump(json.plain({**data, "checks": [result.data() for result in results]})).decode())
    else:
        for result in results:
            echo(result.line)
        click.echo(summary(results))
    if bad:
        sys.exit(1)

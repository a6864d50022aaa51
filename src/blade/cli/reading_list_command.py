"""Blade reading-list: which transcripts to read next."""

from __future__ import annotations

import shlex
import sys
from typing import TYPE_CHECKING, Any

import click

from blade.cli.asking_options import asking, opened
from blade.cli.printing import echo

if TYPE_CHECKING:
    from blade.queries.reading_list import ReadingPick

PICKS = 6


@click.command("reading-list")
@click.argument("paths", nargs=-1, required=True, metavar="RUN...")
@click.option(
    "--most", "most_rollouts", type=click.IntRange(min=1), default=PICKS, show_default=True, help="How many rollouts."
)
@click.option("--list", "list_only", is_flag=True, help="The list alone, without transcripts.")
@click.option("--random", "at_random", is_flag=True, help="Failures at random alone, in an order that stays the same.")
@click.option("--where", metavar="CONDITION", help="Rollouts that meet a condition as `blade count` takes it.")
@click.option("--json", "as_json", is_flag=True, help="Print the list as JSON.")
@asking
def command(
    paths: tuple[str, ...],
    most_rollouts: int,
    list_only: bool,
    at_random: bool,
    where: str | None,
    as_json: bool,
    tokens: int,
    **options: Any,
) -> None:
    """Say which transcripts to read next, why, and print them shortened.

    Of each reason one, then of each a second: void attempts, passes that show what failures show, one output with two
    verdicts, tasks that nobody passes, each failure mode, failures without a finding, the surest labels, tasks that
    were lost, and controls at random. The transcripts share the budget of --tokens.
    Notes on failures that were read in the order of --random let the report say how many there are in all.
    """
    from blade.queries.conditions import condition, with_whole_names  # noqa: PLC0415 - heavy: only when the command runs
    from blade.queries.reading_list import random_failures, reading_list  # noqa: PLC0415 - as above

    index = opened(paths, options)
    if at_random and where:
        raise click.UsageError("--random is of all failures: it takes no --where.")
    picker = random_failures if at_random else reading_list
    picks = picker(index, most_rollouts, [condition(with_whole_names(where, index.runs))] if where else [])
    if as_json:
        _json(picks)
        return
    for number, pick in enumerate(picks, 1):
        echo(f"{number}. {pick.run} {pick.task} #{pick.attempt} ({pick.outcome}): {pick.why}")
    if picks and not list_only:
        _transcripts(picks, max(tokens - 60 * len(picks), 200 * len(picks)) // len(picks))


def _transcripts(picks: list[ReadingPick], tokens: int) -> None:
    from blade.evidence import open_row  # noqa: PLC0415 - as above
    from blade.queries.compact import NOTICE, compact  # noqa: PLC0415 - as above

    echo(f"\n{NOTICE}")
    for number, pick in enumerate(picks, 1):
        echo(
            f"\n{number}. blade show {shlex.quote(pick.source.file)} {shlex.quote(pick.task)} --attempt {pick.attempt}"
        )
        echo(compact(open_row(pick.source), tokens))


def _json(picks: list[ReadingPick]) -> None:
    from dataclasses import asdict  # noqa: PLC0415 - as above

    from blade.renderers import json  # noqa: PLC0415 - as above

    sys.stdout.write(json.dump(json.plain([asdict(pick) for pick in picks])).decode())

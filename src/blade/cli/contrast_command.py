"""Blade contrast: two groups of rollouts against each other."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from blade.cli.asking_options import asking, cited, keeping, opened
from blade.cli.reading_options import as_options

if TYPE_CHECKING:
    from blade.queries.contrast import Contrast, Feature, Words

MOST_WORDS = 8


@click.command("contrast")
@click.argument("condition_a")
@click.argument("condition_b")
@click.argument("paths", nargs=-1, required=True, metavar="RUN...")
@click.option("--words", is_flag=True, help="Also phrases that one group holds more often (reads the runs again).")
@click.option("--json", "as_json", is_flag=True, help="Print all of it as JSON.")
@keeping
@asking
def command(
    condition_a: str,
    condition_b: str,
    paths: tuple[str, ...],
    words: bool,
    as_json: bool,
    tokens: int,
    kept_in: Path | None,
    no_keep: bool,
    **given: Any,
) -> None:
    """Hold two groups of rollouts against each other: what goes with the one and not the other.

    The conditions are as `blade count` takes them; rollouts that meet both are in neither group. Where enough tasks
    have rollouts of both groups, rollouts are compared with those of their own task.
    """
    from blade.queries.asking import ask  # noqa: PLC0415 - heavy: only when the command runs
    from blade.queries.kept import Query  # noqa: PLC0415 - as above

    index = opened(paths, given)
    query = Query("contrast", {"first": condition_a, "second": condition_b})
    answer = ask(index, query)
    made = answer.contrast
    assert made is not None  # noqa: S101 - of this kind of question
    phrases: list[Words] = []
    if words:
        from blade import api  # noqa: PLC0415 - as above
        from blade.queries.contrast import separating_words  # noqa: PLC0415 - as above

        phrases = separating_words(api.read(*paths, options=as_options(given)), made, MOST_WORDS)
    if as_json:
        _json(made, phrases, query.id(index.facts["digests"]))
        return
    _print(made, phrases, tokens)
    click.echo(cited(index, query, answer.counts, kept_in, no_keep=no_keep))


def _print(made: Contrast, phrases: list[Words], tokens: int) -> None:
    from blade.queries.page import fitting, table  # noqa: PLC0415 - as above
    from blade.queries.tally import tally  # noqa: PLC0415 - as above
    from blade.wording import count  # noqa: PLC0415 - as above

    groups = [
        ["A", *map(_whole, tally(made.first).data().values())],
        ["B", *map(_whole, tally(made.second).data().values())],
    ]
    click.echo("\n".join(table(["group", "rollouts", "tasks", "passes", "failures", "void"], groups)))
    if made.both:
        click.echo(f"{count(made.both, 'rollout meets', 'rollouts meet')} both conditions: left out")
    how = (
        f"compared within {count(made.within_tasks, 'task')} that have both"
        if made.within_tasks
        else "compared as they are: too few tasks have rollouts of both groups"
    )
    many = len(made.features)
    click.echo(f"{count(many, 'feature separates', 'features separate')} them, of {made.tested:,} tried; {how}")
    lines = list(table(["feature", "A", "B", "p"], [_row(one) for one in made.features])) if many else []
    kept, left = fitting(lines, tokens - 400)
    if kept:
        click.echo("\n".join(kept))
    if left:
        click.echo(f"{count(left, 'feature')} left out: --tokens {2 * tokens} or --json")
    for one in phrases:
        click.echo(f"{one.actor} says {one.words!r}: A {one.first}, B {one.second} (p = {one.p:.2g})")


def _row(one: Feature) -> list[str]:
    if one.kind == "numeric":
        return [one.name, f"median {one.first:g}", f"median {one.second:g}", f"{one.p:.2g}"]
    return [one.name, f"{one.first:.0f} of {one.of_first:,}", f"{one.second:.0f} of {one.of_second:,}", f"{one.p:.2g}"]


def _whole(value: float) -> str:
    return f"{value:,.0f}"


def _json(made: Contrast, phrases: list[Words], name: str) -> None:
    from dataclasses import asdict  # noqa: PLC0415 - as above

    from blade.renderers import json  # noqa: PLC0415 - as above

    features = [asdict(one) for one in made.features]
    told = {"id": name, "counts": made.counts()[""], "features": features, "words": [asdict(one) for one in phrases]}
    sys.stdout.write(json.dump(json.plain(told)).decode())

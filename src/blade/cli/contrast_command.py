"""Blade contrast: two groups of rollouts against each other."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from blade.cli.asking_options import asking, cited, keeping, opened
from blade.cli.printing import echo
from blade.cli.reading_options import as_options

if TYPE_CHECKING:
    from blade.queries.contrast import Feature, GroupContrast, GroupPhrase

MOST_WORDS = 8
SAYS = {
    "model": "model says",
    "environment": "environment says",
    "user": "user says",
    "call": "calls hold",
    "thought": "model thinks",
}
MOST_NAMES = 6


@click.command("contrast")
@click.argument("condition_a")
@click.argument("condition_b")
@click.argument("paths", nargs=-1, required=True, metavar="RUN...")
@click.option("--words", is_flag=True, help="Also phrases that one group holds more often (reads the runs again).")
@click.option("--all", "try_all", is_flag=True, help="Also features that restate the verdict or name the runs again.")
@click.option("--json", "as_json", is_flag=True, help="Print all of it as JSON.")
@keeping
@asking
def command(
    condition_a: str,
    condition_b: str,
    paths: tuple[str, ...],
    words: bool,
    try_all: bool,
    as_json: bool,
    tokens: int,
    kept_in: Path | None,
    no_keep: bool,
    **options: Any,
) -> None:
    """Hold two groups of rollouts against each other: what goes with the one and not the other.

    The conditions are as `blade count` takes them; rollouts that meet both are in neither group. Where enough tasks
    have rollouts of both groups, rollouts are compared with those of their own task.
    """
    from blade.queries.asking import ask  # noqa: PLC0415 - heavy: only when the command runs
    from blade.queries.question_file import Query  # noqa: PLC0415 - as above

    index = opened(paths, options)
    params: dict[str, Any] = {"first": condition_a, "second": condition_b}
    query = Query("contrast", {**params, "all": True} if try_all else params)
    answer = ask(index, query)
    contrast = answer.contrast
    assert contrast is not None  # noqa: S101 - of this kind of question
    phrases: list[GroupPhrase] = []
    if words:
        from blade import api  # noqa: PLC0415 - as above
        from blade.queries.contrast import separating_words  # noqa: PLC0415 - as above

        phrases = separating_words(api.read(*paths, options=as_options(options)), contrast, MOST_WORDS)
    if as_json:
        _json(contrast, phrases, query.id(index.facts["digests"]))
        return
    _print(contrast, phrases, tokens)
    echo(cited(index, query, answer.counts, kept_in, no_keep=no_keep))


def _print(contrast: GroupContrast, phrases: list[GroupPhrase], tokens: int) -> None:
    from blade.queries.page import fitting, table  # noqa: PLC0415 - as above
    from blade.queries.tally import tally  # noqa: PLC0415 - as above
    from blade.wording import abridged, count  # noqa: PLC0415 - as above

    groups = [
        ["A", *map(_integer, tally(contrast.first).data().values())],
        ["B", *map(_integer, tally(contrast.second).data().values())],
    ]
    echo("\n".join(table(["group", "rollouts", "tasks", "passes", "failures", "void"], groups)))
    if contrast.overlap:
        echo(f"{count(contrast.overlap, 'rollout meets', 'rollouts meet')} both conditions: left out")
    if contrast.passing:
        echo(_passing(contrast.passing))
    method = (
        f"compared within {count(contrast.within_tasks, 'task')} that have both"
        if contrast.within_tasks
        else "compared as they are: too few tasks have rollouts of both groups"
    )
    feature_count = len(contrast.features)
    echo(
        f"{count(feature_count, 'feature separates', 'features separate')} them, of {contrast.tested:,} tried; {method}"
    )
    head = ["feature", "A", "B", *(["within tasks"] if contrast.within_tasks else []), "p"]
    rows = [_row(item, with_direction=bool(contrast.within_tasks)) for item in contrast.features]
    lines = list(table(head, rows)) if feature_count else []
    shown_lines, left = fitting(lines, tokens - 400)
    if shown_lines:
        echo("\n".join(shown_lines))
    if left:
        echo(f"{count(left, 'feature')} left out: --tokens {2 * tokens} or --json")
    for reason, names in contrast.left_out.items():
        echo(f"not tried, for they {reason}: {abridged(names, MOST_NAMES)} (--all tries them)")
    for item in phrases:
        echo(f"{SAYS[item.actor]} {item.words!r}: A {item.first}, B {item.second} (p = {item.p:.2g})")


def _passing(item: Feature) -> str:
    """How both groups end, on one line: it is what is to be explained, not what explains."""
    from blade.wording import percent  # noqa: PLC0415 - as above

    rates = [
        f"{percent(count / judged_rollouts)} ({count:.0f} of {judged_rollouts:,} judged)"
        for count, judged_rollouts in ((item.first, item.of_first), (item.second, item.of_second))
    ]
    direction = "" if item.within is None else f"; within tasks {_direction(item)}"
    return f"A passes {rates[0]}, B {rates[1]}{direction} (p = {item.p:.2g})"


def _row(item: Feature, *, with_direction: bool) -> list[str]:
    direction = [_direction(item)] if with_direction else []
    if item.kind == "numeric":
        return [item.name, f"median {item.first:g}", f"median {item.second:g}", *direction, f"{item.p:.2g}"]
    return [
        item.name,
        f"{item.first:.0f} of {item.of_first:,}",
        f"{item.second:.0f} of {item.of_second:,}",
        *direction,
        f"{item.p:.2g}",
    ]


def _direction(item: Feature) -> str:
    """Which group has more of it within tasks, to which p belongs: the counts beside it may point the other way."""
    from blade.wording import points  # noqa: PLC0415 - as above

    if not item.within:
        return "alike"
    larger_group = "A" if item.within > 0 else "B"
    return (
        f"more in {larger_group}" if item.kind == "numeric" else f"more in {larger_group}, {points(abs(item.within))}"
    )


def _integer(value: float) -> str:
    return f"{value:,.0f}"


def _json(contrast: GroupContrast, phrases: list[GroupPhrase], name: str) -> None:
    from dataclasses import asdict  # noqa: PLC0415 - as above

    from blade.renderers import json  # noqa: PLC0415 - as above

    features = [asdict(item) for item in contrast.features]
    document = {
        "id": name,
        "counts": contrast.counts()[""],
        "passing": asdict(contrast.passing) if contrast.passing else None,
        "features": features,
        "left_out": contrast.left_out,
        "words": [asdict(item) for item in phrases],
    }
    sys.stdout.write(json.dump(json.plain(document)).decode())

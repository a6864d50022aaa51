"""Blade count: rollouts that meet a condition."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from blade.cli.asking_options import asking, cited, keeping, opened
from blade.cli.grep_command import task_lines
from blade.cli.printing import echo

if TYPE_CHECKING:
    from blade.index.tables import Index
    from blade.queries.asking import QueryAnswer


OUTCOMES = frozenset({"rollouts", "tasks", "passes", "failures", "void"})
"""What the table of runs holds: groups by run alone would repeat it."""


class _ColumnsAlone(click.Command):
    """Takes `--columns RUN...` without a condition."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        return super().parse_args(ctx, ["true", *args] if "--columns" in args else args)


@click.command("count", cls=_ColumnsAlone)
@click.argument("condition")
@click.argument("paths", nargs=-1, required=True, metavar="RUN...")
@click.option("--columns", is_flag=True, help="List the columns that a condition may name; takes no condition.")
@click.option("--by", metavar="COLUMN,...", default="", help="Count each value of these columns apart.")
@click.option(
    "--of",
    metavar="COLUMN|CONDITION",
    help="Also the sum, mean, least, median and most of a column of numbers; or count only among the rollouts that "
    "meet this condition.",
)
@click.option("--run", multiple=True, metavar="NAME", help="This run alone (may be given several times).")
@click.option("--tasks", "with_tasks", is_flag=True, help="List the tasks, too.")
@click.option("--json", "as_json", is_flag=True, help="Print the counts and the rollouts as JSON.")
@keeping
@asking
def command(
    condition: str,
    paths: tuple[str, ...],
    columns: bool,
    by: str,
    with_tasks: bool,
    as_json: bool,
    tokens: int,
    kept_in: Path | None,
    no_keep: bool,
    **options: Any,
) -> None:
    """Count the rollouts that meet a condition, under an id that a report can cite.

    CONDITION is what SQL has after WHERE, over the columns of a table with a line per rollout: "failed and calls > 20",
    "label = 'TI' and not void". Two functions are added: has(tools, 'bash') for lists, and grep('regex', 'model,tool')
    for the texts (igrep where capitals do not matter); a ' inside a text is doubled.
    """
    from blade.queries.asking import ask  # noqa: PLC0415 - heavy: only when the command runs
    from blade.queries.conditions import field_column  # noqa: PLC0415 - as above
    from blade.queries.question_file import Query  # noqa: PLC0415 - as above

    params: dict[str, Any] = {"where": condition}
    params |= {"by": [field_column(name.strip()) for name in by.split(",") if name.strip()]} if by else {}
    params |= {name: list(value) if name == "run" else value for name in ("run", "of") if (value := options.pop(name))}
    index = opened(paths, options)
    if columns:
        _columns(index, tokens)
        return
    query = Query("count", params)
    answer = ask(index, query)
    if as_json:
        _json(answer, query.id(index.facts["digests"]))
        return
    _print(answer, tokens, with_tasks=with_tasks, with_rate="of" in params and not _is_column(index, params["of"]))
    if not answer.rows.height and "findings" in condition:
        echo("no rollout meets it; what transcripts show beside the rules: blade list observations")
    echo(cited(index, query, answer.counts, kept_in, no_keep=no_keep))


def _columns(index: Index, tokens: int) -> None:
    from blade.queries.conditions import columns  # noqa: PLC0415 - as above
    from blade.queries.page import fitting, table  # noqa: PLC0415 - as above

    lines = list(table(["column", "type", "what it holds, or some of its values"], list(columns(index))))
    shown_lines, left = fitting(lines, tokens)
    echo("\n".join(shown_lines))
    if left:
        echo(f"{left} columns left out: --tokens {3 * tokens} shows more")


def _is_column(index: Index, name: str) -> bool:
    columns = index.rollouts.collect_schema()
    return name in columns and columns[name].is_numeric()


def _print(answer: QueryAnswer, tokens: int, *, with_tasks: bool, with_rate: bool) -> None:
    from blade.queries import tally  # noqa: PLC0415 - as above
    from blade.queries.page import fitting, table  # noqa: PLC0415 - as above

    echo("\n".join(tally.lines(answer.matching, answer.searched, with_rate=with_rate)))
    nowhere = [
        name
        for name in (answer.groups[0]["levels"] if answer.groups else ())
        if all(group["levels"][name] is None for group in answer.groups)
    ]
    if nowhere:
        echo(f"\nno groups: {nowhere[0]} is known of none of these rollouts")
    names = list(dict.fromkeys(name for group in answer.groups for name in group["counts"]))
    by_run_alone = all({*group["levels"]} == {"run"} for group in answer.groups)
    if answer.groups and not nowhere and not (by_run_alone and {*names} <= OUTCOMES):
        rows = [
            [
                *("unknown" if level is None else str(level) for level in group["levels"].values()),
                *(_number(group["counts"].get(name)) for name in names),
            ]
            for group in answer.groups
        ]
        shown_lines, left = fitting(list(table([*answer.groups[0]["levels"], *names], rows)), tokens // 2)
        echo("\n".join(["", *shown_lines]))
        if left:
            echo(f"{left} groups left out: --tokens {2 * tokens} or --json")
    if with_tasks:
        echo("\n".join(["", *task_lines(answer, tokens // 2)]))


def _number(value: float | None) -> str:
    if value is None:
        return ""
    return f"{int(value):,}" if value == int(value) else f"{value:,.4g}"


def _json(answer: QueryAnswer, name: str) -> None:
    from blade.renderers import json  # noqa: PLC0415 - as above

    rows = answer.rows.select("run", "task", "attempt", "passed", "void", "path", "line").rows(named=True)
    document = {"id": name, "counts": answer.counts, "groups": answer.groups, "rollouts": rows}
    sys.stdout.write(json.dump(json.plain(document)).decode())

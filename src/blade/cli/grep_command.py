"""Blade grep: words in the texts of rollouts."""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from blade.cli.asking_options import asking, cited, keeping, opened
from blade.cli.printing import echo

if TYPE_CHECKING:
    from blade.index.tables import Index
    from blade.queries.asking import QueryAnswer
    from blade.queries.question_file import Query
    from blade.queries.texts import TextMatch

FEW_QUOTES = 6
MOST_CONTEXT = 1_000
LONGEST_QUOTE = 4_000
"""Longer than any excerpt: what an excerpt leaves out it says itself, and the match is never cut off."""
ACTORS = ("task", "model", "call", "tool", "user", "environment", "verifier", "harness")


@click.command("grep")
@click.argument("pattern")
@click.argument("paths", nargs=-1, required=True, metavar="RUN...")
@click.option("--actor", multiple=True, type=click.Choice(ACTORS), help="Whose words (may be given several times).")
@click.option("-i", "--ignore-case", is_flag=True, help="Capitals and small letters are the same.")
@click.option("--run", multiple=True, metavar="NAME", help="This run alone (may be given several times).")
@click.option("--failed", "outcome", flag_value="failed", help="Judged failures alone.")
@click.option("--passed", "outcome", flag_value="passed", help="Judged passes alone.")
@click.option("--task", multiple=True, metavar="TASK", help="This task alone (may be given several times).")
@click.option("--where", metavar="CONDITION", help="Rollouts that meet a condition as `blade count` takes it.")
@click.option("--quotes", type=click.IntRange(min=0), default=FEW_QUOTES, show_default=True, help="How many quotes.")
@click.option(
    "--context",
    type=click.IntRange(0, MOST_CONTEXT),
    metavar="N",
    help="Letters on either side of a match, over lines (default: the rest of its line, 120 at most).",
)
@click.option("--tasks", "with_tasks", is_flag=True, help="List the tasks, too.")
@click.option("--json", "as_json", is_flag=True, help="Print every match as JSON.")
@keeping
@asking
def command(
    paths: tuple[str, ...],
    quotes: int,
    context: int | None,
    with_tasks: bool,
    as_json: bool,
    tokens: int,
    kept_in: Path | None,
    no_keep: bool,
    **options: Any,
) -> None:
    """Find a regular expression in the texts of rollouts, by who wrote them.

    RUN is what `blade analyze` takes. Prints how many rollouts and tasks hold it, how they ended, and a few quotes; the
    id in the last line can be cited in a report, and `blade check` counts again.

    The actors: the task (the request), the model (words, thoughts, calls), call (the values of its calls alone, as the
    tool gets them), tools (their answers), a user after the request, the environment (screens and logs in the place of
    messages), the verifier, and the harness (other fields).

    The expression is one of ripgrep's, without look-around and back references: none takes for ever.

    A match across lines that a terminal pane broke at its width counts: they are searched as they stand and joined.
    """
    from blade.queries.asking import ask  # noqa: PLC0415 - heavy: only when the command runs
    from blade.queries.question_file import Query  # noqa: PLC0415 - as above

    names = ("pattern", "actor", "ignore_case", "run", "outcome", "task", "where")
    params = {
        name: list(value) if isinstance(value, tuple) else value for name in names if (value := options.pop(name))
    }
    index = opened(paths, options)
    query = Query("grep", params)
    answer = ask(index, query)
    if as_json:
        _json(answer, query.id(index.facts["digests"]), context)
    else:
        _print(answer, quotes, tokens, context, with_tasks=with_tasks)
        if not answer.matches:
            _print_elsewhere(index, query)
        elif "user" in query.params.get("actor", ()) and "task" not in query.params["actor"]:
            _print_requests(index, query)
        echo(cited(index, query, answer.counts, kept_in, no_keep=no_keep))


def _print_elsewhere(index: Index, query: Query) -> None:
    """Who says the words, where none of the actors asked for does."""
    from blade.queries.asking import words_elsewhere  # noqa: PLC0415 - as above
    from blade.wording import count  # noqa: PLC0415 - as above

    for actor, rollouts in words_elsewhere(index, query).items():
        echo(f"another actor says it: {actor}, in {count(rollouts, 'rollout')}")


def _print_requests(index: Index, query: Query) -> None:
    """That the request says the words, too: a simulated user's first message is the request."""
    from blade.queries.asking import ask  # noqa: PLC0415 - as above
    from blade.wording import count  # noqa: PLC0415 - as above

    requests = ask(index, replace(query, params={**query.params, "actor": ["task"]})).matches
    if requests:
        echo(f"the first message of a user is the task's: {count(len(requests), 'rollout')} with --actor task")


def _quote(match: TextMatch, context: int | None) -> str:
    return match.quote if context is None else match.excerpt(context)


def _print(answer: QueryAnswer, quotes: int, tokens: int, context: int | None, *, with_tasks: bool) -> None:
    from blade.queries import tally  # noqa: PLC0415 - as above
    from blade.queries.page import fitting, one_line  # noqa: PLC0415 - as above
    from blade.wording import count, outcome  # noqa: PLC0415 - as above

    echo("\n".join(tally.lines(answer.matching, answer.searched)))
    times = sum(match.times for match in answer.matches.values())
    if times > len(answer.matches):
        echo(f"{times:,} matches in {count(len(answer.matches), 'rollout')}")
    if with_tasks:
        echo("\n".join(task_lines(answer, tokens // 2)))
    rows = answer.rows.select("run", "task", "attempt", "passed", "score", "void")
    lines = []
    for place in spread(answer, quotes):
        run, task, attempt, passed, reward, void = rows.row(place)
        match, ended = answer.matches[place], outcome(passed, reward, void=void)
        words = one_line(_quote(match, context), LONGEST_QUOTE)
        lines.append(f"{run} {task} #{attempt} ({ended}), {match.actor}, {match.place}: {words!r}")
    shown_lines, _ = fitting(lines, tokens)
    if shown_lines:
        echo("\n".join(shown_lines))
    left = len(answer.matches) - len(shown_lines)
    if left > 0 and quotes:
        echo(f"{count(left, 'further rollout')} with a match: --quotes {min(left + quotes, 10 * quotes)} or --json")


def task_lines(answer: QueryAnswer, tokens: int) -> list[str]:
    """The tasks of the rollouts that were found, run by run, with their failures first."""
    from blade.queries.page import fitting  # noqa: PLC0415 - as above

    lines = []
    for run in dict.fromkeys(answer.rows["run"].to_list()):
        run_rows = answer.rows.filter(answer.rows["run"] == run)
        parts = {
            "fails": run_rows.filter(~run_rows["void"] & ~run_rows["passed"])["task"],
            "passes": run_rows.filter(~run_rows["void"] & run_rows["passed"])["task"],
            "void": run_rows.filter(run_rows["void"])["task"],
        }
        outcomes = [
            f"{name}: {', '.join(dict.fromkeys(tasks.to_list()))}" for name, tasks in parts.items() if len(tasks)
        ]
        lines += [f"{run}, {part}" for part in outcomes]
    shown_lines, left = fitting(lines, tokens)
    return [*shown_lines, f"{left} lines left out: --tokens {4 * tokens} shows more"] if left else shown_lines


def spread(answer: QueryAnswer, limit: int) -> list[int]:
    """Places of some matches in order: of every run and outcome in turn, and each task once before any twice."""
    rows = answer.rows.select("run", "passed", "task").rows()
    waiting = sorted(answer.matches)
    picks: list[int] = []
    uses: Counter[str | tuple[str, bool | None]] = Counter()
    while waiting and len(picks) < limit:
        place = min(waiting, key=lambda item: (uses[rows[item][2]], uses[rows[item][:2]], item))
        waiting.remove(place)
        uses.update([rows[place][2], rows[place][:2]])
        picks.append(place)
    return sorted(picks)


def _json(answer: QueryAnswer, name: str, context: int | None) -> None:
    from blade.renderers import json  # noqa: PLC0415 - as above

    rows = answer.rows.select("run", "task", "attempt", "passed", "void", "path", "line").rows(named=True)
    matches = [
        rows[place] | {"actor": match.actor, "place": match.place, "quote": _quote(match, context)}
        for place, match in answer.matches.items()
    ]
    sys.stdout.write(json.dump(json.plain({"id": name, "counts": answer.counts, "matches": matches})).decode())

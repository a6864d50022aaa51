"""Blade show: trajectories in the terminal."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from blade.cli.printing import echo
from blade.cli.reading_options import as_options, caching, scoring

if TYPE_CHECKING:
    from blade.counting.find import Found
    from blade.counting.run import Run

TAIL_LINES = 12
TOKENS = 4_000
LEAST_TOKENS = 200
EVERY = "all"


def _attempt_number(_context: click.Context, parameter: click.Parameter, value: str | None) -> int | str | None:
    """The number of an attempt, or the word for all of them."""
    if value is None or value == EVERY:
        return value
    try:
        return int(value)
    except ValueError:
        raise click.BadParameter(f"'{value}' is no number of an attempt, and not '{EVERY}'.", param=parameter) from None


@click.command("show")
@click.argument("names", nargs=-1, required=True, metavar="RUN... TASK...")
@click.option(
    "--attempt",
    callback=_attempt_number,
    metavar="N|all",
    help="Which attempt (default: the first judged failure, else the first judged); with --brief also all of them.",
)
@click.option("--run", "run_name", metavar="NAME", help="Which run, where RUN holds several.")
@click.option(
    "--twin", is_flag=True, help="A passing and a failing attempt beside each other, from where they part ways."
)
@click.option(
    "--against",
    metavar="RUN",
    help="With --twin: the one attempt from here, the other from this run (a path, or a name where RUN holds both).",
)
@click.option("--tail", type=click.IntRange(min=1), metavar="N", help="The last N parts alone.")
@click.option(
    "--writes", is_flag=True, help="The changes that are expected against those that were made; of several runs in one."
)
@click.option(
    "--brief", is_flag=True, help="A line for each step, of many tasks at once; * in a task stands for any letters."
)
@click.option("--request", is_flag=True, help="What each task asks and nothing else; * as with --brief.")
@click.option("--verifier", is_flag=True, help="What the verifier wrote, such as the log of its tests, in full.")
@click.option("--prompt", is_flag=True, help="The system prompt, too, which is folded otherwise.")
@click.option("--full", is_flag=True, help="Fold nothing, and leave nothing out.")
@click.option(
    "--tokens", type=click.IntRange(min=200), default=TOKENS, show_default=True, help="How long the answer may be."
)
@click.option("--raw", is_flag=True, help="Print the row's JSON as it stands in the file.")
@scoring
@caching
def command(
    names: tuple[str, ...],
    attempt: int | str | None,
    run_name: str | None,
    twin: bool,
    against: str | None,
    brief: bool,
    request: bool,
    raw: bool,
    **reading_options: Any,
) -> None:
    """Show trajectories: prompt, thinking, calls, outputs, the verifier's word, and what was noticed in them.

    RUN is what `blade analyze` takes; TASK is a task as the report names it. Both may be several: of each task the
    attempt of every run is shown.
    """
    from blade import api  # noqa: PLC0415 - heavy: only when the command runs
    from blade.task_names import task_named  # noqa: PLC0415 - as above

    every_attempt = attempt == EVERY
    if every_attempt and not brief:
        raise click.UsageError("--attempt all is for --brief: a line for each step of every attempt.")
    number = None if isinstance(attempt, str) else attempt
    looks = {name: reading_options.pop(name) for name in ("tail", "writes", "verifier", "prompt", "full", "tokens")}
    paths, tasks = _told_apart(names)
    options = as_options(reading_options)
    runs = api.read(*paths, options=options)
    labels = {label for run in runs for label in run.facts["label"].to_list()}
    tasks = [task_named(task, labels) or task for task in tasks]
    if twin or against:
        from blade.cli.side_by_side import show_twin  # noqa: PLC0415 - as above

        if against and against not in {run.name for run in runs} and _is_run(against):
            run_name = run_name or runs[0].name
            runs = api.read(*paths, against, options=options)
            against = runs[-1].name
        pair_of_attempts = api.find_twin(runs, tasks[0], attempt=number, run=run_name, against=against)
        show_twin(pair_of_attempts, sys.stdout, full=looks["full"])
        return
    from blade.cli.change_list import shown_names  # noqa: PLC0415 - as above
    from blade.run_names import short_names  # noqa: PLC0415 - as above

    names_of_runs = [run.name for run in runs]
    short = short_names(names_of_runs)
    names_by_run = shown_names(names_of_runs)
    if brief or request:
        from blade.queries.brief import brief_lines, request_lines  # noqa: PLC0415 - as above

        lines = request_lines(runs, tasks, looks["tokens"]) if request else None
        brief_text = brief_lines(runs, tasks, looks["tokens"], run_name, number, every_attempt=every_attempt)
        echo("\n".join(lines or brief_text))
        return
    if looks["writes"] and len(runs) > 1:
        for long_name, shown_name in names_by_run.items():
            if shown_name != long_name:
                echo(f"{shown_name} = {long_name}")
    looks["tokens"] //= max(len(tasks) * (1 if run_name or len(paths) == 1 else len(runs)), 1)
    for task in tasks:
        names_shown = [run_name] if run_name or len(paths) == 1 else _having(runs, task)
        if looks["writes"] and number is None and (len(names_shown) > 1 or (names_shown == [None] and len(runs) > 1)):
            _show_changes(runs, task, names_by_run)
            continue
        for name in names_shown:
            _show(api.find_rollout(runs, task, attempt=number, run=name), looks, short, raw=raw)


def _told_apart(names: Sequence[str]) -> tuple[list[str], list[str]]:
    """The first is a run, as are those behind it that lie on disk; the rest are tasks."""
    place = next((place for place, name in enumerate(names[1:], 1) if not _is_run(name)), len(names))
    place = min(place, max(len(names) - 1, 1))
    if len(names) < 2:
        raise click.UsageError("Give a run and a task.")
    return list(names[:place]), list(names[place:])


def _is_run(name: str) -> bool:
    path = name.partition("=")[2] or name
    try:
        return "://" in path or Path(path).exists()
    except OSError:  # a name that is too long for a file
        return False


def _having(runs: Sequence[Run], task: str) -> list[str | None]:
    """The runs that have the task; none of them where nobody has, so that the task is said to be unknown."""
    return [run.name for run in runs if task in {*run.facts["label"], *run.facts["task"]}] or [None]


def _show(rollout: Found, looks: dict[str, Any], short: Mapping[str, str], *, raw: bool) -> None:
    from blade import evidence  # noqa: PLC0415 - as above
    from blade.queries.texts import texts_beside  # noqa: PLC0415 - as above
    from blade.renderers import terminal  # noqa: PLC0415 - as above
    from blade.wording import LETTERS_PER_TOKEN  # noqa: PLC0415 - as above

    if raw:
        sys.stdout.buffer.write(evidence.open_bytes_at(rollout.rollout.source) + b"\n")
        return
    if looks["writes"]:
        from blade.cli.change_list import change_lines  # noqa: PLC0415 - as above

        echo("\n".join(change_lines(rollout.observed)))
        return
    row = evidence.open_row(rollout.rollout.source)
    task_texts = [(text.field, text.text) for text in texts_beside(row, "task")]
    graded = [(text.field, text.text) for text in texts_beside(row, "verifier")]
    full, whole_log = looks["full"], looks["full"] or looks["verifier"]
    logs = 0 if whole_log else sum(min(len(text), terminal.FOLD_CHARS) for _, text in graded)
    limits = terminal.TrajectoryLimits(
        full=full,
        tail=looks["tail"],
        tokens=max(looks["tokens"] - logs // LETTERS_PER_TOKEN, LEAST_TOKENS),
        with_prompt=full or looks["prompt"],
        whole_record=looks["verifier"],
    )
    terminal.trajectory(rollout, row, sys.stdout, limits, task_texts, short.get(rollout.rollout.run, ""))
    for field, text in graded:
        terminal.log(sys.stdout, f"verifier: {field}", text, None if whole_log else TAIL_LINES)
    echo()


def _show_changes(runs: Sequence[Run], task: str, short_names: Mapping[str, str]) -> None:
    """One list of the changes of all runs against the key."""
    from blade import api, evidence  # noqa: PLC0415 - as above
    from blade.cli.change_list import change_table  # noqa: PLC0415 - as above
    from blade.queries.texts import texts_beside  # noqa: PLC0415 - as above

    rollouts: list[Found] = []
    for name in _having(runs, task):
        first = api.find_rollout(runs, task, run=name)
        rollouts += [api.find_rollout(runs, task, run=name, attempt=number) for number, *_ in first.attempts]
    row = evidence.open_row(rollouts[0].rollout.source)
    task_texts = [text.text for text in texts_beside(row, "task")]
    echo("\n".join(change_table(task, rollouts, task_texts, short_names)))
    echo()

"""Many rollouts at a glance: a line for each step, so that what recurs across tasks is seen before one is read."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any

from blade import evidence
from blade.counting.find import Found, find_rollout
from blade.counting.run import Run
from blade.queries.texts import texts_beside
from blade.run_names import short_names
from blade.trajectory import TranscriptPart, both_ends, parts
from blade.wording import LETTERS_PER_TOKEN, count, printable_line

LONGEST_STEP, SHORTEST_STEP = 220, 90
LONGEST_INSTRUCTION = 400
LEAST_ROOM = 500
"""Letters that a rollout needs: where there is less for each, fewer tasks are shown."""
MOST_TOKENS = 40_000
"""What a reader is told to ask for at most."""
_ONE_ARGUMENT = re.compile(r"\A\w+: (?!.*^\w+: )", re.DOTALL | re.MULTILINE)
_SPEAKERS = {"message": "says", "thought": "thinks", "environment": "screen", "other": "item"}


def brief_lines(
    runs: Sequence[Run],
    names: Sequence[str],
    tokens: int,
    run: str | None = None,
    attempt: int | None = None,
    *,
    every_attempt: bool = False,
) -> Iterator[str]:
    """Of each task what it asks and a rollout of every run, as many tasks as the tokens hold, and what was left out.

    With every attempt a task has as many rollouts as were made of it, each within its share of the tokens.
    """
    tasks = _matching_tasks(runs, names)
    room = tokens * LETTERS_PER_TOKEN
    attempts = max((_attempts(runs, task, run) for task in tasks), default=1) if every_attempt else 1
    run_count = (1 if run else len(runs)) * attempts
    fitting = max(room // (run_count * LEAST_ROOM), 1)
    share = room // (min(len(tasks), fitting) * run_count)
    short = short_names([read.name for read in runs])
    for task in tasks[:fitting]:
        run_names: list[str | None] = (
            [run] if run else [read.name for read in runs if task in {*read.facts["label"], *read.facts["task"]}]
        )
        rollouts = [find_rollout(runs, task, attempt=attempt, run=name) for name in run_names or [None]]
        if every_attempt:
            rollouts = [
                find_rollout(runs, task, attempt=number, run=rollout.rollout.run)
                for rollout in rollouts
                for number, *_ in rollout.attempts
            ]
        rows = [evidence.open_row(rollout.rollout.source) for rollout in rollouts]
        yield f"task {printable_line(task)}: {_folded(_request(rows[0]), LONGEST_INSTRUCTION)}"
        for rollout, row in zip(rollouts, rows, strict=True):
            name = rollout.rollout.run
            yield from _rollout(rollout, row, short.get(name, name), share)
        yield ""
    if len(tasks) > fitting:
        others = tasks[fitting:]
        wanted = min(tokens * len(tasks) // fitting + 1, MOST_TOKENS)
        yield (
            f"{count(len(others), 'task')} left out, from {printable_line(others[0])} on: --tokens {wanted}, "
            "or name fewer tasks or one run"
        )


def _attempts(runs: Sequence[Run], task: str, run: str | None) -> int:
    """The most attempts that a run has of a task."""
    having = [read.name for read in runs if task in {*read.facts["label"], *read.facts["task"]}]
    names: Sequence[str | None] = [run] if run else having or [None]
    return max(len(find_rollout(runs, task, run=name).attempts) for name in names)


def request_lines(runs: Sequence[Run], names: Sequence[str], tokens: int) -> Iterator[str]:
    """What each task asks, whole where the tokens hold it; of a longer text its beginning and its end."""
    tasks = _matching_tasks(runs, names)
    share = max(tokens * LETTERS_PER_TOKEN // len(tasks), LONGEST_INSTRUCTION)
    for task in tasks:
        text = _request(evidence.open_row(find_rollout(runs, task).rollout.source)).strip()
        yield f"task {printable_line(task)}:"
        if len(text) > share:
            tail = share // 3
            left_out = f"[… {count(len(text) - share, 'letter')} left out: --tokens]"
            text = f"{text[: share - tail]}\n{left_out}\n{text[-tail:]}"
        yield from (f"  {printable_line(line)}" for line in text.splitlines() or ["no text asks for anything"])
        yield ""


def _matching_tasks(runs: Sequence[Run], names: Sequence[str]) -> list[str]:
    """The tasks that are named; a name with * or ? stands for all that it fits, in the order of the rows."""
    labels = list(dict.fromkeys(label for run in runs for label in run.facts["label"]))
    tasks: dict[str, None] = {}
    for name in names:
        fitting = [] if name in labels else [label for label in labels if fnmatchcase(label, name)]
        tasks |= dict.fromkeys(fitting or [name])
    return list(tasks)


def _request(row: Mapping[str, Any]) -> str:
    """What a task asks: the text that stands beside the transcript, else the last message of the prompt."""
    requests = [text.text for text in texts_beside(row, "task")]
    return "\n\n".join(
        requests or [part.text for part in parts(dict(row)) if part.kind == "prompt" and part.title == "user"][-1:]
    )


def _rollout(rollout: Found, row: Mapping[str, Any], run: str, room: int) -> Iterator[str]:
    """One rollout within so many letters: how it ended, and its steps; of many the first ones and most of the last."""
    attempt = rollout.rollout
    yield f"  {printable_line(run)}, attempt {attempt.attempt}: {_outcome(rollout)}"
    all_parts = parts(dict(row))
    steps = list(_steps([part for part in all_parts if part.kind not in {"prompt", "row"}]))
    alone = len({part.title for part in all_parts if part.kind == "call"}) == 1
    longest = min(max(room // max(len(steps), 1), SHORTEST_STEP), LONGEST_STEP)
    lines = [f"    {number}. {_line(step, longest, named=not alone)}" for number, step in enumerate(steps, 1)]
    head, tail = both_ends([len(line) for line in lines], room)
    yield from lines[:head]
    if head + tail < len(lines):
        yield f"    … {count(len(lines) - head - tail, 'step')}"
    yield from lines[len(lines) - tail :]
    verdict = "; ".join(
        line
        for part in all_parts
        if part.kind == "row"
        for line in part.text.split("\n")
        if line.startswith("verifier")
    )
    logs = " ".join(text.text for text in texts_beside(row, "verifier"))
    for title, text in (("verifier", verdict.replace("verifier.", "")), ("log ends", logs[-LONGEST_STEP:])):
        if text.strip():
            yield f"    {title}: {_folded(text, LONGEST_STEP)}"


def _outcome(rollout: Found) -> str:
    attempt = rollout.rollout
    if attempt.attempt in rollout.void_attempts:
        words = "void"
    elif attempt.passed is None:
        words = "no verdict"
    else:
        words = "passes" if attempt.passed else "fails"
    score = "" if attempt.score is None else f", score {attempt.score:g}"
    attempts = len(rollout.attempts)
    passes = sum(passed is True for _, passed, _ in rollout.attempts)
    others = f"; {passes} of its {attempts} attempts pass" if attempts > 1 else ""
    return f"{words}{score}, {attempt.status.value}{others}"


def _steps(transcript: Sequence[TranscriptPart]) -> Iterator[list[TranscriptPart]]:
    """Parts by steps: a call with the output right behind it is one."""
    step: list[TranscriptPart] = []
    for part in transcript:
        if part.kind == "output" and len(step) == 1 and step[0].kind == "call":
            step.append(part)
            continue
        if step:
            yield step
        step = [part]
    if step:
        yield step


def _line(step: Sequence[TranscriptPart], longest: int, *, named: bool) -> str:
    """A step in so many letters; the name of the tool is told where there are several."""
    first, *answers = step
    room = longest // 2
    if first.kind == "call":
        call = _folded(_ONE_ARGUMENT.sub("", first.text), room)
        answer = "".join(f" → {_folded(answer.text, room) or '(empty)'}" for answer in answers)
        return f"{printable_line(first.title)} {call}{answer}" if named else f"{call}{answer}"
    if first.kind == "output":
        return f"→ {_folded(first.text, room)}"
    return f"{_SPEAKERS.get(first.kind, printable_line(first.title))}: {_folded(first.text, longest)}"


def _folded(text: str, longest: int) -> str:
    """A text on one line; of a long one its beginning and its end."""
    line = " ".join(text.split())
    if len(line) <= longest:
        return printable_line(line)
    tail = longest // 3
    return printable_line(f"{line[: longest - tail - 3]} … {line[-tail:]}")

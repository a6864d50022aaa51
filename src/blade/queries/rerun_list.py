"""Which attempts to run again: those that are void or missing, each as the input row that NeMo Gym takes, and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import polars as pl

from blade.counting.align import Alignment, align
from blade.counting.denominator import UNTRACED
from blade.counting.expected import Key, manifest_keys
from blade.counting.run import Run
from blade.counting.union import expect_union
from blade.evidence import open_rows
from blade.extract.names import is_gold, is_metadata, is_outcome
from blade.frozen import frozen
from blade.model import NOT_EVALUABLE, Source, Status
from blade.task_names import DOMAIN_IDS

OTHER_MODEL = "made by another model"
NO_SCORE = "no usable score"
OF_THE_REQUEST = ("responses_create_params", "agent_ref", "skills_ref", "verifier_metadata", "metadata")
OF_THE_RUN = ("agent_ref", "skills_ref")
INPUTS, ROLLOUT, OTHER_ATTEMPT, OTHER_RUN = "inputs", "rollout", "another attempt", "another run"
_VOID = [status.value for status in NOT_EVALUABLE]


@frozen
class AttemptToRerun:
    """One attempt that says nothing about the model, and where its task is written down; None where nowhere."""

    run: str
    task: str
    label: str
    attempt: int
    status: str
    reason: str
    row: Source | None = None
    row_from: str | None = None


def attempts_to_rerun(runs: Sequence[Run], match_by: str | None = None) -> list[AttemptToRerun]:
    """The void and missing attempts of every run, in order; tasks that only the other runs show are expected of each.

    Attempts of tasks that no file names (a declared number of tasks) are not among them: nothing is known of those.
    """
    alignments = align(runs, match_by)
    widened, known = expect_union(runs, alignments)
    tasks = _tasks_of_all(widened, known)
    listed: list[AttemptToRerun] = []
    for run, alignment in zip(widened, [None, *known], strict=True):
        sources = _InputSources(run, alignment, tasks)
        attempts = [sources.completed(*void) for void in _void(run)]
        listed += sorted(attempts, key=lambda attempt: (_natural(attempt.label), attempt.attempt))
    return listed


def input_rows(attempts: Sequence[AttemptToRerun]) -> Iterator[dict[str, Any]]:
    """The attempts as input rows; under `_blade` stands what each is, why it is void, and where the row is from."""
    rows = dict(open_rows(attempt.row for attempt in attempts if attempt.row))
    for attempt in attempts:
        row = rows.get(attempt.row, {}) if attempt.row else {}
        given = row if attempt.row_from == INPUTS else {key: row[key] for key in row if _is_of_the_task(key)}
        if attempt.row_from == OTHER_RUN:
            given = {key: value for key, value in given.items() if key not in OF_THE_RUN}
        index = (
            {"_ng_task_index": int(attempt.task)} if attempt.task.isdecimal() and "_ng_task_index" not in row else {}
        )
        explanation = {
            "run": attempt.run,
            "task": attempt.label,
            "attempt": attempt.attempt,
            "status": attempt.status,
            "why": attempt.reason,
            "row_from": attempt.row_from if row else None,
        }
        yield {**given, **index, "_ng_rollout_index": attempt.attempt, "_blade": explanation}


def _is_of_the_task(name: str) -> bool:
    """Whether a field of a rollout was there before the attempt: the request, the task's ids, its gold and its kind."""
    if name in OF_THE_REQUEST or name in DOMAIN_IDS or name == "_ng_task_index":
        return True
    return is_gold(name) or (is_metadata(name) and not is_outcome(name))


def _void(run: Run) -> Iterator[tuple[Key, str, str, Source | None]]:
    """(task, attempt), status, reason and row of every attempt that is void, failed without a row, or missing."""
    rows = run.facts.filter(~pl.col("copy"))
    columns = ("task", "attempt", "state", "reason", "foreign", "file", "line", "offset", "length")
    for task, attempt, state, words, foreign, file, *place in (
        rows.filter(~pl.col("counted") | pl.col("state").is_in(_VOID)).select(columns).iter_rows()
    ):
        reason = OTHER_MODEL if foreign else words or NO_SCORE
        yield (task, attempt), state, reason, Source(run.raw.sources[file], *place)
    for key, (status, name) in run.failed.items():
        yield key, status, f"failed: {name}", None
    for key in _gone({*rows.select("task", "attempt").rows(), *run.failed}, run):
        yield key, Status.MISSING.value, UNTRACED, None


def _gone(have: set[Key], run: Run) -> Iterator[Key]:
    """Expected attempts that no file knows; where no inputs name them, the first numbers that a task lacks."""
    if run.expected.keys:
        yield from run.expected.keys - have
        return
    there = Counter(task for task, _ in have)
    for task, many in run.expected.per_task.items():
        free = (attempt for attempt in range(many + there[task]) if (task, attempt) not in have)
        yield from ((task, next(free)) for _ in range(many - there[task]))


class _InputSources:
    """Where the task of an attempt of one run is written down, the best place first."""

    def __init__(self, run: Run, alignment: Alignment | None, tasks: Mapping[str, tuple[Source, str]]) -> None:
        self._run, self._alignment, self._tasks = run, alignment, tasks
        self._inputs: dict[Key, Source] = {}
        if run.expected.source == "manifest" and run.inputs.height:
            keys = manifest_keys(run.facts, run.inputs)
            self._inputs = dict(zip(keys, _sources(run, run.inputs), strict=True))
        self._labels = dict(run.facts.select("task", "label").rows())
        self._attempts = dict(zip(run.facts["task"].to_list(), _sources(run, run.facts), strict=True))

    def completed(self, key: Key, status: str, reason: str, rollout: Source | None) -> AttemptToRerun:
        task, attempt = key
        other_run = self._tasks.get(self._alignment.key(task) if self._alignment else task)
        label = self._labels.get(task) or (other_run[1] if other_run else task)
        places = (
            (self._inputs.get(key), INPUTS),
            (rollout, ROLLOUT),
            (self._attempts.get(task), OTHER_ATTEMPT),
            (other_run[0] if other_run else None, OTHER_RUN),
        )
        row, row_from = next(((row, name) for row, name in places if row), (None, None))
        return AttemptToRerun(self._run.name, task, label, attempt, status, reason, row, row_from)


def _tasks_of_all(runs: Sequence[Run], alignments: Sequence[Alignment]) -> dict[str, tuple[Source, str]]:
    """Task over all runs → one of its rows and what it is called there."""
    row_of: dict[str, tuple[Source, str]] = {}
    for run, alignment in zip(runs, [None, *alignments], strict=True):
        tasks, labels = run.facts["task"].to_list(), run.facts["label"].to_list()
        for task, label, source in zip(tasks, labels, _sources(run, run.facts), strict=True):
            row_of.setdefault(alignment.key(task) if alignment else task, (source, label))
    return row_of


def _sources(run: Run, rows: pl.DataFrame) -> list[Source]:
    places = rows.select("file", "line", "offset", "length").rows()
    return [Source(run.raw.sources[file], line, offset, length) for file, line, offset, length in places]


def _natural(label: str) -> tuple[bool, int, str]:
    """Numbers in their order, before names."""
    return not label.isdecimal(), int(label) if label.isdecimal() else 0, label

"""Why a file disagrees with its rows: the sentence that the evidence supports."""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING

from blade.counting.recompute.compare import Miss, Tally, agree
from blade.counting.recompute.rows import ScoredRow, as_number
from blade.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

UNKNOWN = "Cause not visible in the files."
_MOST_TRIED = 20


@frozen
class EntryEvidence:
    """What is known about one entry of a file beside the values that disagree.

    `stored_rows` is the number of rollouts that the file itself counts, `fitting_rows` one worked out from its means;
    `fits` tells whether a set of rows gives the stored means.
    """

    rows: Sequence[ScoredRow]
    all_rows: Sequence[ScoredRow]
    tally: Tally
    fits: Callable[[Sequence[ScoredRow]], bool]
    stored_rows: int | None = None
    fitting_rows: int | None = None
    stored_tasks: Collection[int] | None = None
    mean_reward: float | None = None


def causes(evidence: EntryEvidence) -> Callable[[Miss], str]:
    """A function from a miss to its sentence; the costly part is worked out once, and only if there is a miss."""
    entry_cause = _whole_cause(evidence) if evidence.tally.missed else None
    return lambda miss: _cause(miss, evidence, entry_cause)


def _cause(miss: Miss, evidence: EntryEvidence, entry_cause: str | None) -> str:
    stored = as_number(miss.stored)
    if miss.certain and miss.hint:
        return miss.hint
    if miss.stored is not None and stored is None:
        return "The stored value is not a number."
    if stored and miss.recomputed:
        if agree(stored * 100, miss.recomputed, 0.0, evidence.tally.tolerance):
            return "Percent against fraction: the stored value is a hundredth of the recomputed one."
        if agree(stored, miss.recomputed * 100, 0.0, evidence.tally.tolerance):
            return "Percent against fraction: the stored value is a hundred times the recomputed one."
    if entry_cause:
        return entry_cause
    if stored is not None and miss.recomputed is not None and _rounded(stored, miss.recomputed):
        return "The stored value is rounded."
    return miss.hint or _local_cause(miss, evidence)


def _rounded(stored: float, recomputed: float) -> bool:
    """Whether three or more significant digits are kept; fewer would excuse a value that is simply another."""
    fewest = 3 if abs(stored) < 1 else 2 if abs(stored) < 10 else 1
    return any(round(recomputed, digits) == stored for digits in range(fewest, 9))


def _local_cause(miss: Miss, evidence: EntryEvidence) -> str:
    """The cause where the file and the rows hold the same rollouts."""
    off = evidence.tally.tasks_off
    if off and (miss.task is not None or evidence.tally.groups_checked):
        task_list = ", ".join(str(task) for task in sorted(off)[:5]) + (", …" if len(off) > 5 else "")
        return f"Rows edited or verified again after aggregation, in task {task_list}: counts agree, values do not."
    if evidence.tally.groups_checked:
        return "The file's own per-task values agree with the rows: this value alone was changed or computed otherwise."
    return UNKNOWN


def _whole_cause(evidence: EntryEvidence) -> str | None:
    """The cause that concerns every value of the entry, if there is one."""
    rows, stored = evidence.rows, evidence.stored_rows
    rows_fit = stored in (None, len(rows)) and evidence.fits(rows)
    for sentence, reading in () if rows_fit else _readings(evidence):
        if reading and len(reading) != len(rows) and evidence.fits(reading):
            return sentence
    duplicates = len(rows) - len({(row.task, row.attempt) for row in rows})
    if not rows_fit and (count_cause := _count_cause(evidence)):
        return count_cause
    if duplicates:
        return f"{duplicates} rows repeat a (task, attempt) pair that is already there."
    return _tasks_differ(evidence) or (None if rows_fit else _agents_differ(evidence))


def _count_cause(evidence: EntryEvidence) -> str | None:
    """The cause where the file was made from more or fewer rollouts than there are."""
    rows, says = len(evidence.rows), "the file counts"
    stored = evidence.stored_rows
    if stored is None:
        stored, says = evidence.fitting_rows, "its means fit"
    if stored is None or stored == rows:
        return None
    if stored < rows:
        return f"Rows appended after aggregation: {says} {stored} rollouts, {rows} are there now."
    return (
        f"A build before 0.5.0 counted rows that were never persisted, or rows were removed since: {says} {stored} "
        f"rollouts, {rows} are there."
    )


def _tasks_differ(evidence: EntryEvidence) -> str | None:
    if evidence.stored_tasks is None:
        return None
    row_tasks = {row.task for row in evidence.rows}
    missing_tasks, new_tasks = set(evidence.stored_tasks) - row_tasks, row_tasks - set(evidence.stored_tasks)
    if not missing_tasks and not new_tasks:
        return None
    return f"The task sets differ: {len(missing_tasks)} tasks only in the file, {len(new_tasks)} only in the rows."


def _agents_differ(evidence: EntryEvidence) -> str | None:
    agents = {row.agent for row in evidence.all_rows}
    if len(agents) < 2 or evidence.tally.tasks_off:
        return None
    return f"The rows hold {len(agents)} agents; neither grouping by agent nor pooling them gives the stored values."


def _readings(evidence: EntryEvidence) -> Iterator[tuple[str, list[ScoredRow]]]:
    """Other sets of rows that the file may have been made from, each with the sentence that would then be true."""
    rows, everything = evidence.rows, evidence.all_rows
    firsts = {(row.task, row.attempt): row for row in reversed(rows)}
    lasts = {(row.task, row.attempt): row for row in rows}
    extra = len(rows) - len(firsts)
    if extra:
        for kept_end, rows_by_key in (("first", firsts), ("last", lasts)):
            sentence = f"{extra} rows repeat a (task, attempt) pair: with only the {kept_end} of each the values agree."
            yield sentence, sorted(rows_by_key.values(), key=lambda row: row.line)
    for count in _prefixes(evidence):
        yield (
            f"Rows appended after aggregation: the first {count} of {len(rows)} rows give the stored values.",
            list(rows[:count]),
        )
    if len(everything) != len(rows):
        agents = len({row.agent for row in everything})
        yield f"The file pools the {agents} agents of the rows under one name.", list(everything)
    for agent in sorted({row.agent or "" for row in rows}):
        agent_rows = [row for row in rows if (row.agent or "") == agent]
        yield f"Several agents in one file: the rows of {agent or 'no agent'} alone give the stored values.", agent_rows
    if evidence.stored_tasks is not None:
        stored_tasks = set(evidence.stored_tasks)
        yield (
            "The task sets differ: on the file's tasks alone the values agree.",
            [r for r in rows if r.task in stored_tasks],
        )


def _prefixes(evidence: EntryEvidence) -> Iterator[int]:
    """How many leading rows may be meant: what the file counts, else the lengths that give its mean reward."""
    rows, stored = evidence.rows, evidence.stored_rows
    if stored is not None:
        if 0 < stored < len(rows):
            yield stored
        return
    if evidence.mean_reward is None:
        yield from range(len(rows) - 1, max(0, len(rows) - 1 - _MOST_TRIED), -1)
        return
    rewards = [0.0 if row.reward is None else row.reward for row in rows[:-1]]
    sums = list(itertools.accumulate(rewards))
    near = (
        n
        for n in range(len(sums), 0, -1)
        if abs(sums[n - 1] / n - evidence.mean_reward) <= 1e-6 * max(1.0, abs(sums[n - 1]))
    )
    yield from itertools.islice(near, _MOST_TRIED)


def rows_behind_means(stored: Mapping[str, object], columns: Mapping[str, Sequence[float]], rows: int) -> int | None:
    """The number of rows nearest to ours for which every stored mean of whole numbers gives a whole sum.

    Nothing where our own number would do, or where no number near it does.
    """
    means = [
        number
        for name, column in columns.items()
        if len(column) == rows and all(value.is_integer() for value in column)
        if (number := as_number(stored.get(f"mean/{name}"))) is not None
    ]

    def gives_whole_counts(count: int) -> bool:
        return all(abs(mean * count - round(mean * count)) <= 1e-9 * max(1.0, abs(mean * count)) for mean in means)

    if (
        not means
        or rows < 1
        or not all(math.isfinite(mean) and abs(mean) < 1e12 for mean in means)
        or gives_whole_counts(rows)
    ):
        return None
    for step in range(1, rows + 1):
        counts = [count for count in (rows - step, rows + step) if count > 0 and gives_whole_counts(count)]
        if counts:
            return counts[0] if len(counts) == 1 else None
    return None

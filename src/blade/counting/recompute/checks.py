"""Recomputes the files that sum up a run, and lists every value that its rows do not give."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from blade.counting.recompute.baseline import describe, gather
from blade.counting.recompute.causes import EntryEvidence, causes, rows_behind_means
from blade.counting.recompute.compare import TOLERANCE, Miss, Recomputed, Tally, agree, finish
from blade.counting.recompute.metrics import check_groups, check_metrics, gives_means
from blade.counting.recompute.rows import ScoredRow, as_number

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

AGGREGATE = "aggregate_metrics"
AGENT = "agent_metrics"
_ENTRY_KEYS = {"agent_ref", "agent_metrics", "key_metrics", "group_level_metrics"}
_KEY_METRICS = "key_metrics differs from agent_metrics in the same file: one of the two was edited."


@dataclass(slots=True)
class _Check:
    """One file while it is being read."""

    kind: str
    rows: Sequence[ScoredRow]
    tolerance: float
    tallies: list[Tally] = field(default_factory=list)
    causes: list[Callable[[Miss], str]] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    def done(self) -> Recomputed:
        return finish(self.kind, self.tallies, self.causes, self.problems)


def check_aggregate(entries: object, rows: Sequence[ScoredRow], *, tolerance: float = TOLERANCE) -> Recomputed:
    """Recomputes the contents of an `_aggregate_metrics.json` file: one entry per agent."""
    check = _Check(AGGREGATE, rows, tolerance)
    for entry, agent_rows in _entries(entries, check):
        tally = _tally(entry, check)
        metrics = _mapping(entry, "agent_metrics", tally)
        groups = _groups(entry, tally) if metrics else {}
        if groups:
            check_groups(groups, agent_rows, tally, expected_known=True)
        check_metrics(metrics, agent_rows, tally)
        _check_key_metrics(_mapping(entry, "key_metrics", tally), metrics, tally)
        for key in [key for key in entry if key not in _ENTRY_KEYS]:
            tally.leave(str(key))
        check.causes.append(causes(_evidence(metrics, agent_rows, check, groups)))
    return check.done()


def check_agent_metrics(entries: object, rows: Sequence[ScoredRow], *, tolerance: float = TOLERANCE) -> Recomputed:
    """Recomputes the contents of an `_agent_metrics.json` file: one flat set of metrics per agent."""
    check = _Check(AGENT, rows, tolerance)
    for entry, agent_rows in _entries(entries, check):
        tally = _tally(entry, check)
        metrics = {str(key): value for key, value in entry.items() if key != "agent_ref"}
        check_metrics(metrics, agent_rows, tally)
        check.causes.append(causes(_evidence(metrics, agent_rows, check, {})))
    return check.done()


def _tally(entry: Mapping[str, object], check: _Check) -> Tally:
    tally = Tally(check.tolerance, agent=_agent(entry))
    check.tallies.append(tally)
    return tally


def _evidence(
    metrics: Mapping[str, object],
    rows: Sequence[ScoredRow],
    check: _Check,
    groups: Mapping[int, Mapping[str, object]],
) -> EntryEvidence:
    return EntryEvidence(
        rows=rows,
        all_rows=check.rows,
        tally=check.tallies[-1],
        fits=lambda reading: gives_means(metrics, describe(reading), check.tolerance),
        stored_rows=counted_rows(list(groups.values())),
        fitting_rows=rows_behind_means(metrics, gather(row.numbers for row in rows), len(rows)),
        stored_tasks=set(groups) if groups else None,
        mean_reward=as_number(metrics.get("mean/reward")),
    )


def counted_rows(groups: Sequence[Mapping[str, object]]) -> int | None:
    """The number of rollouts that the per-task entries count together, where every one of them does."""
    counts = [as_number(group.get("num_rollouts", group.get("total_samples"))) for group in groups]
    if not counts or not all(count is not None and count.is_integer() for count in counts):
        return None
    return int(sum(count for count in counts if count is not None))


def _entries(entries: object, check: _Check) -> Sequence[tuple[Mapping[str, object], Sequence[ScoredRow]]]:
    """The entries with the rows of their agent."""
    if isinstance(entries, dict):
        check.problems.append("The file is one object, not a list of entries: read as a list of one.")
        entries = [entries]
    if not isinstance(entries, list):
        check.problems.append(f"The file is not a list of entries but {type(entries).__name__}.")
        return []
    if not check.rows:
        check.problems.append("There are no rollouts to recompute from.")
    usable = [entry for entry in entries if isinstance(entry, dict)]
    if len(usable) < len(entries):
        check.problems.append(f"{len(entries) - len(usable)} entries are not objects and were left out.")
    left = {row.agent for row in check.rows} - {_agent(entry) for entry in usable} - {None}
    entries_with_rows = [(entry, _rows_of(entry, check, alone=len(usable) == 1)) for entry in usable]
    if left and len(usable) > 1:
        check.problems.append(f"Agents with rows but no entry in the file: {', '.join(sorted(map(str, left)))}.")
    return entries_with_rows


def _rows_of(entry: Mapping[str, object], check: _Check, *, alone: bool) -> Sequence[ScoredRow]:
    """The rows of the entry's agent; all rows where the file has one entry and its name is not found."""
    name = _agent(entry)
    agent_rows = [row for row in check.rows if row.agent == name]
    if agent_rows or not check.rows:
        return agent_rows
    if not alone:
        check.problems.append(f"No row belongs to the agent {name!r} of the file.")
        return []
    if name is not None and any(row.agent is not None for row in check.rows):
        check.problems.append(f"No row names the agent {name!r}: the file was held against all rows.")
    return check.rows


def _agent(entry: Mapping[str, object]) -> str | None:
    ref = entry.get("agent_ref")
    name = ref.get("name") if isinstance(ref, dict) else None
    return name if isinstance(name, str) else None


def _mapping(entry: Mapping[str, object], key: str, tally: Tally) -> dict[str, object]:
    mapping = entry.get(key)
    if isinstance(mapping, dict):
        return {str(name): value for name, value in mapping.items()}
    tally.problems.append(f"{key} is {'absent' if key not in entry else 'not an object'}.")
    return {}


def _groups(entry: Mapping[str, object], tally: Tally) -> dict[int, Mapping[str, object]]:
    group_list = entry.get("group_level_metrics")
    if not isinstance(group_list, list) or not group_list:
        tally.problems.append("group_level_metrics is absent, empty or not a list.")
        return {}
    return index_groups(group_list, tally)


def index_groups(group_list: Sequence[object], tally: Tally) -> dict[int, Mapping[str, object]]:
    """The per-task entries by task index; what has no usable index is a problem."""
    groups: dict[int, Mapping[str, object]] = {}
    for place, group in enumerate(group_list):
        index = as_number(group.get("_ng_task_index")) if isinstance(group, dict) else None
        if not isinstance(group, dict) or index is None or not index.is_integer():
            tally.problems.append(f"Per-task entry {place} has no usable task index.")
        elif int(index) in groups:
            tally.problems.append(f"Task {int(index)} has more than one per-task entry; the first was used.")
        else:
            groups[int(index)] = {str(key): value for key, value in group.items()}
    return groups


def _check_key_metrics(headline: Mapping[str, object], metrics: Mapping[str, object], tally: Tally) -> None:
    """A headline metric repeats a value of the same file; one that does not is the benchmark's own.

    It agrees with the rows only where the value it repeats does.
    """
    for key, value in headline.items():
        if key not in metrics:
            tally.leave(f"key_metrics/{key}")
            continue
        number = as_number(metrics[key])
        if value == metrics[key] or agree(as_number(value), number, 0.0, tally.tolerance):
            tally.matched += key not in tally.unknown and key not in tally.keys_off
        else:
            tally.miss(Miss(f"key_metrics/{key}", value, number, hint=_KEY_METRICS, certain=True))

"""What those who read rollouts noted of them: it overrules the engine's labels and is counted.

Failures have an order at random that is the same on every day (`random_rank`). Whoever reads its first n has read a
sample, and only such a sample is a reason to say how many of all failures are of a kind.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from itertools import combinations, takewhile
from typing import Any

from blade.diagnosis.cases import Case, RunCases
from blade.diagnosis.task_labels import Settled
from blade.findings import Annotation, Label
from blade.frozen import frozen
from blade.stats.agreement import estimated_total, kappa

RULE = "read"
"""The rule of a label that somebody gave who read the rollout."""
FEWEST = 5
"""Rollouts of a sample below which nothing is said of all failures."""
Place = tuple[str, str, int]


@frozen
class NotedRollout:
    """A rollout, what was noted of it, and the engine's label of it."""

    case: Case
    row: str
    annotations: tuple[Annotation, ...]

    @property
    def label(self) -> str:
        """What most of its readers say; empty where they say nothing or do not agree."""
        labels = Counter(item.label for item in self.annotations if item.label)
        if not labels:
            return ""
        label, votes = labels.most_common(1)[0]
        return label if 2 * votes > labels.total() else ""

    def is_of(self, mechanism: str) -> bool:
        return any(plain(item.mechanism) == mechanism for item in self.annotations)


def random_rank(row: str) -> bytes:
    """The place of a row in the order at random, made of the hash of the row alone."""
    return sha256(f"reading {row}".encode()).digest()


def plain(mechanism: str) -> str:
    """A mechanism as it is told apart from others."""
    return " ".join(mechanism.casefold().split()).rstrip(".")


def readings(runs: Sequence[RunCases]) -> dict[Place, NotedRollout]:
    """Every rollout that somebody read, by run, task and attempt."""
    names = {run.run.name for run in runs}
    places: dict[Place, NotedRollout] = {}
    for run in runs:
        rows = _rows(run)
        by_row: dict[str, list[Annotation]] = {}
        for item in run.run.raw.annotations:
            if item.row in rows and (item.run == run.run.name or item.run not in names):
                by_row.setdefault(item.row, []).append(item)
        for row, items in by_row.items():
            case = rows[row]
            places[case.run, case.label, case.attempt] = NotedRollout(case, row, tuple(items))
    return places


def overrule(final: Settled, runs: Sequence[RunCases], notes: Mapping[Place, NotedRollout]) -> Settled:
    """The labels, with those that were read in the place of the engine's.

    A task gets the label that readers give to at least half of its failing attempts.
    """
    labels = {place: reading for place, reading in notes.items() if reading.label and reading.case.failing}
    if not labels:
        return final
    failing = Counter((case.run, case.label) for run in runs for case in run.failing)
    votes: dict[tuple[str, str], Counter[str]] = {}
    for (run, task, _), reading in labels.items():
        votes.setdefault((run, task), Counter())[reading.label] += 1
    tasks = {(label.run, label.task): label for label in final.tasks}
    for name, codes in votes.items():
        code, attempts = codes.most_common(1)[0]
        if name in tasks and 2 * attempts >= failing[name]:
            tasks[name] = _as_read(tasks[name], code, [item for key, item in labels.items() if key[:2] == name])
    rollouts = {(label.run, label.task, label.attempt): label for label in final.rollouts}
    for place, reading in labels.items():
        of_task = tasks.get(place[:2])
        empty = Label(place[0], place[1], (), None, False, (), "", "", place[2])
        if of_task is not None and reading.label in of_task.labels:
            rollouts.pop(place, None)
        else:
            rollouts[place] = _as_read(rollouts.get(place, empty), reading.label, [reading])
    return Settled(tuple(tasks.values()), tuple(rollouts.values()))


def summaries(
    runs: Sequence[RunCases], notes: Mapping[Place, NotedRollout], engine: Settled
) -> tuple[dict[str, Any], ...]:
    """What was read of each run, how much of it, what follows for all its failures, and how far readers agree."""
    return tuple(_summary(run, notes, engine) for run in runs if run.run.raw.annotations)


def _summary(run: RunCases, notes: Mapping[Place, NotedRollout], engine: Settled) -> dict[str, Any]:
    run_notes = [reading for place, reading in notes.items() if place[0] == run.run.name]
    failures = [reading for reading in run_notes if _is_judged_failure(reading.case)]
    everything = [item for reading in run_notes for item in reading.annotations]
    population = {row for row, case in _rows(run).items() if _is_judged_failure(case)}
    stale = [item for item in run.run.raw.annotations if item.run == run.run.name and item.row not in _rows(run)]
    read = {reading.row for reading in failures}
    sample = list(takewhile(read.__contains__, sorted(population, key=random_rank)))
    counting = _Counting(failures, sample, len(population))
    return {
        "run": run.run.name,
        "failures": len(population),
        "read": len(failures),
        "fully": sum(any(item.read_fully for item in reading.annotations) for reading in failures),
        "passes_read": sum(bool(reading.case.passed) for reading in run_notes),
        "authors": sorted({item.author for item in everything}),
        "verdict_wrong": {
            "failures": sum(_doubted(reading) for reading in failures),
            "passes": sum(_doubted(reading) for reading in run_notes if reading.case.passed),
        },
        "sample": len(sample),
        "labels": [
            {"label": code, **counting.of([reading for reading in failures if reading.label == code])}
            for code in _commonest(reading.label for reading in failures)
        ],
        "mechanisms": [
            _mechanism(name, run_notes, counting) for name in _commonest(plain(i.mechanism) for i in everything)
        ],
        "agreement": _agreements(run_notes),
        "engine": _against_engine(failures, engine),
        "stale": len(stale),
    }


@frozen
class _Counting:
    """Readings of failures, the rows among them that are a sample at random, and how many failures there are."""

    failures: Sequence[NotedRollout]
    sample: Sequence[str]
    population: int

    def of(self, readings: Sequence[NotedRollout]) -> dict[str, Any]:
        """How many were read, in how many tasks, and how many there are in all, where a sample allows to say it."""
        rows = {reading.row for reading in readings}
        counts: dict[str, Any] = {"read": len(rows), "tasks": len({reading.case.label for reading in readings})}
        if not self.sample or len(self.sample) < min(FEWEST, self.population):
            return counts | {"estimate": None, "interval": None}
        estimate, low, high = estimated_total(len(rows.intersection(self.sample)), len(self.sample), self.population)
        low, high = max(low, len(rows)), min(high, self.population - len(self.failures) + len(rows))
        return counts | {"estimate": min(max(estimate, low), high), "interval": [low, high]}


def _mechanism(name: str, run_notes: Sequence[NotedRollout], counting: _Counting) -> dict[str, Any]:
    readings = [reading for reading in run_notes if reading.is_of(name)]
    items = [item for reading in readings for item in reading.annotations if plain(item.mechanism) == name]
    first = next((item for item in items if item.quote), items[0])
    return {
        "mechanism": first.mechanism,
        "blame": next(iter(_commonest(item.blame for item in items)), ""),
        **counting.of([reading for reading in readings if _is_judged_failure(reading.case)]),
        "passes": sum(bool(reading.case.passed) for reading in readings),
        "task": first.task,
        "attempt": first.attempt,
        "quote": first.quote,
    }


def _agreements(run_notes: Sequence[NotedRollout]) -> list[dict[str, Any]]:
    """Of every two authors who labelled the same rollouts: how often alike, and Cohen's kappa."""
    authors = sorted({item.author for reading in run_notes for item in reading.annotations if item.label})
    agreements = []
    for pair in combinations(authors, 2):
        labels = [{item.author: item.label for item in reading.annotations if item.label} for reading in run_notes]
        label_pairs = [
            (labels_by_author[pair[0]], labels_by_author[pair[1]])
            for labels_by_author in labels
            if all(author in labels_by_author for author in pair)
        ]
        if label_pairs:
            equal_labels = sum(first == second for first, second in label_pairs)
            agreements.append(
                {"authors": list(pair), "rollouts": len(label_pairs), "same": equal_labels, "kappa": kappa(label_pairs)}
            )
    return agreements


def _against_engine(failures: Sequence[NotedRollout], engine: Settled) -> dict[str, Any]:
    """How often the engine's label is the one that was read, where both say something."""
    tasks = {(label.run, label.task): label.labels for label in engine.tasks}
    single = {(label.run, label.task, label.attempt): label.labels for label in engine.rollouts}
    pairs = []
    for reading in failures:
        case = reading.case
        labels = single.get((case.run, case.label, case.attempt)) or tasks.get((case.run, case.label))
        if reading.label and labels and labels[0] != "IE":
            pairs.append((reading.label, reading.label if reading.label in labels else labels[0]))
    equal_labels = sum(read_label == engine_label for read_label, engine_label in pairs)
    return {"rollouts": len(pairs), "same": equal_labels, "kappa": kappa(pairs)}


def _rows(run: RunCases) -> dict[str, Case]:
    """Hash of the row → its case; worked out once."""
    if "rows" not in run.known:
        places = {case.place[:2]: case for case in run.cases}
        facts = run.run.graded.select("row_hash", "file", "line").rows()
        sources = run.run.raw.sources
        run.known["rows"] = {
            f"{row:016x}": places[sources[file], line] for row, file, line in facts if (sources[file], line) in places
        }
    return run.known["rows"]  # type: ignore[no-any-return]


def _is_judged_failure(case: Case) -> bool:
    return case.failing and case.evaluable and case.stage_lost is None


def _doubted(reading: NotedRollout) -> bool:
    return any(item.verdict_wrong for item in reading.annotations)


def _commonest(values: Iterable[str]) -> list[str]:
    counts = Counter(value for value in values if value)
    return sorted(counts, key=lambda value: (-counts[value], value))


def _as_read(label: Label, code: str, readings: Sequence[NotedRollout]) -> Label:
    items = [item for reading in readings for item in reading.annotations if item.label == code]
    authors = ", ".join(sorted({item.author for item in items}))
    mechanism = next((item.mechanism for item in items if item.mechanism), "")
    reason = f"read by {authors}{': ' + mechanism if mechanism else ''}"
    return replace(label, labels=(code,), confidence=None, calibrated=False, missing="", why=reason, rule=RULE)

"""What each page is given: names and values for its template, nothing marked up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import polars as pl

from blade.evidence import open_row
from blade.findings import Intervention, PartShare
from blade.index.tables import Index, IndexedAttempt
from blade.quoted_evidence.expected import expected_lines
from blade.run_names import short_names
from blade.summary.change_words import worth
from blade.viewer import links, params, searching
from blade.viewer.selection import PAGE, SORTS, Selection, pair_of, part_of, select, selection_of, sort_of
from blade.viewer.task_words import changes_of_task, labels_of_task, slices_of_task
from blade.viewer.transcript import ViewedTranscript, open_transcript

Given = Mapping[str, str]
MOST_CHOICES = 300
WORST = 12


def overview(index: Index, query: Given) -> dict[str, Any]:
    del query
    labels = index.results.select("run", pl.col("labels").alias("label")).explode("label").drop_nulls()
    label_counts = labels.group_by("run", "label").len().sort("label").rows()
    return {
        "changes": index.facts["changes"],
        "run_facts": index.facts["runs"],
        "modes": index.facts["modes"],
        "labels": sorted({label for _, label, _ in label_counts}),
        "label_counts": {(run, label): count for run, label, count in label_counts},
        "interventions": [{**item, "worth": _worth(item, index)} for item in index.facts["interventions"]],
        "health": index.facts["health"],
        "health_checks": index.facts.get("health_checks", []),
        "flaws": index.facts["flaws"],
        "moved": _moved(index),
    }


def _worth(item: Mapping[str, Any], index: Index) -> str:
    """The points and the ceiling of an intervention, as the report has them."""
    scale = next((str(run["scale"]) for run in index.facts["runs"] if run["name"] == item["run"]), "unit")
    intervention = Intervention(**{**item, "parts": tuple(PartShare(**share) for share in item["parts"])})
    return worth(intervention, intervention.base, scale)


def _moved(index: Index) -> list[dict[str, Any]]:
    """The tasks that moved most."""
    if len(index.runs) < 2:
        return []
    return task_lines(index, select(index, Selection(sort="change"))[:WORST])


def task_list(index: Index, query: Given) -> dict[str, Any]:
    selection = selection_of(query)
    orders = select(index, selection)
    pages = max(1, -(-len(orders) // PAGE))
    page = min(selection.page, pages)
    page_orders = orders[(page - 1) * PAGE : page * PAGE]
    return {
        "chosen": selection,
        "total": index.tasks.height,
        "found": len(orders),
        "first": (page - 1) * PAGE + 1,
        "page": page,
        "pages": pages,
        "lines": task_lines(index, page_orders),
        "columns": list(pair_of(index, selection) or index.runs),
        "choices": _choices(index),
        "sorts": SORTS,
        "sort": sort_of(index, selection),
    }


def task_lines(index: Index, orders: list[int]) -> list[dict[str, Any]]:
    """Tasks with their attempts and results, run by run."""
    attempts, results = index.attempts_of(orders), index.results_of(orders)
    lines = []
    for order in orders:
        by_run: dict[str, list[IndexedAttempt]] = {run: [] for run in index.runs}
        for attempt in attempts[order]:
            by_run[attempt.run].append(attempt)
        lines.append({**index.task_at(order), "attempts": by_run, "results": results[order]})
    return lines


def _choices(index: Index) -> dict[str, list[tuple[str, str]]]:
    """What each filter offers: value and words."""
    states = index.attempts["state"].unique().sort().to_list()
    buckets = [name for name in ("always", "sometimes", "never", "missing") if name in set(index.results["bucket"])]
    labels = index.results["labels"].explode().drop_nulls().unique().sort().to_list()
    slices = index.tasks["slices"].explode().drop_nulls().unique().sort().to_list()
    meanings = index.facts["meanings"]
    modes = [(mode["id"], mode["name"]) for mode in index.facts["modes"]]
    return {
        "run": [(name, name) for name in index.runs] if len(index.runs) > 1 else [],
        "base": [(name, name) for name in index.runs] if len(index.runs) > 2 else [],
        "candidate": [(name, name) for name in index.runs] if len(index.runs) > 2 else [],
        "bucket": [(name, name) for name in buckets],
        "status": [(name, name) for name in states],
        "label": [(name, _meaning(meanings, name)) for name in labels],
        "mode": modes,
        "slice": [(name, name) for name in slices[:MOST_CHOICES]],
    }


def _meaning(meanings: Mapping[str, Any], label: str) -> str:
    name = meanings.get(label, {}).get("name", "")
    return f"{label}: {name}" if name else label


def task_page(index: Index, query: Given) -> dict[str, Any]:
    selection = selection_of(query)
    order = params.order_asked(index, query)
    (line,) = task_lines(index, [order])
    name = line["task"]
    calls = {(run, attempt.task) for run, attempts in line["attempts"].items() for attempt in attempts}
    return {
        "chosen": selection,
        "line": line,
        "answers": any(attempt.answer for attempts in line["attempts"].values() for attempt in attempts),
        "slices": slices_of_task(line["slices"]),
        "labels": labels_of_task(label for label in index.facts["labels"] if (label["run"], label["task"]) in calls),
        "stories": [story for story in index.facts["stories"] if (story["run"], story["task"]) in calls],
        "pairs": _pairs(line["attempts"]),
        "around": _neighbours(index, selection, order),
        "flips": changes_of_task(index.facts["changes"], name),
    }


def _pairs(attempts: Mapping[str, list[IndexedAttempt]]) -> list[tuple[str, IndexedAttempt, IndexedAttempt]]:
    """Pairs worth reading beside each other: pass and fail of one run, and the runs' first attempts."""
    pairs = []
    names = short_names(list(attempts))
    for run, run_attempts in attempts.items():
        good = next((attempt for attempt in run_attempts if attempt.passed), None)
        bad = next((attempt for attempt in run_attempts if attempt.passed is False), None)
        if good and bad:
            pairs.append((f"{names.get(run, run)}: a pass and a failure", good, bad))
    runs = [run_attempts for run_attempts in attempts.values() if run_attempts]
    for base, candidate_attempts in zip(runs[:1] * len(runs), runs[1:], strict=False):
        pairs.append(
            (
                " and ".join(names.get(run, run) for run in (base[0].run, candidate_attempts[0].run)),
                _differing(base, candidate_attempts[0]),
                candidate_attempts[0],
            )
        )
    return pairs


def _differing(attempts: list[IndexedAttempt], reference: IndexedAttempt) -> IndexedAttempt:
    """An attempt with another outcome where there is one."""
    return next((attempt for attempt in attempts if attempt.passed is not reference.passed), attempts[0])


def _neighbours(index: Index, selection: Selection, order: int) -> dict[str, Any]:
    """The tasks before and after this one in the selection."""
    orders = select(index, selection)
    if order not in orders:
        return {"place": None, "of": len(orders), "before": None, "after": None}
    at = orders.index(order)
    before = index.task_at(orders[at - 1])["task"] if at else None
    after = index.task_at(orders[at + 1])["task"] if at + 1 < len(orders) else None
    return {"place": at + 1, "of": len(orders), "before": before, "after": after}


def transcript_page(index: Index, query: Given) -> dict[str, Any]:
    selection = selection_of(query)
    attempt = params.attempt_asked(index, query)
    opened = open_transcript(attempt)
    siblings = index.attempts_of([attempt.order])[attempt.order]
    place = next(
        at for at, sibling in enumerate(siblings) if (sibling.run, sibling.attempt) == (attempt.run, attempt.attempt)
    )
    return {
        "chosen": selection,
        "attempt": attempt,
        "transcript": opened,
        "now": opened.chunk_of(query.get("at", "")),
        "siblings": siblings,
        "before": siblings[place - 1] if place else None,
        "after": siblings[place + 1] if place + 1 < len(siblings) else None,
        "twin": _twin_of(attempt, siblings),
        "titles": index.facts["titles"],
        "expected": expected_lines(open_row(attempt.source), passed=bool(attempt.passed)),
        "spans": _spans(opened),
    }


def _twin_of(attempt: IndexedAttempt, siblings: list[IndexedAttempt]) -> IndexedAttempt | None:
    """An attempt with another outcome, of the same run first."""
    opposite = [sibling for sibling in siblings if sibling.passed is not None and sibling.passed is not attempt.passed]
    return next((sibling for sibling in opposite if sibling.run == attempt.run), opposite[0] if opposite else None)


def _spans(opened: ViewedTranscript) -> list[tuple[str, str]]:
    """The first and the last anchor of every chunk: by them a page knows which one to load for an address."""
    return [(chunk[0].anchor, chunk[-1].anchor) for number in range(opened.chunks) if (chunk := opened.chunk(number))]


def items(index: Index, query: Given) -> dict[str, Any]:
    attempt = params.attempt_asked(index, query)
    opened = open_transcript(attempt)
    return {"attempt": attempt, "entries": opened.chunk(params.number_asked(query, "chunk"))}


def search_page(index: Index, query: Given) -> dict[str, Any]:
    selection = selection_of(query)
    values: dict[str, Any] = {
        "chosen": selection,
        "scopes": searching.SCOPES,
        "tasks": [],
        "tools": [],
        "findings": [],
        "tasks_found": 0,
    }
    if selection.q:
        orders = select(index, replace(selection, sort="name"))
        values |= {
            "tasks": [index.task_at(order) for order in orders[:20]],
            "tasks_found": len(orders),
            "tools": searching.tools(index, selection.q),
            "findings": searching.findings(index, selection.q),
        }
    return values


def text_hits(index: Index, query: Given) -> dict[str, Any]:
    selection = selection_of(query)
    begin = params.number_asked(query, "begin")
    result = searching.text(index, selection.q, selection, begin) if selection.q.strip() else None
    next_link = links.text(selection, result.next) if result and result.next is not None else ""
    return {"chosen": selection, "found": result, "more": next_link, "begin": begin}


def labels_of(line: Mapping[str, Any], columns: list[str]) -> list[tuple[str, int]]:
    """The labels of a task and how many of the runs give each, the commonest first."""
    counts = Counter(label for run in columns for label in (line["results"].get(run) or {}).get("labels") or ())
    return sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))


def telling_attempt(attempts: list[IndexedAttempt]) -> IndexedAttempt | None:
    """The attempt to read first: a failed one where there is one."""
    return next((attempt for attempt in attempts if attempt.passed is False), attempts[0] if attempts else None)


def modes_of(line: Mapping[str, Any], columns: list[str]) -> list[str]:
    """The modes of a task's failures in these runs, the commonest first."""
    counts = Counter(attempt.mode for run in columns for attempt in line["attempts"][run] if attempt.mode)
    return [mode for mode, _ in sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))][:3]


def part_name(index: Index, part: str) -> str:
    """What a part of a change is called: 0.2 → behaviour."""
    part_share = part_of(index, part)
    if part_share is None:
        return part
    cause = str(part_share["cause"]).replace("_", " ")
    return f"{cause}: {index.mode_name(part_share['sub'])}" if part_share["sub"] else cause

"""What each page is given: names and values for its template, nothing marked up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import polars as pl

from blade.change_words import worth
from blade.findings import Intervention, PartShare
from blade.viewer import links, params, searching
from blade.viewer.index import Attempt, Index
from blade.viewer.selection import PAGE, SORTS, Selection, part_of, select, selection_of, sort_of
from blade.viewer.transcript import Transcript, open_transcript

Given = Mapping[str, str]
MOST_CHOICES = 300
WORST = 12


def overview(index: Index, given: Given) -> dict[str, Any]:
    del given
    labels = index.results.select("run", pl.col("labels").alias("label")).explode("label").drop_nulls()
    counted = labels.group_by("run", "label").len().sort("label").rows()
    return {
        "changes": index.facts["changes"],
        "run_facts": index.facts["runs"],
        "modes": index.facts["modes"],
        "labels": sorted({label for _, label, _ in counted}),
        "label_counts": {(run, label): many for run, label, many in counted},
        "interventions": [{**item, "worth": _worth(item, index)} for item in index.facts["interventions"]],
        "health": index.facts["health"],
        "health_checks": index.facts.get("health_checks", []),
        "flaws": index.facts["flaws"],
        "moved": _moved(index),
    }


def _worth(item: Mapping[str, Any], index: Index) -> str:
    """The points and the ceiling of an intervention, as the report has them."""
    scale = next((str(run["scale"]) for run in index.facts["runs"] if run["name"] == item["run"]), "unit")
    made = Intervention(**{**item, "parts": tuple(PartShare(**share) for share in item["parts"])})
    return worth(made, made.base, scale)


def _moved(index: Index) -> list[dict[str, Any]]:
    """The tasks that moved most."""
    if len(index.runs) < 2:
        return []
    return task_lines(index, select(index, Selection(sort="change"))[:WORST])


def task_list(index: Index, given: Given) -> dict[str, Any]:
    chosen = selection_of(given)
    found = select(index, chosen)
    pages = max(1, -(-len(found) // PAGE))
    page = min(chosen.page, pages)
    shown = found[(page - 1) * PAGE : page * PAGE]
    return {
        "chosen": chosen,
        "total": index.tasks.height,
        "found": len(found),
        "first": (page - 1) * PAGE + 1,
        "page": page,
        "pages": pages,
        "lines": task_lines(index, shown),
        "choices": _choices(index),
        "sorts": SORTS,
        "sort": sort_of(index, chosen),
    }


def task_lines(index: Index, orders: list[int]) -> list[dict[str, Any]]:
    """Tasks with their attempts and results, run by run."""
    attempts, results = index.attempts_of(orders), index.results_of(orders)
    made = []
    for order in orders:
        by_run: dict[str, list[Attempt]] = {run: [] for run in index.runs}
        for attempt in attempts[order]:
            by_run[attempt.run].append(attempt)
        made.append({**index.task_at(order), "attempts": by_run, "results": results[order]})
    return made


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
        "bucket": [(name, name) for name in buckets],
        "status": [(name, name) for name in states],
        "label": [(name, _meaning(meanings, name)) for name in labels],
        "mode": modes,
        "slice": [(name, name) for name in slices[:MOST_CHOICES]],
    }


def _meaning(meanings: Mapping[str, Any], label: str) -> str:
    name = meanings.get(label, {}).get("name", "")
    return f"{label}: {name}" if name else label


def task_page(index: Index, given: Given) -> dict[str, Any]:
    chosen = selection_of(given)
    order = params.order_asked(index, given)
    (line,) = task_lines(index, [order])
    name = line["task"]
    calls = {(run, one.task) for run, many in line["attempts"].items() for one in many}
    return {
        "chosen": chosen,
        "line": line,
        "answers": any(one.answer for many in line["attempts"].values() for one in many),
        "labels": [label for label in index.facts["labels"] if (label["run"], label["task"]) in calls],
        "stories": [story for story in index.facts["stories"] if (story["run"], story["task"]) in calls],
        "pairs": _pairs(line["attempts"]),
        "around": _around(index, chosen, order),
        "flips": [
            (change, flip) for change in index.facts["changes"] for flip in change["flips"] if flip["task"] == name
        ],
    }


def _pairs(attempts: Mapping[str, list[Attempt]]) -> list[tuple[str, Attempt, Attempt]]:
    """Pairs worth reading beside each other: pass and fail of one run, and the runs' first attempts."""
    made = []
    for run, many in attempts.items():
        good = next((one for one in many if one.passed), None)
        bad = next((one for one in many if one.passed is False), None)
        if good and bad:
            made.append((f"{run}: a pass and a failure", good, bad))
    runs = [many for many in attempts.values() if many]
    for base, other in zip(runs[:1] * len(runs), runs[1:], strict=False):
        made.append((f"{base[0].run} and {other[0].run}", _differing(base, other[0]), other[0]))
    return made


def _differing(many: list[Attempt], other: Attempt) -> Attempt:
    """An attempt with another outcome where there is one."""
    return next((one for one in many if one.passed is not other.passed), many[0])


def _around(index: Index, chosen: Selection, order: int) -> dict[str, Any]:
    """The tasks before and after this one in the selection."""
    found = select(index, chosen)
    if order not in found:
        return {"place": None, "of": len(found), "before": None, "after": None}
    at = found.index(order)
    before = index.task_at(found[at - 1])["task"] if at else None
    after = index.task_at(found[at + 1])["task"] if at + 1 < len(found) else None
    return {"place": at + 1, "of": len(found), "before": before, "after": after}


def transcript_page(index: Index, given: Given) -> dict[str, Any]:
    chosen = selection_of(given)
    attempt = params.attempt_asked(index, given)
    opened = open_transcript(attempt)
    here = index.attempts_of([attempt.order])[attempt.order]
    place = next(at for at, one in enumerate(here) if (one.run, one.attempt) == (attempt.run, attempt.attempt))
    return {
        "chosen": chosen,
        "attempt": attempt,
        "transcript": opened,
        "now": opened.chunk_of(given.get("at", "")),
        "siblings": here,
        "before": here[place - 1] if place else None,
        "after": here[place + 1] if place + 1 < len(here) else None,
        "twin": _twin_of(attempt, here),
        "titles": index.facts["titles"],
        "spans": _spans(opened),
    }


def _twin_of(attempt: Attempt, here: list[Attempt]) -> Attempt | None:
    """An attempt with another outcome, of the same run first."""
    others = [one for one in here if one.passed is not None and one.passed is not attempt.passed]
    return next((one for one in others if one.run == attempt.run), others[0] if others else None)


def _spans(opened: Transcript) -> list[tuple[str, str]]:
    """The first and the last anchor of every chunk: by them a page knows which one to load for an address."""
    return [(chunk[0].anchor, chunk[-1].anchor) for number in range(opened.chunks) if (chunk := opened.chunk(number))]


def items(index: Index, given: Given) -> dict[str, Any]:
    attempt = params.attempt_asked(index, given)
    opened = open_transcript(attempt)
    return {"attempt": attempt, "entries": opened.chunk(params.number_asked(given, "chunk"))}


def search_page(index: Index, given: Given) -> dict[str, Any]:
    chosen = selection_of(given)
    made: dict[str, Any] = {"chosen": chosen, "tasks": [], "tools": [], "findings": [], "tasks_found": 0}
    if chosen.q:
        found = select(index, replace(chosen, sort="name"))
        made |= {
            "tasks": [index.task_at(order) for order in found[:20]],
            "tasks_found": len(found),
            "tools": searching.tools(index, chosen.q),
            "findings": searching.findings(index, chosen.q),
        }
    return made


def text_hits(index: Index, given: Given) -> dict[str, Any]:
    chosen = selection_of(given)
    begin = params.number_asked(given, "begin")
    found = searching.text(index, chosen.q, chosen, begin) if chosen.q.strip() else None
    more = links.text(chosen, found.next) if found and found.next is not None else ""
    return {"chosen": chosen, "found": found, "more": more, "begin": begin}


def modes_of(line: Mapping[str, Any]) -> list[str]:
    """The modes of a task's failures, the commonest first."""
    counts = Counter(one.mode for many in line["attempts"].values() for one in many if one.mode)
    return [mode for mode, _ in sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))][:3]


def part_name(index: Index, part: str) -> str:
    """What a part of a change is called: 0.2 → behaviour."""
    found = part_of(index, part)
    if found is None:
        return part
    cause = str(found["cause"]).replace("_", " ")
    return f"{cause}: {index.mode_name(found['sub'])}" if found["sub"] else cause

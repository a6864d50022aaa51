"""What localises a part: the message, the tool, the category and the stretch of time its rows have in common."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import polars as pl

from blade.change.modes import Modes
from blade.counting.audit.windows import stands_by_task
from blade.counting.order import in_order
from blade.stats.scan import scan_window

CLASSES = {
    "infrastructure": ("infrastructure",),
    "truncation": ("truncated", "timed_out"),
    "malformed": ("malformed",),
    "verifier": ("verifier_error",),
}
MOSTLY = 0.8
WINDOW_P = 0.01
EXAMPLES = 5
COLUMNS = ("key", "label", "attempt", "file", "line", "offset", "length", "reason", "tool_message", "mode", "state")


def where(
    cause: str,
    sub: str | None,
    rows: pl.DataFrame,
    slices: Mapping[str, Mapping[str, str]],
    seed: int,
    modes: Modes,
) -> dict[str, Any]:
    """Everything that the rows behind a part share, as far as they share it."""
    shared_traits: dict[str, Any] = {}
    if cause == "behaviour":
        mode_traits = {"tool": modes.tool(sub), "mode": modes.name(sub), "in_passes": modes.in_passes(sub)}
        shared_traits |= {key: trait for key, trait in mode_traits.items() if trait is not None}
    hit = rows_of(cause, sub, rows)
    if hit.is_empty():
        return shared_traits
    column = "tool_message" if "tool" in shared_traits else "reason"
    messages = Counter(text for text in hit[column].to_list() if text)
    if messages:
        shared_traits["message"] = max(messages.items(), key=lambda pair: (pair[1], pair[0]))[0]
    shared_traits |= category(set(hit["key"].to_list()), set(rows["key"].to_list()), slices)
    if cause == "infrastructure":
        shared_traits |= window(rows, seed)
    return shared_traits


def rows_of(cause: str, sub: str | None, rows: pl.DataFrame) -> pl.DataFrame:
    """The rows a part speaks of, of the run that has more of them; only what tells their place and what they say."""
    placed_rows = rows[list(COLUMNS)]  # all others need not be copied
    if cause == "behaviour":
        return placed_rows.filter(pl.col("mode") == sub) if sub is not None else placed_rows.clear()
    if cause in CLASSES and sub not in {"change", "gold"}:
        return placed_rows.filter(pl.col("state").is_in(CLASSES[cause]))
    return placed_rows.clear()


def category(
    touched: Collection[str], tasks: Collection[str], slices: Mapping[str, Mapping[str, str]]
) -> dict[str, Any]:
    """The property that nearly all touched tasks share and most other tasks do not."""
    touched_counts: Counter[tuple[str, str]] = Counter()
    overall: Counter[tuple[str, str]] = Counter()
    for task in tasks:
        for pair in slices.get(task, {}).items():
            overall[pair] += 1
            touched_counts[pair] += task in touched
    best = None
    for pair, touched_tasks in sorted(touched_counts.items()):
        if touched_tasks >= MOSTLY * len(touched) and overall[pair] <= 0.6 * len(tasks) and touched_tasks >= 3:
            lift = touched_tasks / len(touched) - overall[pair] / len(tasks)
            if best is None or lift > best[0]:
                best = (lift, pair)
    return {"category": {best[1][0]: best[1][1]}} if best else {}


def window(rows: pl.DataFrame, seed: int) -> dict[str, Any]:
    """A stretch of time, or of the file, in which the outage happened."""
    ordered, timed = in_order(rows)
    if not timed and stands_by_task(ordered["task"].to_list()):
        return {}  # neighbours are rows of one task, or tasks of one kind: their place is no time
    flags = (ordered["state"] == "infrastructure").cast(pl.Int8).to_list()
    burst = scan_window(flags, side="higher", seed=seed)
    if burst is None or burst.p > WINDOW_P:
        return {}
    stretch: dict[str, Any] = {"rows": [burst.start, burst.end], "inside": burst.inside, "outside": burst.outside}
    stretch["order"] = "time" if timed else "file"
    if timed:
        stretch |= {"from": ordered["created_at"][burst.start], "to": ordered["created_at"][burst.end - 1]}
    return {"window": stretch}


def evidence(cause: str, sub: str | None, rows: pl.DataFrame, run: str, sources: Sequence[str]) -> list[dict[str, Any]]:
    """The first rows behind a part, each with its place and what it says."""
    quote_column = "tool_message" if cause == "behaviour" else "reason"
    return row_evidence(rows_of(cause, sub, rows), run, sources, quote_column)


def row_evidence(
    hit: pl.DataFrame, run: str, sources: Sequence[str], quote_column: str = "reason"
) -> list[dict[str, Any]]:
    """The first of these rows, each with its place and the text of a column."""
    columns = ("label", "attempt", "file", "line", "offset", "length", quote_column)
    evidence_rows = []
    for label, attempt, file, line, offset, length, quote in (
        hit.sort("key", "attempt").head(EXAMPLES).select(columns).rows()
    ):
        place = {"file": sources[file], "line": line, "offset": offset, "length": length}
        evidence_rows.append({"kind": "row", "run": run, "task": label, "attempt": attempt, **place, "quote": quote})
    return evidence_rows

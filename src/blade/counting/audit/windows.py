"""Stretches of a run in which nothing was done: no sign of work, one and the same notice, or no call that succeeds.

A row that is empty may be a model's doing. Many of different tasks next to each other, in time or in the file, while
the rest of the run works, are an outage, whatever words they carry.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

import polars as pl

from blade.counting.order import in_order
from blade.extract.trouble import tells_of_an_outage
from blade.late_regex import late_regex
from blade.model import Status
from blade.stats.scan import scan_window

MOSTLY = 0.5
NEARLY_ALL, SOME_TELL = 0.8, 0.25
"""In a stretch without tools so many rows have none, and so many tell of a machine: a model may call tools wrongly."""
SOME_WORK = 0.2
"""A run in which so many rows show work records it."""
USUAL = 0.95
FEWEST_ROWS = 3
MOST_WINDOWS = 5
WINDOW_P = 0.01
_KNOWN = {Status.VERIFIER_ERROR.value, Status.INFRASTRUCTURE.value}
"""What the rows say themselves needs no stretch to be believed, and is told for all of them alike."""
SIGNS = ("calls", "output_tokens", "messages", "output_chars")
"""A row that has less than half of what nearly all good rows have shows hardly any work."""
_SERVER_ERROR = late_regex(r"(?<![\w.,-])(?:429|5\d\d)(?![\w-]|[.,]\d)")
Row = Mapping[str, Any]


def dead_stretches(frame: pl.DataFrame, rows: Sequence[Row], failed: Sequence[bool]) -> set[int]:
    """The places of failed rows that lie dead in a stretch of the run."""
    order = in_order(frame.with_row_index("place"))[0]["place"].to_list()
    dead_rows: set[int] = set()
    for dead in _suspects(rows, failed, order):
        dead_rows |= _stretches(dead, order, rows)
    not_good = {place for place, fails in enumerate(failed) if fails} - _good(rows)
    without_tools = _stretches(_without_tools(rows, not_good), order, rows, NEARLY_ALL)
    outages = sum(_is_outage(rows[place]["tool_message"] or "") for place in without_tools)
    return dead_rows | without_tools if outages >= SOME_TELL * len(without_tools) else dead_rows


def _is_outage(message: str) -> bool:
    """Whether the last failed call of a row without tools tells of a machine, be it by the number of a server error."""
    return tells_of_an_outage(message) or _SERVER_ERROR.search(message) is not None


def _suspects(rows: Sequence[Row], failed: Sequence[bool], order: Sequence[int]) -> Iterator[set[int]]:
    """Rows without a sign of work where all passes have one, and rows that end on a notice of their own.

    A notice is a text on which no pass ends.
    Where a row passed without a sign of work, rows may have lost their record: that they show none proves nothing.
    In a file sorted by task alike tasks stand together and may be refused alike: there a notice counts in rows for
    which the model spoke no token, or whose task was worked on in another attempt.
    """
    working = [bool(row["acts"] or row["calls"] or row["output_tokens"]) for row in rows]
    good = _good(rows)
    not_good = {place for place, fails in enumerate(failed) if fails} - good
    if good and all(working[place] for place in good) and sum(working) >= SOME_WORK * len(rows):
        yield {place for place in not_good if not working[place]}
    notices: defaultdict[int, set[int]] = defaultdict(set)
    passing = {None, *(rows[place]["final_form"] for place in good)}
    signs = {name: _least([rows[place][name] or 0 for place in good]) for name in SIGNS}
    for place in sorted(not_good):
        row = rows[place]
        lacks = any((row[name] or 0) < least / 2 for name, least in signs.items())
        if lacks and not row["calls"] and (row["messages"] or 0) == 1 and row["final_form"] not in passing:
            notices[row["final_form"]].add(place)
    by_task = stands_by_task([rows[place]["task"] for place in order])
    for places in notices.values():
        other_tasks = {row["task"] for place, row in enumerate(rows) if place not in places}
        alive = {place for place in places if rows[place]["task"] in other_tasks}
        unspoken = {place for place in places if signs["output_tokens"] and not rows[place]["output_tokens"]}
        yield alive | unspoken if by_task else places


def _without_tools(rows: Sequence[Row], not_good: set[int]) -> set[int]:
    """The rows of which every one of several calls failed, if their tools mostly work in the other rows.

    One call may go well of a tool that never fails, such as the one that hands in the work.
    """
    never_failing = _never_failing(rows)
    helpless = {place for place in not_good if _is_helpless(rows[place], never_failing)}
    called: Counter[str] = Counter()
    broken: Counter[str] = Counter()
    for place, row in enumerate(rows) if helpless else ():
        if place not in helpless:
            called.update(row["tools_called"] or ())
            broken.update(row["tools_failed"] or ())
    working = {tool for tool, rows_with in called.items() if broken[tool] < MOSTLY * rows_with}
    return {place for place in helpless if working.issuperset(rows[place]["tools_called"] or ("",))}


def _never_failing(rows: Sequence[Row]) -> frozenset[str]:
    called = {tool for row in rows for tool in row["tools_called"] or ()}
    return frozenset(called.difference(*(row["tools_failed"] or () for row in rows)))


def _is_helpless(row: Row, never_failing: frozenset[str]) -> bool:
    calls, failed = row["calls"] or 0, row["calls_failed"] or 0
    spared = int(not never_failing.isdisjoint(row["tools_called"] or ()))
    return calls > 1 and failed > 0 and failed >= calls - spared


def _good(rows: Sequence[Row]) -> set[int]:
    """The rows that passed; where nothing says what a pass is, those above the lowest reward."""
    if any(row["passed"] is not None for row in rows):
        return {place for place, row in enumerate(rows) if row["passed"]}
    rewards = [row["reward"] for row in rows if row["reward"] is not None]
    lowest = min(rewards, default=0.0)
    return {place for place, row in enumerate(rows) if row["reward"] is not None and row["reward"] > lowest}


def _least(values: Sequence[float]) -> float:
    """What nearly all good rows reach."""
    return sorted(values)[int((1 - USUAL) * len(values))] if values else 0.0


def stands_by_task(tasks: Sequence[str]) -> bool:
    """Whether the rows of each task, or tasks in order of their names, stand together: then so do alike tasks."""
    changes = sum(task != next_task for task, next_task in pairwise(tasks))
    return changes + 1 == len(set(tasks)) and (len(set(tasks)) < len(tasks) or list(tasks) == sorted(tasks))


def _stretches(dead: set[int], order: Sequence[int], rows: Sequence[Row], least: float = MOSTLY) -> set[int]:
    """The dead rows of each stretch in which at least such a part of the rows is dead."""
    dead_rows: set[int] = set()
    left = set(dead)
    for _ in range(MOST_WINDOWS):
        if len({rows[place]["task"] for place in left}) < FEWEST_ROWS:
            break
        window = scan_window([place in left for place in order], side="higher")
        if window is None or window.p > WINDOW_P or window.inside < least:
            break
        dead_inside = {place for place in order[window.start : window.end] if place in left}
        tasks = Counter(rows[place]["task"] for place in dead_inside)
        if len(tasks) >= FEWEST_ROWS:
            dead_rows |= dead_inside
        left -= dead_inside
    return {place for place in dead_rows if rows[place]["state"] not in _KNOWN}

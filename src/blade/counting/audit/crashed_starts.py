"""Screens on which the agent crashed before it did anything: behind the command that hands it the task stands a report.

The report is known by recurring, not by its words: the same lines, once figures and paths are masked, in rows of other
tasks, and in no row that passed. What an agent does differs from task to task. A screen that lost the command is one of
them if it shows that report, and nothing that the agent of nearly every pass writes.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from blade.counting.audit.failed_launches import SHOWN, FailedLaunches, Opened, Row, lines_behind_start
from blade.counting.audit.recurring import TROUBLE, Lines, lines_told, opened_lines, transcript_lines
from blade.signatures import template

FEWEST_ROWS = 3
FEWEST_LINES = 8
"""Fewer lines that no pass shows are what an agent may say itself."""
MOSTLY = 0.5
NEARLY_ALL = 0.9


def crashed_starts(rows: Sequence[Row], screens: Sequence[int], opened: Opened) -> FailedLaunches:
    """Of failed rows that hold a screen alone, those behind whose start stands only what other tasks show, too."""
    behind = {place: lines for place, _, lines in opened_lines(opened(screens), _behind) if lines}
    if len(behind) < FEWEST_ROWS:
        return FailedLaunches()
    passed = opened([place for place, row in enumerate(rows) if row["passed"]][:SHOWN])
    passing_screens = [frozenset(lines) for _, _, lines in opened_lines(passed, transcript_lines)]
    usual = frozenset[str]().union(*passing_screens)
    own_lines = {place: lines - usual for place, lines in behind.items()}
    tasks = {place: row["task"] for place, row in enumerate(rows)}
    crashed = frozenset(place for place, lines in own_lines.items() if len(lines) >= MOSTLY * len(behind[place]))
    crashed = _shared(crashed, own_lines, tasks)
    if len(crashed) < FEWEST_ROWS:
        return FailedLaunches()
    unusual = frozenset[str]().union(*(own_lines[place] for place in crashed))
    headless = opened([place for place in screens if place not in behind])
    working = _of_nearly_all(passing_screens) - frozenset(
        name for _, _, lines in opened_lines(opened(sorted(crashed)), transcript_lines) for name in lines
    )
    if working:
        crashed |= {
            place
            for place, _, lines in opened_lines(headless, transcript_lines)
            if _reports(frozenset(lines), unusual, usual) and working.isdisjoint(lines)
        }

    def report(row: dict[str, Any]) -> Lines:
        """The last line of the report that speaks of trouble, else its last line."""
        lines = [(name, lines_found) for name, lines_found in transcript_lines(row).items() if name in unusual]
        troubled = [entry for entry in lines if TROUBLE.search(entry[1][0])]
        return dict((troubled or lines)[-1:])

    return FailedLaunches(crashed, lines_told(opened(sorted(crashed)), tasks, report))


def _of_nearly_all(screens: Sequence[frozenset[str]]) -> frozenset[str]:
    """The lines that nearly every screen shows."""
    counts = Counter(name for lines in screens for name in lines)
    return frozenset(name for name, screens_with in counts.items() if screens_with >= NEARLY_ALL * len(screens))


def _reports(lines: frozenset[str], unusual: frozenset[str], usual: frozenset[str]) -> bool:
    """Whether most of what no pass shows is of the report."""
    reported = len(lines & unusual)
    return reported >= FEWEST_LINES and reported >= MOSTLY * len(lines - usual)


def _behind(row: dict[str, Any]) -> frozenset[str]:
    return frozenset(template(line) for line in lines_behind_start(row))


def _shared(
    places: frozenset[int], own_lines: Mapping[int, frozenset[str]], tasks: Mapping[int, str]
) -> frozenset[int]:
    """Those with several lines of which nearly all stand in rows of another task among them."""
    holders: defaultdict[str, set[str]] = defaultdict(set)
    for place in places:
        for name in own_lines[place]:
            holders[name].add(tasks[place])
    return frozenset(
        place
        for place in places
        if len(own_lines[place]) >= FEWEST_LINES
        and sum(len(holders[name]) > 1 for name in own_lines[place]) >= NEARLY_ALL * len(own_lines[place])
    )

"""What keeps a verifier from finishing: the first error in its log that logs of judged rows do not hold.

What a log says last is often no more than a consequence: after the first step that failed, every later one fails, too.
An error is believed where one of the same log recurs in other rows without a verdict, or stands near its end.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from blade.counting.audit.recurring import (
    SHORTEST,
    TROUBLE,
    Lines,
    SharedLine,
    counted_in,
    opened_lines,
    tallied,
    verifier_endings,
    verifier_log,
)
from blade.evidence import open_rows
from blade.late_regex import late_regex
from blade.model import Source
from blade.signatures import template

FEWEST_ROWS = 2
LEARNED = 100
"""So many logs of judged rows tell what is harmless."""
HARDLY_ANY = 0.02
NEAR_END = 6
"""An error in the last so many lines of a log may be what stopped it."""
_LINE = late_regex(r"[^\n]+")
_NAMED = late_regex(r"\([\w./-]+\)")


def why_unfinished(
    unjudged: Mapping[int, Source], judged_sources: Mapping[int, Source], tasks: Mapping[int, str]
) -> tuple[SharedLine, ...]:
    """The first errors of the logs of these rows; of those without such an error, the lines at which they stop.

    Each line is counted in all rows whose log holds it, or stops at it: a log may do both.
    """
    harmless = _harmless(judged_sources)
    errors_by_source = {source: _errors(row, harmless) for source, row in open_rows(unjudged.values())}
    rows = Counter(name for lines in errors_by_source.values() for name in lines)
    first: list[tuple[int, Source, Lines]] = []
    without_error: dict[int, Source] = {}
    for place, source in unjudged.items():
        lines = errors_by_source.get(source, {})
        if any(rows[name] >= FEWEST_ROWS for name in lines):
            name = next(iter(lines))
            first.append((place, source, {name: lines[name]}))
        else:
            without_error[place] = source
    first_errors = tallied(first, tasks)
    errors = counted_in(first_errors, unjudged, tasks, lambda row: _errors(row, harmless))
    explained = {place for line in errors for place in line.places}
    unexplained = {place: source for place, source in without_error.items() if place not in explained}
    late = [entry for entry in opened_lines(unexplained, lambda row: _last_error(row, harmless)) if entry[2]]
    errors += tallied(late, tasks)
    unexplained = {place: source for place, source in unexplained.items() if place not in {entry[0] for entry in late}}
    return (*(replace(line, first_error=True) for line in errors), *verifier_endings(unexplained, tasks, unjudged))


def _harmless(judged_sources: Mapping[int, Source]) -> set[str]:
    """Errors that stand in logs of judged rows, too: those did not keep the verifier from its verdict."""
    step = max(1, -(-len(judged_sources) // LEARNED))
    logs = [_errors(row, set()) for _, row in open_rows(list(judged_sources.values())[::step])]
    log_counts = Counter(name for lines in logs for name in lines)
    return {name for name, logs_with in log_counts.items() if logs_with > HARDLY_ANY * len(logs)}


def _last_error(row: dict[str, Any], harmless: set[str]) -> Lines:
    """The last error among the lines at which the verifier's log stops, where there is one."""
    lines = [line for part in verifier_log(row) for raw in part.text.split("\n") if (line := raw.strip())]
    near_end = set(lines[-NEAR_END:])
    return dict([entry for entry in _errors(row, harmless).items() if entry[1][0] in near_end][-1:])


def _errors(row: dict[str, Any], harmless: set[str]) -> Lines:
    """The lines of the verifier's log that speak of trouble, in their order; who is named in brackets is left out."""
    lines: Lines = {}
    for part in verifier_log(row):
        for match in _LINE.finditer(part.text):
            line = match.group().strip()
            if len(line) >= SHORTEST and TROUBLE.search(line):
                key = _NAMED.sub("(…)", template(line))
                start = part.start + match.start() + match.group().index(line)
                lines.setdefault(key, (line, None, f"row.{part.name}", start))
    return {key: place for key, place in lines.items() if key not in harmless}

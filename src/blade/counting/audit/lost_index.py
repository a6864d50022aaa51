"""An attempt index that broke off: most of its rows never ran, none starts any more, what was under way hung."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from statistics import median
from typing import Any

from blade.evidence import open_rows, row_texts
from blade.extract.text import clip, squeeze
from blade.extract.trouble import speaks_of
from blade.frozen import frozen
from blade.model import Source
from blade.wording import abridged, listed

MOSTLY_LOST = 0.5
FEWEST = 3
HUNG = 2
"""A rollout hung if it took so many times as long as the others of its index mostly did."""
LONGEST = 160
SHOWN = 5
END_READ = 20_000
STAGES = ("no_trial", "not_started", "broken", "not_ended", "not_judged")
Entry = Mapping[str, Any]


def lost_index(by_attempt: Sequence[Entry], stages: Sequence[str] = STAGES) -> Entry | None:
    """The attempt index most of whose rows were lost at these stages, where those of every other not half as often."""
    shares = sorted(
        ((void(entry, stages) / entry["rows"], entry["attempt"], entry) for entry in by_attempt), reverse=True
    )
    if not shares or shares[0][0] < MOSTLY_LOST or void(shares[0][2], stages) < FEWEST:
        return None
    return None if any(2 * share >= shares[0][0] for share, *_ in shares[1:]) else shares[0][2]


def void(entry: Entry, stages: Sequence[str] = STAGES) -> int:
    return sum(entry[stage] for stage in stages)


@frozen
class Timed:
    """A row of an attempt index with the first and the last point in time that it tells of."""

    place: int
    label: str
    stage: str | None
    start: str
    end: str

    @property
    def seconds(self) -> float:
        try:
            return (datetime.fromisoformat(self.end) - datetime.fromisoformat(self.start)).total_seconds()
        except (ValueError, TypeError):
            return 0.0


def under_way(rows: Sequence[Timed], opened: Callable[[Sequence[int]], Mapping[int, Source]]) -> dict[str, Any] | None:
    """The rollouts that were under way when the last one started, where none of them came to a verdict.

    `hung` are those that took far longer than the others; `lines` what their texts say of a broken connection.
    """
    last = max(row.start for row in rows)
    open_then = sorted((row for row in rows if row.start <= last <= row.end), key=lambda row: (row.start, row.label))
    if not open_then or any(row.stage is None for row in open_then) or len(open_then) == len(rows):
        return None
    usual = median(row.seconds for row in rows if row not in open_then)
    labels = {row.place: row.label for row in open_then}
    return {
        "tasks": [row.label for row in open_then],
        "hung": sum(row.seconds >= HUNG * usual for row in open_then) if usual else 0,
        "lines": list(_broken_connections(opened(sorted(labels)), labels)),
    }


def _broken_connections(sources: Mapping[int, Source], labels: Mapping[int, str]) -> Iterator[dict[str, str]]:
    """Per row the last line that speaks of a connection that failed."""
    places = {source: place for place, source in sources.items()}
    for source, row in open_rows(sources.values()):
        lines = (line for text in row_texts(row) for line in text[-END_READ:].split("\n"))
        connection_lines = [
            line
            for line in lines
            if len(line) <= END_READ and (trouble := speaks_of(line)) and trouble.topic == "transport"
        ]
        if connection_lines:
            yield {"task": labels[places[source]], "line": clip(squeeze(connection_lines[-1]), LONGEST)}


def broke_off(then: Mapping[str, Any]) -> str:
    """What became of the rollouts that were under way when an attempt index broke off."""
    tasks, single = then["tasks"], len(then["tasks"]) == 1
    words = f"The {'rollout' if single else f'{len(tasks):,} rollouts'} under way at that moment "
    words += f"({abridged(tasks, SHOWN)}) never came to a verdict"
    if then["hung"] == len(tasks):
        words += f" and hung: {'it' if single else 'each'} took at least twice as long as most"
    if not then["lines"]:
        return words + "."
    log_quotes = listed([f"“{line['line']}” ({line['task']})" for line in then["lines"][:SHOWN]])
    return (
        words
        + f". So it looks like an outage of the network: {'its log says' if single else 'their logs say'} {log_quotes}."
    )

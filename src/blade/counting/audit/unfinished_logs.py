"""Rows whose verifier broke off: its log lacks the lines that the logs of all other rows share, whatever the verdict.

A log of a verifier has a frame: lines that stand in every row that passed and in nearly every row that failed, as the
head of the tests, the number collected, the line that says it is done. A failed row without that frame was not judged,
if something else says so, too: fields of the verdict that all other rows have are absent, or its log speaks of trouble
with machines and networks. A log that stops at words about the work may be the model's doing.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from blade.counting.columns import Column
from blade.evidence import open_rows
from blade.extract.log_ends import says_something
from blade.extract.row_texts import row_texts
from blade.extract.trouble import says
from blade.late_regex import late_regex
from blade.model import Source, Status
from blade.signatures import template

FEWEST_PASSES = 5
FEWEST_ROWS, FEWEST_TASKS = 3, 3
IN_PASSES, IN_FAILURES = 0.97, 0.6
"""A line of the frame stands in so many of the logs of rows that passed, and of rows that failed."""
NEARLY_ALL = 0.9
LEARNED = 60
MOST_ENDS = 200
"""So many different last lines are looked at, one row of each."""
MOSTLY = 0.5
_STARVED = late_regex(
    r"(failed|unable) to fetch|could not (resolve|connect)|temporary failure|command not found|no space left|"
    r"stalled|lost (connection|cursor|worker)|is locked|could not get lock|unreachable"
)
"""What keeps a verifier from getting its own parts."""
_CODE = late_regex(r"syntaxerror|indentationerror|\bcompil\w+ (error|fail)|undefined reference|segmentation fault")
"""What the work's own code may have done to the verifier."""
Row = Mapping[str, Any]
Ends = Sequence[Mapping[str, str]]


def unfinished_logs(
    rows: Sequence[Row],
    ends: Ends,
    failed: Iterable[int],
    sources: Mapping[int, Source],
    columns: Iterable[Column],
) -> set[int]:
    """The failed rows whose log lacks its frame, while something else says that the verifier never came to its end."""
    passes = [place for place, row in enumerate(rows) if row["passed"]]
    failures = [place for place in failed if ends[place]]
    logs = Counter(name for place in (*passes, *failures) for name in ends[place])
    if len(passes) < FEWEST_PASSES or not logs:
        return set()
    name = max(sorted(logs), key=lambda log: logs[log])
    frame = _frame(name, _spread(passes, sources), _spread(failures, sources))
    if not frame:
        return set()
    groups: defaultdict[str, list[int]] = defaultdict(list)
    for place in failures:
        groups[ends[place].get(name, "")].append(place)
    shortest_groups = sorted(groups.values(), key=len)[:MOST_ENDS]
    first_rows = {sources[places[0]]: places for places in shortest_groups}
    suspects = [
        place for source, row in open_rows(first_rows) if frame - _lines(row, name) for place in first_rows[source]
    ]
    bare = _without_verdict_fields(rows, suspects, columns) if suspects else set()
    places_of = {sources[place]: place for place in suspects}
    broken = set()
    for source, row in open_rows(places_of):
        lacking = frame - _lines(row, name)
        starved = len(lacking) >= max(2, MOSTLY * len(frame)) and _speaks_of_trouble(row, name)
        if lacking and (places_of[source] in bare or starved):
            broken.add(places_of[source])
    several = len(broken) >= FEWEST_ROWS and len({rows[place]["task"] for place in broken}) >= FEWEST_TASKS
    return broken if several and len(broken) < len(failures) else set()


def _frame(name: str, passes: Sequence[Source], failures: Sequence[Source]) -> frozenset[str]:
    """The masked lines that stand in the logs of nearly all rows that passed, and of most that failed."""
    frames = []
    for sources, share in ((passes, IN_PASSES), (failures, IN_FAILURES)):
        counts: Counter[str] = Counter()
        logs = 0
        for _, row in open_rows(sources):
            lines = _lines(row, name)
            logs += bool(lines)
            counts.update(lines)
        frames.append(frozenset(line for line, rows_with in counts.items() if rows_with >= share * logs))
    return frames[0] & frames[1]


def _lines(row: Row, name: str) -> frozenset[str]:
    texts = (row_text.text for row_text in row_texts(dict(row)) if row_text.name == name)
    return frozenset(template(line.strip()) for text in texts for line in text.split("\n") if says_something(line))


def _speaks_of_trouble(row: Row, name: str) -> bool:
    """Whether the log tells of machines and networks, and of nothing that the work's own code may have done."""
    text = "\n".join(row_text.text for row_text in row_texts(dict(row)) if row_text.name == name)
    outside = says(text) == Status.INFRASTRUCTURE.value or _STARVED.search(text.lower()) is not None
    return outside and _CODE.search(text.lower()) is None


def _without_verdict_fields(rows: Sequence[Row], suspects: Sequence[int], columns: Iterable[Column]) -> set[int]:
    """The suspects without a field at the top of the row that every pass and nearly every other row has."""
    suspected, bare = set(suspects), set[int]()
    passes = {place for place, row in enumerate(rows) if row["passed"]}
    others = len(rows) - len(suspected)
    for column in columns:
        present = set(column.rows.tolist())
        absent = suspected - present
        if absent and passes <= present and len(present - suspected) >= NEARLY_ALL * others:
            bare |= absent
    return bare


def _spread(places: Sequence[int], sources: Mapping[int, Source]) -> list[Source]:
    step = max(1, -(-len(places) // LEARNED))
    return [sources[place] for place in places[::step]]

"""Rows whose verifier broke off: its log lacks the lines that the logs of all other rows share, whatever the verdict.

A log of a verifier has a frame: lines that stand in every row that passed and in nearly every row that failed, as the
head of the tests, the number collected, the line that says it is done. A failed row without that frame was not judged,
if something else says so, too: fields of the verdict that all other rows have are absent, or its log speaks of trouble
with machines and networks. A log that stops at words about the work may be the model's doing.
"""

from __future__ import annotations

import re
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
FEWEST_WORDS = 8
END_READ, CLOSING = 200, 60
"""Characters of a log that show whether it ends in a sentence, and those that hold its closing words."""
_STARVED = late_regex(
    r"(failed|unable) to fetch|could not (resolve|connect)|temporary failure|command not found|no space left|"
    r"stalled|lost (connection|cursor|worker)|is locked|could not get lock|unreachable"
)
"""What keeps a verifier from getting its own parts."""
_CODE = late_regex(r"syntaxerror|indentationerror|\bcompil\w+ (error|fail)|undefined reference|segmentation fault")
"""What the work's own code may have done to the verifier."""
_CRASH = late_regex(r"error|exception|traceback|fault|abort|killed|dumped", re.IGNORECASE)
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
    samples = _spread(passes, sources), _spread(failures, sources)
    frame, closing = _frame(name, *samples), _closing(name, *samples)
    if not frame and not closing:
        return set()
    groups: defaultdict[str, list[int]] = defaultdict(list)
    for place in failures:
        groups[ends[place].get(name, "")].append(place)
    first_rows = {sources[places[0]]: places for places in sorted(groups.values(), key=len)[:MOST_ENDS]}
    suspects = [
        place
        for source, row in open_rows(first_rows)
        if frame - _lines(row, name) or not _text(row, name).endswith(closing)
        for place in first_rows[source]
    ]
    bare = _without_verdict_fields(rows, suspects, columns) if suspects else set()
    places_of = {sources[place]: place for place in suspects}
    broken = set()
    cut_by_ending: defaultdict[str, set[int]] = defaultdict(set)
    for source, row in open_rows(places_of):
        lacking = frame - _lines(row, name)
        starved = len(lacking) >= max(2, MOSTLY * len(frame)) and _speaks_of_trouble(row, name)
        text = _text(row, name)
        if lacking and (places_of[source] in bare or starved):
            broken.add(places_of[source])
        elif not text.endswith(closing) and _ends_in_a_sentence(row, name):
            cut_by_ending[" ".join(text.split()[-2:])].add(places_of[source])
    for places in cut_by_ending.values():  # what several end with is another way to end
        broken |= places if len(places) < FEWEST_ROWS else set()
    several = len(broken) >= FEWEST_ROWS and len({rows[place]["task"] for place in broken}) >= FEWEST_TASKS
    return broken if several and len(broken) < len(failures) else set()


def _closing(name: str, passes: Sequence[Source], failures: Sequence[Source]) -> str:
    """The last two words with which all logs of passes and most of failures end, numbers masked; empty for none."""
    counts = []
    for sources in (passes, failures):
        texts = [text for _, row in open_rows(sources) if (text := _text(row, name))]
        counts.append((Counter(" ".join(text.split()[-2:]) for text in texts), len(texts)))
    words, many = next(iter(counts[0][0].most_common(1)), ("", 0))
    everywhere = many >= IN_PASSES * counts[0][1] and counts[1][0][words] >= MOSTLY * counts[1][1]
    return words if everywhere else ""


def _text(row: Row, name: str) -> str:
    """The masked end of a log."""
    text = "".join(row_text.text for row_text in row_texts(dict(row)) if row_text.name == name).rstrip()
    return template(text[-CLOSING:])


def _ends_in_a_sentence(row: Row, name: str) -> bool:
    """Whether a text of sentences breaks off in the middle of one, with no word of trouble in its last line."""
    text = "".join(row_text.text for row_text in row_texts(dict(row)) if row_text.name == name).rstrip()
    last = text[-END_READ:].rpartition("\n")[2]
    return text[-1:].isalnum() and len(text.split()) >= FEWEST_WORDS and not _CRASH.search(last)


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

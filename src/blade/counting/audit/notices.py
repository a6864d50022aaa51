"""Last messages that the model did not write: a provider's notice that its quota, its key or its patience is spent.

A notice is the same, word for word, in different tasks, and no row passes with it. That alone may be a model that gives
up, or refuses; so a notice must leave a trace beside its words, which the model's own last messages do not leave.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from blade.counting.audit.recurring import SharedLine, shared_endings
from blade.evidence import open_rows
from blade.model import Source

FEWEST_ROWS, FEWEST_TASKS = 3, 3
SHORTEST = 12
"""Letters of a text that two tasks hardly share by chance: a bare answer is shorter."""
NEARLY_ALL, HARDLY_ANY = 0.9, 0.02
WINDOW_ROWS = 8
WINDOW_FULL = 0.95
WORKED = 0.25
"""In a window so many rows at least had worked before they were ended: a model that refuses does so at once."""
LEARNED = 60
_TOKEN_LIMITS = frozenset({"max_output_tokens", "max_tokens", "length"})
_ENDINGS = ("status", "incomplete", "model")
_NO_TRACE = frozenset({"id", "type", "role", "content", "text"})
Row = Mapping[str, Any]
Opened = Callable[[Sequence[int]], Mapping[int, Source]]


def notices(
    rows: Sequence[Row], stages: Sequence[str | None], opened: Opened
) -> tuple[set[int], tuple[SharedLine, ...]]:
    """The rows that end in somebody else's message, and the messages."""
    passing = {row["final_hash"] for row in rows if row["passed"]}
    groups: defaultdict[int, list[int]] = defaultdict(list)
    for place, row in enumerate(rows):
        if stages[place] is None and row["ends_on"] == "message" and (row["final_chars"] or 0) >= SHORTEST:
            groups[row["final_hash"]].append(place)
    ordered = sorted(range(len(rows)), key=lambda place: (rows[place]["created_at"] or 0, rows[place]["line"]))
    order = {place: at for at, place in enumerate(ordered)}
    counts = {name: Counter(row[name] for row in rows) for name in _ENDINGS} if groups else {}
    notice_rows: set[int] = set()
    for final, places in groups.items():
        several = len(places) >= FEWEST_ROWS and len({rows[place]["task"] for place in places}) >= FEWEST_TASKS
        if final in passing or final is None or not several or len(places) == len(rows):
            continue
        if (
            _told_by_response(places, rows, counts)
            or _to_the_end(places, rows, order)
            or _other_author(places, rows, opened)
        ):
            notice_rows |= set(places)
    return notice_rows, shared_endings(
        opened(sorted(notice_rows)), {place: rows[place]["task"] for place in notice_rows}
    )


def _told_by_response(places: Sequence[int], rows: Sequence[Row], counts: Mapping[str, Counter[Any]]) -> bool:
    """The response ends with a status, a reason or a model that is theirs alone, and no limit of tokens.

    `counts` are the values of each in all rows.
    """
    for name in _ENDINGS:
        value, rows_with = Counter(rows[place][name] for place in places).most_common(1)[0]
        other_rows = max(len(rows) - len(places), 1)
        rows_outside = counts[name][value] - rows_with
        if value is None or rows_with < NEARLY_ALL * len(places) or rows_outside > HARDLY_ANY * other_rows:
            continue
        if name == "model" or not any(rows[place]["incomplete"] in _TOKEN_LIMITS for place in places):
            return True
    return False


def _to_the_end(places: Sequence[int], rows: Sequence[Row], order: Mapping[int, int]) -> bool:
    """From some moment on every row of the run ends so, after as much work as each had done by then."""
    first = min(order[place] for place in places)
    full = len(places) >= WINDOW_FULL * (len(rows) - first)
    worked = sum((rows[place]["calls"] or 0) > 0 for place in places)
    return full and len(places) >= WINDOW_ROWS and worked >= WORKED * len(places)


def _other_author(places: Sequence[int], rows: Sequence[Row], opened: Opened) -> bool:
    """The message itself bears a mark that no other last message bears: another author, another state.

    Rows are opened until no mark is left: mostly the first of either side bear the same marks.
    """
    notice_places = set(places)
    other_places = [
        place for place, row in enumerate(rows) if place not in notice_places and row["ends_on"] == "message"
    ]
    if not other_places:
        return False
    inside_marks, outside_marks = _marks(opened(_spread(places))), _marks(opened(_spread(other_places)))
    own_marks = next(inside_marks, set())
    for marks in outside_marks if own_marks else ():
        own_marks -= marks
        if not own_marks:
            return False
    for marks in inside_marks if own_marks else ():
        own_marks &= marks
    return bool(own_marks)


def _marks(sources: Mapping[int, Source]) -> Iterator[set[tuple[str, str]]]:
    """The short values that stand beside the text of each row's last message."""
    for _, row in open_rows(sources.values()):
        response = row.get("response")
        output = response.get("output") if isinstance(response, dict) else None
        item = output[-1] if isinstance(output, list) and output else None
        if isinstance(item, dict):
            pairs = item.items()
            yield {(name, str(value)) for name, value in pairs if name not in _NO_TRACE and _short(value)}


def _short(value: Any) -> bool:
    return isinstance(value, (str, int, float, bool)) and len(str(value)) < SHORTEST * 4


def _spread(places: Sequence[int]) -> list[int]:
    return list(places[:: max(1, -(-len(places) // LEARNED))])

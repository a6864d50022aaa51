"""Failed rows without a turn of the model, in a run that records its turns: which of them never started."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from blade.counting.audit.recurring import SharedLine, counted_in, log_endings, opening_shared, wholly_shared
from blade.counting.columns import Column
from blade.extract.names import turn_count
from blade.extract.numbers import number
from blade.frozen import frozen
from blade.model import Source, Status

SOME_ACT = 0.1
"""Unless so many rows show a turn of the model, the run does not record them."""
FEWEST_ROWS = 3
FEWEST_WORDLESS = 8
NEARLY_ALL = 0.6
COUNTED = 0.5
"""Where so many rows have tokens, a row without any wrote none."""
ASKED = 0.95
"""Where so many rows have tokens and nothing else shows what the model did, a row without any was no attempt."""
HARDLY_ANY = 0.02
OFTEN_PASSES = 0.1
"""Where so many rows without any output pass, the run left the output out of its rows."""
MOSTLY_ACT = 0.9
"""Where so many of the rows with output show a turn of the model, a row that holds nothing shows that none was."""
Row = Mapping[str, Any]
Ends = Sequence[Mapping[str, str]]
Opened = Callable[[Sequence[int]], Mapping[int, Source]]


@frozen
class NeverStarted:
    """The rows whose agent never started, and the lines that tell it."""

    places: frozenset[int] = frozenset()
    inferred: frozenset[int] = frozenset()
    """Without a text of their own, in tasks that started in no other attempt."""
    lines: tuple[SharedLine, ...] = ()
    claim: SharedLine | None = None


class Turns:
    """How the run records what the model did."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self.rows = rows
        longer = [row for row in rows if (row["acts"] or 0) > 1]
        calling = longer and sum((row["calls"] or 0) > 0 for row in longer) >= NEARLY_ALL * len(longer)
        self.least = 1 if calling else 0
        """So many turns a row may show that no model took.

        Where nearly every attempt calls a tool, one text without any call may be a notice of somebody else.
        """
        self.acting = sum((row["acts"] or 0) > 0 for row in rows)
        """Rows that show a turn of the model."""
        self.recorded = self.acting == len(rows) or self.acting >= max(FEWEST_ROWS, SOME_ACT * len(rows))
        self.counted = sum(bool(row["output_tokens"]) for row in rows) >= COUNTED * len(rows)
        """Whether the rows say how many tokens the model wrote."""

    def acted(self, row: Row) -> bool:
        return (row["acts"] or 0) > self.least or bool(row["calls"])

    def silent(self, failed: Sequence[bool], stages: Sequence[str | None]) -> list[int]:
        """Failed rows without a turn of the model. A row whose usage says that the model wrote is never silent."""
        return [
            place
            for place, row in enumerate(self.rows)
            if self.recorded
            and stages[place] is None
            and failed[place]
            and not self.acted(row)
            and not (row["output_tokens"] or 0)
        ]

    def is_blank(self, row: Row) -> bool:
        """Whether a row holds no output, or an empty one for which the run, that counts tokens, counted none."""
        return not row["items"] or (self.counted and row["output_tokens"] == 0 and not row["output_chars"])

    def unasked(self, failed: Sequence[bool]) -> list[int]:
        """Failed rows without output or token in a run that shows tokens and no turns, if every pass has some."""
        blank = [place for place, row in enumerate(self.rows) if not row["items"] and row["total_tokens"] == 0]
        other_rows = [row for row in self.rows if row["items"] or row["total_tokens"] != 0]
        rows_with_tokens = sum(bool(row["output_tokens"]) for row in other_rows)
        if (
            self.recorded
            or not other_rows
            or rows_with_tokens < ASKED * len(other_rows)
            or not all(failed[place] for place in blank)
        ):
            return []
        return blank if len({self.rows[place]["task"] for place in blank}) >= FEWEST_ROWS else []


def without_turn(turns: Turns, failed: Sequence[bool], columns: Callable[[], Sequence[Column]]) -> set[int]:
    """Failed rows of which a field says that no turn was taken, without output or token: whatever broke, broke before.

    Nothing is said where most rows have no such number above 0, or where a row passes without a turn.
    """
    blank = {place for place, row in enumerate(turns.rows) if not row["items"] and row["total_tokens"] == 0}
    counts: dict[int, float] = {}
    for column in columns() if blank and turns.counted else ():
        if turn_count(column.name) == "used":
            for row, code in zip(column.rows.tolist(), column.codes.tolist(), strict=True):
                if (used := number(column.values[code])) is not None:
                    counts[row] = max(used, counts.get(row, 0))
    idle = {place for place in blank if counts.get(place) == 0}
    mostly = sum(used > 0 for used in counts.values()) >= COUNTED * len(turns.rows)
    return idle if mostly and all(failed[place] for place in idle) else set()


def never_started(turns: Turns, silent: Sequence[int], ends: Ends, opened: Opened) -> NeverStarted:
    """The silent rows that hold nothing of their own task, or nothing while a log tells where the start ended."""
    rows = turns.rows
    if len(silent) < FEWEST_ROWS:
        return NeverStarted()
    tasks = {place: row["task"] for place, row in enumerate(rows)}
    acting = [place for place, row in enumerate(rows) if turns.acted(row)]
    never, lines, claim = wholly_shared(opened(silent), tasks, opened(acting), turns_counted=turns.counted)
    without_output = [place for place in silent if turns.is_blank(rows[place])]
    empty = _told_by_a_log(turns, without_output, ends, acting)
    if empty:
        lines = (*lines, *log_endings(opened(sorted(empty)), tasks, {place: ends[place] for place in empty}))
        never |= empty
    bare = _among_full_rows(turns, without_output)
    if len({tasks[place] for place in never}) < FEWEST_ROWS:
        several = len({tasks[place] for place in bare}) >= FEWEST_ROWS
        return NeverStarted(frozenset(never | bare), lines=lines, claim=claim) if several else NeverStarted()
    alike = _without_turn_in_any_attempt(set(silent) - never, turns)
    judges = any(row["checks"] is not None for row in rows)
    unjudged = [place for place in silent if judges and place not in never and rows[place]["checks"] is None]
    alike |= opening_shared(opened(unjudged), opened(sorted(never)))
    inferred = _by_siblings(set(silent) - never - alike, never | alike, turns)
    further_rows = opened(sorted(alike | inferred))
    lines = counted_in(lines, further_rows, tasks)
    (claim,) = counted_in([claim], further_rows, tasks) if claim else (None,)
    textless = frozenset(place for place in inferred if not rows[place]["items"])
    return NeverStarted(frozenset(never | alike | inferred | bare), textless, lines, claim)


def _among_full_rows(turns: Turns, empty: Sequence[int]) -> set[int]:
    """Rows that hold nothing, where nearly all rows with output show a turn of the model: here none was taken.

    Where a row without output passes a task that another attempt fails, the run left outputs out; there are tasks that
    pass if nothing is done, and in all attempts. A row with tokens, an answer or a patch had a model at work, and one
    that tells of an error of its own needs no inference.
    """
    rows = turns.rows
    passing = {row["task"] for row in rows if row["passed"] and not row["items"]}
    full = sum(bool(row["items"]) for row in rows)
    left_out = any(row["task"] in passing and row["passed"] is False for row in rows)
    if left_out or full < len(empty) or turns.acting < MOSTLY_ACT * full:
        return set()
    worked = ("total_tokens", "output_hash", "answer")
    return {
        place
        for place in empty
        if rows[place]["state"] != Status.INFRASTRUCTURE.value and not any(rows[place][name] for name in worked)
    }


def _told_by_a_log(turns: Turns, empty: Sequence[int], ends: Ends, acting: Sequence[int]) -> set[int]:
    """Rows without any output, one of whose logs stops where those of other tasks do that are empty, too.

    Hardly any log of a row that acted may stop there. Where tokens are counted, a row that neither read nor wrote any
    needs no log. Where rows without any output pass, too, nobody kept the output, and its absence tells nothing.
    """
    passed = sum(bool(row["passed"]) and not row["items"] for row in turns.rows)
    if passed > OFTEN_PASSES * (passed + len(empty)):
        return set()
    holders: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    for place in empty:
        for entry in ends[place].items():
            holders[entry].add(turns.rows[place]["task"])
    of_acting = Counter(entry for place in acting for entry in ends[place].items())
    acting_allowed = HARDLY_ANY * len(acting)
    telling = {
        entry for entry, tasks in holders.items() if len(tasks) >= FEWEST_ROWS and of_acting[entry] <= acting_allowed
    }
    unasked = {place for place in empty if turns.counted and turns.rows[place]["total_tokens"] == 0}
    unasked |= _of_one_attempt(empty, turns)
    return unasked | {place for place in empty if not telling.isdisjoint(ends[place].items())}


def _of_one_attempt(empty: Sequence[int], turns: Turns) -> set[int]:
    """Rows without output or output token that are many and all of one attempt index, while the tasks' others act."""
    wordless = {place for place in empty if turns.counted and turns.rows[place]["output_tokens"] == 0}
    attempts = {turns.rows[place]["attempt"] for place in wordless}
    acted = _acting_tasks(turns)
    several = len({row["attempt"] for row in turns.rows}) > 1
    act_elsewhere = all(turns.rows[place]["task"] in acted for place in wordless)
    return wordless if several and len(attempts) == 1 and len(wordless) >= FEWEST_WORDLESS and act_elsewhere else set()


def _without_turn_in_any_attempt(silent: set[int], turns: Turns) -> set[int]:
    """Silent rows with a text of their own, of tasks in which several attempts left a text and none shows a turn.

    What keeps an agent from starting may be the task's own image, and its words then recur in no other task.
    """
    rows = turns.rows
    rows_with_text = {place for place in silent if rows[place]["items"]}
    texts_by_task = Counter(rows[place]["task"] for place in rows_with_text)
    acted = _acting_tasks(turns)
    return {
        place
        for place in rows_with_text
        if texts_by_task[task := rows[place]["task"]] >= FEWEST_ROWS and task not in acted
    }


def _by_siblings(silent: set[int], never: set[int], turns: Turns) -> set[int]:
    """Silent rows of tasks in which no attempt shows a turn of the model, and two at least are known to have none."""
    rows = turns.rows
    known_by_task = Counter(rows[place]["task"] for place in never)
    acted = _acting_tasks(turns)
    return {place for place in silent if known_by_task[rows[place]["task"]] > 1 and rows[place]["task"] not in acted}


def _acting_tasks(turns: Turns) -> set[str]:
    return {row["task"] for row in turns.rows if turns.acted(row) or row["passed"]}

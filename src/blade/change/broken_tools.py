"""A tool that broke: in one run it gives many tasks one and the same answer, which the other run never saw.

Neither the words of the answer nor a flag tell this, but that it recurs, that the tool says nothing else in those rows
or answers the same calls otherwise in the other run, and that the tasks lost which call the tool there. Tasks are taken
by what the other run calls, and rows by the stretch between the first and the last hit, so that their outcome
cannot choose them.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from math import fsum

import polars as pl

from blade.change.gold import rewards_of
from blade.change.pair import Pair
from blade.counting.order import in_order
from blade.counting.run import Run
from blade.diagnosis.cases import loaded_record
from blade.evidence import open_row
from blade.extract.attempt import Attempt
from blade.extract.observed import reply_number, tool_answers
from blade.extract.text import clip
from blade.frozen import frozen
from blade.model import Source
from blade.stats import paired
from blade.stats.binomial import more_often_p

FEWEST_ROWS = 5
FEWEST_TASKS = 3
FEWEST_ANSWERS = 2
"""A tool that gives the other run one answer only, whatever it is asked, says nothing by giving one here."""
WHOLLY = 0.8
"""In so many of the rows with the new answer the tool gives no other."""
HARDLY = 0.02
"""In more of its rows that call the tool, the other run has the answer too."""
NEW = 0.001
"""p up to which an answer counts as new, over all that are tried."""
LOST = 0.05
"""p up to which the tasks that call the tool count as having lost."""

MOST_OPENED = 60
"""So many hit rows are opened to see what their calls were answered in the other run."""
SHORT = 120
CLASS = "broken_tool"
"""The status of hit rows in the ledger, and the sub-cause of their part."""
Reply = tuple[str, int]
Replies = list[dict[str, list[int]]]


@frozen
class BrokenTool:
    """The tool, the side on which it is broken (`a` or `b`), the answer by its number, and the rows it hit."""

    tool: str
    side: str
    reply: int
    rows: frozenset[int]
    """Places in the frame of that side."""

    def frame(self, pair: Pair) -> pl.DataFrame:
        """The rows that it hit."""
        rows_of_side = pair.a if self.side == "a" else pair.b
        return rows_of_side[sorted(self.rows)]

    def where(self, pair: Pair) -> dict[str, str]:
        """The tool, as a mode of failure, and what it answers."""
        run = pair.base if self.side == "a" else pair.candidate
        file, line, offset, length = self.frame(pair).select("file", "line", "offset", "length").row(0)
        opened = Attempt(open_row(Source(run.raw.sources[file], line, offset, length)))
        texts = [text for call, text in tool_answers(opened) if call.name == self.tool]
        reply_text = next((text for text in texts if reply_number(text) == self.reply), "")
        return {"tool": self.tool, "mode": f"failing calls of a tool: {self.tool}", "message": clip(reply_text, SHORT)}


def broken_tool(pair: Pair, seed: int) -> BrokenTool | None:
    """The tool that broke, with the most rows; None where none did."""
    replies = {"a": _replies(pair.a), "b": _replies(pair.b)}
    frames = {"a": pair.a, "b": pair.b}
    broken = []
    for side, other_side in (("b", "a"), ("a", "b")):
        for tool, reply, rows, wholly in _new(replies[side], replies[other_side], frames[side]["key"].to_list()):
            candidate = BrokenTool(tool, side, reply, rows)
            if _got_worse(pair, candidate, replies, seed) and (wholly or _same_calls(pair, candidate) >= FEWEST_TASKS):
                broken.append(candidate)
    return max(broken, key=lambda candidate: (len(candidate.rows), candidate.tool), default=None)


def _replies(frame: pl.DataFrame) -> Replies:
    return [
        (loaded_record(text).get("replies") or {}) if text and '"replies"' in text else {}
        for text in frame["observed"].to_list()
    ]


def _new(
    own_replies: Replies, other_replies: Replies, tasks: list[str]
) -> Iterator[tuple[str, int, frozenset[int], bool]]:
    """Answers that recur here, in rows of different tasks, and that the other run has hardly or never.

    The last says whether the tool hardly gives another answer in these rows.
    """
    places: defaultdict[Reply, set[int]] = defaultdict(set)
    for place, replies in enumerate(own_replies):
        for tool, numbers in replies.items():
            for number in numbers:
                places[tool, number].add(place)
    callers, calling = (Counter(tool for replies in rows for tool in replies) for rows in (own_replies, other_replies))
    other_answers = Counter(
        (tool, number) for replies in other_replies for tool, numbers in replies.items() for number in numbers
    )
    varied = Counter(tool for tool, number in other_answers for _ in range(1 if number else FEWEST_ANSWERS))
    answer_rows = {
        key: rows
        for key, rows in sorted(places.items())
        if key[1] and len(rows) >= FEWEST_ROWS and len({tasks[row] for row in rows}) >= FEWEST_TASKS
    }
    for (tool, number), rows in answer_rows.items():
        wholly = sum(set(own_replies[row][tool]) == {number} for row in rows)
        if calling[tool] < FEWEST_ROWS or varied[tool] < FEWEST_ANSWERS:
            continue
        if other_answers[tool, number] > HARDLY * calling[tool]:
            continue  # the other run knows this answer: the tool gives it to whom it concerns
        p = more_often_p(len(rows), callers[tool], other_answers[tool, number], calling[tool])
        if p * len(answer_rows) < NEW:
            yield tool, number, frozenset(rows), wholly >= WHOLLY * len(rows)


def _same_calls(pair: Pair, broken: BrokenTool) -> int:
    """Tasks in which one and the same call has the new answer here and another one in the other run."""
    other_run, other_rows = (pair.candidate, pair.b) if broken.side == "a" else (pair.base, pair.a)
    run, hit = pair.base if broken.side == "a" else pair.candidate, broken.frame(pair).head(MOST_OPENED)
    twins = other_rows.filter(pl.col("key").is_in(hit["key"].unique().to_list())).head(2 * MOST_OPENED)
    answers = defaultdict[tuple[str, bytes], set[int]](set)
    for task, call, number in _answered(other_run, twins, broken.tool):
        answers[task, call].add(number)
    return len(
        {
            task
            for task, call, number in _answered(run, hit, broken.tool)
            if number == broken.reply and answers.get((task, call), set()) - {broken.reply}
        }
    )


def _answered(run: Run, rows: pl.DataFrame, tool: str) -> Iterator[tuple[str, bytes, int]]:
    """Task, call with its arguments, and answer of every call of a tool."""
    for task, file, line, offset, length in rows.select("key", "file", "line", "offset", "length").rows():
        opened = Attempt(open_row(Source(run.raw.sources[file], line, offset, length)))
        for call, text in tool_answers(opened):
            if call.name == tool:
                yield task, call.key, reply_number(text)


def _got_worse(pair: Pair, broken: BrokenTool, replies: Mapping[str, Replies], seed: int) -> bool:
    """Whether the tasks in which the other run calls the tool got worse here, or the calling rows of the stretch."""
    other_side = "b" if broken.side == "a" else "a"
    other_rows, own_rows = (pair.a, pair.b) if other_side == "a" else (pair.b, pair.a)
    calls = {
        key
        for key, tool_replies in zip(other_rows["key"].to_list(), replies[other_side], strict=True)
        if broken.tool in tool_replies
    }
    tasks = [task for task in pair.common if task in calls]
    order = in_order(own_rows.with_row_index("place"))[0]["place"].to_list()
    hit = [at for at, place in enumerate(order) if place in broken.rows]
    stretch = [place for place in order[hit[0] : hit[-1] + 1] if broken.tool in replies[broken.side][place]]
    return any(_worse(other_rows, part, tasks, seed) for part in (own_rows, own_rows[stretch]))


def _worse(other_rows: pl.DataFrame, own_rows: pl.DataFrame, tasks: list[str], seed: int) -> bool:
    before, after = rewards_of(other_rows, tasks), rewards_of(own_rows, tasks)
    p, _ = paired.label_permutation(before, after, seed=seed)
    return p is not None and p < LOST and fsum(paired.task_changes(before, after)) < 0

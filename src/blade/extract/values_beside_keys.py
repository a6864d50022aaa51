"""What tools show of the expected answer and of the one that was given instead, and whether both stand close together.

A failure whose tools show both, in neighbouring lines or in cells of one table, found the place and took another value.
What the model's own call holds, such as an answer that it hands in, comes back in the tool's answer and tells nothing.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from blade.extract.attempt import Attempt
from blade.extract.given_answer import given_answer, key_met
from blade.extract.prefilter import lowered
from blade.extract.sought_values import SoughtValue, ToolAnswer, declines, sought, tool_answers
from blade.extract.text import clip
from blade.extract.transcript import arguments_text
from blade.late_regex import late_regex

FEWEST_DIGITS = 3
"""Smaller numbers stand close together in any text."""
MOST_WORDS = 6
MOST_PLACES = 12
MOST_LINES = 3
"""Lines of no table are far apart beyond that."""
MOST_ROWS = 60
SAME_LINE, LONGEST_LINE = 200, 600
LONGEST_QUOTE = 110
LONGEST_TEXT = 200_000
_BREAK = late_regex(r"\n|\\n|\}\s*,\s*(?=\{)|\]\s*,\s*(?=\[)")
"""Where a line ends, and where an entry of a list in JSON does."""
_CELLS = ("|", "\t", '":', ",")
_EDGES = "|\t,;:\"'\n[](){}"
LINE, NEXT, TABLE, NEAR = "line", "next", "table", "near"
"""Both in one line; in lines of a table that follow each other; in others of it; in lines close to each other."""


class _Pair(NamedTuple):
    """One place with both values; the smallest is the closest."""

    apart: int
    letters: int
    closeness: str
    lines: tuple[tuple[int, int], ...]


def values_beside_keys(attempt: Attempt) -> dict[str, Any]:
    """`tools_show`: whether a tool's answer may tell the key, and the answer given; and whether one is given at all.

    1 where it may, 0 where none does, None for what cannot be looked for. `beside_key`: `[tool, item, how close, lines
    between, key, answer, words]` of the closest place with both. Only failures with a key are looked at.
    """
    if not attempt.lost or attempt.key is None or not attempt.calls or attempt.reference is not None:
        return {}
    answer, _ = given_answer(attempt)
    if answer and key_met(attempt, answer):
        return {}
    answers = tool_answers(attempt)
    keys = {value: text for text in attempt.key.accepted if (value := sought(text)) is not None}
    is_stated = bool(answer) and not declines(answer)
    answer_value = sought(answer) if is_stated else None
    shown_key = int(any(key.is_told_by(tool_answer.low) for key in keys for tool_answer in answers)) if keys else None
    shown_answer = (
        int(any(answer_value.is_told_by(tool_answer.low) for tool_answer in answers)) if answer_value else None
    )
    record: dict[str, Any] = {"tools_show": [shown_key, shown_answer, int(is_stated)]}
    if answer_value is not None and shown_key and shown_answer:
        closest = _closest_pair(attempt, answers, [key for key in keys if _comparable(key, answer_value)], answer_value)
        if closest is not None:
            tool, item, pair, key, words = closest
            sides = (clip(" ".join(text.split()), LONGEST_QUOTE) for text in (keys[key], answer))
            record["beside_key"] = [tool, item, pair.closeness, pair.apart, *sides, words]
    return record


def _comparable(key: SoughtValue, answer_value: SoughtValue) -> bool:
    """Whether both are numbers with enough digits, or short texts, and neither holds the other."""
    if key.number and answer_value.number:
        return key.number != answer_value.number and min(key.digits, answer_value.digits) >= FEWEST_DIGITS
    if key.number or answer_value.number or key.text in answer_value.text or answer_value.text in key.text:
        return False
    return max(len(key.text.split()), len(answer_value.text.split())) <= MOST_WORDS


def _closest_pair(
    attempt: Attempt, answers: Sequence[ToolAnswer], keys: Sequence[SoughtValue], answer_value: SoughtValue
) -> tuple[str, int, _Pair, SoughtValue, list[str]] | None:
    """The closest place with both values: the tool and the item that show it, the key that stands there, its lines."""
    if not keys or any(
        value.stands_in(attempt.low(step)) for value in (*keys, answer_value) for step in attempt.prompt
    ):
        return None
    candidates = [
        (pair, answer, key)
        for answer in answers
        if not answer.call.failed and len(answer.low) <= LONGEST_TEXT and answer_value.stands_in(answer.low)
        for key in keys
        if key.stands_in(answer.low) and not _is_echo(answer, key, answer_value)
        for pair in _pairs(answer.low, key, answer_value)
    ]
    if not candidates:
        return None
    pair, answer, key = min(candidates, key=lambda entry: entry[0])
    text = answer.step.text
    words = [clip(" ".join(text[start:end].split()), LONGEST_QUOTE) for start, end in pair.lines]
    return answer.call.name, answer.step.item, pair, key, words


def _is_echo(answer: ToolAnswer, key: SoughtValue, answer_value: SoughtValue) -> bool:
    arguments = lowered(arguments_text(answer.call.step.arguments))
    return key.stands_in(arguments) or answer_value.stands_in(arguments)


def _pairs(low: str, key: SoughtValue, answer_value: SoughtValue) -> Iterator[_Pair]:
    """Places with both values that are close; a text counts where it stands alone in its cell or line."""
    breaks = [0, *(match.end() for match in _BREAK.finditer(low)), len(low)]
    keys, answer_places = (
        [place for place in value.places(low) if value.digits or _stands_alone(low, *place)][:MOST_PLACES]
        for value in (key, answer_value)
    )
    for first in keys:
        for second in answer_places:
            begin, end = sorted((first, second))
            rows = [bisect_right(breaks, place[0]) - 1 for place in (begin, end)]
            lines = [(breaks[row], breaks[row + 1]) for row in range(rows[0], min(rows[1], rows[0] + MOST_ROWS) + 1)]
            closeness = _how_close([low[start:end] for start, end in lines], rows[1] - rows[0], end[0] - begin[1])
            if closeness == LINE:
                margin = max(0, (LONGEST_QUOTE - end[1] + begin[0]) // 2)
                quoted = ((max(lines[0][0], begin[0] - margin), min(lines[0][1], end[1] + margin)),)
                yield _Pair(0, end[0] - begin[1], closeness, quoted)
            elif closeness:
                yield _Pair(rows[1] - rows[0], end[0] - begin[1], closeness, (lines[0], lines[-1]))


def _stands_alone(low: str, start: int, end: int) -> bool:
    """Whether nothing but blanks stands between a text and the edges of its cell or line."""
    before, behind = low[:start].rstrip(" "), low[end : end + MOST_PLACES].lstrip(" ")
    return (not before or before[-1] in _EDGES) and (not behind or behind[0] in _EDGES)


def _how_close(lines: Sequence[str], apart: int, letters: int) -> str:
    """How close two values stand: the lines from the one to the other, how many those are, the letters between."""
    if not apart:
        return LINE if letters <= SAME_LINE else ""
    if apart < MOST_ROWS and _is_table(lines):
        return NEXT if apart == 1 else TABLE
    return NEAR if apart <= MOST_LINES and letters <= LONGEST_LINE else ""


def _is_table(lines: Sequence[str]) -> bool:
    """Whether all lines have the same cells."""
    if max(map(len, lines)) > LONGEST_LINE:
        return False
    return any(len({line.count(mark) for line in lines}) == 1 and lines[0].count(mark) > 1 for mark in _CELLS) or all(
        line.count(_CELLS[0]) == 1 or line.count(_CELLS[1]) == 1 for line in lines
    )

"""How numbers are worded. A rate never prints as 0 % or 100 % unless it is; unknown is said, not left blank."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import Any

from blade.document import Fact

UNKNOWN = "unknown"
LETTERS_PER_TOKEN = 4
"""About so many letters make a token, where the length of an answer is limited."""
SMALLEST_P = 0.0001
CHANCE = 0.05
"""What is less likely than this is not called chance."""
SAME = 5e-4
"""A difference of scores that would print as none."""
LONGEST_NAME = 200
"""No name that a person gives is longer; longer ones are filler or an attack."""
LONGEST_BARE = 40
_BARE = re.compile(r"[\W_]*(?:true|false|null|none|nan|\d[\d.,]*)?[\W_]*", re.IGNORECASE)
"""A flag, a number, an empty record, or nothing but marks."""


def percent(value: float | None, digits: int = 1) -> str:
    """0.42 → 42.0%. Rounding never reaches 0 or 100."""
    if value is None:
        return UNKNOWN
    text = f"{round(100 * value, 8) + 0.0:.{digits}f}"  # + 0.0: a rounding error below zero is no −0
    step = 10**-digits
    if value > 0 and float(text) == 0:
        return f"<{step:.{digits}f}%"
    if value < 1 and float(text) == 100:
        return f">{100 - step:.{digits}f}%"
    return f"{text}%"


def points(value: float | None) -> str:
    """A difference of fractions in percentage points, with its sign."""
    if value is None:
        return UNKNOWN
    text = f"{round(100 * value, 8):+.1f}"
    return f"{text.replace('-', '−')} pp" if float(text) else "0.0 pp"


def plain(value: float | None) -> str:
    """A number on its own scale."""
    if value is None:
        return UNKNOWN
    return f"{value:.4g}".replace("-", "−")


def outcome(passed: bool | None, reward: float | None, *, void: bool = False) -> str:
    """How a rollout ended, in a word; where nothing says what a pass is, its reward."""
    if void:
        return "void"
    return f"score {plain(reward)}" if passed is None else "pass" if passed else "fail"


def score(value: float | None, scale: str) -> str:
    return percent(value) if scale == "unit" else plain(value)


def difference(value: float | None, scale: str) -> str:
    """A difference of scores: in points where they are fractions, plain elsewhere."""
    return points(value) if scale == "unit" else plain(value)


def span(interval: Sequence[float] | None, scale: str = "unit") -> str:
    """An interval: 26.2% to 55.6%."""
    if interval is None:
        return UNKNOWN
    return f"{score(interval[0], scale)} to {score(interval[1], scale)}"


def of_number(number: int, verb: str) -> str:
    """What is said of several things, of one where there is one: `were judged` → `was judged`."""
    return f"was{verb[4:]}" if number == 1 and verb.startswith("were ") else verb


def count(number: int, singular: str, several: str | None = None) -> str:
    """1 task, 2 tasks, 1,204 tasks."""
    return f"{number:,} {singular if number == 1 else several or singular + 's'}"


def listed(words: Sequence[str], joined_by: str = "and") -> str:
    """a, b and c; after a negation `joined_by` is "or"."""
    words = list(words)
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} {joined_by} {words[-1]}"


def abridged(words: Sequence[str], limit: int, rest: str = "more") -> str:
    """a, b and 3 more: what is left out is counted. `rest` names what they are ("more task"), in the singular."""
    if len(words) <= limit:
        return listed(words)
    left = len(words) - limit
    return f"{', '.join(words[:limit])} and {left:,} {rest}{'s' if left > 1 and rest != 'more' else ''}"


def size(number: int) -> str:
    """Bytes for people."""
    value = float(number)
    for unit in ("B", "KB", "MB", "GB"):
        if value < 1000:
            return f"{value:.0f} {unit}" if unit == "B" else f"{value:.1f} {unit}"
        value /= 1000
    return f"{value:.1f} TB"


def printable(text: str) -> str:
    """One line without control, format or surrogate characters, white space folded."""
    return printable_line(" ".join(text.split()))


def short_name(text: str, longest: int = LONGEST_NAME) -> str:
    """A foreign name in one line; of a very long one the middle is left out, so that beginning and end are known."""
    flat = printable(text)
    return flat if len(flat) <= longest else f"{flat[: longest // 2]}…{flat[-(longest // 2 - 1) :]}"


def printable_line(line: str) -> str:
    """A line whose control, format and surrogate characters are taken out: none of them reaches a screen."""
    flat = line.replace("\t", "    ")
    if flat.isprintable():  # then no letter of it is of any of these categories
        return flat
    return "".join(char for char in flat if unicodedata.category(char) not in {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"})


def worth_quoting(quote: str | None) -> bool:
    """Whether a quote says anything by itself: a bare value (false, 0, {}) is in the sentence before it already."""
    return bool(quote) and (len(str(quote)) > LONGEST_BARE or _BARE.fullmatch(str(quote)) is None)


def at(*path: str | int) -> dict[str, Any]:
    """The proof of a number: its place in the analysis, which is computed anew when a report is checked."""
    return {"query": "analysis", "args": {"path": list(path)}}


def fact(text: str, value: Any, *path: str | int) -> Fact:
    return Fact(text, "number", value, at(*path))


def rate(value: float | None, *path: str | int) -> Fact:
    return fact(percent(value), value, *path)


def p_value(p: float, *path: str | int) -> Fact:
    """The p of a test, with its sign of comparison: "= 0.014", "< 0.0001"."""
    return fact("< 0.0001" if p < SMALLEST_P else f"= {p:.2g}", p, *path)


def amount(number: int, *path: str | int) -> Fact:
    return fact(f"{number:,}", number, *path)


def name(text: str, *path: str | int) -> Fact:
    """An id or a name, printed as code."""
    return Fact(text, "id", text, at(*path) if path else {})

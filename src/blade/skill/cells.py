"""Text of a run as it may stand in a skill: one printable line, short, and unable to become markup.

What stands in rows was written by others. In a draft it is always a quoted example in code, never prose.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from blade.wording import printable

SHORT = 40


def code(value: Any, longest: int = SHORT) -> str:
    """A value as code in a table's cell: back-ticks and bars are taken out, long values end in …."""
    text = printable(str(value)[: longest * 4]).replace("`", "'").replace("|", "¦")
    text = text if len(text) <= longest else f"{text[: longest - 1]}…"
    return f"`{text}`" if text.strip() else "(blank)"


def words(text: str) -> str:
    """Words that somebody declared, as they may stand in a cell."""
    return printable(text).replace("|", "¦")


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """A Markdown table; an empty line follows it."""
    lines = [f"| {' | '.join(head)} |", f"|{'---|' * len(head)}"]
    return [*lines, *(f"| {' | '.join(row)} |" for row in rows), ""]


def shown(values: Iterable[Any], limit: int = 12, longest: int = 80) -> str:
    """Some values as code, and how many more there are."""
    items = list(values)
    remainder = f" and {len(items) - limit:,} more" if len(items) > limit else ""
    return ", ".join(code(value, longest) for value in items[:limit]) + remainder

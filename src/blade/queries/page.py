"""Short answers: plain tables, and no more lines than a budget of tokens holds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from blade.wording import LETTERS_PER_TOKEN, printable

TOKENS = 4_000


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Columns beside each other; numbers stand at the right."""
    cells = [list(head), *([printable(cell).replace("\n", " ") for cell in row] for row in rows)]
    widths = [max(len(row[place]) for row in cells) for place in range(len(head))]
    right = [
        bool(rows) and all(row[place][:1].isdigit() or not row[place] for row in cells[1:])
        for place in range(len(head))
    ]
    for row in cells:
        line = (
            cell.rjust(width) if end else cell.ljust(width) for cell, width, end in zip(row, widths, right, strict=True)
        )
        yield "  ".join(line).rstrip()


def tokens_of(text: str) -> int:
    """About how many tokens a text has."""
    return -(-len(text) // LETTERS_PER_TOKEN)


def fitting(lines: Sequence[str], tokens: int) -> tuple[list[str], int]:
    """The first lines that a budget holds, at least one, and how many were left out."""
    spent = 0
    for place, line in enumerate(lines):
        spent += tokens_of(line + "\n")
        if spent > tokens and place:
            return list(lines[:place]), len(lines) - place
    return list(lines), 0


def one_line(text: str, limit: int = 200) -> str:
    """A text in one line that can be printed, shortened."""
    plain = printable(" ".join(text.split()))
    return plain if len(plain) <= limit else f"{plain[: limit - 1]}…"

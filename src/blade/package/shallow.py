"""The shallow baseline: a report's titles and metric tables without diagnosis. A negative control for calibration."""

from __future__ import annotations

from blade.package.texts import parts, words_of

KEPT = ("aggregate results", "aggregate metrics", "metrics", "workflow funnel")
SECTION = 2


def shallow(text: str) -> str:
    """Titles, and the tables of the aggregate-results or metrics and workflow-funnel sections; nothing else."""
    lines: list[str] = []
    in_section = False
    for part in parts(text):
        if 0 < part.level <= SECTION:
            lines.append(f"{'#' * part.level} {part.title}")
            in_section = part.level == SECTION and any(words in words_of(part.title) for words in KEPT)
        if in_section:
            lines.extend(_tables(part.lines))
    return "\n\n".join(lines) + "\n"


def _tables(lines: tuple[str, ...]) -> list[str]:
    """The tables among the lines, each as one block; code blocks are passed over."""
    tables: list[list[str]] = []
    fence = ""
    open_table = False
    for line in lines:
        mark = line.strip()[:3]
        if mark in {"```", "~~~"} and (not fence or mark == fence):
            fence = "" if fence else mark
        is_row = not fence and line.lstrip().startswith("|")
        if is_row and not open_table:
            tables.append([])
        if is_row:
            tables[-1].append(line)
        open_table = is_row
    return ["\n".join(rows) for rows in tables if len(rows) > 1]

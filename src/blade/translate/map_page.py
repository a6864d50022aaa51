"""A suggested field map as a page of YAML with its reasons."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

from blade.errors import InputError
from blade.translate.foreign_run import BadRecord
from blade.translate.suggest_map import Suggestion, columns_of, suggest, suggested_slices
from blade.translate.tables import is_table, table_rows

LOOK = 2000
MOST_NAMED = 40


def map_page(file: Path, rows_path: str = "") -> str:
    """The map that the rows of a file suggest; where no field could be the score, an error that lists the fields."""
    if not is_table(file):
        raise InputError(f"{file}: no table of rows.", "Wanted: a .jsonl, .json, .csv, .tsv or .parquet file.")
    rows = [row for _, row in itertools.islice(table_rows(file, rows_path), LOOK) if not isinstance(row, BadRecord)]
    if not rows:
        raise InputError(
            f"{file}: no rows where they were looked for.", "Say where they stand in the document: --rows results[]."
        )
    suggestions = {suggestion.role: suggestion for suggestion in suggest(rows)}
    missing = [role for role in ("task", "score") if role not in suggestions]
    if missing:
        fields = ", ".join(column.name for column in columns_of(rows)[:MOST_NAMED])
        raise InputError(
            f"{file}: no field could be the {missing[0]} of a row. The rows have: {fields}.",
            f"Write `{missing[0]}: FIELD` into a map yourself, or add such a field to the rows.",
        )
    return "\n".join(_lines(suggestions, rows, rows_path)) + "\n"


def _lines(suggestions: dict[str, Suggestion], rows: list[dict[str, Any]], rows_path: str) -> list[str]:
    lines = [f"# suggested from {len(rows):,} rows; read it, keep it as blade-map.yaml beside the data, or use --map"]
    if rows_path:
        lines.append(f"rows: {rows_path}")
    width = max(len(f"{suggestion.role}: {suggestion.field}") for suggestion in suggestions.values()) + 2
    lines += [
        f"{f'{suggestion.role}: {suggestion.field}':<{width}}# {suggestion.why}" for suggestion in suggestions.values()
    ]
    slices = suggested_slices(
        rows, [suggestion.field for suggestion in suggestions.values()], suggestions["task"].field
    )
    if slices:
        lines.append(f"slices: [{', '.join(slices)}]")
    return lines

"""Fields that hold an error of a machine or a provider and nothing else, whatever their name.

Such a field is empty in every row that passed and in most that failed, and all that it ever says is of that kind. What
a verifier writes of ordinary failures is not: there other words stand in the same field.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from blade.counting.columns import Column
from blade.extract.trouble import says
from blade.model import Status

FEWEST_ROWS = 2
MOST_ROWS = 0.5
SENTENCE = 2
"""So many spaces at least: a single word is a label, which is held against the score."""


def error_fields(failed: Sequence[bool], columns: Iterable[Column]) -> dict[int, str]:
    """Failed rows with such a field, each with what it says."""
    errors: dict[int, str] = {}
    for column in columns:
        texts = {code: value for code, value in enumerate(column.values) if value is not None and value not in ("", [])}
        if not texts or not all(isinstance(value, str) and value.count(" ") >= SENTENCE for value in texts.values()):
            continue
        rows = {
            row: code for row, code in zip(column.rows.tolist(), column.codes.tolist(), strict=True) if code in texts
        }
        if not FEWEST_ROWS <= len(rows) <= MOST_ROWS * len(failed) or not all(failed[row] for row in rows):
            continue
        if all(says(str(value)) == Status.INFRASTRUCTURE.value for value in texts.values()):
            errors |= {row: f"{column.name}: {texts[code]}" for row, code in rows.items()}
    return errors

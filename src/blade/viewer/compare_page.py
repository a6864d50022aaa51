"""The twin page: two attempts of one task beside each other."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from blade.viewer import params
from blade.viewer.compare_view import Pair, pair
from blade.viewer.selection import selection_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from blade.viewer.index import Attempt, Index

ROWS = 60
LEAD = 2
"""Rows after the prompt that are alike and still shown before the first that is not."""


def twin_page(index: Index, given: Mapping[str, str]) -> dict[str, Any]:
    made = _asked(index, given)
    here = index.attempts_of([made.left.order])[made.left.order]
    alike = _alike(made)
    asked_alike = sum(row.left is not None and row.left.part.kind == "prompt" for row in made.rows[:alike])
    folded = max(asked_alike, alike - LEAD)
    return {
        "chosen": selection_of(given),
        "pair": made,
        "folded": made.rows[:folded],
        "chunks": list(range(folded, len(made.rows), ROWS)),
        "rows": made.rows[folded : folded + ROWS],
        "step": ROWS,
        "siblings": here,
    }


def twin_rows(index: Index, given: Mapping[str, str]) -> dict[str, Any]:
    """A stretch of rows; `chunk` is the first of them."""
    made = _asked(index, given)
    begin = params.number_asked(given, "chunk")
    return {"pair": made, "rows": made.rows[begin : begin + ROWS]}


def _asked(index: Index, given: Mapping[str, str]) -> Pair:
    left = params.attempt_asked(index, given, "left_of", "left")
    return _pair(left, params.attempt_asked(index, given, "right_of", "right"))


@lru_cache(maxsize=4)
def _pair(left: Attempt, right: Attempt) -> Pair:
    return pair(left, right)


def _alike(made: Pair) -> int:
    """How many rows are alike from the start."""
    return next((row.place for row in made.rows if not row.alike), 0)

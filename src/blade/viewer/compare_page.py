"""The twin page: two attempts of one task beside each other."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from blade.viewer import params
from blade.viewer.compare_view import AttemptComparison, pair
from blade.viewer.selection import selection_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from blade.index.tables import Index, IndexedAttempt

ROWS = 60
LEAD = 2
"""Rows after the prompt that are alike and still shown before the first that is not."""


def twin_page(index: Index, query: Mapping[str, str]) -> dict[str, Any]:
    comparison = _requested_pair(index, query)
    siblings = index.attempts_of([comparison.left.order])[comparison.left.order]
    alike = _alike(comparison)
    asked_alike = sum(row.left is not None and row.left.part.kind == "prompt" for row in comparison.rows[:alike])
    folded = max(asked_alike, alike - LEAD)
    return {
        "chosen": selection_of(query),
        "pair": comparison,
        "folded": comparison.rows[:folded],
        "chunks": list(range(folded, len(comparison.rows), ROWS)),
        "rows": comparison.rows[folded : folded + ROWS],
        "step": ROWS,
        "siblings": siblings,
    }


def twin_rows(index: Index, query: Mapping[str, str]) -> dict[str, Any]:
    """A stretch of rows; `chunk` is the first of them."""
    comparison = _requested_pair(index, query)
    begin = params.number_asked(query, "chunk")
    return {"pair": comparison, "rows": comparison.rows[begin : begin + ROWS]}


def _requested_pair(index: Index, query: Mapping[str, str]) -> AttemptComparison:
    left = params.attempt_asked(index, query, "left_of", "left")
    return _pair(left, params.attempt_asked(index, query, "right_of", "right"))


@lru_cache(maxsize=4)
def _pair(left: IndexedAttempt, right: IndexedAttempt) -> AttemptComparison:
    return pair(left, right)


def _alike(comparison: AttemptComparison) -> int:
    """How many rows are alike from the start."""
    return next((row.place for row in comparison.rows if not row.alike), 0)

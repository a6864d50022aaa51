"""Rows of another model inside a run: told by the model's name, or by the form of the response's id.

A service writes its ids in one manner (`resp_…`, `chatcmpl-…`). Where one name stands on all rows but a part of them
have ids of another manner, something else answered those.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import polars as pl

from blade.extract.makers import family
from blade.model import Flaw, Status

FEWEST_ROWS = 20
FEWEST_TRACES = 5
MOST_SHARE = 1 / 3


def mark_foreign(frame: pl.DataFrame) -> tuple[pl.DataFrame, list[Flaw]]:
    """Add `foreign`. Aliases of one model (a date, a version, a path in front) are no other model."""
    names = frame["model"].to_list()
    foreign = minority([family(name) if name else None for name in names])
    if any(foreign):
        foreign_names = Counter(name for name, is_foreign in zip(names, foreign, strict=True) if is_foreign)
        statement = "rows were made by another model than the rest of the run: " + listed(foreign_names)
    else:
        forms = _forms(frame)
        foreign = minority(forms)
        foreign_names = Counter(form for form, is_foreign in zip(forms, foreign, strict=True) if is_foreign)
        if sum(foreign) < FEWEST_TRACES:
            foreign = [False] * frame.height
        statement = "rows have response ids of another form, so another service or model answered them: " + listed(
            foreign_names
        )
    marked = frame.with_columns(pl.Series("foreign", foreign, pl.Boolean))
    if not any(foreign):
        return marked, _mixed(names)
    return marked, [Flaw("foreign-rows", f"{sum(foreign)} {statement}; they are not counted", rows=sum(foreign))]


def _mixed(names: Sequence[str | None]) -> list[Flaw]:
    """Several models of which none clearly made the run: nothing can be set aside, so it is said."""
    models = Counter(family(name) for name in names if name)
    if len(models) < 2 or len(names) < FEWEST_ROWS:
        return []
    statement = f"the rows name {len(models)} models and none has two thirds of them: {listed(Counter(models))}"
    return [
        Flaw("mixed-models", f"{statement}; all are counted, and the score is that of the mixture", rows=len(names))
    ]


def minority(kinds: Sequence[str | None]) -> list[bool]:
    """Rows of another kind than the main one, where that has two thirds of the rows that show a kind."""
    counts = Counter(kind for kind in kinds if kind)
    if not counts or len(kinds) < FEWEST_ROWS:
        return [False] * len(kinds)
    main, rows = max(counts.items(), key=lambda pair: (pair[1], pair[0]))
    if counts.total() - rows > MOST_SHARE * counts.total():
        return [False] * len(kinds)
    return [kind is not None and kind != main for kind in kinds]


def _forms(frame: pl.DataFrame) -> list[str | None]:
    """The form of each id; none of placeholders that a harness wrote where nothing answered."""
    columns = frame.select("id_form", "items", "output_tokens", "state").rows()
    silent = Status.INFRASTRUCTURE.value
    return [form if (items or tokens) and state != silent else None for form, items, tokens, state in columns]


def listed(counts: Counter[str | None]) -> str:
    return ", ".join(f"{name} ({rows})" for name, rows in sorted(counts.items(), key=lambda pair: str(pair[0])))

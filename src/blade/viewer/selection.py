"""What is chosen, as the address holds it: filters, order and page. The address is the whole state."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields, replace
from typing import Any
from urllib.parse import urlencode

import polars as pl

from blade.frozen import frozen
from blade.index.tables import Index

PAGE = 100
SORTS = {"change": "what changed most, losses first", "name": "name", "rate": "pass rate, lowest first"}


@frozen
class Selection:
    q: str = ""
    run: str = ""
    bucket: str = ""
    status: str = ""
    outcome: str = ""
    label: str = ""
    mode: str = ""
    slice: str = ""
    tool: str = ""
    finding: str = ""
    part: str = ""
    base: str = ""
    candidate: str = ""
    scope: str = ""
    sort: str = ""
    page: int = 1

    @property
    def chosen(self) -> dict[str, str]:
        """Every filter that is set."""
        return {name: value for name, value in asdict(self).items() if value and name not in {"sort", "page"}}

    def query(self, **changes: object) -> str:
        """The selection, with changes, as the end of an address."""
        field_names = {field.name for field in fields(self)}
        own_changes: dict[str, Any] = {name: value for name, value in changes.items() if name in field_names}
        changed = replace(self, **own_changes)
        pairs = {name: value for name, value in changes.items() if name not in field_names and value is not None}
        pairs |= {name: value for name, value in asdict(changed).items() if value and (name, value) != ("page", 1)}
        return urlencode({name: str(value) for name, value in pairs.items()}, errors="replace")


def selection_of(query: Mapping[str, str]) -> Selection:
    """Read from an address; what is not understood is left aside."""
    names = [field.name for field in fields(Selection) if field.name != "page"]
    page = query.get("page", "")
    return Selection(
        **{name: query.get(name, "")[:500] for name in names},
        page=int(page) if page.isdecimal() and 0 < len(page) < 8 and int(page) else 1,
    )


def select(index: Index, selection: Selection) -> list[int]:
    """The places of the tasks that match every filter, in the order asked for."""
    tasks = index.tasks.lazy()
    if selection.q:
        tasks = tasks.filter(
            pl.any_horizontal(
                pl.col(name).str.to_lowercase().str.contains(selection.q.lower(), literal=True)
                for name in ("task", "text")
            )
        )
    if selection.slice:
        tasks = tasks.filter(pl.col("slices").list.contains(selection.slice))
    if selection.part:
        tasks = tasks.filter(pl.col("task").is_in((part_of(index, selection.part) or {"tasks": []})["tasks"]))
    if rows := attempt_filters(selection):
        run_filter = [pl.col("run") == selection.run] if selection.run else []
        tasks = tasks.join(
            index.attempts.lazy().filter(*rows, *run_filter).select("order").unique(), on="order", how="semi"
        )
    if results := _result_filters(selection):
        tasks = tasks.join(index.results.lazy().filter(*results).select("order").unique(), on="order", how="semi")
    orders: list[int] = tasks.select("order").collect()["order"].sort().to_list()
    return _sorted(index, orders, selection)


def attempt_filters(selection: Selection) -> list[pl.Expr]:
    """What is asked of an attempt, besides its run."""
    filters = []
    for name, column in (("status", "state"), ("outcome", "outcome"), ("mode", "mode")):
        if value := getattr(selection, name):
            filters.append(pl.col(column) == value)
    for name, column in (("tool", "tools"), ("finding", "noticed")):
        if value := getattr(selection, name):
            filters.append(pl.col(column).list.contains(value))
    return filters


def _result_filters(selection: Selection) -> list[pl.Expr]:
    filters = []
    if selection.run:
        filters.append(pl.col("run") == selection.run)
    if selection.bucket:
        filters.append(pl.col("bucket") == selection.bucket)
    if selection.label:
        filters.append(pl.col("labels").list.contains(selection.label))
    return filters


def part_of(index: Index, part: str) -> dict[str, Any] | None:
    """One part of a change; `part` is the place of the change and of the part: 0.2."""
    change, _, place = part.partition(".")
    if not (change.isdecimal() and place.isdecimal() and len(part) < 12):
        return None
    changes = index.facts["changes"]
    parts = changes[int(change)]["parts"] if int(change) < len(changes) else []
    return dict(parts[int(place)]) if int(place) < len(parts) else None


def sort_of(index: Index, selection: Selection) -> str:
    """The order asked for; by change where there is one."""
    if selection.sort in SORTS:
        return selection.sort
    return "change" if len(index.runs) > 1 else "name"


def _sorted(index: Index, orders: Sequence[int], selection: Selection) -> list[int]:
    sort = sort_of(index, selection)
    if sort == "name" or not orders:
        return list(orders)
    means = {
        (order, run): mean
        for order, run, mean in index.results.filter(pl.col("order").is_in(list(orders)))
        .select("order", "run", "mean")
        .iter_rows()
    }
    pair = pair_of(index, selection) or (index.runs[0], index.runs[-1])
    first, last = pair[0], selection.run or pair[1]
    if sort == "rate" or first == last:
        return sorted(orders, key=lambda order: _known_first(means.get((order, last))))
    return sorted(orders, key=lambda order: _moved(means.get((order, first)), means.get((order, last))))


def pair_of(index: Index, selection: Selection) -> tuple[str, str] | None:
    """The two runs that are asked for; one of them alone is held against the baseline, or the last run against it."""
    asked = [run if run in index.runs else "" for run in (selection.base, selection.candidate)]
    if not any(asked):
        return None
    base, candidate = asked[0] or index.runs[0], asked[1] or index.runs[-1]
    return (base, candidate) if base != candidate else None


def _known_first(value: float | None) -> tuple[bool, float]:
    """Unknown comes last."""
    return value is None, value or 0.0


def _moved(base: float | None, candidate: float | None) -> tuple[bool, float]:
    return (True, 0.0) if base is None or candidate is None else (base == candidate, candidate - base)

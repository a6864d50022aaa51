"""Check never judged: a check stands among the verifier's results in every row and has a verdict in none."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from blade.counting.columns import Column
from blade.extract.checks import verdict
from blade.health import Context, Item, Unchecked, item
from blade.wording import count, listed

FEWEST_ROWS = 5
FEWEST_BESIDE = 2
"""So many checks beside it have verdicts, so that the group is one of checks."""
MOST_SHOWN = 5
_OPEN = re.compile(
    r"(?:skip|pend|not[ _-]|none|n/?a|null|todo|open|un(?:known|judged|tested|checked|graded|evaluated|scored|set|run|"
    r"verified|decided|available|measured))\w*[\w -]{0,20}|",
    re.IGNORECASE,
)
"""What a check says that was never judged; any other word or text is something else than a check."""


def unchecked(context: Context) -> Unchecked:
    return {run.name: "most rows share no group of named checks" for run in context.runs if not _groups(run.columns)}


def check(context: Context) -> list[Item]:
    judged_names: set[str] = set()
    open_rows: defaultdict[str, dict[str, int]] = defaultdict(dict)
    for run in context.runs:
        for columns in _groups(run.columns).values():
            for column in columns:
                if _verdicts(column):
                    judged_names.add(column.name)
                elif len(column.rows) >= FEWEST_ROWS and all(_is_open(value) for value in column.values):
                    open_rows[column.name][run.name] = len(column.rows)
    names = sorted(name for name in open_rows if name not in judged_names)
    return [_item(names, open_rows)] if names else []


def _groups(columns: Iterable[Column]) -> Mapping[str, Sequence[Column]]:
    """Fields of one parent, where several of them hold verdicts on most of their rows.

    Where each of them says the same on every row they are settings.
    """
    groups: defaultdict[str, list[Column]] = defaultdict(list)
    for column in columns:
        parent = column.name.rpartition(".")[0]
        if parent:
            groups[parent].append(column)
    return {
        parent: columns
        for parent, columns in groups.items()
        if (verdict_columns := sum(_is_verdict(column) for column in columns)) >= FEWEST_BESIDE
        and 2 * verdict_columns >= len(columns)
        and any(_is_verdict(column) and len(column.values) > 1 for column in columns)
    }


def _is_open(value: object) -> bool:
    return not value if not isinstance(value, str) else _OPEN.fullmatch(value) is not None


def _verdicts(column: Column) -> int:
    return sum(verdict(value) is not None for value in column.values)


def _is_verdict(column: Column) -> bool:
    """Whether it holds verdicts as words or flags, and nothing else: numbers are measures."""
    values = [value for value in column.values if value is not None]
    return bool(values) and all(isinstance(value, (str, bool)) and verdict(value) is not None for value in values)


def _item(names: Sequence[str], rows: Mapping[str, Mapping[str, int]]) -> Item:
    runs = sorted({run for name in names for run in rows[name]})
    names_text = listed([f"“{name.rpartition('.')[2]}”" for name in names[:MOST_SHOWN]])
    remainder = f" and {len(names) - MOST_SHOWN} more" if len(names) > MOST_SHOWN else ""
    has, pronoun = ("has", "it") if len(names) == 1 else ("have", "them")
    return item(
        "check_never_judged",
        "medium",
        f"{count(len(names), 'check')} of {listed(runs)} {has} a name in the rows and a verdict in none of them: "
        f"{names_text}{remainder}. The score says nothing about {pronoun}.",
    )

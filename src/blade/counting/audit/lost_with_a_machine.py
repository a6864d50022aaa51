"""Rows without the verifier's results that one machine, or whatever else served them, has in common.

That results are absent may be the model's doing: nothing was handed in, or nothing that could be built. A machine knows
nothing of that: where nearly all such rows of a run lie on one that has hardly any other row, it lost them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from blade.counting.columns import Column
from blade.extract.names import words

FEWEST_ROWS = 4
NEARLY_ALL, MOSTLY = 0.9, 0.5
FEWEST_VALUES = 2
MACHINES = frozenset(
    "machine host hostname node worker pod replica box server container shard lane slot gpu instance executor runner "
    "vm sandbox".split()
)

_OF_A_MACHINE = frozenset("id name no number index".split())


def _names_a_machine(name: str) -> bool:
    """Whether a field is called by a machine, or by its id, name or number."""
    *_, last = ("", *words(name))
    of_name = words(name)[:-1] if last in _OF_A_MACHINE else words(name)
    return not MACHINES.isdisjoint(of_name[-1:])


def lost_with_a_machine(lacking: set[int], columns: Iterable[Column]) -> set[int]:
    """Those of these rows that stand on the one machine with nearly all of them, where it serves few others."""
    if len(lacking) < FEWEST_ROWS:
        return set()
    for column in columns:
        if not _names_a_machine(column.name) or len(column.values) < FEWEST_VALUES:
            continue
        rows_of: defaultdict[int, set[int]] = defaultdict(set)
        for row, code in zip(column.rows.tolist(), column.codes.tolist(), strict=True):
            rows_of[code].add(row)
        for code, rows in rows_of.items():
            lost_rows = rows & lacking
            if column.values[code] not in (None, "") and len(lost_rows) >= max(
                NEARLY_ALL * len(lacking), MOSTLY * len(rows)
            ):
                return lost_rows
    return set()

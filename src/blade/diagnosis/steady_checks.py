"""Sets of checks that hold before and after any solution: nearly every failure meets them, and fails by others.

Learned from the rows, where a verdict has several named sets: no name says so.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from blade.diagnosis.cases import Case
from blade.evidence import open_rows
from blade.extract.attempt import Attempt
from blade.model import Source

FEWEST = 5
NEARLY_ALL = 0.8
SELDOM = 0.5


def steady_sets(cases: Sequence[Case]) -> frozenset[str]:
    """The sets that most failures meet in full, by their last name; none where no other set is mostly missed."""
    full: Counter[str] = Counter()
    rows: Counter[str] = Counter()
    for case in cases:
        if not case.passed:
            for name, (passes, total) in case.observed.get("check_sets", {}).items():
                rows[_last(name)] += 1
                full[_last(name)] += passes == total
    shares = {name: full[name] / number for name, number in rows.items() if number >= FEWEST}
    steady = frozenset(name for name, share in shares.items() if share >= NEARLY_ALL)
    return steady if any(share < SELDOM for share in shares.values()) else frozenset()


def failed_by_set(cases: Sequence[Case]) -> dict[int, dict[str, list[str]]]:
    """By the identity of a rollout the checks that it fails, set by set; rows that cannot be opened are left out."""
    places = {case.place: case for case in cases}
    failed = {}
    for source, row in open_rows(Source(*place) for place in places):
        case = places[source.file, source.line, source.offset, source.length]
        failed[id(case)] = {
            _last(checks.field): [check.name for check in checks.checks if not check.passed]
            for checks in Attempt(row).checks
            if checks.named
        }
    return failed


def _last(name: str) -> str:
    return name.rsplit(".", 1)[-1]

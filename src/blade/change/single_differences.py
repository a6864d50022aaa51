"""Which runs differ in one setting alone, and which are one configuration repeated: the pairs that tell a cause.

Every run was held against the baseline, so that what two others differ in follows from what each differs in from it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

ROWS_ALONE = frozenset({"tasks", "gym build"})
"""Which rows a run has, and how they are stamped, is no setting."""


@dataclass(frozen=True, slots=True)
class Alike:
    """Runs with the same settings but for one field; no field where they are one configuration repeated."""

    field: str
    runs: tuple[str, ...]
    values: tuple[str, ...]
    """The value of each run."""


def alike_but_for_one(runs: Sequence[str], passports: Sequence[tuple[str, Sequence[Mapping[str, Any]]]]) -> list[Alike]:
    """Repeats first, then groups of runs by the field that they differ in; `passports` are those of the candidates."""
    moved = {candidate: {stamp["field"]: stamp for stamp in passport} for candidate, passport in passports}
    fields = list(dict.fromkeys(field for stamps in moved.values() for field in stamps if field not in ROWS_ALONE))
    baseline = {field: stamps[field]["base"] for stamps in moved.values() for field in fields if field in stamps}
    profiles = {
        run: {
            field: str(moved.get(run, {})[field]["candidate"] if field in moved.get(run, {}) else baseline[field])
            for field in fields
        }
        for run in runs
    }
    groups = [Alike("", tuple(members), ()) for members in _grouped(profiles, "") if len(members) > 1]
    for field in fields:
        for members in _grouped(profiles, field):
            values = tuple(profiles[run][field] for run in members)
            if len(set(values)) > 1:
                groups.append(Alike(field, tuple(members), values))
    return groups


def _grouped(profiles: Mapping[str, Mapping[str, str]], field: str) -> list[list[str]]:
    """Runs that have the same settings, whatever this field says."""
    groups: dict[tuple[str, ...], list[str]] = {}
    for run, profile in profiles.items():
        groups.setdefault(tuple(value for name, value in profile.items() if name != field), []).append(run)
    return list(groups.values())

"""Which runs differ in one setting alone, and which are one configuration repeated: the pairs that tell a cause.

Every run was held against the baseline, so that what two others differ in follows from what each differs in from it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from blade.frozen import frozen

ROWS_ALONE = frozenset({"tasks", "gym build"})
"""Which rows a run has, and how they are stamped, is no setting."""
OF_THE_VERDICT = frozenset({"verifier", "verifier fields", "reward scale"})
NAMING = ("model", "agent", "checkpoint")
"""What a run is usually named after."""
NUMBERED = ("sampling.", "config.")
LONGEST_VALUE = 60
SHORTEST_PART = 3
_WORDS = re.compile(r"[a-z]+|\d+")


@frozen
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


def only_setting(passport: Sequence[Mapping[str, Any]]) -> str | None:
    """The one setting in which two runs differ as far as is recorded; none where several do or the verdict may."""
    intended = [item for item in passport if item["role"] == "treatment"]
    settings = intended or [item for item in passport if item["field"] not in ROWS_ALONE]
    unintended = any(item["role"] == "control_moved" for item in passport)
    field = settings[0]["field"] if len(settings) == 1 and not unintended else None
    return None if field in ROWS_ALONE | OF_THE_VERDICT else field


def unnamed_settings(passport: Sequence[Mapping[str, Any]], names: tuple[str, str]) -> list[Mapping[str, Any]]:
    """What a reader must know to tell two runs apart: settings that differ and of which the names do not speak.

    Model, agent and checkpoint; where none of them differs, the one sampling or configuration value that does.
    """
    only = only_setting(passport)
    differing = [item for field in NAMING for item in passport if item["field"] == field]
    if not differing:
        differing = [item for item in passport if item["field"] == only and item["field"].startswith(NUMBERED)]
    return [item for item in differing if _is_short(item) and not _is_named(item, names)]


def _is_short(item: Mapping[str, Any]) -> bool:
    values = (item["base"], item["candidate"])
    return all(isinstance(value, str | int | float) and len(str(value)) <= LONGEST_VALUE for value in values)


def _is_named(item: Mapping[str, Any], names: tuple[str, str]) -> bool:
    """Whether each name has a word of its value that the other value lacks, one of letters where there is one."""
    values = [_WORDS.findall(str(item[side]).lower()) for side in ("base", "candidate")]
    for value, opposite_value, name in zip(values, reversed(values), names, strict=True):
        telling = [word for word in value if word not in opposite_value]
        telling = [word for word in telling if word.isalpha()] or telling
        words = _WORDS.findall(name.lower())
        if telling and not any(word in words or _is_part(word, words) for word in telling):
            return False
    return True


def _is_part(word: str, words: Sequence[str]) -> bool:
    return len(word) >= SHORTEST_PART and any(word in part or part in word for part in words if _long(part))


def _long(word: str) -> bool:
    return word.isalpha() and len(word) >= SHORTEST_PART


def _grouped(profiles: Mapping[str, Mapping[str, str]], field: str) -> list[list[str]]:
    """Runs that have the same settings, whatever this field says."""
    groups: dict[tuple[str, ...], list[str]] = {}
    for run, profile in profiles.items():
        groups.setdefault(tuple(value for name, value in profile.items() if name != field), []).append(run)
    return list(groups.values())

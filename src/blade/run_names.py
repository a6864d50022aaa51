"""The names of runs: cut to the parts that tell them apart, and known again by what a reader types."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from itertools import combinations

from blade.errors import NotFound

LONG = 20
"""Names of at most so many characters are printed as they are."""
SEPARATORS = ("__", "/", ",", " ", "_", "-")
"""What joins the parts of a name, the strongest first: a name is cut at the first that all names have."""
WEAK = ("_", "-")
"""These also stand inside dates, versions and values: between digits, and in `key=value`, they join nothing."""
_DIGITS = re.compile(r"[\d.:TZ_+-]+")
_DATE = re.compile(r"\d{4}[-_]\d\d[-_]\d\d")


def short_names(runs: Sequence[str]) -> dict[str, str]:
    """Run → its short name, for runs whose names are long; none where they cannot be told apart by parts of them.

    Names that share a part are all cut, so that none is the longer one of its kind.
    """
    if len(runs) < 2 or max(map(len, runs)) <= LONG:
        return {}
    for separator in SEPARATORS:
        parts = {run: _parts(run, separator) for run in runs}
        if all(len(name_parts) > 1 for name_parts in parts.values()):
            alike = set.intersection(*map(set, parts.values()))
            names = {run: separator.join(_distinct(run, parts)) if alike or len(run) > LONG else run for run in runs}
            if len(set(names.values())) == len(runs):
                return {run: short for run, short in names.items() if len(short) < len(run)}
    return {}


def _parts(run: str, separator: str) -> list[str]:
    """A name cut into whole parts: no date, version or value is cut inside."""
    if separator not in WEAK:
        return run.split(separator)
    return [run] if "=" in run else re.split(rf"(?<!\d){separator}|{separator}(?!\d)", run)


def _distinct(run: str, parts: Mapping[str, list[str]]) -> list[str]:
    """The first part that says what differs and is no number, with as few others as single the run out."""
    own_parts, other_parts = parts[run], [names for other_run, names in parts.items() if other_run != run]
    common = set.intersection(*(set(names) for names in parts.values()))
    varying = [part for part in own_parts if part not in common]
    words = [part for part in varying if not _DIGITS.fullmatch(part)]
    first = (words or varying or own_parts)[0]
    further = [part for part in varying if part != first]
    for size in range(len(further) + 1):
        for added in combinations(further, size):
            parts_shown = {first, *added}
            if not any(parts_shown <= set(names) for names in other_parts):
                return _with_a_word(own_parts, [place for place, part in enumerate(own_parts) if part in parts_shown])
    return own_parts


def _with_a_word(name_parts: Sequence[str], places: Sequence[int]) -> list[str]:
    """The parts at these places; a number alone, but for a date, has the part before it, which says what it counts."""
    shown = [name_parts[place] for place in places]
    if places[0] and all(_DIGITS.fullmatch(part) and not _DATE.match(part) for part in shown):
        places = [places[0] - 1, *places]
    return [name_parts[place] for place in places]


def run_named(name: str, runs: Sequence[str]) -> str:
    """The whole name of the run that is meant: by that name, its short one, or a part that no other run has."""
    if name in runs:
        return name
    short = {short_name: run for run, short_name in short_names(runs).items()}
    if name in short:
        return short[name]
    part = re.compile(rf"(?<![^\W_]){re.escape(name)}(?![^\W_])", re.IGNORECASE)
    containing = [run for run in runs if name and part.search(run)]
    if len(containing) == 1:
        return containing[0]
    if containing:
        raise NotFound(f"'{name}' may mean {len(containing)} runs.", f"Give more of the name: {', '.join(containing)}.")
    near = get_close_matches(name, runs, 1)
    hint = f"Nearest: {near[0]}. " if near and len(runs) > 1 else ""
    raise NotFound(f"No run is named '{name}'.", f"{hint}Runs here: {', '.join(runs)}.")

"""How well a report says where a planted cause is: the tool, the category, the window, or the tasks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmarks.planted_suite.planted_case import TruePart

    from blade.simulate.simulated_row import Json

__all__ = ["located"]


def located(true: TruePart, parts: Sequence[Json], slices: Sequence[Json]) -> float | None:
    """From 0 to 1; null where there is no place to tell. `parts` are those that name the cause."""
    wheres = [part.get("where") or {} for part in parts]
    if "tool" in true.where:
        return float(any(place.get("tool") == true.where["tool"] for place in wheres))
    if "category" in true.where:
        named_places = [part["where"] for part in slices if part.get("named")]
        spots = [place.get(key) for place in wheres for key in ("category", "slice")]
        return float(any(_mentions(spot, true.where["category"]) for spot in [*named_places, *spots]))
    if "window" in true.where:
        windows = [window for place in wheres if (window := _window(place.get("window"))) is not None]
        if windows:
            return max(_overlap(window, tuple(true.where["window"])) for window in windows)
    tasks = {task for part in parts for task in part.get("tasks") or ()}
    true_tasks = set(true.tasks) | set(true.where.get("added", ()))
    return len(tasks & true_tasks) / len(tasks | true_tasks) if tasks and true_tasks else None


def _mentions(spot: Any, value: str) -> bool:
    """A place may be a value, `field=value`, a table of field and value, or a list with one of them."""
    if isinstance(spot, list | tuple):
        return len(spot) == 1 and _mentions(spot[0], value)
    if isinstance(spot, dict):
        return value in map(str, spot.values())
    return isinstance(spot, str) and value in (spot, spot.partition("=")[2])


def _window(value: Any) -> tuple[float, float] | None:
    pair = [value.get("from"), value.get("to")] if isinstance(value, dict) else value
    if isinstance(pair, list | tuple) and len(pair) == 2 and all(isinstance(end, int | float) for end in pair):
        return float(pair[0]), float(pair[1])
    return None


def _overlap(first: tuple[float, float], second: tuple[float, ...]) -> float:
    shared = min(first[1], second[1]) - max(first[0], second[0])
    union = max(first[1], second[1]) - min(first[0], second[0])
    return max(0.0, shared) / union if union > 0 else 0.0

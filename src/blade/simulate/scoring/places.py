"""How well a report says where a planted cause is: the tool, the category, the window, or the tasks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from blade.simulate.planted_case import TruePart
    from blade.simulate.scenario import Json

__all__ = ["located"]


def located(true: TruePart, parts: Sequence[Json], slices: Sequence[Json]) -> float | None:
    """From 0 to 1; null where there is no place to tell. `parts` are those that name the cause."""
    wheres = [part.get("where") or {} for part in parts]
    if "tool" in true.where:
        return float(any(where.get("tool") == true.where["tool"] for where in wheres))
    if "category" in true.where:
        kept = [part["where"] for part in slices if part.get("named")]
        spots = [where.get(key) for where in wheres for key in ("category", "slice")]
        return float(any(_mentions(spot, true.where["category"]) for spot in [*kept, *spots]))
    if "window" in true.where:
        told = [window for where in wheres if (window := _window(where.get("window"))) is not None]
        if told:
            return max(_overlap(window, tuple(true.where["window"])) for window in told)
    tasks = {task for part in parts for task in part.get("tasks") or ()}
    wanted = set(true.tasks) | set(true.where.get("added", ()))
    return len(tasks & wanted) / len(tasks | wanted) if tasks and wanted else None


def _mentions(spot: Any, value: str) -> bool:
    """A place may be a value, `field=value`, a table of field and value, or a list with one of them."""
    if isinstance(spot, list | tuple):
        return len(spot) == 1 and _mentions(spot[0], value)
    if isinstance(spot, dict):
        return value in map(str, spot.values())
    return isinstance(spot, str) and value in (spot, spot.partition("=")[2])


def _window(told: Any) -> tuple[float, float] | None:
    pair = [told.get("from"), told.get("to")] if isinstance(told, dict) else told
    if isinstance(pair, list | tuple) and len(pair) == 2 and all(isinstance(end, int | float) for end in pair):
        return float(pair[0]), float(pair[1])
    return None


def _overlap(one: tuple[float, float], two: tuple[float, ...]) -> float:
    both = min(one[1], two[1]) - max(one[0], two[0])
    whole = max(one[1], two[1]) - min(one[0], two[0])
    return max(0.0, both) / whole if whole > 0 else 0.0

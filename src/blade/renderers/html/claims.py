"""The claims of the report, each held once more against the analysis or its row when the page is written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from blade.document import Claim, Report
from blade.renderers.html.links import Links

MOST = 1_500


@dataclass(frozen=True, slots=True)
class Held:
    """A claim and how it came out: `holds`, `differs`, or `open` where there was nothing to hold it against."""

    claim: Claim
    state: str
    path: str
    href: str


@dataclass(frozen=True, slots=True)
class Claims:
    shown: tuple[Held, ...]
    counts: Mapping[str, int]
    left_out: int


def held(report: Report, document: Mapping[str, Any], links: Links) -> Claims:
    """All claims; the page lists those that do not hold first, and not more than can be read."""
    found = [_held(claim, document, links) for claim in report.claims()]
    counts = {state: sum(one.state == state for one in found) for state in ("holds", "differs", "open")}
    found.sort(key=lambda one: one.state != "differs")
    return Claims(tuple(found[:MOST]), counts, max(0, len(found) - MOST))


def _held(claim: Claim, document: Mapping[str, Any], links: Links) -> Held:
    path = list(claim.proof.get("args", {}).get("path", ()))
    shown = links.quote(claim.proof) if claim.kind == "quote" else None
    if shown is not None and shown.proved is not None:
        return Held(claim, "holds" if shown.proved else "differs", _told(path), f"#{shown.id}")
    try:
        value = _look_up(document, path)
    except (KeyError, IndexError, TypeError, StopIteration):
        return Held(claim, "open", _told(path), "")
    if isinstance(value, (dict, list)) and not isinstance(claim.value, (list, tuple)):
        return Held(claim, "open", _told(path), "")  # a sum of what stands there: `blade check` adds it up
    return Held(claim, "holds" if _same(value, claim.value) else "differs", _told(path), "")


def _told(path: list[Any]) -> str:
    return " → ".join(str(step) for step in path)


def _look_up(value: Any, path: list[Any]) -> Any:
    """A place in the analysis as data: lists of named things are entered by name."""
    for step in path:
        if isinstance(value, list) and isinstance(step, str):
            value = next(item for item in value if step in (item.get("name"), item.get("task")))
        else:
            value = value[step]
    return value


def _same(one: Any, other: Any) -> bool:
    if isinstance(other, (list, tuple)) and isinstance(one, list):
        return len(one) == len(other) and all(map(_same, one, other))
    if isinstance(one, float) or isinstance(other, float):
        return one is not None and other is not None and abs(float(one) - float(other)) <= 1e-12
    return bool(one == other)

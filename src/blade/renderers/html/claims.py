"""The claims of the report, each held once more against the analysis or its row when the page is written."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from blade.document import Claim, Report
from blade.frozen import frozen
from blade.renderers.html.links import Links

MOST = 1_500


@frozen
class CheckedClaim:
    """A claim and how it came out: `holds`, `differs`, or `open` where there was nothing to hold it against."""

    claim: Claim
    state: str
    path: str
    href: str


@frozen
class Claims:
    shown: tuple[CheckedClaim, ...]
    counts: Mapping[str, int]
    left_out: int


def checked_claims(report: Report, document: Mapping[str, Any], links: Links) -> Claims:
    """All claims; the page lists those that do not hold first, and not more than can be read."""
    claims = [_checked_claim(claim, document, links) for claim in report.claims()]
    counts = {state: sum(claim.state == state for claim in claims) for state in ("holds", "differs", "open")}
    claims.sort(key=lambda claim: claim.state != "differs")
    return Claims(tuple(claims[:MOST]), counts, max(0, len(claims) - MOST))


def _checked_claim(claim: Claim, document: Mapping[str, Any], links: Links) -> CheckedClaim:
    path = list(claim.proof.get("args", {}).get("path", ()))
    exhibit = links.quote(claim.proof) if claim.kind == "quote" else None
    if exhibit is not None and exhibit.proved is not None:
        return CheckedClaim(claim, "holds" if exhibit.proved else "differs", _path_text(path), f"#{exhibit.id}")
    try:
        value = _look_up(document, path)
    except (KeyError, IndexError, TypeError, StopIteration):
        return CheckedClaim(claim, "open", _path_text(path), "")
    if isinstance(value, (dict, list)) and not isinstance(claim.value, (list, tuple)):
        return CheckedClaim(claim, "open", _path_text(path), "")  # a sum of what stands there: `blade check` adds it up
    return CheckedClaim(claim, "holds" if _equal_values(value, claim.value) else "differs", _path_text(path), "")


def _path_text(path: list[Any]) -> str:
    return " → ".join(str(step) for step in path)


def _look_up(value: Any, path: list[Any]) -> Any:
    """A place in the analysis as data: lists of named things are entered by name."""
    for step in path:
        if isinstance(value, list) and isinstance(step, str):
            value = next(item for item in value if step in (item.get("name"), item.get("task")))
        else:
            value = value[step]
    return value


def _equal_values(actual: Any, expected: Any) -> bool:
    if isinstance(expected, (list, tuple)) and isinstance(actual, list):
        return len(actual) == len(expected) and all(map(_equal_values, actual, expected))
    if isinstance(actual, float) or isinstance(expected, float):
        return actual is not None and expected is not None and abs(float(actual) - float(expected)) <= 1e-12
    return bool(actual == expected)

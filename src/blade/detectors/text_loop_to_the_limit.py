"""The output was cut off while the assistant repeated the same words: the loop spent the limit.

The response says that it is incomplete, or as many tokens were used as were allowed, and the circle reaches the end.

False alarms: a long list of the same form that was cut off in the middle.
"""

from __future__ import annotations

from typing import Any

from blade.extract.attempt import Attempt
from blade.findings import CLEAN, NOT_APPLICABLE, Sighting, fired

ID = ""
FAMILY = "behaviour"
TITLE = "repetition until the output is cut off"
KIND = "behaviour"
EXPLAINS = 60
SUPPORTS = {"BI": 1.4}
RELIABILITY = 0.8
READS = ("model",)


def detect(attempt: Attempt) -> Sighting:
    limit = _cut_off(attempt.row)
    if limit is None:
        return NOT_APPLICABLE
    circle = attempt.circle
    if circle is None or not circle.to_the_end:
        return CLEAN
    cites = [attempt.cite(circle.step, *circle.first), attempt.cite_field(limit)]
    if circle.last != circle.first:
        cites.insert(1, attempt.cite(circle.step, *circle.last))
    return fired(*cites, detail=f"the output was cut off in a loop that repeats the same words {circle.times} times")


def _cut_off(row: dict[str, Any]) -> str | None:
    """The field that tells of the cut."""
    response = row.get("response")
    if not isinstance(response, dict):
        return None
    details = response.get("incomplete_details")
    if isinstance(details, dict) and details.get("reason"):
        return "response.incomplete_details.reason"
    if response.get("status") == "incomplete":
        return "response.status"
    usage = response.get("usage")
    request = row.get("responses_create_params")
    allowed = response.get("max_output_tokens") or (
        request.get("max_output_tokens") if isinstance(request, dict) else None
    )
    used = usage.get("output_tokens") if isinstance(usage, dict) else None
    if isinstance(used, int) and isinstance(allowed, int) and used >= allowed > 0:
        return "response.usage.output_tokens"
    return None

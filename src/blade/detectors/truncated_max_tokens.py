"""The answer was cut off at the limit of output tokens.

Told by the response's own reason, a finish reason of the agent, or, in a rollout of a single model call, by usage that
has reached the limit of the request.

False alarms: a finish reason that belongs to the judge (fields named after a judge are left out), and answers that were
complete when the limit came.
"""

from __future__ import annotations

from blade.extract.attempt import Attempt
from blade.extract.claim_sightings import claimed
from blade.extract.numbers import number
from blade.extract.usage import usage_of
from blade.findings import CLEAN, NOT_APPLICABLE, Cite, Sighting, fired
from blade.model import StepKind

ID = "P04"
FAMILY = "pipeline"
TITLE = "output cut off at the token limit"
KIND = "behaviour"
EXPLAINS = 90
SUPPORTS = {"BI": 1.6, "TI": 0.5}
RELIABILITY = 1.0
READS = ("model", "environment", "verifier")

_ABOUT = frozenset({"tokens"})
_TAIL = 80
_MORE = 1.01
"""Providers count a closing token or two; more than that is the sum of several calls."""


def detect(attempt: Attempt) -> Sighting:
    sighting = claimed(attempt, _ABOUT, "the output stops at the token limit")
    if sighting:
        return fired(*sighting.cites, *_end(attempt), detail=sighting.detail, value=sighting.value)
    if not attempt.steps:
        return NOT_APPLICABLE
    request = attempt.row.get("responses_create_params")
    limit = number(request.get("max_output_tokens")) if isinstance(request, dict) else None
    used = attempt.once(usage_of).get("output_tokens") if limit else None
    if not limit or not used or not limit <= used <= limit * _MORE or not _one_call(attempt):
        return CLEAN
    usage_field = "output_tokens" if attempt.cite_field("response.usage.output_tokens").quote else "completion_tokens"
    cites = (
        attempt.cite_field(f"response.usage.{usage_field}"),
        attempt.cite_field("responses_create_params.max_output_tokens"),
    )
    detail = f"the output used {used:.0f} tokens of the {limit:.0f} allowed"
    return fired(*cites, *_end(attempt), detail=detail, value="usage")


def _one_call(attempt: Attempt) -> bool:
    """Whether the usage is that of a single model call that nobody calls completed."""
    kinds = [step.kind for step in attempt.steps]
    response = attempt.row.get("response")
    if isinstance(response, dict) and response.get("status") == "completed":
        return False
    return not attempt.calls and StepKind.USER not in kinds and len({step.item for step in attempt.messages}) <= 1


def _end(attempt: Attempt) -> list[Cite]:
    """The last words before the cut."""
    for step in reversed(attempt.steps):
        if step.text.strip():
            return [attempt.cite(step, max(0, len(step.text) - _TAIL))]
    return []

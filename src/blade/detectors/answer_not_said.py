"""An answer that the benchmark expected beside its actions, and that stands in no message of the model.

What the model says in its place is quoted where a sentence comes near to the user's question; where it never says
anything and only calls tools, its last call.

False alarms: an answer that is given in other words or in another unit; a recording that leaves messages out.
"""

from __future__ import annotations

from blade.extract.attempt import Attempt
from blade.extract.unsaid import unsaid
from blade.findings import CLEAN, NOT_APPLICABLE, Sighting, fired

ID = ""
FAMILY = "behaviour"
TITLE = "expected answer not given"
KIND = "behaviour"
EXPLAINS = 51
SUPPORTS: dict[str, float] = {}
RELIABILITY = 0.8
READS = ("task", "model", "user", "verifier")
NEEDS = "reference"
_QUOTE = 120


def detect(attempt: Attempt) -> Sighting:
    spoken = attempt.messages or [call.step for call in attempt.answered]
    if attempt.reference is None or not spoken:
        return NOT_APPLICABLE
    unsaid_answers = attempt.once(unsaid).get("unsaid")
    if not unsaid_answers:
        return CLEAN
    answer, instead = next((pair for pair in unsaid_answers if pair[1]), unsaid_answers[0])
    step = next((step for step in attempt.messages if instead and instead in step.text), spoken[-1])
    start = step.text.find(instead) if instead else 0
    cite = attempt.cite(step, max(start, 0), max(start, 0) + _QUOTE)
    return fired(cite, detail=f"never says the expected '{answer[:60]}'", value=answer[:60])

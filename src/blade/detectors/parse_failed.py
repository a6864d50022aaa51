"""The verifier could not read an answer out of the output, though there is one to read.

Told by a flag (`parse_failed`, `extraction_successful`), a failure label, a decoder's error, or an extracted answer
that is null beside a final message that scored nothing (one that scored was read somehow).

False alarms: abstention tasks where no answer is a right answer, and verifiers that never fill their answer field:
where passes of the run leave it empty as often, no failure is told by it (`diagnosis.unread_answers`).
"""

from __future__ import annotations

from typing import Any

from blade.extract.attempt import Attempt
from blade.extract.claim_sightings import claimed
from blade.extract.given_answer import NO_ANSWER
from blade.findings import CLEAN, NOT_APPLICABLE, Sighting, fired

ID = "P08"
FAMILY = "pipeline"
TITLE = "output that cannot be parsed"
KIND = "format"
EXPLAINS = 45
SUPPORTS = {"BI": 1.0, "TI": 0.8}
YIELDS_TO = ("expected_in_final",)
"""What was not read is no fault of the model where its message gives the expected answer as it was asked for."""
RELIABILITY = 1.0
READS = ("model", "environment", "verifier")

_ABOUT = frozenset({"reading"})
_NOTHING: tuple[Any, ...] = (None, "", [])
_TAIL = 80
_ABSTAINS = ("abstention", "is_abstain", "should_abstain", "abstained")


def detect(attempt: Attempt) -> Sighting:
    sighting = claimed(attempt, _ABOUT, "its output could not be read")
    if sighting:
        return sighting
    if attempt.answer is None:
        return CLEAN if attempt.claims else NOT_APPLICABLE
    name, value = attempt.answer
    if attempt.final is None or any(attempt.row.get(key) is True for key in _ABSTAINS):
        return NOT_APPLICABLE
    if value not in _NOTHING or not attempt.final_text or not attempt.zero:
        return CLEAN
    text = attempt.final.text.rstrip()
    cites = (attempt.cite(attempt.final, max(0, len(text) - _TAIL), len(text)), attempt.cite_field(name))
    detail = f"{NO_ANSWER} ({name} is {'null' if value is None else 'empty'})"
    return fired(*cites, detail=detail, value=name)

"""The conversation no longer fitted into the model's context window.

Told by an error field of the row, a flag, or a last message that is nothing but the provider's error.

False alarms: error texts that quote documentation about context windows; a long answer about them is no short error and
is not read.
"""

from __future__ import annotations

from blade.extract.attempt import Attempt
from blade.extract.claim_sightings import claimed, error_words
from blade.extract.trouble import speaks_of
from blade.findings import CLEAN, NOT_APPLICABLE, Sighting, fired

ID = "P05"
FAMILY = "pipeline"
TITLE = "context window exceeded"
KIND = "behaviour"
EXPLAINS = 91
SUPPORTS = {"BI": 1.0, "TI": 0.7}
RELIABILITY = 1.0
READS = ("model", "environment", "verifier")

_ABOUT = frozenset({"context"})


def detect(attempt: Attempt) -> Sighting:
    sighting = claimed(attempt, _ABOUT, "the prompt outgrew the context window")
    if sighting:
        return sighting
    if attempt.last_words is None:
        return CLEAN if attempt.fields else NOT_APPLICABLE
    short = attempt.once(error_words)
    trouble = speaks_of(short) if short else None
    if trouble is None or trouble.topic != "context":
        return CLEAN
    cite = attempt.cite_words(attempt.last_words, short or "")
    return fired(cite, detail="the last message is the provider's word that the context is too long", value="message")

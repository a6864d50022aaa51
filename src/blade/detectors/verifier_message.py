"""The verifier, or the harness, left words about the failure in a field of the row.

The words are masked into a template, so that alike messages are one mode. Whether the field carries a signal is told
when it is held against the score of the whole run; by itself the message explains little.

False alarms: fields that every row bears, good ones too (a log, a habit); those are set aside when the run is settled.
"""

from __future__ import annotations

from blade.extract.attempt import Attempt
from blade.extract.citing import field_text
from blade.extract.field_roles import where
from blade.extract.names import is_error_text
from blade.extract.trouble import is_neutral, says
from blade.findings import CLEAN, NOT_APPLICABLE, Sighting, fired
from blade.signatures import template

ID = ""
FAMILY = "verifier"
TITLE = "verifier message"
KIND = "unknown"
EXPLAINS = 14
SPLIT = True
SUPPORTS: dict[str, float] = {}
RELIABILITY = 0.8
READS = ("verifier",)


def detect(attempt: Attempt) -> Sighting:
    fields = attempt.fields
    error_fields = [name for name in where(fields, is_error_text) if isinstance(fields[name], str)]
    error_fields += [text.name for text in attempt.texts() if is_error_text(text.name) and text.name not in fields]
    if not error_fields:
        return NOT_APPLICABLE
    for name in error_fields:
        text = field_text(attempt.row, name)
        if text.strip() and not is_neutral(text) and says(text) is None:
            words = template(text)
            return fired(attempt.cite_field(name), detail=f"{name} says “{words}”", value=words)
    return CLEAN

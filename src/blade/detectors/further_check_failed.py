"""A check of the row is passed and the rollout does not pass: it came one stage further than those that fail it.

One row cannot tell a stage from a contradiction: what fires here is believed only where the rows of the runs show that
no rollout passes without the check (`blade.counting.verdict_fields`), which also says what the further check is.

False alarms: a flag that is true by chance on all of a few passes.
"""

from __future__ import annotations

from blade.extract.attempt import Attempt
from blade.extract.verdict_flags import all_met, verdict_flags
from blade.findings import CLEAN, NOT_APPLICABLE, Sighting, fired

ID = ""
FAMILY = "pipeline"
TITLE = "one check passed, a further one failed"
KIND = "unknown"
EXPLAINS = 16
SPLIT = True
SUPPORTS: dict[str, float] = {}
RELIABILITY = 1.0
READS = ("verifier",)


def detect(attempt: Attempt) -> Sighting:
    if attempt.reward is None:
        return NOT_APPLICABLE
    flags, counts = verdict_flags(attempt.fields), all_met(attempt.fields)
    if not flags and not counts:
        return NOT_APPLICABLE
    reached = [name for name, passed in (counts | flags).items() if passed]
    if attempt.reward >= 1 or not reached:
        return CLEAN
    missed = [name for name, passed in flags.items() if not passed]
    detail = f"passes the check {reached[-1]} and scores {attempt.reward:g}"
    return fired(*(attempt.cite_field(name) for name in (*reached, *missed)), detail=detail, value=reached[-1])

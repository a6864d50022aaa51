"""The error of the submitted work itself, where a row also bears a word for a time limit: more time may not mend it.

What is not there yet may come of the limit, so that an absence is no such error.
"""

from __future__ import annotations

import re

from blade.diagnosis.cases import Case
from blade.diagnosis.recorded import CLOCKS
from blade.late_regex import late_regex

RULES = ("compile_stage", "runtime_stage", "assertion_stage", "absent_output")
"""Rules about the stage at which the tests of the work end."""
_TIME_LIMIT = late_regex(r"time ?(?:d ?)?out|time limit", re.IGNORECASE)
_ABSENCE = late_regex(
    r"NotFound|not exist|doesn'?t exist|not found|no such|\bmissing\b|is not running|not responding|could not find"
    r"|refused|\bNone\b|assert False|== ''|in ''|assert 0\b",
    re.IGNORECASE,
)


def work_error(case: Case) -> str | None:
    """The rule that tells of the work's own error in a rollout that a word for a time limit explains; else None."""
    if case.mode not in CLOCKS:
        return None
    fired = case.fired()
    for name in RULES:
        sighting = fired.get(name)
        if sighting is None or _TIME_LIMIT.search(str(sighting.value)):
            continue
        statements = (sighting.detail, *(cite.quote for cite in sighting.cites))
        return None if any(map(_ABSENCE.search, statements)) else name
    return None

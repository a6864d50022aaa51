"""The simulated user failed: the row counts such failures, or a user turn speaks as the agent or of its own script.

False alarms: a real user who says the same words; environments whose messages come under the role of the user (their
texts do not speak of instructions or offer help).
"""

from __future__ import annotations

import re
from functools import lru_cache

from blade.extract.attempt import Attempt
from blade.extract.names import words
from blade.extract.prefilter import holds_any
from blade.findings import CLEAN, NOT_APPLICABLE, Sighting, fired
from blade.late_regex import late_regex

ID = "V16"
FAMILY = "verifier"
TITLE = "fault of the simulated user"
KIND = "verifier"
EXPLAINS = 60
SUPPORTS = {"TI": 2.0}
RELIABILITY = 0.8
READS = ("task", "user")

_OUT_OF_PART = late_regex(
    r"\bas an AI( language)? model\b|\bas a (simulated|role-?playing) (user|customer)\b|\buser simulat(or|ion)\b|"
    r"\b(my|the) (scenario|task|user) instructions?\b|\baccording to my (instructions|script|scenario|persona)\b|"
    r"\bmy (persona|script) (is|says)\b|"
    r"\bhow (can|may) I (help|assist) you\b|\bis there anything else I can (help|assist|do)\b|"
    r"\bthank you for (contacting|calling|reaching out to) (us|our)\b",
    re.IGNORECASE,
)
_HINTS = (
    *("as an ai", "as a simulat", "as a role", "user simulat", "instruction", "according to my", "my persona"),
    *("my script", "help you", "assist you", "anything else i can", "you for c", "you for reach"),
)
_READ = 4_000


def detect(attempt: Attempt) -> Sighting:
    has_user = False
    for name, value in attempt.fields.items():
        if isinstance(value, (int, float)) and _counts_faults(name):
            has_user = True
            if value > 0:
                return fired(
                    attempt.cite_field(name),
                    detail=f"the row counts failures of the simulated user: {name} is {value}",
                    value=name,
                )
    turns = [step for at, step in attempt.users if step.role == "user" and at != 0]
    for step in turns if turns and holds_any("\n".join(map(attempt.low, turns)), _HINTS) else ():
        match = _OUT_OF_PART.search(step.text[:_READ]) if attempt.holds(step, _HINTS) else None
        if match:
            return fired(
                attempt.cite(step, match.start(), match.end()),
                detail=f"a user turn falls out of its part: '{match.group(0)}'",
                value="out of part",
            )
    return CLEAN if turns or has_user else NOT_APPLICABLE


@lru_cache(maxsize=65536)
def _counts_faults(name: str) -> bool:
    have = words(name)
    return "user" in have and not {"failure", "failures", "fault", "faults"}.isdisjoint(have)

"""Look-ups with a tool fail because the simulated user gave a value of its own invention.

The user says the value; the instruction that it was given, the prompt and the tools' answers do not have it, and the
tool answers that there is no such thing. Values that users invent and no call looks up are not counted here.

False alarms: a user whose instruction leaves a value open on purpose, to see whether the agent refuses it.
"""

from __future__ import annotations

from blade.extract.attempt import Attempt
from blade.extract.invented_lookups import invented_lookup
from blade.findings import Sighting

ID = ""
FAMILY = "verifier"
TITLE = "failed look-up of a value that the simulated user made up"
KIND = "verifier"
EXPLAINS = 58
NAMES = "tool"
SUPPORTS = {"TI": 1.2}
RELIABILITY = 0.8
READS = ("task", "model", "tool", "user")
NEEDS = "answers"


def detect(attempt: Attempt) -> Sighting:
    return invented_lookup(attempt, by_user=True, blame="which the user made up")

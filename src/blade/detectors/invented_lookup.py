"""Every look-up with a tool that fails, to the last, asks for a value that nobody gave: the model invented it.

The value stands neither in the prompt nor in a user's words nor in a tool's answer before the call, and the tool
answers that there is no such thing. A look-up that goes well later clears the rollout: how many make such look-ups at
all, and pass, is told among the openings.

False alarms: values that can be worked out from given parts, such as another spelling of a name; a value that shares a
word with what was given is left alone where it has several words.
"""

from __future__ import annotations

from blade.extract.attempt import Attempt
from blade.extract.invented_lookups import invented_lookup
from blade.findings import Sighting

ID = ""
FAMILY = "tool"
TITLE = "look-ups only of values that nobody gave"
KIND = "behaviour"
EXPLAINS = 58
NAMES = "tool"
SUPPORTS = {"BI": 1.2}
RELIABILITY = 0.8
READS = ("task", "model", "tool", "user")
NEEDS = "answers"
ATTEMPTED = ("invented_lookups", "looks up a value that nobody gave")


def detect(attempt: Attempt) -> Sighting:
    return invented_lookup(attempt, by_user=False, blame="which nobody had given")

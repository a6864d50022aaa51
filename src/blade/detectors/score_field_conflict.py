"""A reward that contradicts the row's own fields: resolved and zero, every check met and zero, 0.9999… for a one.

One row cannot tell a contradiction from a check on the way to the pass: what fires here is believed only where the
rows of the runs show that the field is the verdict itself (`blade.counting.verdict_fields`).

False alarms: rewards that weigh in more than correctness (format, length, a penalty), and fields of another stage.
"""

from __future__ import annotations

from blade.extract.attempt import Attempt
from blade.extract.verdict_flags import ALMOST_ONE, claims_the_pass, count_pairs, verdict_flags
from blade.findings import CLEAN, NOT_APPLICABLE, Sighting, fired

ID = "V12"
FAMILY = "verifier"
TITLE = "reward that contradicts the row's own fields"
KIND = "verifier"
EXPLAINS = 74
SUPPORTS = {"TI": 2.5}
RELIABILITY = 1.0
READS = ("verifier",)
BLAMES = "verifier"

ALMOST = 1e-6


def detect(attempt: Attempt) -> Sighting:
    reward = attempt.reward
    if reward is None:
        return NOT_APPLICABLE
    name = next((name for name in ("reward", "score") if name in attempt.row), "")
    if not name:
        return NOT_APPLICABLE
    if 1 - ALMOST < reward < 1:
        detail = f"scored {reward!r}, a one that rounding kept below one"
        return fired(attempt.cite_field(name), detail=detail, value=ALMOST_ONE)
    fields = attempt.fields
    flags, pairs = verdict_flags(fields), count_pairs(fields)
    claims = [flag for flag in flags if claims_the_pass(flag)]
    if not claims and not pairs:
        return NOT_APPLICABLE
    wrong = [flag for flag, value in flags.items() if (reward <= 0) is value and (reward <= 0 or reward == 1)]
    if claims and len(wrong) == len(flags):
        detail = f"{claims[0]} is {str(flags[claims[0]]).lower()} and the reward is {reward:g}"
        return fired(attempt.cite_field(name), attempt.cite_field(claims[0]), detail=detail, value=claims[0])
    if reward <= 0 and not flags and all(fields[count_field] == fields[total] for count_field, total in pairs):
        count_field, total = pairs[0]
        detail = f"{count_field} equals {total} and the reward is {reward:g}"
        cites = [attempt.cite_field(field) for field in (name, count_field, total)]
        return fired(*cites, detail=detail, value=count_field)
    return CLEAN

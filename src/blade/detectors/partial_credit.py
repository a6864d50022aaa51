"""Some sub-checks of the verdict passed and some did not: names those that failed.

Reads rubric items, unit tests, instruction lists, components of the reward, test summaries in a log, and pairs of
numbers such as passed and total. What the judge says of the check that failed is quoted first.

On passes: a pass may be given for a part of the checks, or for a weighted sum in which one component is zero; the rule
then names what was left undone.

False alarms: benchmarks that pass a rollout on a share of its checks (the rule fires on those passes too, as it should:
they lost something), and lists of flags that are no checks.
"""

from __future__ import annotations

from blade.extract.attempt import Attempt
from blade.extract.checks import Check, Checks, joined
from blade.extract.citing import field_text
from blade.extract.text import clip
from blade.findings import CLEAN, MOST_CITES, NOT_APPLICABLE, Sighting, fired

ID = "P14"
FAMILY = "pipeline"
TITLE = "some checks passed, others failed"
KIND = "unknown"
EXPLAINS = 12
SUPPORTS: dict[str, float] = {}
RELIABILITY = 1.0
READS = ("verifier",)

_SHOWN = 3
FEWEST_WORDS = 4
_REASONS = ("explanation", "reasoning", "reason", "rationale", "justification", "feedback", "comment", "message")
"""What judges call the words with which they give a verdict on one check."""


def detect(attempt: Attempt) -> Sighting:
    lists_of_checks = [checks for checks in joined(attempt.checks) if checks.several]
    if not lists_of_checks:
        return NOT_APPLICABLE
    partly = sorted((checks for checks in lists_of_checks if checks.partly), key=_nameless)
    part = next(iter(partly), None)
    return CLEAN if part is None else _sighting(attempt, part)


def _nameless(part: Checks) -> int:
    """Checks with names before checks with numbers before mere counts."""
    if not part.checks:
        return 2
    return int(part.checks[0].name.startswith("number "))


def _sighting(attempt: Attempt, part: Checks) -> Sighting:
    failed = [check for check in part.checks if not check.passed]
    count = f"passes {part.passed} of {part.total} checks ({part.field})"
    if not failed:
        return fired(attempt.cite_field(part.field), detail=count, value=part.field)
    names = ", ".join(f"'{clip(check.name, 60)}'" for check in failed[:_SHOWN])
    others_words = f" and {len(failed) - _SHOWN} more" if len(failed) > _SHOWN else ""
    reasons = [place for check in failed if (place := _reason(attempt, check))]
    places = dict.fromkeys([*reasons, *(check.field for check in failed)])
    cites = dict.fromkeys(attempt.cite_field(place) for place in list(places)[:MOST_CITES])
    return fired(*cites, detail=f"{count}; fails {names}{others_words}", value=failed[0].name)


def _reason(attempt: Attempt, check: Check) -> str:
    """The field beside a failed check in which its judge says why; empty where none does."""
    entry = check.field.rpartition(".")[0]
    fields = (f"{entry}.{name}" for name in _REASONS)
    return next((field for field in fields if len(field_text(attempt.row, field).split()) >= FEWEST_WORDS), "")

"""The judge or the verifier gave no verdict: its call failed, its answer could not be read, or it did not finish.

The outcome is then unknown and no failure of the agent. A judge that says "wrong" is no failed judge.

False alarms: error fields of a verifier that hold an ordinary verdict about the submission (error classes of the
submitted work are left out).
"""

from __future__ import annotations

from typing import Any

from blade.extract.attempt import Attempt
from blade.extract.claim_records import TroubleClaim
from blade.extract.claim_sightings import of_judge, told
from blade.extract.field_roles import where
from blade.extract.logs import Stage
from blade.extract.names import VERIFIER, words
from blade.findings import CLEAN, NOT_APPLICABLE, Sighting, fired

ID = "I11"
FAMILY = "infrastructure"
TITLE = "no verdict from the judge or verifier"
KIND = "verifier"
EXPLAINS = 95
SUPPORTS = {"IR": 1.5, "TI": 1.0}
RELIABILITY = 1.0
READS = ("verifier",)

_SPOKEN = ("judge_output", "judge_text", "judge_raw", "judge_response", "judge_evaluation")
_VERDICTS = (
    "verdict",
    "judge_label",
    "judge_rating",
    "judge_score",
    "judge_points",
    "extracted_verdict",
    "judge_verdict",
)
_TAIL = 120


def detect(attempt: Attempt) -> Sighting:
    failed = [claim for claim in attempt.claims if _of_the_verifier(attempt, claim)]
    sighting = told(attempt, failed, "no verdict was reached") or _unread(attempt)
    if sighting:
        return sighting
    return CLEAN if attempt.claims or where(attempt.row, _of_a_judge) else NOT_APPLICABLE


def _of_a_judge(name: str) -> bool:
    return not VERIFIER.isdisjoint(words(name))


def _of_the_verifier(attempt: Attempt, claim: TroubleClaim) -> bool:
    if of_judge(claim.field):
        return claim.status in {"verifier_error", "infrastructure", "timed_out"}
    if claim.about != "verifier":
        return False
    return not (isinstance(attempt.stage, Stage) and claim.field == attempt.stage.field)


def _unread(attempt: Attempt) -> Sighting | None:
    """A judge that spoke, and no verdict that was read from it."""
    for holder, prefix in ((attempt.row, ""), (attempt.row.get("verifier"), "verifier.")):
        if not isinstance(holder, dict):
            continue
        spoken = next((name for name in _SPOKEN if _text(holder.get(name))), None)
        verdict_fields = [name for name in _VERDICTS if name in holder] if spoken else []
        if spoken and verdict_fields and not any(_read(name, value) for name, value in holder.items()):
            text = holder[spoken]
            cite = attempt.cite_field(prefix + spoken, text, max(0, len(text) - _TAIL))
            detail = f"the judge's words were not understood ({prefix}{verdict_fields[0]} is empty)"
            return fired(cite, detail=detail, value=verdict_fields[0])
    return None


def _read(name: str, value: Any) -> bool:
    """Whether a field holds a verdict of the judge: a word, a number or a flag."""
    if name in _VERDICTS:
        return value not in (None, "")
    return "judge" in words(name) and isinstance(value, (bool, int, float))


def _text(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())

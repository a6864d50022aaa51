"""A reward that contradicts the row's own fields: resolved and zero, every check met and zero, 0.9999… for a one.

False alarms: rewards that weigh in more than correctness (format, length, a penalty), and fields of another stage.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from blade.extract.attempt import Attempt
from blade.extract.names import words
from blade.extract.shape import where
from blade.findings import CLEAN, NOT_APPLICABLE, Sighting, fired

ID = "V12"
FAMILY = "verifier"
TITLE = "the reward contradicts the row's own fields"
KIND = "verifier"
EXPLAINS = 74
SUPPORTS = {"TI": 2.5}
RELIABILITY = 1.0
BLAMES = "verifier"

ALMOST = 1e-6
_FLAGS = frozenset(
    "is_correct correct resolved is_resolved passed is_passed solved is_solved all_passed all_correct "
    "execution_match follow_all_instructions rubric_all_pass".split()
)
_MET = frozenset("correct passed pass met satisfied".split())
_TOTAL = frozenset("total all count".split())


def detect(attempt: Attempt) -> Sighting:
    reward = attempt.reward
    if reward is None:
        return NOT_APPLICABLE
    name = next((name for name in ("reward", "score") if name in attempt.row), "")
    if not name:
        return NOT_APPLICABLE
    if 1 - ALMOST < reward < 1:
        detail = f"scored {reward!r}, a one that rounding kept below one"
        return fired(attempt.cite_field(name), detail=detail, value="almost one")
    fields = attempt.fields
    judged = {flag: fields[flag] for flag in where(fields, _is_flag) if isinstance(fields[flag], bool)}
    pairs = _counts(fields)
    if not judged and not pairs:
        return NOT_APPLICABLE
    wrong = [flag for flag, value in judged.items() if (reward <= 0) is value and (reward <= 0 or reward == 1)]
    if wrong and len(wrong) == len(judged):
        detail = f"{wrong[0]} is {str(judged[wrong[0]]).lower()} and the reward is {reward:g}"
        return fired(attempt.cite_field(name), attempt.cite_field(wrong[0]), detail=detail, value=wrong[0])
    if reward <= 0 and not judged and all(fields[met] == fields[total] for met, total in pairs):
        met, total = pairs[0]
        detail = f"{met} equals {total} and the reward is {reward:g}"
        cites = [attempt.cite_field(field) for field in (name, met, total)]
        return fired(*cites, detail=detail, value=met)
    return CLEAN


def _is_flag(name: str) -> bool:
    return name.rsplit(".", 1)[-1] in _FLAGS


@lru_cache(maxsize=65536)
def _counted(name: str) -> tuple[str, tuple[str, ...]]:
    """Whether a field counts what was met or all there is, and of which thing."""
    parts = words(name)
    prefix = name.rpartition(".")[0]
    for counts, marks in (("met", _MET), ("total", _TOTAL)):
        if marks.intersection(parts):
            return counts, (prefix, *(part for part in parts if part not in marks))
    return "", ()


def _counts_something(name: str) -> bool:
    return bool(_counted(name)[0])


def _counts(fields: dict[str, Any]) -> list[tuple[str, str]]:
    """Pairs of fields of one thing: how many were met, and how many there are."""
    met: dict[tuple[str, ...], str] = {}
    total: dict[tuple[str, ...], str] = {}
    for name in where(fields, _counts_something):
        value = fields[name]
        if isinstance(value, int) and not isinstance(value, bool):
            counts, stem = _counted(name)
            if counts == "met":
                met[stem] = name
            elif counts == "total":
                total[stem] = name
    return [(name, total[stem]) for stem, name in met.items() if stem in total and fields[total[stem]] > 0]

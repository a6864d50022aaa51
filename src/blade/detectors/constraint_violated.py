"""A limit in the prompt that the final message breaks, where a machine can check it: words, bullet points, case, JSON.

Looks at single-turn tasks only, and at limits that speak of the answer as a whole.

False alarms: limits that are meant for a part of the answer, or for something that the answer is to make.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

import orjson

from blade.extract.attempt import Attempt
from blade.findings import CLEAN, NOT_APPLICABLE, Sighting, fired
from blade.late_regex import late_regex
from blade.model import Step

ID = "B18"
FAMILY = "behaviour"
TITLE = "violation of a limit in the prompt"
KIND = "behaviour"
EXPLAINS = 40
SUPPORTS = {"BI": 1.4}
RELIABILITY = 0.8
READS = ("task", "model")

READ = 8000
SLACK = 1.02
_WHOLE = r"(?:answer|response|reply|output|summary|essay|respond|write|text|story|message|explanation)\b[^.\n]{0,60}?"
_AT_MOST = (
    r"(?:at most|no more than|not exceed(?:ing)?|under|fewer than|less than|(?:a )?maximum of|within|up to|limited? to)"
)
_AT_LEAST = r"(?:at least|no fewer than|no less than|(?:a )?minimum of|more than)"
_NUM = r"(\d{1,4})"

Check = Callable[[str, str], str]


def _words_at_most(text: str, limit: str) -> str:
    count = len(text.split())
    return f"has {count} words" if count > int(limit) * SLACK else ""


def _words_at_least(text: str, limit: str) -> str:
    count = len(text.split())
    return f"has {count} words" if count * SLACK < int(limit) else ""


def _bullets(text: str, limit: str) -> str:
    count = len(re.findall(r"^[ \t]{0,3}(?:[*•-]|\d{1,2}[.)])[ \t]+\S", text, re.MULTILINE))
    return f"has {count} bullet points" if count != int(limit) else ""


def _lower(text: str, _: str) -> str:
    match = re.search(r"[A-Z]\w*", text)
    return f"has '{match.group(0)}'" if match else ""


def _upper(text: str, _: str) -> str:
    match = re.search(r"\b\w*[a-z]\w*", text)
    return f"has '{match.group(0)}'" if match else ""


def _no_commas(text: str, _: str) -> str:
    return f"has {text.count(',')} commas" if "," in text else ""


def _json(text: str, _: str) -> str:
    inner = re.sub(r"^```(?:json)?\s*|\s*```$", "", text.strip())
    try:
        orjson.loads(inner)
    except orjson.JSONDecodeError:
        return "is not JSON"
    return ""


_OF_THE_ANSWER = r"\b(?:entire|whole|your) (?:answer|response|reply|output)\b(?:(?!\bwords?\b)[^.\n]){0,40}?"
_NOT_COUNTED = r"(?![^.\n]{0,40}\b(?:words?|appears?|times|at least|at most|(?:less|more|fewer) than)\b)"
"""How often words in one case may stand in the answer is no demand on the case of the whole."""
_LIMITS: tuple[tuple[str, re.Pattern[str], Check], ...] = (
    ("words", late_regex(rf"\b{_WHOLE}{_AT_MOST} {_NUM} words\b", re.IGNORECASE), _words_at_most),
    ("words", late_regex(rf"\b{_WHOLE}{_AT_LEAST} {_NUM} words\b", re.IGNORECASE), _words_at_least),
    ("bullet points", late_regex(rf"\b(?:{_WHOLE})?exactly {_NUM} bullet points\b", re.IGNORECASE), _bullets),
    (
        "case",
        late_regex(
            rf"{_OF_THE_ANSWER}\b(?:in )?(?:all )?lower[- ]?case{_NOT_COUNTED}",
            re.IGNORECASE,
        ),
        _lower,
    ),
    (
        "capitals",
        late_regex(
            rf"{_OF_THE_ANSWER}\b(?:capital letters|capitals)\b{_NOT_COUNTED}",
            re.IGNORECASE,
        ),
        _upper,
    ),
    (
        "commas",
        late_regex(
            r"\b(?:do not|don't|avoid|refrain from|without) (?:use |using )?(?:any |the use of (?:any )?)?commas\b",
            re.IGNORECASE,
        ),
        _no_commas,
    ),
    (
        "JSON",
        late_regex(
            r"\b(?:entire (?:output|response)|respond|reply|answer|output|return)\b[^.\n]{0,30}?"
            r"\b(?:only|nothing but|wrapped) (?:in |with |as )?(?:an? )?(?:valid )?JSON\b",
            re.IGNORECASE,
        ),
        _json,
    ),
)
_CUES = {"case": "case", "capitals": "capital", "JSON": "json"}
_CODE = "```"


def detect(attempt: Attempt) -> Sighting:
    text = attempt.final_text
    if not text or attempt.calls or attempt.users:
        return NOT_APPLICABLE
    task_steps = [step for step in attempt.prompt if step.role != "assistant"][-2:]
    set_any = False
    for step in task_steps:
        for name, match, check in _limits(step.text[:READ]):
            if _CODE in text and name != "JSON":
                continue
            set_any = True
            wrong = check(text, match.group(1) if match.re.groups else "")
            if wrong:
                return _sighting(attempt, step, match, name, wrong)
    return CLEAN if set_any else NOT_APPLICABLE


@lru_cache(maxsize=256)
def _limits(head: str) -> tuple[tuple[str, re.Match[str], Check], ...]:
    """What a prompt sets as a limit. Prompts repeat from row to row."""
    lowered = head.lower()
    candidates = (
        (name, pattern.search(head) if _CUES.get(name, name) in lowered else None, check)
        for name, pattern, check in _LIMITS
    )
    return tuple((name, match, check) for name, match, check in candidates if match)


def _sighting(attempt: Attempt, step: Step, match: re.Match[str], name: str, wrong: str) -> Sighting:
    limit_cite = attempt.cite(step, match.start(), match.end())
    broken = attempt.cite_final(0, min(80, len(attempt.final_text)))
    return fired(limit_cite, broken, detail=f"the answer {wrong}, against '{match.group(0)[:100]}'", value=name)

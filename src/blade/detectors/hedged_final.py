"""A final message that gives two answers to one question: two boxes that differ, "the answer is B or C".

Only where one answer is wanted: a question with lettered options, or a key that is one number.

False alarms: questions in several parts, and messages that correct themselves in so many words.
"""

from __future__ import annotations

import re

from blade.extract.answer_candidates import AnswerCandidate
from blade.extract.attempt import Attempt
from blade.extract.options import letter_of
from blade.extract.same_answer import normal, peel
from blade.findings import CLEAN, NOT_APPLICABLE, Sighting, fired
from blade.late_regex import late_regex

ID = "B25"
FAMILY = "behaviour"
TITLE = "several answers where one is asked for"
KIND = "behaviour"
EXPLAINS = 30
SUPPORTS = {"BI": 1.0, "KG": 0.6}
RELIABILITY = 0.8
READS = ("task", "model", "verifier")

END = 1000
_BOTH = late_regex(
    r"[(\[*\"'`]{0,4}([A-Z])[)\]*\"'`]{0,4}\s*(?:,|or|and/or|/)\s*(?:option |possibly |maybe )?[(\[*\"'`]{0,4}([A-Z])\b"
)
_NUMBER = late_regex(r"-?\d+(?:\.\d+)?")
_SEVERAL = late_regex(
    r"\b(?:select|choose|mark|pick|list|find) (?:all|every|two|three|the two)\b|all (?:that apply|correct|possible)|"
    r"\b(?:one or more|multiple|several) (?:answers|options|choices|correct)|more than one|"
    r"\bparts?\b|\bquestions\b|\(ii\)",
    re.IGNORECASE,
)


def detect(attempt: Attempt) -> Sighting:
    if not attempt.final_text or not _one_is_wanted(attempt):
        return NOT_APPLICABLE
    start = len(attempt.final_text) - END
    statements = [
        reading for reading in attempt.stated if reading.start >= start and reading.wrapper not in {"line", "mark"}
    ]
    different: dict[str, AnswerCandidate] = {}
    for reading in statements:
        if attempt.options:
            pair = _BOTH.match(peel(reading.text))
            if pair and {pair[1], pair[2]} <= set(attempt.options) and pair[1] != pair[2]:
                cite = attempt.cite_final(reading.start, reading.end)
                return fired(cite, detail=f"answers '{reading.text[:60]}' where one option is asked", value="options")
            slot = letter_of(reading.text, attempt.options)
        else:
            slot = normal(reading.text) if _NUMBER.fullmatch(normal(reading.text)) else None
        if slot is not None:
            different.setdefault(slot, reading)
    if len(different) < 2:
        return CLEAN
    answers = list(different.values())
    quoted_answers = " and ".join(f"'{reading.text[:30]}'" for reading in answers[:3])
    cites = [attempt.cite_final(reading.start, reading.end) for reading in answers]
    return fired(
        *cites, detail=f"gives {quoted_answers} as the answer", value="options" if attempt.options else "numbers"
    )


def _one_is_wanted(attempt: Attempt) -> bool:
    prompt_end = attempt.prompt[-1].text[-3000:] if attempt.prompt else ""
    if attempt.options:
        keys = attempt.key.accepted if attempt.key else ()
        return not _SEVERAL.search(prompt_end[:1500]) and all(letter_of(key, attempt.options) for key in keys)
    if attempt.key is None or len(attempt.key.accepted) != 1:
        return False
    return _NUMBER.fullmatch(normal(attempt.key.accepted[0])) is not None

"""An extracted answer that is not the one the message settles on: the whole message, an earlier one, other words.

Where the row shows the key, the answer that the message settles on must say it: a message with two wrong answers was
not misread.

False alarms: verifiers that hand the whole message to a judge (looked at only where points were lost), that translate
an answer into another notation, or that take it from a tool.
"""

from __future__ import annotations

from blade.extract.answer_candidates import AnswerCandidate
from blade.extract.attempt import Attempt
from blade.extract.given_answer import LONG_MESSAGE, TIMES, is_whole_message, key_met
from blade.extract.options import letter_of
from blade.extract.same_answer import normal, same
from blade.findings import CLEAN, NOT_APPLICABLE, Sighting, fired
from blade.late_regex import late_regex

ID = "V04"
FAMILY = "verifier"
TITLE = "wrong part of the message read as the answer by the verifier"
KIND = "verifier"
EXPLAINS = 62
SUPPORTS = {"TI": 2.0}
RELIABILITY = 1.0
READS = ("model", "verifier")
NEEDS = "answer"

_BRACE = "{"
"""A part of a command of TeX without the command: what is left of it says nothing."""
_MARKS = frozenset(".;:!?")
FEWEST_LETTERS = 3
_NAME = late_regex(r"[^\W\d_]+(?:[ '-][^\W\d_]+)*")
_SHORT_FORM = late_regex(r"[^\W\d_]{1,5}\.")
_PLAIN = late_regex(r"-?\d+(?:\.\d+)?|[a-z]{2,}")


def detect(attempt: Attempt) -> Sighting:
    if not attempt.lost or attempt.answer is None or not attempt.final_text:
        return NOT_APPLICABLE
    name, value = attempt.answer
    if isinstance(value, list) and len(value) == 1:
        (value,) = value
    if not isinstance(value, (str, int, float)) or isinstance(value, bool) or not str(value).strip():
        return NOT_APPLICABLE
    statements = [reading for reading in attempt.stated if reading.wrapper not in {"line", "mark"}]
    if not statements or any(reading.doubtful for reading in statements[-1:]):
        return CLEAN
    last, extracted = statements[-1], str(value).strip()
    if same(extracted, last.text) or letter_of(last.text, attempt.options) == extracted.upper():
        return CLEAN
    kind = _fault(attempt, extracted, statements)
    if not kind or (attempt.key is not None and not key_met(attempt, last.text) and not _names_key(attempt, last.text)):
        return CLEAN
    return fired(
        attempt.cite_field(name),
        attempt.cite_final(last.start, last.end),
        detail=f"the verifier read {kind}, and the message settles on '{last.text[:80]}'",
        value=kind,
    )


def _fault(attempt: Attempt, extracted: str, statements: list[AnswerCandidate]) -> str:
    last = statements[-1]
    different = {normal(reading.text) for reading in statements}
    if len(extracted) > max(LONG_MESSAGE, TIMES * len(last.text)):
        return "the whole message" if is_whole_message(attempt, extracted, statements) else ""
    if len(different) == 1 and extracted in last.text and _BRACE in extracted:
        return "a piece of the answer"
    if len(different) == 1 and _is_cut(attempt, extracted, last.text):
        return "a piece of the answer"
    alike = [reading for reading in statements if reading.wrapper == last.wrapper]
    if len(alike) > 1 and same(alike[0].text, extracted):
        return "an earlier answer"
    plain = normal(extracted), normal(last.text)
    if len(different) == 1 and all(map(_PLAIN.fullmatch, plain)) and plain[0] not in normal(attempt.final_text[-2000:]):
        return "words that are not in the message"
    return ""


def _is_cut(attempt: Attempt, extracted: str, stated: str) -> bool:
    """Whether the verifier stopped at a mark inside of an answer, and the key is not met by what it kept."""
    rest = stated[len(extracted) :]
    if not stated.startswith(extracted) or rest[:1] not in _MARKS or sum(map(str.isalpha, rest)) < FEWEST_LETTERS:
        return False
    return attempt.key is not None and not key_met(attempt, extracted)


def _names_key(attempt: Attempt, stated: str) -> bool:
    """Whether an answer has the words of the key in order, and beside them initials and titles alone: "Dr. J. Oak"."""
    accepted = attempt.key.accepted if attempt.key is not None else ()
    spoken = stated.casefold().split()
    full = [word for word in spoken if not _SHORT_FORM.fullmatch(word)]
    forms = (full, [word.rstrip(".") for word in spoken])
    return any(_NAME.fullmatch(text.strip()) and text.casefold().split() in forms for text in accepted)

"""An extracted answer that stops inside a bracket, while the message goes on and closes it.

False alarms: half-open intervals (left alone), and messages that were themselves cut.
"""

from __future__ import annotations

from blade.extract.attempt import Attempt
from blade.findings import CLEAN, NOT_APPLICABLE, Sighting, fired
from blade.late_regex import late_regex

ID = "V03"
FAMILY = "verifier"
TITLE = "answer cut inside a bracket by the verifier"
KIND = "verifier"
EXPLAINS = 71
SUPPORTS = {"TI": 3.0}
RELIABILITY = 1.0
READS = ("model", "verifier")
NEEDS = "answer"

LONGEST = 500
REACH = 300
_PAIRS = {"}": "{", "]": "[", ")": "("}
_INTERVAL = late_regex(r"[\[(][^\[\](){}]*,[^\[\](){}]*[\])]")


def detect(attempt: Attempt) -> Sighting:
    if attempt.answer is None or not attempt.final_text:
        return NOT_APPLICABLE
    name, value = attempt.answer
    if not isinstance(value, str) or not value.strip() or len(value) > LONGEST:
        return NOT_APPLICABLE
    extracted = value.strip()
    if _INTERVAL.fullmatch(extracted):
        return CLEAN
    in_pairs = all(extracted.count(opening) == extracted.count(closing) for closing, opening in _PAIRS.items())
    still_open = None if in_pairs else _open(extracted)
    if not still_open and extracted[-1] not in "+*/=^\\" and not (extracted[-1] == "-" and extracted[-2:-1].isspace()):
        return CLEAN
    if extracted not in attempt.final_text:
        extracted = extracted.replace("\\\\", "\\")  # escaped once more when it was written down
    at = attempt.final_text.rfind(extracted)
    end = _closed(attempt.final_text, at, at + len(extracted)) if at >= 0 else None
    if end is None:
        return CLEAN
    full_answer = attempt.final_text[at:end]
    return fired(
        attempt.cite_field(name),
        attempt.cite_final(at, end),
        detail=f"the verifier took '{extracted[-60:]}' where the message has '{full_answer[-80:]}'",
        value="open bracket" if still_open else "ends on an operator",
    )


def _open(text: str) -> list[str] | None:
    """The brackets still open at the end; None where it closes one that was never opened."""
    stack: list[str] = []
    for sign in text:
        if sign in "{[(":
            stack.append(sign)
        elif sign in _PAIRS:
            if not stack or stack[-1] != _PAIRS[sign]:
                return None
            stack.pop()
    return stack


def _closed(text: str, start: int, end: int) -> int | None:
    """Where the message closes what the extracted part leaves open, on the same stretch of text."""
    for stop in range(end + 1, min(len(text), end + REACH) + 1):
        if text[stop - 1] in _PAIRS and text[stop : stop + 1] not in {"{", "^", "_"} and _open(text[start:stop]) == []:
            return stop
        if text[stop - 1] == "\n":
            return None
    return None

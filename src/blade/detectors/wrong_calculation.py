"""A sum in the agent's messages that does not come out: `12 × 14 = 158`.

Rounding is allowed for, and what is left over in a division. Guarded (G1) where the same sum is put right later.

False alarms: other number systems (left alone where the text speaks of them), and equations that state a condition.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from blade.extract.attempt import Attempt
from blade.findings import CLEAN, NOT_APPLICABLE, Sighting, fired, guarded
from blade.late_regex import late_regex
from blade.model import Step

ID = "K11"
FAMILY = "knowledge"
TITLE = "wrong calculation"
KIND = "knowledge"
EXPLAINS = 20
SUPPORTS = {"UK": 1.0}
RELIABILITY = 0.8
READS = ("model",)

READ = 10_000
_NUM = r"\$?(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)"
_OP = r"\s?(?:\+|-|−|–|\*|×|·|÷|/|\\times|\\cdot|\\div)\s?"
_SUM = late_regex(
    rf"(?<![\w.,^)\]}}(\[{{/*×·÷+=\\%$−–-])(?<![-+*/×·÷=^−–] )"
    rf"((?:{_NUM})(?:{_OP}(?:{_NUM})){{1,6}})\s?([=≈])\s?(-?(?:{_NUM}))"
    r"(?![\d,]*\d|\.\d|\.{2,}|…|\s?[-+*/×·÷^%_(\[{°!\\−–]|[a-zA-Z]|\s(?:[a-zA-Z]\b|[mb]illion|thousand|hundred|dozen)|"
    r"\s?=\s?[^\d])"
)
_EQUALS = late_regex(r"[=≈](?<=[\d\s][=≈])\s?-?\$?\d")
"""A part of every sum, which begins with the rarest of its signs."""
_BEFORE_IT = frozenset(",.$ \t\n\r\f\v+-−–*×·÷/\\timescdov")
"""What may stand in a sum before the sign of equality, beside digits and rarer spaces."""
_PLAIN = str.maketrans("", "", ",$")
_PART = late_regex(rf"({_NUM})|(\+|-|−|–|\*|×|·|÷|/|\\times|\\cdot|\\div)")
_DIVIDES, _MULTIPLIES = late_regex(r"/|÷|div"), late_regex(r"[*×·]|times|cdot")
_OTHER_NUMBERS = late_regex(
    r"\bmod\b|modul(?:o|ar)|\bbase[- ]?\d|binary|hexadecimal|octal|\bclock\b|\bXOR\b|operator|≡|symbol|pattern|redefin|"
    r"puzzle|wrong|incorrect|mistake|instead of|not equal",
    re.IGNORECASE,
)


def detect(attempt: Attempt) -> Sighting:
    messages = [step for step in attempt.messages if "=" in step.text or "≈" in step.text]
    if not messages:
        return NOT_APPLICABLE
    checked, wrong = False, None
    right: set[str] = set()
    for step in messages:
        for match in _sums(step.text):
            value = _value(match.group(1))
            if value is None:
                continue
            checked = True
            if _comes_out(match.group(1), value, match.group(3), is_near=match.group(2) == "≈"):
                right.add(_plain(match.group(1)))
            elif wrong is None and not _OTHER_NUMBERS.search(step.text[max(0, match.start() - 200) : match.end() + 60]):
                wrong = (step, match, value)
    if wrong is None:
        return CLEAN if checked else NOT_APPLICABLE
    if _OTHER_NUMBERS.search(attempt.task_text[-READ:]):
        return CLEAN
    sighting = _sighting(attempt, *wrong)
    return guarded(sighting, "G1") if _plain(wrong[1].group(1)) in right else sighting


def _sums(text: str) -> Iterator[re.Match[str]]:
    """Every sum in the first part of a text. Only what leads up to a sign of equality is read."""
    end = 0
    for sign in _EQUALS.finditer(text, 0, READ):
        begin = sign.start()
        while begin > end and (
            text[begin - 1] in _BEFORE_IT or text[begin - 1].isdecimal() or text[begin - 1].isspace()
        ):
            begin -= 1
        for at in range(begin, sign.start()):
            match = _SUM.match(text, at, READ) if text[at] == "$" or text[at].isdecimal() else None
            if match:
                end = match.end()
                yield match
                break


def _sighting(attempt: Attempt, step: Step, match: re.Match[str], value: float) -> Sighting:
    detail = f"writes {match.group(0).strip()}; it is {value:.10g}"
    return fired(attempt.cite(step, match.start(), match.end()), detail=detail)


def _value(text: str) -> float | None:
    """The value of a chain of numbers and signs, products before sums; None for a division by zero."""
    parts = [(match[1], match[2]) for match in _PART.finditer(text)]
    total, product, sign = 0.0, 0.0, 1.0
    operator = "+"
    for number, symbol in parts:
        if symbol:
            operator = {
                "−": "-",
                "–": "-",
                "×": "*",
                "·": "*",
                "\\times": "*",
                "\\cdot": "*",
                "÷": "/",
                "\\div": "/",
            }.get(symbol, symbol)
            continue
        read = float(number.translate(_PLAIN))
        if operator in "+-":
            total += sign * product
            product, sign = read, (1.0 if operator == "+" else -1.0)
        elif operator == "*":
            product *= read
        elif read == 0:
            return None
        else:
            product /= read
    return total + sign * product


def _comes_out(left: str, value: float, stated_result: str, *, is_near: bool) -> bool:
    """Whether the result is right: rounded or cut as it is written, and for products as far as their parts may be."""
    plain_result = stated_result.translate(_PLAIN)
    decimals = len(plain_result.partition(".")[2])
    off = abs(value - float(plain_result))
    divides, multiplies = _DIVIDES.search(left) is not None, _MULTIPLIES.search(left) is not None
    if (divides and not decimals and off < 1) or (is_near and off <= max(0.01 * abs(value), 2 * 10.0**-decimals)):
        return True
    if off <= max(1.01 * 10**-decimals if decimals else 1e-9, 1e-9 * abs(value)):
        return True
    if not decimals or is_near:
        return "." in left and off <= max(0.51, 0.005 * abs(value))
    return (divides or multiplies) and "." in left and off <= 0.005 * abs(value)


def _plain(text: str) -> str:
    return re.sub(r"[\s,]", "", text)

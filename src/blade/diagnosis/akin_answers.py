"""Whether a passing answer that is not the key may say the same: then no verifier is at fault."""

from __future__ import annotations

import re

from blade.diagnosis.answer_groups import Given
from blade.extract.answer_kind import NONE, TEXT
from blade.extract.equivalent import value_of
from blade.late_regex import late_regex

NEARLY = 0.01
_NUMBER = late_regex(r"-?\d[\d,]*(?:\.\d+)?(?:/\d[\d,]*)?")
_POWER = late_regex(r"\s*(?:\\times|\\cdot|[×x·*])\s*10\s*\^\s*\{?\s*(-?\d+)\s*\}?")
_FORMULA = late_regex(r"[\\^_={}]|\d[A-Za-z(]|[A-Za-z)]\d|[a-z]\(")
_OPERATOR = late_regex(r"[\\^_={}+*/]")
_COMMAND = late_regex(r"\\(?:text|mathrm|rm|,|;|!| )")
_LETTERS = late_regex(r"[A-Za-zµμΩ°%]+")
_WHOLE = late_regex(r"-?\d[\d,]*")


def is_akin(entry: Given) -> bool:
    """Whether a lenient verifier may well take an answer for the key.

    It has words in common with the key, a number nearly as large or in another unit, or is a formula written otherwise.
    """
    if entry.seen.get("key_kind") == NONE:  # that can be said in many ways: only a plain number contradicts it
        return value_of(entry.text) is None
    wanted = [value for key in entry.key if (value := value_of(key)) is not None]
    if wanted:
        shown = _numbers(entry.text)
        near = any(abs(one - float(value)) <= NEARLY * abs(value) for one in shown for value in wanted)
        return near or not shown or _OPERATOR.search(entry.text) is not None
    measures = [measure for key in entry.key if (measure := _measure(key))]
    if measures:
        shown, units = _numbers(entry.text), _units(entry.text)
        near = any(abs(one - value) <= NEARLY * abs(value) for one in shown for value, _ in measures)
        return near or not shown or units not in {unit for _, unit in measures}
    if any(_FORMULA.search(text) for text in (entry.text, *entry.key)):
        return True
    if entry.seen.get("key_kind") != TEXT:
        return False
    words = [set(re.findall(r"\w{3,}", text.casefold())) for text in (entry.text, " ".join(entry.key))]
    return not words[1] or not words[0].isdisjoint(words[1])


def is_other_count(entry: Given) -> bool:
    """Whether answer and key are whole numbers, nearly as large and not the same."""
    texts = (entry.text.strip(), entry.key[0].strip())
    if not all(_WHOLE.fullmatch(text) for text in texts):
        return False
    given, wanted = (int(text.replace(",", "")) for text in texts)
    return given != wanted and abs(given - wanted) <= NEARLY * abs(wanted)


def _numbers(text: str) -> list[float]:
    """The numbers of a text; fractions and powers of ten are worked out."""
    numbers = []
    for match in _NUMBER.finditer(text):
        value = value_of(match[0].replace(",", ""))
        power = _POWER.match(text, match.end())
        if value is not None:
            numbers.append(float(value) * 10.0 ** min(int(power[1]), 99) if power else float(value))
    return numbers


def _measure(key: str) -> tuple[float, str] | None:
    """A number with a unit; None for anything else."""
    match = _NUMBER.match(key.strip())
    numbers = _numbers(key) if match else []
    unit = _units(key)
    return (numbers[0], unit) if len(numbers) == 1 and unit else None


def _units(text: str) -> str:
    return "".join(_LETTERS.findall(_COMMAND.sub("", _POWER.sub("", text)))).casefold()

"""Numbers in the final message that stand nowhere before it and follow from no two numbers that do.

At least two numbers of three or more digits, absent from the prompt and from every earlier step, and neither the sum,
difference, product, quotient nor rounding of earlier ones. Only where tools gave something to rest on.

False alarms: arithmetic in more than one step, done in the head. It is a symptom and explains no failure.
"""

from __future__ import annotations

from bisect import bisect_left
from itertools import islice

from blade.extract.attempt import Attempt
from blade.extract.own_claims import prose
from blade.extract.prefilter import holds_any
from blade.extract.transcript import arguments_text
from blade.findings import CLEAN, NOT_APPLICABLE, Sighting, fired
from blade.late_regex import late_regex
from blade.model import StepKind

ID = "B10"
FAMILY = "behaviour"
TITLE = "numbers without a source"
KIND = "behaviour"
EXPLAINS = 0
SUPPORTS = {"BI": 1.0, "KG": 0.5}
RELIABILITY = 0.6
READS = ("task", "model", "tool")
NEEDS = "answers"

_NUMBER = late_regex(r"(?<![\w.,/:#-])\d{1,3}(?:,\d{3})+(?:\.\d+)?(?![\w/:-])|(?<![\w.,/:#-])\d+(?:\.\d+)?(?![\w/:-])")
_LONG = late_regex(r"[\d.,]{3,}")
"""What every number of three digits stands in, no two in the same."""
_FEWEST = 2
_TARGETS = 12
_SOURCES = 300
_READ = 20_000
_CLOSE = 6e-4


def detect(attempt: Attempt) -> Sighting:
    final = attempt.closing
    if final is None or not attempt.answered:
        return NOT_APPLICABLE
    words, base = prose(final.text)
    spans = _long_numbers(words)
    if len(spans) < _FEWEST:
        return CLEAN
    earlier = [step.text for step in attempt.prompt]
    for step in attempt.steps:
        if step is final:
            break
        earlier.append(arguments_text(step.arguments) if step.kind is StepKind.CALL else step.text)
    earlier_text = "\n".join(earlier)
    unseen = [(start, end) for start, end in spans if not _stands(words[start:end], earlier_text)]
    if len(unseen) < _FEWEST:
        return CLEAN
    numbers = _numbers_before(earlier)
    loose = [(s, e) for s, e in unseen if not _follows(float(words[s:e].replace(",", "")), numbers)]
    if len({words[s:e] for s, e in loose}) < _FEWEST:
        return CLEAN
    examples = ", ".join(words[s:e] for s, e in loose[:3])
    cites = [attempt.cite(final, base + s, base + e) for s, e in loose]
    return fired(*cites, detail=f"states {examples}, which no earlier step holds or yields")


def _long_numbers(words: str) -> list[tuple[int, int]]:
    """The first numbers of three digits or more: each fills what is written like a number from its first character."""
    numbers = (_NUMBER.match(words, place.start()) for place in _LONG.finditer(words))
    long_ones = ((match.start(), match.end()) for match in numbers if match and _digits(match.group(0)) >= 3)
    return list(islice(long_ones, _TARGETS))


def _digits(number: str) -> int:
    return len(number.replace(",", "").replace(".", "").strip("0"))


def _stands(number: str, earlier: str) -> bool:
    plain = number.replace(",", "")
    grouped = f"{int(plain):,}" if plain.isdecimal() and len(plain) < 18 else number
    return holds_any(earlier, {number, plain, grouped})


def _numbers_before(earlier: list[str]) -> list[float]:
    numbers: set[float] = {100.0, 12.0, 24.0, 60.0, 1000.0, 365.0, 2.0}
    for text in reversed(earlier):
        for match in _NUMBER.finditer(text[-_READ:]):
            numbers.add(float(match.group(0).replace(",", "")))
            if len(numbers) >= _SOURCES:
                return sorted(numbers)
    return sorted(numbers)


def _follows(target: float, numbers: list[float]) -> bool:
    if _near(target, numbers) or _near(target / 100, numbers) or _near(target * 100, numbers):
        return True
    for number in numbers:
        if _near(target - number, numbers) or _near(number - target, numbers) or _near(target + number, numbers):
            return True
        if number and (_near(target / number, numbers) or _near(target * number, numbers)):
            return True
        if target and _near(number / target, numbers):
            return True
    return False


def _near(value: float, numbers: list[float]) -> bool:
    if value <= 0:
        return False
    at = bisect_left(numbers, value * (1 - _CLOSE))
    return at < len(numbers) and numbers[at] <= value * (1 + _CLOSE)

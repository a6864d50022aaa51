"""How a wrong value differs from the right one: by a factor, a sign, a step, a rounding, by words around it.

Small whole numbers are twice or next to one another by chance. So each class is held against the same values beside
the keys of other tasks: what is no more common here than there is told of nobody.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from decimal import ROUND_HALF_DOWN, ROUND_HALF_UP, Context, Decimal
from fractions import Fraction
from functools import lru_cache
from typing import TypeVar

import numpy as np

from blade.diagnosis.cases import Case
from blade.extract.answer_kind import CHOICE
from blade.extract.comparisons import GOT
from blade.extract.recorded_results import NUMBER as WRITTEN_OTHERWISE
from blade.extract.recorded_results import ROUNDING
from blade.extract.same_answer import bare, normal
from blade.extract.value_pairs import NUMBER
from blade.frozen import frozen
from blade.late_regex import late_regex
from blade.stats.exact_sums import Law, upper_tail

HUNDRED, POWER, SIGN, ROUNDED, ONE_OFF, TWICE = "hundred", "power_of_ten", "sign", "rounded", "one_off", "twice_or_half"
PARTS, COMPLEMENT = "parts_of_a_fraction", "complement"
MORE_WORDS, FEWER_WORDS, OTHER, EQUAL = "more_words", "fewer_words", "other", "equal"
NUMBER_CLASSES = (HUNDRED, POWER, SIGN, ROUNDED, PARTS, COMPLEMENT, ONE_OFF, TWICE)
TEXT_CLASSES = (MORE_WORDS, FEWER_WORDS)
ARGUMENT, ANSWER, RESULT = "argument", "answer", "result"
"""What the value is: an argument of a call, the answer of the rollout, the result of a test."""
LARGEST_POWER = 12
SMALLEST_STEP = 3
CLOSE = 100
"""A rounded value is nearer to its key than the key divided by this."""
CLOSE_IN_FIGURES, FEWEST_FIGURES = 20, 2
"""One with fewer significant figures, two at least, is nearer than the key divided by this."""
FEWEST_LIKE = 3
SMALLEST_RESULT = 3
MOST_UNITS, MOST_KEYS = 1000, 100
"""So many values are held against so many keys of other tasks, spread evenly over all."""
LONGEST = 80
_PLAIN = late_regex(r"-?\d+(?:\.\d+)?(?:e[+-]?\d{1,3})?", re.ASCII)
_FRACTION = late_regex(r"\(?(-?\d{1,12})\)?/\(?(\d{1,12})\)?", re.ASCII)
Item = TypeVar("Item")
_TESTED = frozenset({"==", GOT})
BY_VALUE = frozenset({ROUNDING, WRITTEN_OTHERWISE})
"""Results that are right but for how they are written."""
_WORD = late_regex(r"\w+")


@frozen
class ValuePair:
    """What a rollout gave and what was right, one or more of it, as both are written."""

    case: Case
    kind: str
    source: str
    name: str
    actual: tuple[str, ...]
    expected: tuple[str, ...]
    is_right: bool = False

    @property
    def differs(self) -> str:
        """The class of the difference; EQUAL where there is none."""
        return EQUAL if self.is_right else class_of(self.kind, self.actual, self.expected)

    @property
    def example(self) -> tuple[str, str]:
        """The given value and the right one from which the class is read."""
        pairs = list(zip(self.actual, self.expected, strict=True))
        return next((pair for pair in pairs if class_of(self.kind, pair[:1], pair[1:]) != OTHER), pairs[0])


def value_pair_of(case: Case) -> ValuePair | None:
    """The one value of a rollout that is known beside the right one: of a call, the answer, or of a test."""
    return _argument(case) or answer_pair_of(case) or _result(case)


def _argument(case: Case) -> ValuePair | None:
    record = case.observed.get("value_pair")
    if not record:
        return None
    name, kind, pairs = record
    actual, expected = zip(*pairs, strict=True)
    return _pair(case, kind, ARGUMENT if name else RESULT, name, actual, expected)


def answer_pair_of(case: Case) -> ValuePair | None:
    """The answer beside the key where both are numbers and no choice among options."""
    answer = case.observed.get("answer") or {}
    actual, keys = answer.get("text", ""), tuple(answer.get("key") or ())
    if "raw" in answer:  # the verifier made another number of it than it says
        return None
    if "letter" in answer or CHOICE in (answer.get("kind"), answer.get("key_kind")) or number_of(actual) is None:
        return None
    if not keys or any(number_of(key) is None for key in keys):
        return None
    return _pair(case, NUMBER, ANSWER, "", (actual,) * len(keys), keys, bool(answer.get("meets")))


def _result(case: Case) -> ValuePair | None:
    """The result of a test; what differs in its last places alone is told with the results that tests record."""
    result = case.observed.get("result") or {}
    sides = [(result.get("got", ""), result.get("expected", ""))] if result.get("kind") not in BY_VALUE else []
    sides += [
        (compared[0], compared[2])
        for compared in case.observed.get("compared") or ()
        if len(compared) == 3 and compared[1] in _TESTED
    ]
    is_stated = "stated" in result
    for actual, expected in sides:
        if is_stated and _are_small(actual, expected):
            continue
        if number_of(actual) is not None and number_of(expected) is not None:
            return _pair(case, NUMBER, RESULT, "", (actual,), (expected,))
    return None


def _are_small(*values: str) -> bool:
    """Whether results are whole numbers of a digit or two: of a list of such one is often next to another."""
    return all(value.strip().isdigit() and len(value.strip()) < SMALLEST_RESULT for value in values)


def _pair(
    case: Case,
    kind: str,
    source: str,
    name: str,
    actual: tuple[str, ...],
    expected: tuple[str, ...],
    meets: bool = False,
) -> ValuePair:
    equal = any(number_of(value) == number_of(key) for value, key in zip(actual, expected, strict=True))
    return ValuePair(case, kind, source, name, actual, expected, meets or (kind == NUMBER and equal))


@lru_cache(maxsize=8192)
def number_of(text: str) -> Fraction | None:
    """The exact value of a number as it is written, a unit or a sign of per cent off; None for anything else."""
    plain = _plain_number(text)
    if plain is None:
        return None
    if quotient := _FRACTION.fullmatch(plain):
        return Fraction(int(quotient[1]), int(quotient[2])) if int(quotient[2]) else None
    return Fraction(plain)


def _plain_number(text: str) -> str | None:
    if len(text) > LONGEST or not any(map(str.isdigit, text)):
        return None
    plain = normal(text)
    for form in (plain, bare(plain) or ""):
        if _PLAIN.fullmatch(form) or _FRACTION.fullmatch(form):
            return form
    return None


@lru_cache(maxsize=65536)
def class_of(kind: str, actual: tuple[str, ...], expected: tuple[str, ...]) -> str:
    """How a value differs from what would be right; of several right ones the first that it differs from in a way."""
    classify = _number_class if kind == NUMBER else _text_class
    classes = (classify(value, key) for value, key in zip(actual, expected, strict=True))
    return next((name for name in classes if name != OTHER), OTHER)


@lru_cache(maxsize=65536)
def _number_class(actual_text: str, expected_text: str) -> str:
    """In whole numbers over one denominator: fractions are far slower, and each value is held against many keys."""
    actual, expected = number_of(actual_text), number_of(expected_text)
    if actual is None or expected is None or not actual or not expected:
        return OTHER
    (above, below), (key_above, key_below) = actual.as_integer_ratio(), expected.as_integer_ratio()
    value, key, one = above * key_below, key_above * below, below * key_below
    if abs(value) == abs(key):
        return OTHER if value == key else SIGN
    smaller, larger = sorted((abs(value), abs(key)))
    same_sign = (value > 0) is (key > 0)
    if same_sign and larger % smaller == 0 and (power := _power_of_ten(larger // smaller)):
        return HUNDRED if power == 2 else POWER
    if one != 1 and CLOSE * abs(value - key) < abs(key) and _agree_so_far(actual_text, expected_text):
        return ROUNDED
    if same_sign and CLOSE_IN_FIGURES * abs(value - key) < abs(key) and _is_in_figures(actual_text, expected_text):
        return ROUNDED
    if key_below == 1 and below > 1 and same_sign and key_above in _sums_of_parts(actual_text, actual):
        return PARTS
    if value > 0 and value + key == one:
        return COMPLEMENT
    if abs(value - key) == one and key_below == 1 and min(value, key) >= SMALLEST_STEP * one:
        return ONE_OFF
    return TWICE if same_sign and larger == 2 * smaller else OTHER


def _sums_of_parts(text: str, value: Fraction) -> set[int]:
    """What the two numbers of a fraction add up to, as it is written and in lowest terms."""
    written = _FRACTION.fullmatch(_plain_number(text) or "")
    return {sum(value.as_integer_ratio())} | ({int(written[1]) + int(written[2])} if written else set())


def _power_of_ten(factor: int) -> int:
    """The power of ten that a number is; 0 where it is none."""
    digits = str(factor) if factor < 10 ** (LARGEST_POWER + 1) else ""
    return len(digits) - 1 if digits.rstrip("0") == "1" else 0


def _agree_so_far(actual_text: str, expected_text: str) -> bool:
    """Whether two numbers agree as far as the one with fewer places says."""
    actual, expected = number_of(actual_text), number_of(expected_text)
    places = min(_places(actual_text), _places(expected_text))
    return actual is not None and expected is not None and abs(actual - expected) < Fraction(1, 10**places)


def _is_in_figures(actual_text: str, expected_text: str) -> bool:
    """Whether a number is the other one in fewer significant figures, two at least."""
    actual, expected = _figures(actual_text), _figures(expected_text)
    if actual is None or expected is None:
        return False
    digits, key_digits = (len(number.as_tuple().digits) for number in (actual, expected))
    figures = max(digits, FEWEST_FIGURES)
    return figures < key_digits and any(
        Context(prec=figures, rounding=rounding).plus(expected) == actual
        for rounding in (ROUND_HALF_UP, ROUND_HALF_DOWN)
    )


def _figures(text: str) -> Decimal | None:
    """A number without the zeros at its end; None for a quotient."""
    plain = _plain_number(text) or "/"
    return None if "/" in plain else Decimal(plain).normalize()


def _places(text: str) -> int:
    """The places behind the point; those of a quotient have no end."""
    plain = _plain_number(text) or ""
    if "/" in plain or "e" in plain:
        return LARGEST_POWER
    return min(LARGEST_POWER, len(plain.partition(".")[2]))


def _text_class(actual: str, expected: str) -> str:
    words, key_words = _WORD.findall(actual.casefold()), _WORD.findall(expected.casefold())
    if not key_words or not words or actual.endswith("…") or expected.endswith("…"):
        return OTHER
    if len(words) > len(key_words):
        return MORE_WORDS if _holds(words, key_words) else OTHER
    return FEWER_WORDS if len(words) < len(key_words) and _holds(key_words, words) else OTHER


def _holds(words: Sequence[str], part: Sequence[str]) -> bool:
    return any(list(words[place : place + len(part)]) == list(part) for place in range(len(words) - len(part) + 1))


def chance(pairs: Sequence[ValuePair]) -> dict[str, float]:
    """Class → how likely so many values differ so from keys of other tasks, drawn for each among those of like size.

    A value that several rollouts of a task give counts once. One that has few keys of like size beside it differs so as
    often as all values do from theirs.
    """
    units = _spread(list({(pair.case.key, pair.actual, pair.expected): pair for pair in pairs}.values()), MOST_UNITS)
    pools = _keys_by_size(units)
    comparisons: list[tuple[ValuePair, int, Counter[str]]] = []
    for unit in units:
        other_keys = _keys_of_others(unit, pools)
        classify = _number_class if unit.kind == NUMBER else _text_class
        comparisons.append((unit, len(other_keys), Counter([classify(unit.actual[0], key) for key in other_keys])))
    laws: defaultdict[str, list[Law]] = defaultdict(list)
    for kind, names in ((NUMBER, NUMBER_CLASSES), (None, TEXT_CLASSES)):
        of_kind = [entry for entry in comparisons if (entry[0].kind == NUMBER) is (kind == NUMBER)]
        keys = sum(key_count for _, key_count, _ in of_kind)
        for name in names if of_kind else ():
            usual = (sum(hits[name] for *_, hits in of_kind) + 0.5) / (keys + 1)
            laws[name] = [_yes_or_no((hits[name] + usual) / (key_count + 1)) for _, key_count, hits in of_kind]
    counts = Counter(unit.differs for unit in units)
    tails = {name: upper_tail(of_class, counts[name]) for name, of_class in laws.items() if counts[name]}
    return {name: min(1.0, tail * len(laws)) for name, tail in tails.items() if tail is not None}


@lru_cache(maxsize=1024)
def _yes_or_no(share: float) -> Law:
    """One with this chance, else nothing. Most units have as many keys beside theirs, and few hits among these."""
    return Law(np.array([0, 1]), np.array([1 - share, share]), 1)


Pools = Mapping[object, Mapping[str, str]]


def _keys_by_size(units: Iterable[ValuePair]) -> Pools:
    """Size → task → its first key; under the kind those of every size."""
    pools: defaultdict[object, dict[str, str]] = defaultdict(dict)
    for unit in units:
        for size in (unit.kind, _size(unit)):
            pools[size].setdefault(unit.case.key, unit.expected[0])
    return pools


def _keys_of_others(unit: ValuePair, pools: Pools) -> list[str]:
    for size in (_size(unit), unit.kind):
        other_keys = [key for task, key in pools[size].items() if task != unit.case.key]
        if len(other_keys) >= FEWEST_LIKE:
            break
    return _spread(other_keys, MOST_KEYS)


def _size(unit: ValuePair) -> object:
    """Numbers with as many digits and, like it, with a fraction or without; all texts."""
    value = number_of(unit.expected[0]) if unit.kind == NUMBER else None
    if value is None:
        return unit.kind
    return value.denominator == 1, len(str(abs(value.numerator))) - len(str(value.denominator))


def _spread(items: Sequence[Item], limit: int) -> list[Item]:
    """All of a few items, and of many so many, evenly spread."""
    return list(items) if len(items) <= limit else [items[place * len(items) // limit] for place in range(limit)]

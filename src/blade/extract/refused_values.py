"""What a verifier says of one named value, held against the request: who is to blame for the difference.

A verifier that compares calls or fields names the parameter that it refuses, the value that it wants and the one that
it got. That alone is a difference from the key. Beside the request it tells more: the two are one value, the request
holds the value that is refused and nowhere the one that is wanted, or it holds the one that the model left out.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from math import isclose
from typing import Any

from blade.extract.attempt import Attempt
from blade.extract.text import clip, squeeze
from blade.extract.verifier_words import complaints
from blade.late_regex import late_regex

EQUAL, NOT_GIVEN, LEFT_OUT, WRONG_TYPE = "equal", "not_given", "left_out", "wrong_type"
LONGEST = 80
DEEPEST = 8
PER_CENT = 100
_NAME = r"(?:parameter|argument|field|property|attribute)s?:? [\"'`](?P<name>[\w.$-]{1,60})[\"'`]"
_REFUSED = late_regex(
    _NAME + r"[:,]? (?:value )?(?P<got>\S.{0,300}?)[.,;]? expected (?:one of )?(?P<wanted>\S.{0,300})", re.IGNORECASE
)
_ABSENT = late_regex(
    _NAME + r" (?:is |was )?(?:not provided|not given|missing|left out|absent|required)|"
    r"missing (?:required |optional )?" + _NAME.replace("name", "lacking"),
    re.IGNORECASE,
)
_TYPE = late_regex(
    _NAME + r".{0,40}?expected (?:outer )?(?:type|a|an) (?P<wanted>.{1,80}?)[.,].{0,40}?value:? (?P<got>.+)",
    re.IGNORECASE,
)
BOTH = late_regex(
    r"\bexpected:? (?P<wanted>\S.{0,600}?),? (?:but )?(?:got|was|received|found):? (?P<got>\S.{0,600})", re.IGNORECASE
)
_BROKEN_NUMBER = late_regex(r"\b(?:float|double|number|decimal|real)\b", re.IGNORECASE)
_NO_TEXT = late_regex(
    r"\b(?:int|integer|long|short|float|double|number|bool|boolean|array|list|dict|object)\b", re.IGNORECASE
)
_NUMBER = late_regex(r"(?<![\w.])-?\d+(?:,\d{3})*(?:\.\d+)?(?![\w]|\.\d)")
_FORM = late_regex(
    r"\bformat|\be\.?g\b|\bsuch as\b|\bexample|\blike\b|\bdecimal|\bfraction|\bratio\b|\bbetween 0\b|\b0 to 1\b",
    re.IGNORECASE,
)
"""A description that tells how the value is to be written."""
_CODE = late_regex(r"[A-Z]{2,5}")
_BETWEEN = late_regex(r"[.:/]")
_WORDS = late_regex(r"[A-Z]?[a-z]+|[A-Z]+|\d+")
_PERCENT = late_regex(r"\bper ?cent|%", re.IGNORECASE)


def refused_value(attempt: Attempt) -> dict[str, Any]:
    """Under `refused` the kind, the parameter, what was wanted, what was given; nothing where words tell no more."""
    if not attempt.lost:
        return {}
    for text in complaints(attempt):
        verdict = _equal(text) or _of_type(attempt, text) or _of_value(attempt, text) or _of_absence(attempt, text)
        if verdict:
            kind, name, wanted, got = verdict
            return {"refused": [kind, name, clip(wanted, LONGEST), clip(got.rstrip(". "), LONGEST)]}
    return {}


Verdict = tuple[str, str, str, str]


def _equal(text: str) -> Verdict | None:
    """The verifier writes down one value twice and calls it two."""
    match = BOTH.search(text)
    if match is None:
        return None
    wanted, got = squeeze(match["wanted"]), squeeze(match["got"])
    same = got == wanted or got.startswith((f"{wanted}.", f"{wanted} ", f"{wanted},", f"{wanted};"))
    return (EQUAL, "", wanted, wanted) if same and len(wanted) > 1 else None


def _of_type(attempt: Attempt, text: str) -> Verdict | None:
    match = _TYPE.search(text)
    if match is None:
        return None
    value = _literal(match["got"].rstrip(". "))
    if _BROKEN_NUMBER.search(match["wanted"]) and _whole(value):
        return EQUAL, match["name"], match["wanted"], match["got"]
    quoted = re.compile(rf"\b{re.escape(match['name'])}[\"']?\s*[:=]\s*[\"']{re.escape(str(value))}[\"']")
    if isinstance(value, str) and _NO_TEXT.search(match["wanted"]) and quoted.search(attempt.final_text):
        return WRONG_TYPE, match["name"], match["wanted"], match["got"]
    return None


def _of_value(attempt: Attempt, text: str) -> Verdict | None:
    match = _REFUSED.search(text)
    if match is None:
        return None
    name = match["name"]
    expected = _first_value(match["wanted"])
    got, wanted = _literal(match["got"]), _literal(expected)
    choices = wanted if isinstance(wanted, list) else [wanted]
    if any(_is_one(got, choice) for choice in choices):
        return EQUAL, name, expected, match["got"]
    description = _description(attempt, name)
    if not _may_be_told(got, choices) or not _stands(attempt.task_text, got):
        return None
    if not _as_described(attempt, description, got):
        return None
    if isinstance(got, str):
        told = f"{attempt.task_text}\n{description}"
        unheard = not any(_stands(told, choice) or _is_put_together(told, choice) for choice in choices)
    else:
        unheard = any(_per_cent(got, choice) for choice in choices)
    return (NOT_GIVEN, name, expected, match["got"]) if unheard else None


def refused_argument(text: str) -> tuple[str, Any, list[Any]] | None:
    """The name of the argument that a message refuses, the value given and those that would be right.

    None where the message does not write both as values: as quoted texts, as numbers, as lists of such.
    """
    match = _REFUSED.search(text)
    if match is None:
        return None
    try:
        got, wanted = (ast.literal_eval(side.strip()) for side in (match["got"], _first_value(match["wanted"])))
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None
    return match["name"], got, wanted if isinstance(wanted, list) else [wanted]


def _of_absence(attempt: Attempt, text: str) -> Verdict | None:
    match = _ABSENT.search(text)
    name = match and (match["name"] or match["lacking"])
    if not name or not attempt.task_text:
        return None
    wanted = [value for value in _key_values(attempt.row, name, 0) if value not in ("", None)]
    if not wanted or any(isinstance(value, bool) for value in wanted):
        return None
    shown = next((value for value in wanted if _is_told(attempt.task_text, value)), None)
    kind = NOT_GIVEN if shown is None else LEFT_OUT
    return kind, name, str(wanted[0] if shown is None else shown), ""


def _may_be_told(got: Any, choices: Sequence[Any]) -> bool:
    """Whether these are values that a request can hold word for word: no flags, no codes that one knows for a name."""
    plain = not any(isinstance(value, bool) or value in ("", None, []) for value in (got, *choices))
    return plain and not any(isinstance(value, str) and _CODE.fullmatch(value) for value in choices)


def _as_described(attempt: Attempt, description: str, got: Any) -> bool:
    """Whether the value has the form that the tool's description asks for; true where it asks for none."""
    if _PERCENT.search(description) and isinstance(got, (int, float, list)):
        numbers = got if isinstance(got, list) else [got]
        return all(_stands_in_per_cent(attempt.task_text, number) for number in numbers)
    return not _FORM.search(description) or (isinstance(got, str) and _stands(description, got))


def _per_cent(got: Any, wanted: Any) -> bool:
    """Whether two numbers, or all of two lists, are one share: in per cent and as a part of one."""
    if isinstance(got, list) and isinstance(wanted, list) and len(got) == len(wanted):
        return bool(got) and all(map(_per_cent, got, wanted))
    numbers = [value for value in (got, wanted) if isinstance(value, (int, float)) and not isinstance(value, bool)]
    return len(numbers) == 2 and isclose(got, PER_CENT * wanted)


def _stands_in_per_cent(text: str, value: Any) -> bool:
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        return False
    return re.search(rf"(?<![\d.]){value:g}\s?(?:%|per ?cent)", text) is not None


def _stands(text: str, value: Any) -> bool:
    """Whether a text holds a value: a number as a number, each part of a list, a word as a whole one."""
    if isinstance(value, (list, tuple)):
        return bool(value) and all(_stands(text, part) for part in value)
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return any(float(number.replace(",", "")) == value for number in _NUMBER.findall(text))
    plain = squeeze(str(value)).casefold()
    return bool(plain) and re.search(rf"(?<!\w){re.escape(plain)}(?!\w)", squeeze(text).casefold()) is not None


def _is_put_together(text: str, value: Any) -> bool:
    """Whether a value is one name made of words that the text holds one by one: `Shelf.TOP`, `glassJar`."""
    if not isinstance(value, str) or " " in value:
        return False
    parts = [part for part in _BETWEEN.split(value) if part]
    words = [word for part in parts for word in ([part] if _stands(text, part) else _WORDS.findall(part))]
    return len(words) > 1 and all(_stands(text, word) for word in words)


def _is_told(text: str, value: Any) -> bool:
    """Whether a text holds a value as it is, or a share of one in per cent."""
    share = PER_CENT * value if isinstance(value, float) else None
    return _stands(text, value) or (share is not None and _stands_in_per_cent(text, round(share, 6)))


def _is_one(first: Any, second: Any) -> bool:
    if isinstance(first, bool) or isinstance(second, bool):
        return False
    return bool(first == second) or (
        isinstance(first, str) and isinstance(second, str) and squeeze(first) == squeeze(second)
    )


def _whole(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return bool(value) and all(map(_whole, value))
    return isinstance(value, int) and not isinstance(value, bool)


def _literal(text: str) -> Any:
    try:
        return ast.literal_eval(text.strip())
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return text.strip().strip("'\"")


def _first_value(text: str) -> str:
    """The list at the beginning of a text, or its first words up to a full stop."""
    if not text.startswith("["):
        return text.split(". ", maxsplit=1)[0].rstrip(".")
    return text[: text.rfind("]") + 1]


def _description(attempt: Attempt, name: str) -> str:
    """What the tools say of a parameter, all of its schema."""
    return " ".join(str(schema) for schema in _schemas(attempt.row.get("responses_create_params"), name, 0))


def _schemas(value: Any, name: str, depth: int) -> Iterator[Any]:
    if depth > DEEPEST or not isinstance(value, (dict, list)):
        return
    if isinstance(value, dict) and isinstance(properties := value.get("properties"), dict) and name in properties:
        yield properties[name]
    for inner in value.values() if isinstance(value, dict) else value:
        yield from _schemas(inner, name, depth + 1)


def _key_values(value: Any, name: str, depth: int) -> Iterator[Any]:
    """Values that the row holds under this name, outside of what the model was given and gave."""
    if depth > DEEPEST:
        return
    if isinstance(value, list):
        for inner in value:
            yield from _key_values(inner, name, depth + 1)
    elif isinstance(value, dict):
        for key, inner in value.items():
            if depth == 0 and key in {"responses_create_params", "response"}:
                continue
            if key == name and not isinstance(inner, dict):
                yield from inner if isinstance(inner, list) else [inner]
            else:
                yield from _key_values(inner, name, depth + 1)

"""What a test got and what it expected, where the verifier records both side by side, and how the two differ.

Graders of code keep one record of the test that failed: its input, the output of the program, the output expected.
"""

from __future__ import annotations

import ast
import math
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from blade.extract.attempt import Attempt
from blade.extract.names import words
from blade.extract.quantities import is_same_quantity
from blade.extract.text import clip
from blade.late_regex import late_regex

NOTHING, NO_VALUE, ROUNDING, LETTERS, SPACES = "nothing", "no_value", "rounding", "letters", "spaces"
REORDERED, CUT_SHORT, TIME, NUMBER, UNIT, OTHER = "order", "cut_short", "time", "number", "unit", "other"
"""How a result differs: there is none; the program returned no value; its numbers agree but for the last places; only
capital letters, only spaces, only the order differ; it is the beginning of what was expected; a time limit
came first; the number expected stands there in other signs, or in another unit; anything else."""
DEEPEST = 4
WIDEST = 20
LONGEST = 80
LONGEST_CODE = 40_000
SHORTEST_INPUT = 5
CLOSE = 1e-6
FEWEST_DIGITS, THOUSAND = 3, 3
_BLANKS = late_regex(r"[\s'’_]")
_NUMBER = late_regex(
    r"(?<![\w.,])[-−]?(?:\d{1,3}(?:([.,'’  _ ])\d{3})(?:\1\d{3})*(?:(?!\1)[.,]\d+)?|\d+(?:[.,]\d+)?)(?![\w]|[.,]\d)"
)
_HEAVY = frozenset({"responses_create_params", "response"})
_GOT = ("output", "got", "actual", "actual_output", "received", "stdout", "saw", "seen", "have", "found", "observed")
_EXPECTED = ("expected", "expected_output", "expected_stdout", "wanted", "want", "desired", "required", "should_be")
_INPUT = ("inputs", "input", "test_input", "stdin")
_CODE = ("extracted_code", "extracted_model_code", "code", "solution", "program")
_MET = frozenset("passed pass ok met held success correct satisfied fulfilled match matches matched equal good".split())
_MISSED = frozenset("failed fail error wrong bad incorrect mismatch missed".split())
_TELLS = frozenset("error passed verdict status".split())
_TIME_LIMIT = late_regex(r"time[ _-]?(?:limit|d?[ _-]?out)", re.IGNORECASE)
_NO_VALUES = frozenset({"None", "null", "nil", "undefined"})
_DEFINES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)
_SETTINGS = frozenset({"setrecursionlimit", "stack_size", "set_int_max_str_digits", "seed", "filterwarnings"})
"""Calls that prepare a program and do no work of it."""


class RecordedTest(NamedTuple):
    """One test: its input, and both results as text; no result where a time limit ended it."""

    given: str
    got: str | None
    expected: str
    is_failed: bool = False
    """Whether a flag of the record says that it failed."""


def recorded_results(attempt: Attempt) -> dict[str, Any]:
    """`result`: how the first result that differs does, both in short, whether the prompt shows that test."""
    record = next(filter(_differs, _records(attempt.row, 0)), None)
    is_stated = record is None and attempt.lost
    if is_stated:
        record = next(
            (RecordedTest("", *result) for result in attempt.stated_results if result.got != result.wanted), None
        )
    if record is None:
        return {}
    kind = TIME if record.got is None else difference(record.got, record.expected)
    result: dict[str, Any] = {
        "kind": kind,
        "got": clip(record.got or "", LONGEST),
        "expected": clip(record.expected, LONGEST),
    } | ({"stated": 1} if is_stated else {})
    if len(record.given.strip()) >= SHORTEST_INPUT:
        result["shown"] = int(_is_shown(attempt, record))
    if kind == NOTHING and (code := _code(attempt.row)) and _only_defines(code):
        result["idle"] = 1
    return {"result": result}


def _records(value: Any, depth: int) -> Iterator[RecordedTest]:
    """Records of tests anywhere in what the verifier left on the row."""
    if isinstance(value, list):
        for inner in value[:WIDEST]:
            if isinstance(inner, (dict, list)) and depth < DEEPEST:
                yield from _records(inner, depth + 1)
    elif isinstance(value, dict):
        if depth and (expected := _text(value, _EXPECTED)):
            got = _text(value, _GOT)
            if _is_of_a_test(value) if got is not None else _is_stopped(value):
                yield RecordedTest(_text(value, _INPUT) or "", got, expected, is_failed=_flag(value) is False)
        for name, inner in value.items():
            if isinstance(inner, (dict, list)) and depth < DEEPEST and (depth or name not in _HEAVY):
                yield from _records(inner, depth + 1)


def _is_of_a_test(holder: Mapping[str, Any]) -> bool:
    """Whether the record names what went into the test or how it ended: else it may be an answer and its key.

    One that is met is none of a failure.
    """
    flag = _flag(holder)
    if flag is not None:
        return not flag
    return any(name in _INPUT or not _TELLS.isdisjoint(words(name)) for name in holder)


def _flag(holder: Mapping[str, Any]) -> bool | None:
    """Whether a record says that its test was met: by the name of a flag or, where it is the only one, by its value."""
    flags = {name: value for name, value in holder.items() if isinstance(value, bool)}
    named = [value for name, value in flags.items() if not _MET.isdisjoint(words(name)[-1:])]
    named += [not value for name, value in flags.items() if not _MISSED.isdisjoint(words(name)[-1:])]
    if named:
        return all(named)
    return next(iter(flags.values())) if len(flags) == 1 else None


def _differs(record: RecordedTest) -> bool:
    """Whether both sides differ; where a flag says that the test failed, in a blank or a line break alone, too."""
    if record.got is None:
        return True
    return record.got != record.expected if record.is_failed else record.got.strip() != record.expected.strip()


def _is_stopped(holder: Mapping[str, Any]) -> bool:
    """Whether an error in the record says that a time limit ended the test."""
    errors = (value for name, value in holder.items() if "error" in words(name) and isinstance(value, str))
    return any(_TIME_LIMIT.search(error[:LONGEST_CODE]) for error in errors)


def _text(holder: Mapping[str, Any], names: tuple[str, ...]) -> str | None:
    """The first of these fields that is a text, a number or a list of such; None where none is."""
    for name in names:
        value = holder.get(name)
        if value is None:
            continue
        if isinstance(value, str):
            return value
        if isinstance(value, bool):
            continue
        if isinstance(value, (int, float)) or (
            isinstance(value, list) and value and not any(isinstance(inner, dict) for inner in value)
        ):
            return str(value)
    return None


def difference(got: str, expected: str) -> str:
    """How a result differs from what was expected."""
    if not got.strip():
        return NOTHING
    if got.strip() in _NO_VALUES:
        return NO_VALUE
    tokens, wanted = got.split(), expected.split()
    if tokens == wanted:
        return SPACES
    if _holds_number(got, expected):
        return NUMBER
    if is_same_quantity(got, expected):
        return UNIT
    if got.lower().split() == expected.lower().split():
        return LETTERS
    if len(tokens) == len(wanted) and all(map(_is_close, tokens, wanted)):
        return ROUNDING
    if len(tokens) > 1 and Counter(tokens) == Counter(wanted):
        return REORDERED
    if len(tokens) < len(wanted) and tokens == wanted[: len(tokens)]:
        return CUT_SHORT
    return OTHER


def _holds_number(result: str, expected: str) -> bool:
    """Whether a number of several digits stands in a text with other marks between its digits, and not as expected."""
    number = expected.strip()
    if sum(map(str.isdigit, number)) < FEWEST_DIGITS or not _NUMBER.fullmatch(number):
        return False
    written = [match.group() for match in _NUMBER.finditer(result)]
    return number not in written and _plain(number) in map(_plain, written)


def _plain(number: str) -> str:
    """A number without marks between its thousands and zeros behind its point.

    Of two kinds of marks the last is the point; a comma alone is one unless three digits follow.
    """
    text = _BLANKS.sub("", number).replace("−", "-")
    marks = [char for char in text if char in ".,"]
    if len(set(marks)) > 1:
        text = text.replace(marks[0], "").replace(marks[-1], ".")
    elif marks and (len(marks) > 1 or (marks[0] == "," and len(text.rpartition(",")[2]) == THOUSAND)):
        text = text.replace(marks[0], "")
    sign, digits = ("-", text[1:]) if text.startswith("-") else ("", text)
    integer, _, part = digits.replace(",", ".").partition(".")
    part = part.rstrip("0")
    return sign + (integer.lstrip("0") or "0") + (f".{part}" if part else "")


def _is_close(word: str, wanted: str) -> bool:
    """Whether two words are equal, or numbers with a fraction that differ in their last places alone."""
    if word == wanted:
        return True
    if "." not in word and "." not in wanted:
        return False
    try:
        return math.isclose(float(word.strip("[](),")), float(wanted.strip("[](),")), rel_tol=CLOSE, abs_tol=CLOSE)
    except ValueError:
        return False


def _is_shown(attempt: Attempt, record: RecordedTest) -> bool:
    """Whether the prompt holds the input and the expected result of the test."""
    prompt = _squeezed("\n".join(step.text for step in attempt.prompt))
    return _squeezed(record.given) in prompt and _squeezed(record.expected) in prompt


@lru_cache(maxsize=64)
def _squeezed(text: str) -> str:
    return "".join(text.split())


def _code(row: Mapping[str, Any]) -> str:
    """The program that was judged, as the verifier took it out of the answer."""
    holders = [row, *(value for name, value in row.items() if isinstance(value, dict) and name not in _HEAVY)]
    codes = (holder.get(name) for holder in holders for name in _CODE)
    return next((code for code in codes if isinstance(code, str) and len(code) <= LONGEST_CODE and code.strip()), "")


def _only_defines(code: str) -> bool:
    """Whether a Python program defines functions and calls none: run as it stands, it does nothing."""
    try:
        body = ast.parse(code).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    functions = {node.name for node in body if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))}
    return bool(functions) and all(isinstance(node, _DEFINES) or _prepares(node, functions) for node in body)


def _prepares(node: ast.stmt, functions: Collection[str]) -> bool:
    """A text by itself, a call that only sets something, or a value that none of the functions gives."""
    if isinstance(node, (ast.Assign, ast.AnnAssign)):
        return not any(isinstance(part, ast.Name) and part.id in functions for part in ast.walk(node))
    if not isinstance(node, ast.Expr):
        return False
    call = node.value
    name = getattr(call.func, "attr", getattr(call.func, "id", "")) if isinstance(call, ast.Call) else ""
    return isinstance(call, ast.Constant) or name in _SETTINGS

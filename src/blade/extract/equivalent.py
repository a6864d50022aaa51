"""When two answers are one as a task means it: writing, value of plain arithmetic, order of a set, layout of code.

Strict on purpose: two answers that may differ are never called equal. `same_answer` knows how an answer is written;
this module adds what it says.
"""

from __future__ import annotations

import ast
import json
import operator
import re
from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any

from blade.extract.same_answer import LONGEST, normal, peel, same
from blade.extract.transcript import arguments_text
from blade.late_regex import late_regex

WRITING, VALUE, ORDER, LAYOUT = "writing", "value", "order", "layout"
"""How two answers are one."""
_LONGEST_SUM = 120
_REMEMBERED = 200
_LARGEST_POWER = 64
_LONGEST_CODE = 20_000
_SHORT_WORD = 3
_SUM = late_regex(r"[\d.,+\-*/^()\s]+", re.ASCII)
_THOUSANDS = late_regex(r"(?<=\d),(?=\d{3}(?!\d))")
_MONEY = late_regex(r"[$€£]\s?(?=[\d(+-])")
_SCIENTIFIC = late_regex(r"(?<![\w.])(\d+(?:\.\d+)?)e([+-]?\d{1,2})(?![\w.])")
_RESULT = late_regex(r"(.+?)=([^=<>]+)")
_FACTORIAL = late_regex(r"[\w)]!")
_SQL = late_regex(r"\s*(?:select|with|insert|update|delete|create)\b", re.IGNORECASE)
_SQL_PART = late_regex(r"'(?:[^']|'')*'|\"[^\"]*\"|`[^`]*`|\[\w+\]|--[^\n]*|\w+|[<>!=|]=|\|\||<>|[^\w\s]")
_PLAIN_NAME = late_regex(r"[\"`\[](\w+)[\"`\]]")
_BRACED = late_regex(r"[{}]|\b(?:begin|end|endmodule)\b")
_COMMENT = late_regex(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_TOKEN = late_regex(r"\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|\w+|[^\w\s]")
_PYTHON = late_regex(r"\b(?:def|class|import|return|for|while|lambda|print)\b|\w\(.*\)", re.DOTALL)
_CALLED = late_regex(r"[A-Za-z_][\w.]*\([^)]*[=\"']")
"""A call with named or quoted arguments: letter case and quotes belong to it."""
_DECIMAL_COMMA = late_regex(r"[+-]?\d{1,9},\d{1,2}(?:\s?[%°A-Za-z].{0,20})?")
_CURRENCY = r"(?:[A-Z]{3}|[$€£])"
_AMOUNT = late_regex(
    rf"(?P<before>{_CURRENCY})?\s?(?P<number>\d+(?:,\d{{3}})*(?:\.\d+)?)\s?"
    rf"(?P<size>(?i:thousand|million|billion|mn|bn|m|k)\b)?\s?(?P<after>{_CURRENCY})?"
)
_SIZES = {"": 1, **dict.fromkeys(("thousand", "k"), 10**3), **dict.fromkeys(("million", "mn", "m"), 10**6)}
_SIZES |= dict.fromkeys(("billion", "bn"), 10**9)
_CELL_AMOUNT = late_regex(r"[+-]?(?:\d{1,3}(?:,\d{3})+|\d{1,30})(?:\.\d{1,30})?")
_SPLIT = late_regex(r"[,;]|\band\b")
_OPERATIONS: dict[type[ast.operator], Callable[[Fraction, Fraction], Fraction]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}


def equivalent(answer: Any, second_answer: Any, *, unordered: bool = False) -> str:
    """How two answers say the same; empty where they may differ. `unordered`: a list of the answer is a set."""
    first, second = _text(answer), _text(second_answer)
    short = len(first) <= _REMEMBERED and len(second) <= _REMEMBERED
    return (_short_equivalent if short else _equivalent)(first, second, unordered)


def _equivalent(first: str, second: str, unordered: bool) -> str:
    if not first.strip() or not second.strip():
        return ""
    if first.strip() == second.strip():
        return WRITING
    if max(len(first), len(second)) > LONGEST:
        return LAYOUT if code_form(first) and code_form(first) == code_form(second) else ""
    if len(_FACTORIAL.findall(first)) != len(_FACTORIAL.findall(second)):
        return ""
    form = code_form(first)
    if form and form == code_form(second):
        return LAYOUT
    if _CALLED.search(first) or _CALLED.search(second):
        return ""
    if same(first, second) and _same_case(first, second):
        return WRITING
    if _same_decimal(first, second) or _same_amount(first, second) or _same_magnitude(first, second):
        return WRITING
    if _same_object(first, second) or _same_list(first, second) or same_table(first, second):
        return LAYOUT
    if _same_value(first, second):
        return VALUE
    return ORDER if unordered and _same_members(first, second) else ""


_short_equivalent = lru_cache(maxsize=4096)(_equivalent)
"""Attempts at a task have the same key, and many of them the same answer."""


def _text(answer: Any) -> str:
    return answer if isinstance(answer, str) else arguments_text(answer)


def _same_decimal(first_text: str, second_text: str) -> bool:
    """Whether one has a decimal comma where the other has a point."""
    left, right = (" ".join(text.split()) for text in (first_text, second_text))
    return any(
        "." in other and "," not in other and _DECIMAL_COMMA.fullmatch(text) and same(text.replace(",", "."), other)
        for text, other in ((left, right), (right, left))
    )


def _same_amount(first_text: str, second_text: str) -> bool:
    """Whether two numbers with the same unit differ in the marks between thousands alone."""
    left, right = (_THOUSANDS.sub("", normal(text)) for text in (first_text, second_text))
    return left == right and any(map(str.isalpha, left)) and _same_case(first_text, second_text)


def _same_magnitude(first_text: str, second_text: str) -> bool:
    """Whether one is written in thousands, millions or billions and the other out in full, in no other currency."""
    left, right = _AMOUNT.fullmatch(first_text.strip()), _AMOUNT.fullmatch(second_text.strip())
    if left is None or right is None or bool(left["size"]) == bool(right["size"]):
        return False
    currencies = [{part for part in (amount["before"], amount["after"]) if part} for amount in (left, right)]
    if all(currencies) and currencies[0] != currencies[1]:
        return False
    values = [
        Fraction(amount["number"].replace(",", "")) * _SIZES[(amount["size"] or "").lower()] for amount in (left, right)
    ]
    return values[0] == values[1]


def _same_list(first_text: str, second_text: str) -> bool:
    """Whether two lists of words hold the same in the same order, one with commas and one with semicolons between."""
    if (";" in first_text) == (";" in second_text):
        return False
    parts = [[normal(part) for part in re.split(r"[;,]", text)] for text in (first_text, second_text)]
    words = all(any(map(str.isalpha, part)) for of_text in parts for part in of_text)
    return words and len(parts[0]) > 1 and parts[0] == parts[1] and _same_case(first_text, second_text)


def _same_object(first_text: str, second_text: str) -> bool:
    """Whether two texts are one object of JSON, its keys in another order."""
    if first_text.lstrip()[:1] != "{" or second_text.lstrip()[:1] != "{" or '"' not in first_text:
        return False
    try:
        return bool(json.loads(first_text) == json.loads(second_text))
    except ValueError:
        return False


def same_table(first_text: str, second_text: str) -> bool:
    """Whether two texts are one table of JSON, rows in one order, where amounts may be written as words: "1,007.70"."""
    if not all(text.lstrip().startswith("[[") for text in (first_text, second_text)):
        return False
    try:
        return _same_cell(json.loads(first_text), json.loads(second_text))
    except (ValueError, RecursionError):
        return False


def _same_cell(first: Any, second: Any) -> bool:
    if isinstance(first, list) and isinstance(second, list):
        return len(first) == len(second) and all(map(_same_cell, first, second))
    if isinstance(first, str) and isinstance(second, str):
        return first.strip() == second.strip()
    if isinstance(first, bool) or isinstance(second, bool):
        return first is second
    amounts = [_CELL_AMOUNT.fullmatch(str(value).strip()) for value in (first, second)]
    if not all(amounts):
        return bool(first == second)
    return len({Fraction(str(value).strip().replace(",", "")) for value in (first, second)}) == 1


def _same_case(first_text: str, second_text: str) -> bool:
    """Whether letter case, where it differs, is only that of words: `CO` is not `Co`, `c1` is not `C1`."""
    left, right = (re.findall(r"\w+", peel(normal_case(text))) for text in (first_text, second_text))
    if len(left) != len(right):
        return "".join(left).casefold() != "".join(right).casefold() or "".join(left) == "".join(right)
    return all(a == b or a.casefold() != b.casefold() or _word(a, b) for a, b in zip(left, right, strict=True))


def normal_case(text: str) -> str:
    """The text with its wrappers off and its letters as they are."""
    return peel(" ".join(text.split()))


def _word(first_text: str, second_text: str) -> bool:
    if len(first_text) < _SHORT_WORD or not first_text.isalpha():
        return False
    return (
        first_text[1:] == second_text[1:]
        or len(first_text) > _SHORT_WORD
        or {first_text, second_text} == {first_text.upper(), first_text.lower()}
    )


@lru_cache(maxsize=65536)
def same_form(first_text: str, second_text: str) -> bool:
    """Whether two answers are one whatever the task asks for: a unit that only one of them names is not let pass."""
    if first_text.strip() == second_text.strip():
        return True
    equivalence = equivalent(first_text, second_text)
    if equivalence == VALUE:
        left, right = _sum(first_text), _sum(second_text)
        return left is not None and right is not None and left[0] == right[0]
    return equivalence == LAYOUT or (equivalence == WRITING and normal(first_text) == normal(second_text))


def _same_value(first_text: str, second_text: str) -> bool:
    """Plain arithmetic: a value behind an expression, an expression for a number, the same numbers in another form."""
    left, right = _sum(first_text), _sum(second_text)
    if left is None or right is None or left[1] != right[1]:
        return False
    if left[0] == right[0]:
        return True
    return any(len(number[0]) == 1 and _is_sum(long) for number, long in ((left, second_text), (right, first_text)))


def _is_sum(text: str) -> bool:
    """Whether more is written than numbers with a minus between them, which may be a range, a date or a telephone."""
    return "=" in text or not re.fullmatch(r"[\d.,]+(?:-[\d.,]+)+", normal(text))


@lru_cache(maxsize=1024)
def _sum(text: str) -> tuple[Counter[str], Fraction] | None:
    """The numbers of an expression and its value; `6*7=42` is 6*7 where that is true, and else nothing."""
    plain = normal(text)
    plain = _THOUSANDS.sub("", _MONEY.sub("", plain))
    plain = _SCIENTIFIC.sub(r"(\1*10^\2)", plain)
    equation = _RESULT.fullmatch(plain)
    if equation is not None:
        left, right = _value(equation.group(1)), _value(equation.group(2))
        if left is None or right is None or left != right:
            return None
        plain = equation.group(1)
        if _numbers(equation.group(2)) != Counter([equation.group(2).strip()]):
            return None
    value = _value(plain)
    if value is None:
        return None
    numbers = _numbers(plain)
    return (Counter([str(value)]), value) if equation is not None and len(numbers) == 1 else (numbers, value)


def _numbers(text: str) -> Counter[str]:
    return Counter(re.findall(r"\d+(?:\.\d+)?|\.\d+", text))


def value_of(text: str) -> Fraction | None:
    """The exact value of a number or of plain arithmetic, thousands marks and money signs off."""
    return _short_value(text) if len(text) <= _LONGEST_SUM else None


@lru_cache(maxsize=4096)
def _short_value(text: str) -> Fraction | None:
    """The same key is asked for by every attempt at a task."""
    sum_and_value = _sum(text)
    return sum_and_value[1] if sum_and_value else None


def _value(text: str) -> Fraction | None:
    if len(text) > _LONGEST_SUM or not _SUM.fullmatch(text) or "," in text or re.search(r"\d\s+\d|//", text):
        return None
    try:
        tree = ast.parse(text.strip().replace("^", "**"), mode="eval")
        return _evaluated(tree.body, text)
    except (SyntaxError, ValueError, ZeroDivisionError, RecursionError, MemoryError):
        return None


def _evaluated(node: ast.expr, text: str) -> Fraction:
    if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
        return Fraction(str(node.value)) if isinstance(node.value, int) else Fraction(repr(node.value))
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.UAdd)):
        value = _evaluated(node.operand, text)
        return -value if isinstance(node.op, ast.USub) else value
    if isinstance(node, ast.BinOp):
        left, right = _evaluated(node.left, text), _evaluated(node.right, text)
        if isinstance(node.op, ast.Pow):
            if right.denominator != 1 or abs(right) > _LARGEST_POWER or abs(left) > 10**9:
                raise ValueError(text)
            return Fraction(left ** int(right))
        if type(node.op) in _OPERATIONS:
            return _OPERATIONS[type(node.op)](left, right)
    raise ValueError(text)


def _same_members(first_text: str, second_text: str) -> bool:
    left, right = members(first_text), members(second_text)
    return len(left) > 1 and Counter(map(normal, left)) == Counter(map(normal, right)) and _cases(left) == _cases(right)


def _cases(texts: Sequence[str]) -> Counter[str]:
    return Counter(text.strip(" \"'") for text in texts)


def members(text: str) -> list[str]:
    """The parts of a list: JSON, or between brackets, or with commas; a number with thousands marks is one."""
    plain = peel(text.strip()).replace("\\{", "{").replace("\\}", "}")
    if plain[:1] == "[":
        try:
            loaded = json.loads(plain)
        except ValueError:
            loaded = None
        if isinstance(loaded, list):
            return [item if isinstance(item, str) else arguments_text(item) for item in loaded]
    if plain[:1] + plain[-1:] in {"[]", "{}", "()"}:
        plain = plain[1:-1]
    if _THOUSANDS.search(plain) and value_of(plain) is not None:
        return [plain]
    return [part.strip(" \"'") for part in _SPLIT.split(plain) if part.strip(" \"'")]


@lru_cache(maxsize=512)
def code_form(text: str) -> str:
    """Code without its layout: the tree of Python, the words of SQL or of a language with braces or begin and end.

    Empty where a text is none of them.
    """
    if len(text) > _LONGEST_CODE:
        return ""
    plain = _fence_off(text)
    if _SQL.match(plain):
        return " ".join(_sql_words(plain)).removesuffix(" ;")
    if _PYTHON.search(plain):
        try:
            return ast.dump(ast.parse(plain))
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            pass
    if ";" in plain and len(_BRACED.findall(plain)) > 1:
        return " ".join(_TOKEN.findall(_COMMENT.sub(" ", plain)))
    return ""


def calls_form(text: str) -> str:
    """Calls written as Python, whether alone, in brackets or as texts in a list, arguments by name in any order."""
    if len(text) > _LONGEST_CODE or "(" not in text:
        return ""
    try:
        statements = ast.parse(_fence_off(text)).body
        calls = [call for statement in statements for call in _calls(statement)]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ""
    for call in calls:
        call.keywords.sort(key=lambda keyword: keyword.arg or "")
    return "; ".join(map(ast.dump, calls))


def _calls(tree: ast.AST) -> list[ast.Call]:
    """The calls that an expression consists of; an error where it holds anything else."""
    if isinstance(tree, ast.Expr):
        return _calls(tree.value)
    if isinstance(tree, ast.Call):
        return [tree]
    if isinstance(tree, ast.List | ast.Tuple):
        return [call for element in tree.elts for call in _calls(element)]
    if isinstance(tree, ast.Constant) and isinstance(tree.value, str):
        return [call for statement in ast.parse(tree.value.strip()).body for call in _calls(statement)]
    raise ValueError(f"no call, but {type(tree).__name__}")


def _fence_off(text: str) -> str:
    match = re.fullmatch(r"\s*```\w*\n(.*?)\n?```\s*", text, re.DOTALL)
    return (match.group(1) if match else text).strip()


def _sql_words(text: str) -> list[str]:
    words = []
    for part in _SQL_PART.findall(text):
        if part.startswith("--"):
            continue
        quoted_name = _PLAIN_NAME.fullmatch(part)
        words.append(part if part[0] == "'" else (quoted_name.group(1) if quoted_name else part).casefold())
    return words

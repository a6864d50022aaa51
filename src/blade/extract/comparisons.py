"""The comparisons that failed while an answer was judged, as the verifier's logs write them: left, sign, right."""

from __future__ import annotations

import ast
import operator
from collections.abc import Iterable, Iterator
from typing import Any

from blade.extract.attempt import Attempt
from blade.extract.names import is_gold, is_metadata
from blade.extract.prefilter import holds_any
from blade.extract.row_texts import RowText
from blade.extract.text import clip
from blade.late_regex import late_regex

MOST = 8
LONGEST = 80
GOT = "got"
"""The sign of what a message calls expected and got: left is what was got."""
_HINTS = ("assert ", "AssertionError", "xpected")
_ASSERT = late_regex(
    r"^E {2,}(?:AssertionError: )?assert (?P<left>.+?) (?P<sign>==|!=|<=|>=|<|>|not in|in) (?P<right>.+)$"
)
_DIFFERS = late_regex(r"^(?:E {2,})?(?:\w+\.)*AssertionError: (?P<left>.+?) (?P<sign>!=) (?P<right>.+?)(?: : .*)?$")
_EXPECTED = late_regex(
    r"\b[Ee]xpected:? (?P<right>\S.{0,80}?)(?:[,.;]? (?:but )?(?:[Gg]ot|[Rr]eceived)|[,;] (?:but )?found| but found):? "
    r"(?P<left>\S.{0,80}?)[.)]?$"
)
_WRAPPED = late_regex(r"(?:\w+\.)*(?:float|int|uint)\d*\((?P<value>[^()]+)\)")
_PAIRS = ("()", "[]", "{}")
_ARITHMETIC = {ast.Mult: operator.mul, ast.Add: operator.add, ast.Sub: operator.sub, ast.Div: operator.truediv}
_LONGEST_NUMBER = 60


def comparisons(attempt: Attempt) -> dict[str, Any]:
    """`compared`: the comparisons that failed, once each, in the order they stand."""
    results = ((_short(result.got), GOT, _short(result.wanted)) for result in attempt.stated_results)
    compared = list(dict.fromkeys((*_failed_comparisons(attempt.texts()), *(results if attempt.lost else ()))))[:MOST]
    return {"compared": [list(sides) for sides in compared]} if compared else {}


def _failed_comparisons(texts: Iterable[RowText]) -> Iterator[tuple[str, str, str]]:
    for text in texts:
        if not holds_any(text.text, _HINTS):
            continue
        if is_gold(text.name.rpartition(".")[2]) or is_metadata(text.name):
            continue
        for line in text.text.split("\n"):
            if not holds_any(line, _HINTS):
                continue
            match = _ASSERT.search(line) or _DIFFERS.search(line)
            if match is not None and _is_complete(match["left"]) and _is_complete(match["right"]):
                yield _short(match["left"]), match["sign"], _short(match["right"])
            elif match is None and (match_expected := _EXPECTED.search(line)) is not None and line[:1] == "E":
                yield _short(match_expected["left"]), GOT, _short(match_expected["right"])


def _is_complete(side: str) -> bool:
    """Whether every bracket that is opened is closed: else the comparison goes on in the next line."""
    return all(side.count(pair[0]) == side.count(pair[1]) for pair in _PAIRS)


def _short(side: str) -> str:
    return clip(side.strip(), LONGEST)


def number_of(side: str) -> float | None:
    """The number that a side of a comparison is, also inside a type or as a small sum; None for anything else."""
    text = _WRAPPED.sub(lambda match: match["value"], side)
    if len(text) > _LONGEST_NUMBER:
        return None
    try:
        return _value(ast.parse(text.strip(), mode="eval").body)
    except (SyntaxError, ValueError, ZeroDivisionError, OverflowError, RecursionError):
        return None


def _value(node: ast.expr) -> float | None:
    if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)) and not isinstance(node.value, bool):
        return float(node.value)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = _value(node.operand)
        return None if inner is None else -inner
    if isinstance(node, ast.BinOp) and type(node.op) in _ARITHMETIC:
        left, right = _value(node.left), _value(node.right)
        return None if left is None or right is None else _ARITHMETIC[type(node.op)](left, right)
    return None

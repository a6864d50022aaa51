"""The comparisons that failed while an answer was judged, as the verifier's logs write them: left, sign, right."""

from __future__ import annotations

import ast
import operator
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from blade.extract.attempt import Attempt
from blade.extract.names import is_gold, is_metadata
from blade.extract.prefilter import holds_any
from blade.extract.row_texts import RowText
from blade.extract.text import clip
from blade.late_regex import late_regex

MOST = 8
LONGEST = 80
LONGEST_LIST, FEWEST_ITEMS = 4_000, 3
GOT = "got"
"""The sign of what a message calls expected and got: left is what was got."""
HINTS = ("assert ", "AssertionError", "xpected", "left: ", ", want ")
_ASSERT = late_regex(
    r"^E {2,}(?:AssertionError: )?assert (?P<left>.+?) (?P<sign>==|!=|<=|>=|<|>|not in|in) (?P<right>.+)$"
)
_DIFFERS = late_regex(r"^(?:E {2,})?(?:\w+\.)*AssertionError: (?P<left>.+?) (?P<sign>!=|==) (?P<right>.+?)(?: : .*)?$")
_EXPECTED = late_regex(
    r"\b[Ee]xpected:? (?P<right>\S.{0,80}?)(?:[,.;]? (?:but )?(?:[Gg]ot|[Rr]eceived)|[,;] (?:but )?found| but found):? "
    r"(?P<left>\S.{0,80}?)[.)]?$"
)
_WANTS = late_regex(
    r"(?:^|[\s:])\S.*\) (?:=|returned|gave|got) (?P<left>\S.{0,200}?)[,;] (?:want|wanted|expected) "
    r"(?P<right>\S.{0,200}?)$"
)
"""As tests of Go write it: a call, what it gave, what they want."""
_BUT_WAS = late_regex(r"\b[Ee]xpected:? ?<(?P<right>.{0,200}?)> but was:? ?<(?P<left>.{0,200}?)>")
_FIRST_LINE = late_regex(r"^\s*(?P<name>[Ee]xpected|left):\s+(?P<value>\S.*?)\s*$")
_SECOND_LINE = late_regex(r"^\s*(?P<name>[Rr]eceived|[Gg]ot|[Aa]ctual|right):\s+(?P<value>\S.*?)\s*$")
"""Expected and got in two lines, as tests of JavaScript and Ruby have them; left and right, as those of Rust."""
_WRAPPED = late_regex(r"(?:\w+\.)*(?:float|int|uint)\d*\((?P<value>[^()]+)\)")
_PAIRS = ("()", "[]", "{}")
_ARITHMETIC = {ast.Mult: operator.mul, ast.Add: operator.add, ast.Sub: operator.sub, ast.Div: operator.truediv}
_LONGEST_NUMBER = 60


def comparisons(attempt: Attempt) -> dict[str, Any]:
    """`compared`: the comparisons that failed, once each, in the order they stand.

    `reordered`: the first of them whose two sides hold the same items in another order. `repeated`: the first of which
    one side holds every item of the other, and no other, several times.
    """
    stated = attempt.stated_results if attempt.lost else ()
    results = [(result.got, GOT, result.wanted) for result in stated]
    failed = _failed_comparisons(attempt.texts()) if attempt.once(may_compare) else ()
    every = list(dict.fromkeys((*failed, *results)))[:MOST]
    if not every:
        return {}
    compared = list(dict.fromkeys((_short(left), sign, _short(right)) for left, sign, right in every))
    record: dict[str, Any] = {"compared": [list(sides) for sides in compared]} if compared else {}
    for name, holds in (("reordered", is_reordered), ("repeated", is_repeated)):
        first = next(([_short(left), _short(right)] for left, _, right in every if holds(left, right)), None)
        record |= {name: first} if first else {}
    return record


def is_reordered(left: str, right: str) -> bool:
    """Whether both sides are lists, or words between commas, of the same items in another order."""
    if left == right or max(len(left), len(right)) > LONGEST_LIST:
        return False
    items, other_items = _items(left), _items(right)
    return len(items) >= FEWEST_ITEMS and items != other_items and Counter(items) == Counter(other_items)


def is_repeated(left: str, right: str) -> bool:
    """Whether both sides are lists of the same items, and one of them holds some of them more often."""
    if left == right or max(len(left), len(right)) > LONGEST_LIST or left[:1] != "[" or right[:1] != "[":
        return False
    items, other_items = Counter(_items(left)), Counter(_items(right))
    return items.keys() == other_items.keys() and (items < other_items or other_items < items)


def _items(side: str) -> list[str]:
    text = side.strip()
    inner = text[1:-1] if text[:1] + text[-1:] in _PAIRS else text
    return [item.strip() for item in inner.split(",")]


def may_compare(attempt: Attempt) -> bool:
    """Whether any text of the verifier holds a word without which no line tells of a comparison."""
    return holds_any(attempt.all_texts, HINTS)


def _failed_comparisons(texts: Iterable[RowText]) -> Iterator[tuple[str, str, str]]:
    for text in texts:
        if not holds_any(text.text, HINTS):
            continue
        if is_gold(text.name.rpartition(".")[2]) or is_metadata(text.name):
            continue
        for _, left, sign, right in compared_lines(text.text.split("\n")):
            yield left, sign, right


def compared_lines(lines: Sequence[str]) -> Iterator[tuple[int, str, str, str]]:
    """The place of each line that tells of a failed comparison, with both sides and the sign between them."""
    for place, line in enumerate(lines):
        if holds_any(line, HINTS):
            sides = _in_line(line) or _in_two_lines(line, lines[place + 1 : place + 2])
            if sides is not None:
                yield place, *sides


def _in_line(line: str) -> tuple[str, str, str] | None:
    match = _ASSERT.search(line) or _DIFFERS.search(line)
    if match is not None:
        is_whole = _is_complete(match["left"]) and _is_complete(match["right"])
        return (match["left"], match["sign"], match["right"]) if is_whole else None
    match = (_EXPECTED.search(line) if line[:1] == "E" else None) or _WANTS.search(line) or _BUT_WAS.search(line)
    return (match["left"], GOT, match["right"]) if match is not None else None


def _in_two_lines(line: str, following: Sequence[str]) -> tuple[str, str, str] | None:
    first = _FIRST_LINE.match(line)
    second = _SECOND_LINE.match(following[0]) if first is not None and following else None
    if first is None or second is None or (first["name"] == "left") != (second["name"] == "right"):
        return None
    if first["name"] == "left":
        return first["value"], "==", second["value"]
    return second["value"], GOT, first["value"]


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

"""Which facts a golden report states, and which of its claims no fact covers.

A fact is stated where one window of up to three sentences, or one row of a table, names all its entities and gives its
numbers. What the report says elsewhere, and says well, becomes a manual anchor that a person has to accept.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from blade.anchors.anchor import Anchor
from blade.anchors.text import claims as _claims
from blade.anchors.text import drafts
from blade.checking.markdown_blocks import MarkdownBlock, markdown_blocks
from blade.checking.tokens import plain

WINDOW = 3
MOST_MANUAL = 5
_NUMBER = re.compile(r"(?<![\w.])\d[\d,]*(?:\.\d+)?(?![\w]|\.\d)")
_CODE = re.compile(r"`[^`]*`|\"[^\"]*\"")
_SPACES = re.compile(r"[\s_`*\"'“”‘’-]+")


@dataclass(frozen=True, slots=True)
class Window:
    """A short stretch of a report: its words, folded, its numbers and its lines."""

    text: str
    numbers: tuple[str, ...]
    lines: frozenset[int]


@dataclass(frozen=True, slots=True)
class Matched:
    """The facts with `stated` filled in, and what else the report claims."""

    facts: tuple[Anchor, ...]
    manual: tuple[Anchor, ...]


def match(text: str, facts: Sequence[Anchor], most_manual: int = MOST_MANUAL) -> Matched:
    found = windows(text)
    marked: list[Anchor] = []
    covered: set[int] = set()
    for fact in facts:
        hit = [window for window in found if states(window, fact)]
        covered |= {line for window in hit for line in window.lines}
        marked.append(replace(fact, stated=bool(hit)))
    rest = [draft for unit, draft in drafts(text, 3 * most_manual) if _claims(unit) and unit.line not in covered]
    manual = tuple(
        replace(draft, id=f"B{number}", stated=True, cluster=f"m{number - len(marked)}")
        for number, draft in enumerate(rest[:most_manual], len(marked) + 1)
    )
    return Matched(tuple(marked), manual)


def windows(text: str) -> list[Window]:
    """Every row, and every one to three sentences in a row of one paragraph, with their heading's words."""
    made: list[Window] = []
    run: list[MarkdownBlock] = []
    for piece in markdown_blocks(text):
        if piece.kind == "row":
            made.append(_window([piece], " ".join((piece.below, *piece.columns))))
        if piece.kind not in {"sentence", "quote"}:
            run = []
            continue
        run = [*(one for one in run if one.block == piece.block), piece][-WINDOW:]
        made += [_window(run[start:], piece.below) for start in range(len(run))]
    return made


def _window(found: Sequence[MarkdownBlock], title: str) -> Window:
    text = " ".join(plain(piece.text) for piece in found)
    lines = frozenset(line for piece in found for line in range(piece.line, piece.line_at(len(piece.text)) + 1))
    return Window(f" {folded(f'{title} {text}')} ", tuple(_numbers(text)), lines)


def states(window: Window, fact: Anchor) -> bool:
    """Whether a window names every entity and gives two of the fact's numbers, or its only one."""
    for entity in fact.entities:
        names = (entity, *fact.aliases.get(entity, ()))
        if not any(_names(window.text, folded(name)) for name in names):
            return False
    return bool(fact.entities) and _gives(window, fact)


def _gives(window: Window, fact: Anchor) -> bool:
    """Whether the numbers are there: the count or the share that the predicate is about, and one more."""
    wanted = list(dict.fromkeys(_numbers(_CODE.sub(" ", fact.fact))))
    held = {number for number in wanted if any(same(number, other) for other in window.numbers)}
    scope = fact.predicate.scope if fact.predicate else {}
    key = {str(scope["count"])} if isinstance(scope.get("count"), int) else set()
    value = fact.predicate.value if fact.predicate else None
    if key and fact.predicate and fact.predicate.measure == "share" and isinstance(value, float):
        key.add(f"{100 * value:.1f}")
    return len(held) >= min(2, len(wanted)) and (not key or bool(key & held))


def folded(text: str) -> str:
    return _SPACES.sub(" ", text.lower()).strip()


def _names(text: str, name: str) -> bool:
    """Whether a text holds a name as a word of its own."""
    start = text.find(name) if name else -1
    while start >= 0:
        end = start + len(name)
        if not text[start - 1].isalnum() and not text[end : end + 1].isalnum():
            return True
        start = text.find(name, start + 1)
    return False


def _numbers(text: str) -> Iterator[str]:
    for found in _NUMBER.finditer(text):
        yield found[0].replace(",", "")


def same(one: str, two: str) -> bool:
    """Whether two printed numbers are one, the coarser perhaps rounded: 89.7 and 90."""
    decimals = min(len(one.partition(".")[2]), len(two.partition(".")[2]))
    whole = decimals == 0 and "." not in one + two
    return float(one) == float(two) if whole else abs(float(one) - float(two)) <= 0.5 * 10.0**-decimals + 1e-9

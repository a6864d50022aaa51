"""Which facts a golden report states, and which of its claims no fact covers.

A fact is stated where one window of up to three sentences, or one row of a table, names all its entities and gives its
numbers. What the report says elsewhere, and says well, becomes a manual anchor that a person has to accept.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from blade.anchors.anchor import Anchor
from blade.anchors.text import claims as _claims
from blade.anchors.text import drafts
from blade.checking.markdown_blocks import MarkdownBlock, markdown_blocks
from blade.checking.tokens import plain
from blade.frozen import frozen

WINDOW = 3
MOST_MANUAL = 5
_NUMBER = re.compile(r"(?<![\w.])\d[\d,]*(?:\.\d+)?(?![\w]|\.\d)")
_CODE = re.compile(r"`[^`]*`|\"[^\"]*\"")
_SPACES = re.compile(r"[\s_`*\"'“”‘’-]+")


@frozen
class TextWindow:
    """A short stretch of a report: its words, folded, its numbers and its lines."""

    text: str
    numbers: tuple[str, ...]
    lines: frozenset[int]


@frozen
class Matched:
    """The facts with `stated` filled in, and what else the report claims."""

    facts: tuple[Anchor, ...]
    manual: tuple[Anchor, ...]


def match(text: str, facts: Sequence[Anchor], most_manual: int = MOST_MANUAL) -> Matched:
    text_windows = windows(text)
    marked: list[Anchor] = []
    covered: set[int] = set()
    for fact in facts:
        hit = [window for window in text_windows if states(window, fact)]
        covered |= {line for window in hit for line in window.lines}
        marked.append(replace(fact, stated=bool(hit)))
    manual_drafts = [
        draft for unit, draft in drafts(text, 3 * most_manual) if _claims(unit) and unit.line not in covered
    ]
    manual = tuple(
        replace(draft, id=f"B{number}", stated=True, cluster=f"m{number - len(marked)}")
        for number, draft in enumerate(manual_drafts[:most_manual], len(marked) + 1)
    )
    return Matched(tuple(marked), manual)


def windows(text: str) -> list[TextWindow]:
    """Every row, and every one to three sentences in a row of one paragraph, with their heading's words."""
    result: list[TextWindow] = []
    run: list[MarkdownBlock] = []
    for piece in markdown_blocks(text):
        if piece.kind == "row":
            result.append(_window([piece], " ".join((piece.below, *piece.columns))))
        if piece.kind not in {"sentence", "quote"}:
            run = []
            continue
        run = [*(previous for previous in run if previous.block == piece.block), piece][-WINDOW:]
        result += [_window(run[start:], piece.below) for start in range(len(run))]
    return result


def _window(blocks: Sequence[MarkdownBlock], title: str) -> TextWindow:
    text = " ".join(plain(piece.text) for piece in blocks)
    lines = frozenset(line for piece in blocks for line in range(piece.line, piece.line_at(len(piece.text)) + 1))
    return TextWindow(f" {folded(f'{title} {text}')} ", tuple(_numbers(text)), lines)


def states(window: TextWindow, fact: Anchor) -> bool:
    """Whether a window names every entity and gives two of the fact's numbers, or its only one."""
    for entity in fact.entities:
        names = (entity, *fact.aliases.get(entity, ()))
        if not any(_names(window.text, folded(name)) for name in names):
            return False
    return bool(fact.entities) and _gives(window, fact)


def _gives(window: TextWindow, fact: Anchor) -> bool:
    """Whether the numbers are there: the count or the share that the predicate is about, and one more."""
    expected = list(dict.fromkeys(_numbers(_CODE.sub(" ", fact.fact))))
    given_numbers = {
        number for number in expected if any(same_number_text(number, printed) for printed in window.numbers)
    }
    scope = fact.predicate.scope if fact.predicate else {}
    key = {str(scope["count"])} if isinstance(scope.get("count"), int) else set()
    value = fact.predicate.value if fact.predicate else None
    if key and fact.predicate and fact.predicate.measure == "share" and isinstance(value, float):
        key.add(f"{100 * value:.1f}")
    return len(given_numbers) >= min(2, len(expected)) and (not key or bool(key & given_numbers))


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
    for match in _NUMBER.finditer(text):
        yield match[0].replace(",", "")


def same_number_text(first: str, second: str) -> bool:
    """Whether two printed numbers are one, the coarser perhaps rounded: 89.7 and 90."""
    decimals = min(len(first.partition(".")[2]), len(second.partition(".")[2]))
    both_integers = decimals == 0 and "." not in first + second
    return (
        float(first) == float(second)
        if both_integers
        else abs(float(first) - float(second)) <= 0.5 * 10.0**-decimals + 1e-9
    )

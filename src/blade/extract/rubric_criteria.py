"""How the criteria of a rubric begin, in words, and whether each was met.

Criteria are written for one task, but by people who begin them alike: “Gives the time limit: …”, “Tells the user to get
urgent care …”. What they begin with is a kind of criterion that many tasks share.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from blade.extract.attempt import Attempt
from blade.late_regex import late_regex

FIRST_WORDS, FEWEST_WORDS = 6, 4
MOST = 40
_TEXTS = ("text", "criterion", "criteria", "description", "requirement", "rule", "statement", "question")
_IDS = ("cid", "criterion_id", "id", "key", "name")
_HEAVY = frozenset({"responses_create_params", "response"})
DEEPEST, WIDEST = 3, 60
_WORD = late_regex(r"[^\s:.,;()“”\"]+")


def rubric_criteria(attempt: Attempt) -> dict[str, Any]:
    """`criteria`: the first words of each criterion, and whether it is kept; nothing where checks have no sentences."""
    largest = max((checks.checks for checks in attempt.checks if checks.named), key=len, default=())
    if len(largest) < 2:
        return {}
    texts = dict(_texts(attempt.row, 0)) if any(" " not in check.name for check in largest) else {}
    beginnings = [(_beginning(texts.get(check.name, check.name)), int(check.passed)) for check in largest[:MOST]]
    criteria = [[words, passed] for words, passed in beginnings if words]
    return {"criteria": criteria} if len(criteria) > 1 else {}


def _beginning(text: str) -> str:
    words = _WORD.findall(text[:200])[:FIRST_WORDS]
    return " ".join(words) if len(words) >= FEWEST_WORDS else ""


def _texts(holder: dict[str, Any], depth: int) -> Iterator[tuple[str, str]]:
    """Id and text of every criterion that the row lists."""
    for number, (name, value) in enumerate(holder.items()):
        if number >= WIDEST or (not depth and name in _HEAVY):
            continue
        if isinstance(value, dict) and depth < DEEPEST:
            yield from _texts(value, depth + 1)
        elif isinstance(value, list):
            for entry in value[:MOST] if value and isinstance(value[0], dict) else ():
                if isinstance(entry, dict):
                    known = next((text for key in _IDS if isinstance(text := entry.get(key), str)), "")
                    words = next((text for key in _TEXTS if isinstance(text := entry.get(key), str)), "")
                    if known and words:
                        yield known, words

"""Patterns that are compiled late answer as those that are compiled at once, and all of ours can be compiled."""

from __future__ import annotations

import pkgutil
import re
from collections.abc import Iterator
from importlib import import_module
from typing import Any

import pytest

import blade
from blade.late_regex import LatePattern, late_regex

HOLDERS = ("extract", "detectors", "questions", "diagnosis", "counting", "signatures")
DEEPEST = 4
TEXT = "Two plums, two figs"


def test_a_late_pattern_answers_as_a_compiled_one() -> None:
    late, compiled = (
        late_regex(r"(?P<many>two) (\w+)", re.IGNORECASE),
        re.compile(r"(?P<many>two) (\w+)", re.IGNORECASE),
    )
    assert late.pattern == compiled.pattern
    assert (late.flags, late.groups, late.groupindex) == (compiled.flags, compiled.groups, compiled.groupindex)
    assert late.findall(TEXT) == compiled.findall(TEXT) == [("Two", "plums"), ("two", "figs")]
    assert [found.span() for found in late.finditer(TEXT, 1)] == [(11, 19)]
    assert late.match(TEXT) is not None
    assert late.fullmatch(TEXT) is None
    assert late.sub(r"\2", TEXT) == compiled.sub(r"\2", TEXT)
    assert late.split(TEXT, 1) == compiled.split(TEXT, 1)
    assert late_regex(rb"\d").search(b"a1") is not None


def test_a_late_pattern_has_nothing_else() -> None:
    with pytest.raises(AttributeError):
        late_regex("a").find("a")  # type: ignore[attr-defined]


def test_a_pattern_that_is_none_is_refused_when_it_is_used() -> None:
    broken = late_regex("(a")
    with pytest.raises(re.error):
        broken.search("a")


def _held(value: Any) -> Iterator[LatePattern]:
    """The patterns in a value of a module, in a table or in a table of tables."""
    waiting = [(value, 0)]
    while waiting:
        item, depth = waiting.pop()
        if isinstance(item, LatePattern):
            yield item
        elif isinstance(item, dict | list | tuple | set | frozenset) and depth < DEEPEST:
            waiting += [(inner, depth + 1) for inner in (item.values() if isinstance(item, dict) else item)]


def test_every_pattern_of_the_modules_compiles() -> None:
    names = [
        info.name for info in pkgutil.walk_packages(blade.__path__, "blade.") if info.name.split(".")[1] in HOLDERS
    ]
    values = [value for name in names for value in vars(import_module(name)).values()]
    patterns = [pattern for value in values for pattern in _held(value)]
    assert len(patterns) > 500
    for pattern in patterns:
        re.compile(pattern.pattern, pattern._flags)

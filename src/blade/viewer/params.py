"""What a request asks for: an attempt, a task, a number. What is not there is said, with the nearest that is."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches

from blade.errors import NotFound
from blade.viewer.index import Attempt, Index


def order_asked(index: Index, given: Mapping[str, str]) -> int:
    """The place of the task that the address names."""
    name = given.get("task", "")
    order = index.order_of(name)
    if order is None:
        near = get_close_matches(name, index.tasks["task"].head(20_000).to_list(), 3)
        raise NotFound(f"No task is named '{name[:200]}'.", f"Nearest: {', '.join(near)}." if near else "")
    return order


def attempt_asked(index: Index, given: Mapping[str, str], run: str = "of", number: str = "attempt") -> Attempt:
    """The attempt that the address names; `run` and `number` are the names of its fields."""
    order = order_asked(index, given)
    asked = given.get(number, "")
    found = index.find(given.get(run, ""), given["task"], int(asked)) if _whole(asked) else None
    if found is None:
        there = [f"{one.run} {one.attempt}" for one in index.attempts_of([order])[order]][:12]
        hint = f"There are: {', '.join(there)}." if there else "The task has no attempts here."
        wanted = f"{given.get(run, '')[:200]} {asked[:20]}".strip()
        raise NotFound(f"Task '{given['task'][:200]}' has no attempt '{wanted}'.", hint)
    return found


def number_asked(given: Mapping[str, str], name: str) -> int:
    """A whole number, nought where there is none."""
    value = given.get(name, "")
    return int(value) if _whole(value) and int(value) > 0 else 0


def _whole(value: str) -> bool:
    return value.removeprefix("-").isdecimal() and value.isascii() and len(value) < 16

"""Addresses of pages. A link to an attempt keeps the selection, so that next and previous stay inside it."""

from __future__ import annotations

from blade.viewer.index import Attempt
from blade.viewer.selection import Selection

NOTHING = Selection()


def tasks(chosen: Selection = NOTHING, **changes: object) -> str:
    return _joined("/tasks", chosen.query(**changes))


def task(name: str, chosen: Selection = NOTHING) -> str:
    return _joined("/task", chosen.query(task=name))


def attempt(one: Attempt, chosen: Selection = NOTHING, *, at: str = "", anchor: str = "") -> str:
    """The transcript; `at` is the item that must be there when the page opens."""
    made = transcript(one.run, one.task, one.attempt, chosen, at=at)
    return f"{made}#{anchor}" if anchor else made


def transcript(run: str, task: str, number: int, chosen: Selection = NOTHING, *, at: str = "") -> str:
    return _joined("/transcript", chosen.query(of=run, task=task, attempt=number, at=at or None))


def items(one: Attempt, chunk: int) -> str:
    return _joined("/items", NOTHING.query(of=one.run, task=one.task, attempt=one.attempt, chunk=chunk))


def item(one: Attempt, anchor: str, begin: int = 0) -> str:
    """One entry in full."""
    place = {"of": one.run, "task": one.task, "attempt": one.attempt, "entry": anchor}
    return _joined("/item", NOTHING.query(**place, begin=begin or None))


def raw(one: Attempt, item: int | None = None) -> str:
    return _joined("/raw", NOTHING.query(of=one.run, task=one.task, attempt=one.attempt, item=item))


def twin(left: Attempt, right: Attempt, chosen: Selection = NOTHING, chunk: int | None = None) -> str:
    sides = {"left_of": left.run, "left": left.attempt, "right_of": right.run, "right": right.attempt}
    made = chosen.query(task=left.task, **sides, chunk=chunk)
    return _joined("/twin" if chunk is None else "/twin-rows", made)


def search(chosen: Selection = NOTHING, **changes: object) -> str:
    return _joined("/search", chosen.query(**changes))


def text(chosen: Selection, begin: int = 0) -> str:
    return _joined("/text", chosen.query(begin=begin or None))


def _joined(path: str, query: str) -> str:
    return f"{path}?{query}" if query else path

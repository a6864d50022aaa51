"""Addresses of pages. A link to an attempt keeps the selection, so that next and previous stay inside it."""

from __future__ import annotations

from blade.index.tables import IndexedAttempt
from blade.viewer.selection import Selection

NOTHING = Selection()


def tasks(selection: Selection = NOTHING, **changes: object) -> str:
    return _joined("/tasks", selection.query(**changes))


def task(name: str, selection: Selection = NOTHING) -> str:
    return _joined("/task", selection.query(task=name))


def attempt(target: IndexedAttempt, selection: Selection = NOTHING, *, at: str = "", anchor: str = "") -> str:
    """The transcript; `at` is the item that must be there when the page opens."""
    url = transcript(target.run, target.task, target.attempt, selection, at=at)
    return f"{url}#{anchor}" if anchor else url


def transcript(run: str, task: str, number: int, selection: Selection = NOTHING, *, at: str = "") -> str:
    return _joined("/transcript", selection.query(of=run, task=task, attempt=number, at=at or None))


def items(target: IndexedAttempt, chunk: int) -> str:
    return _joined("/items", NOTHING.query(of=target.run, task=target.task, attempt=target.attempt, chunk=chunk))


def item(target: IndexedAttempt, anchor: str, begin: int = 0) -> str:
    """One entry in full."""
    place = {"of": target.run, "task": target.task, "attempt": target.attempt, "entry": anchor}
    return _joined("/item", NOTHING.query(**place, begin=begin or None))


def raw(target: IndexedAttempt, item: int | None = None) -> str:
    return _joined("/raw", NOTHING.query(of=target.run, task=target.task, attempt=target.attempt, item=item))


def twin(left: IndexedAttempt, right: IndexedAttempt, selection: Selection = NOTHING, chunk: int | None = None) -> str:
    sides = {"left_of": left.run, "left": left.attempt, "right_of": right.run, "right": right.attempt}
    query = selection.query(task=left.task, **sides, chunk=chunk)
    return _joined("/twin" if chunk is None else "/twin-rows", query)


def search(selection: Selection = NOTHING, **changes: object) -> str:
    return _joined("/search", selection.query(**changes))


def text(selection: Selection, begin: int = 0) -> str:
    return _joined("/text", selection.query(begin=begin or None))


def _joined(path: str, query: str) -> str:
    return f"{path}?{query}" if query else path

"""What a request asks for: an attempt, a task, a number. What is not there is said, with the nearest that is."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches

from blade.errors import NotFound, UsageError
from blade.index.tables import Index, IndexedAttempt
from blade.run_names import run_named
from blade.task_names import task_named
from blade.viewer import links


def order_asked(index: Index, query: Mapping[str, str]) -> int:
    """The place of the task that the address names."""
    name = query.get("task", "")
    order = index.order_of(name)
    if order is None:
        whole_name = task_named(name, index.tasks["task"].to_list())
        order = index.order_of(whole_name) if whole_name else None
    if order is None:
        near = get_close_matches(name, index.tasks["task"].head(20_000).to_list(), 3)
        raise NotFound(f"No task is named '{name[:200]}'.", f"Nearest: {', '.join(near)}." if near else "")
    return order


def attempt_asked(index: Index, query: Mapping[str, str], run: str = "of", number: str = "attempt") -> IndexedAttempt:
    """The attempt that the address names; `run` and `number` are the names of its fields."""
    order = order_asked(index, query)
    digits = query.get(number, "")
    attempt = index.find(query.get(run, ""), query["task"], int(digits)) if _is_integer(digits) else None
    if attempt is None:
        available = [f"{sibling.run} {sibling.attempt}" for sibling in index.attempts_of([order])[order]][:12]
        hint = f"There are: {', '.join(available)}." if available else "The task has no attempts here."
        description = f"{query.get(run, '')[:200]} {digits[:20]}".strip()
        raise NotFound(f"Task '{query['task'][:200]}' has no attempt '{description}'.", hint)
    return attempt


def number_asked(query: Mapping[str, str], name: str) -> int:
    """A whole number, nought where there is none."""
    value = query.get(name, "")
    return int(value) if _is_integer(value) and int(value) > 0 else 0


def _is_integer(value: str) -> bool:
    return value.removeprefix("-").isdecimal() and value.isascii() and len(value) < 16


def first_page(index: Index, task: str | None, run: str | None, attempt: int | None) -> str:
    """Where the viewer begins: the overview, a task, or an attempt of it."""
    if task is None:
        if run is not None or attempt is not None:
            raise UsageError("--run and --attempt name an attempt of a task.", "Give the task, too: --task TASK.")
        return "/"
    if run is None and attempt is None:
        order_asked(index, {"task": task})
        return links.task(task)
    place = {"task": task, "of": run_named(run, index.runs) if run else index.runs[0], "attempt": str(attempt or 0)}
    return links.attempt(attempt_asked(index, place))

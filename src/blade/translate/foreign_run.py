"""One run in the files of another program: what a format gives for it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import field
from pathlib import Path
from typing import Any

from blade.frozen import frozen


@frozen
class BadRecord:
    """A record that gives no row: why, and where it stands in its file."""

    reason: str
    part: str = ""


@frozen
class UnknownScore:
    """A score that nobody can read, of a record that has a row all the same: in words."""

    text: str


@frozen
class ContradictedTask:
    """A row that has the marks of another task than the one it names: in words."""

    text: str


@frozen
class ForeignRun:
    """A run as its format sees it. Nothing of its rows is read before they are asked for."""

    files: tuple[Path, ...]
    """What it is read from; the first names the run where it has no name of its own."""
    rows: Callable[[], Iterator[dict[str, Any] | BadRecord | UnknownScore | ContradictedTask]]
    """Its rollout rows (`rollout_row`), the same ones in the same order every time."""
    name: str = ""
    """What tells it from the other runs in the same files; `@part` stands behind the name after the path."""
    titles: tuple[str, ...] = ()
    """What to call it rather than its file, the shortest first: the first that no other run bears is taken."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """Model, agent, sampling, limits, versions: what a comparison holds against another run's."""
    reported: float | None = None
    """The mean score that the files themselves state, to be held against the rows."""
    figures: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    """Figures that are no mean over rows, such as weighted ones: as the files state them, and as the rows give them.
    Asked for after the rows, which may fill it."""
    models: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """Whose model it is ("model", "simulated user") → as a summary beside the rows names it, and as the rows do."""
    expected: Mapping[str, int] = field(default_factory=dict)
    """Task → attempts that should be there, where the files say so. Asked for after the rows, which may fill it."""

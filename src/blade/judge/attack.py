"""One attack: how a report is made that the judge must see through, and the score that is right for it."""

from __future__ import annotations

from collections.abc import Callable

from blade.frozen import frozen
from blade.judge.editing import AttackCase

Maker = Callable[[AttackCase], str | None]
"""Makes the report, or None where it cannot be made of this package."""


@frozen
class Attack:
    name: str
    summary: str
    band: tuple[float, float]
    """The lowest and the highest score that is right."""
    make: Maker


def attack(low: float, high: float) -> Callable[[Maker], Attack]:
    """An attack named like the function that makes it, with the first line of its docstring as summary."""

    def wrap(make: Maker) -> Attack:
        title = (make.__doc__ or "").strip().split("\n", 1)[0].rstrip(".")
        return Attack(make.__name__, title, (low, high), make)

    return wrap

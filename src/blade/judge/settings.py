"""The numbers of the judge that somebody chose. `benchmarks/judge.py` tells what becomes of a benchmark left out."""

from __future__ import annotations

from blade.frozen import frozen


@frozen
class JudgeSettings:
    """A slope says how much of the score one part in a hundred of false statements costs, beyond what is free."""

    numbers_free: float = 0.01
    numbers_slope: float = 7.0
    ids_free: float = 0.02
    ids_slope: float = 4.0
    bindings_free: float = 0.04
    bindings_slope: float = 2.5
    denied_free: float = 0.05
    denied_slope: float = 5.0
    quotes_floor: float = 0.45
    """What is left of the score where no quote is found."""
    proved_low: float = 0.2
    proved_high: float = 0.55
    """Shares of proved numbers between which the score falls from whole to nothing."""
    cohesion_low: float = 3.0
    cohesion_high: float = 5.0
    """Standard deviations by which sentences must fit their places better than if they were dealt anew."""
    enough_diagnosis: float = 0.45
    enough_numbers: float = 0.30
    enough_ids: float = 0.25
    enough_quotes: float = 0.15
    """Shares of the golden report's own evidence that earn full marks."""


SETTINGS = JudgeSettings()

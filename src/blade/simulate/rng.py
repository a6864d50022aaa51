"""Every draw comes from dice named by what they decide, so one draw never moves another."""

from __future__ import annotations

import math
import random

__all__ = ["chance", "dice", "roll"]


def dice(*names: object) -> random.Random:
    """Dice of their own for this sequence of names; the same names give the same throws on every machine."""
    return random.Random("|".join(map(str, names)))


def roll(rng: random.Random, share: float) -> bool:
    return rng.random() < share


def chance(skill: float, hardness: float, temperature: float) -> float:
    """How likely one attempt passes: a hotter model is less sure of the easy tasks and luckier on the hard ones."""
    steepness = 7.0 / max(temperature, 0.1)
    return 1.0 / (1.0 + math.exp(-steepness * (skill - hardness)))

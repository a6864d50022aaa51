"""Numbers on the command line that are finite: against NaN nothing can be held, and a gate would never fail."""

from __future__ import annotations

import math
from typing import Any

import click


class FiniteFloat(click.types.FloatParamType):
    """Any number but NaN and the infinite ones."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        return finite(self, super().convert(value, param, ctx), param, ctx)


class FiniteRange(click.FloatRange):
    """A number within limits; NaN is within any for click."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        return finite(self, super().convert(value, param, ctx), param, ctx)


def finite(
    kind: click.ParamType[float], number: float, param: click.Parameter | None, ctx: click.Context | None
) -> float:
    """The number itself, or the usual error of a wrong option."""
    if not math.isfinite(number):
        kind.fail(f"{number} is not a finite number.", param, ctx)
    return number

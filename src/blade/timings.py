"""How long the stages of an analysis take, for whoever asks. Nothing is measured otherwise."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field


@dataclass(slots=True)
class Timings:
    """Seconds by stage, in the order in which they began, and by detector, as those that read rows told them."""

    stages: dict[str, float] = field(default_factory=dict)
    detectors: dict[str, float] = field(default_factory=dict)
    rollouts: int = 0


_asked: ContextVar[Timings | None] = ContextVar("timings", default=None)


@contextmanager
def measuring() -> Iterator[Timings]:
    """Stages that run inside are measured."""
    made = Timings()
    token = _asked.set(made)
    try:
        yield made
    finally:
        _asked.reset(token)


@contextmanager
def stage(name: str) -> Iterator[None]:
    asked = _asked.get()
    begun = time.perf_counter()
    try:
        yield
    finally:
        if asked is not None:
            asked.stages[name] = asked.stages.get(name, 0.0) + time.perf_counter() - begun


def told(rollouts: int, seconds: dict[str, float]) -> None:
    """What detectors took over some rollouts that were read."""
    asked = _asked.get()
    if asked is None:
        return
    asked.rollouts += rollouts if seconds else 0
    for name, took in seconds.items():
        asked.detectors[name] = asked.detectors.get(name, 0.0) + took


def table(made: Timings) -> str:
    """Seconds by stage, then by detector, the costliest first."""
    lines = [f"{name:<32}{took:9.2f} s" for name, took in made.stages.items()]
    if not made.detectors:
        return "\n".join([*lines, "no detector was timed: the rows came from the cache (see --no-cache)"])
    share = sum(made.detectors.values()) or 1.0
    lines.append(f"{len(made.detectors)} detectors on {made.rollouts:,} rollouts, in seconds of a core:")
    for name, took in sorted(made.detectors.items(), key=lambda pair: -pair[1]):
        each = 1e6 * took / max(1, made.rollouts)
        lines.append(f"  {name:<30}{took:9.2f} s {100 * took / share:5.1f} % {each:8.1f} µs a rollout")
    return "\n".join(lines)

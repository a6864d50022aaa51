"""The stages of an analysis: which one begins, and how long each takes, for whoever asks."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field


@dataclass(slots=True)
class Timings:
    """Seconds by stage, in the order in which they began, and by detector, as those that read rows told them."""

    stages: dict[str, float] = field(default_factory=dict)
    detectors: dict[str, float] = field(default_factory=dict)
    rollouts: int = 0


READING = "read the rows"
_watcher: ContextVar[Callable[[str], None] | None] = ContextVar("watcher", default=None)
_active: ContextVar[Timings | None] = ContextVar("timings", default=None)


@contextmanager
def measuring() -> Iterator[Timings]:
    """Stages that run inside are measured."""
    timings = Timings()
    token = _active.set(timings)
    try:
        yield timings
    finally:
        _active.reset(token)


@contextmanager
def watching(begins: Callable[[str], None]) -> Iterator[None]:
    """`begins` is told the name of every stage inside when it begins."""
    token = _watcher.set(begins)
    try:
        yield
    finally:
        _watcher.reset(token)


@contextmanager
def stage(name: str) -> Iterator[None]:
    timings, begins = _active.get(), _watcher.get()
    if begins is not None:
        begins(name)
    begun = time.perf_counter()
    try:
        yield
    finally:
        if timings is not None:
            timings.stages[name] = timings.stages.get(name, 0.0) + time.perf_counter() - begun


def record(rollouts: int, seconds: dict[str, float]) -> None:
    """What detectors took over some rollouts that were read."""
    timings = _active.get()
    if timings is None:
        return
    timings.rollouts += rollouts if seconds else 0
    for name, took in seconds.items():
        timings.detectors[name] = timings.detectors.get(name, 0.0) + took


def table(timings: Timings) -> str:
    """Seconds by stage, then by detector, the costliest first."""
    lines = [f"{name:<32}{took:9.2f} s" for name, took in timings.stages.items()]
    if not timings.detectors:
        return "\n".join([*lines, "no detector was timed: the rows came from the cache (see --no-cache)"])
    share = sum(timings.detectors.values()) or 1.0
    lines.append(f"{len(timings.detectors)} detectors on {timings.rollouts:,} rollouts, in seconds of a core:")
    for name, took in sorted(timings.detectors.items(), key=lambda pair: -pair[1]):
        per_rollout = 1e6 * took / max(1, timings.rollouts)
        lines.append(f"  {name:<30}{took:9.2f} s {100 * took / share:5.1f} % {per_rollout:8.1f} µs a rollout")
    return "\n".join(lines)

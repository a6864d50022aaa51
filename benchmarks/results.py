"""Takes the measurements in turns, keeps them, and sets one variant against another."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import orjson
from benchmarks.measuring import Measured, Sample, measure, median
from benchmarks.variants import Variant

__all__ = ["Part", "Results", "ratio", "ratios", "take"]


@dataclass(slots=True)
class Part:
    """One part of the benchmark: its variants took turns, so that they can be set against each other."""

    date: str
    megabytes: float
    samples: dict[str, Sample] = field(default_factory=dict)
    facts: dict[str, Any] = field(default_factory=dict)

    def value(self, name: str, key: str) -> float | None:
        found = self.samples.get(name)
        return None if found is None else found.median(key)


class Results(dict[str, Part]):
    """Every part that was measured, by name; kept in a file, so that parts can be measured one at a time."""

    def save(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(orjson.dumps({name: asdict(part) for name, part in self.items()}, option=orjson.OPT_INDENT_2))

    @classmethod
    def load(cls, path: Path) -> Results:
        if not path.exists():
            return cls()
        return cls({name: _part(told) for name, told in orjson.loads(path.read_bytes()).items()})


def _part(told: dict[str, Any]) -> Part:
    samples = {
        name: Sample(name, [Measured(**taken) for taken in sample["taken"]], sample["note"])
        for name, sample in told.pop("samples").items()
    }
    return Part(samples=samples, **told)


def take(variants: Sequence[Variant], rounds: int) -> dict[str, Sample]:
    """Every variant once per round, round after round. The first round is a warm-up, thrown away if others follow.

    A variant that fails once is left out from then on, and its sample says why.
    """
    samples = {one.name: Sample(one.name, note=one.note) for one in variants}
    running = [one for one in variants if one.command]
    for number in range(rounds + 1):
        for one in tuple(running):
            if one.before is not None:
                one.before()
            taken = measure(one.command, folder=one.folder)
            _talk(number, one.name, taken)
            if taken.failed:
                running.remove(one)
                samples[one.name] = Sample(one.name, note=f"failed: {taken.failed}")
            elif number or not rounds:
                samples[one.name].taken.append(taken)
    return samples


def ratios(above: Iterable[float], below: Iterable[float]) -> list[float]:
    """Round by round: what took turns is compared within its turn. With unequal rounds, median by median."""
    over, under = list(above), list(below)
    if not over or not under:
        return []
    if len(over) != len(under):
        over, under = [median(over) or 0.0], [median(under) or 0.0]
    return [one / other for one, other in zip(over, under, strict=True) if other > 0]


def ratio(part: Part, above: tuple[str, str], below: tuple[str, str]) -> float | None:
    """The median of the ratios of two figures; each is the name of a variant and what to take of it."""
    samples = [part.samples.get(name) for name, _ in (above, below)]
    if samples[0] is None or samples[1] is None:
        return None
    return median(ratios(samples[0].values(above[1]), samples[1].values(below[1])))


def _talk(number: int, name: str, taken: Measured) -> None:
    turn = f"round {number}" if number else "warm-up"
    told = taken.failed or f"{taken.wall:.2f} s, core {taken.cpu:.2f} s, {taken.peak:,.0f} MB"
    print(f"{turn}: {name}: {told}", file=sys.stderr, flush=True)

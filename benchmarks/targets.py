"""The targets of the engine, each with its limit and what was measured."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from benchmarks.results import Part, Results, ratio
from benchmarks.variants import ENGINE

from blade.detectors import names

__all__ = ["Target", "targets"]

PEAK = 600.0
LINES = 4.0
ORJSON = ("orjson_parse", "core")
CHECK = ("parse_and_check", "seconds")


@dataclass(frozen=True, slots=True)
class Target:
    """What is wanted. `least` is true where more is better; `measured` is None where it could not be measured."""

    name: str
    limit: float
    measured: float | None
    unit: str = "×"
    least: bool = False

    @property
    def met(self) -> bool | None:
        if self.measured is None:
            return None
        return self.measured >= self.limit if self.least else self.measured <= self.limit


def targets(results: Results) -> list[Target]:
    """All of them, in the order of the table. A part that was not run has no measurement."""
    nothing = Part("", 0.0)
    ingest, large = (results.get(name, nothing) for name in ("ingest", "large"))
    growth, start, ray = (results.get(name, nothing) for name in ("growth", "start", "ray"))
    return [
        *_parsing(ingest, ""),
        *_parsing(large, ", large file"),
        *_gym(ingest, ""),
        *_gym(large, ", large file"),
        Target("two workers / one, wall, large file", 0.65, _workers(large)),
        *_cache(ingest),
        *_memory(results),
        Target("seconds per MB, largest file / middle one", 1.3, _growth(growth)),
        *(Target(f"`{name}`, seconds", 0.3, start.value(name, "wall"), "s") for name in ("blade --help", "blade list")),
        Target(
            "Ray, later passes / pool, wall",
            1.7,
            ratio(ray, ("Ray, two workers", "later"), ("pool, two workers", "later")),
        ),
        Target(f"detectors that did not run, of {len(names())}", 0.0, _left_out(ingest), ""),
    ]


def one(part: Part) -> str:
    """The analysis in one process; without the option, there is only the plain one."""
    return _or_plain(part, "analyze, one worker")


def two(part: Part) -> str:
    return _or_plain(part, "analyze, two workers")


def _or_plain(part: Part, name: str) -> str:
    found = part.samples.get(name)
    return name if found is not None and found.taken else "analyze"


def _parsing(part: Part, where: str) -> Iterator[Target]:
    yield Target(f"facts only / orjson parse, CPU{where}", 1.6, ratio(part, (ENGINE, "core"), ORJSON))
    yield Target(f"full analysis / orjson parse, CPU{where}", 4.0, ratio(part, (one(part), "cpu"), ORJSON))
    yield Target(f"full analysis / parse-and-check loop, wall{where}", 1.0, ratio(part, (two(part), "wall"), CHECK))


def _gym(part: Part, where: str) -> Iterator[Target]:
    ours = one(part)
    for key, word in (("cpu", "CPU"), ("peak", "memory")):
        name, found = f"Gym's profile / full analysis, {word}{where}", ratio(part, ("gym_profile", key), (ours, key))
        yield Target(name, 10.0, found, least=True)


def _workers(part: Part) -> float | None:
    return None if one(part) == two(part) else ratio(part, (two(part), "wall"), (one(part), "wall"))


def _cache(part: Part) -> Iterator[Target]:
    for stage, key, word in (("read", "core", "reading stage, CPU"), ("analyze", "cpu", "whole command, CPU")):
        cold = (f"{stage}, cold into the cache", key)
        for way, limit in (("size and time", 0.02), ("content", 0.08)):
            name = f"warm by {way} / cold, {word}"
            yield Target(name, limit, ratio(part, (f"{stage}, warm by {way}", key), cold))


def _memory(results: Results) -> Iterator[Target]:
    """The highest peak of any analysis over its own limit: 600 MB and four times the longest line of its file."""
    for name, part in results.items():
        longest = part.facts.get("longest")
        peaks = [
            max(sample.values("peak")) for key, sample in part.samples.items() if "analyze" in key and sample.taken
        ]
        if longest is not None and peaks:
            yield Target(f"peak memory, {name}", PEAK + LINES * longest, max(peaks), "MB")


def _growth(part: Part) -> float | None:
    sizes = part.facts.get("sizes")
    if not sizes or len(part.samples) != len(sizes):
        return None
    *_, middle, largest = part.samples
    found = ratio(part, (largest, "cpu"), (middle, "cpu"))
    return None if found is None else found * sizes[-2] / sizes[-1]


def _left_out(part: Part) -> float | None:
    ran = part.value("read, cold into the cache", "detectors")
    return None if ran is None else len(names()) - ran

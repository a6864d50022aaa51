"""The targets of the engine, each with its limit and what was measured."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from benchmarks.results import Part, Results, ratio
from benchmarks.variants import EARLIER, ENGINE, IMPORT, PAIR, READ, SMALL, TESTS

from blade.detectors import names

__all__ = ["Target", "targets"]

PEAK = 600.0
ORJSON = ("orjson_parse", "core")
CHECK = ("parse_and_check", "seconds")
COLD = "read, cold into the cache"
PLAIN = "analyze"


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
    """All of them, in the order of the table. A part that was not run has no measurement; a large file is no duty."""
    nothing = Part("", 0.0)
    ingest, large, growth, real, small, formats, tests = (
        results.get(name, nothing) for name in ("ingest", "large", "growth", "real", "small", "formats", "tests")
    )
    return [
        Target("reading with all detectors / orjson parse, CPU", 4.0, ratio(ingest, (COLD, "core"), ORJSON)),
        Target("reading with all detectors / orjson parse, CPU, real rows", 8.0, ratio(real, (READ, "core"), ORJSON)),
        *_parsing(ingest, ""),
        *(_parsing(large, ", large file") if large.samples else ()),
        *_gym(ingest, ""),
        *(_gym(large, ", large file") if large.samples else ()),
        *_cache(ingest),
        Target("analysis of 160 rollouts, CPU", 1.0, small.value(SMALL, "cpu"), "s"),
        Target("`import blade`, CPU", 0.15, small.value(IMPORT, "cpu"), "s"),
        Target("full analysis / before the questions, CPU", 1.0, _against_earlier(ingest, PLAIN)),
        Target("full analysis / before the questions, CPU, real rows", 1.0, _against_earlier(real, PLAIN)),
        Target("two runs of 160 / before the questions, CPU", 1.0, _against_earlier(small, PAIR)),
        Target("reading the dearest foreign format / orjson parse, CPU", 2.0, _dearest(formats)),
        Target("the tests (`make test`), CPU", 6.0, _minutes(tests), "min"),
        *_memory(results),
        Target("seconds per MB, largest file / middle one", 1.3, _growth(growth)),
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
    yield Target(f"facts only / orjson parse, CPU{where}", 2.0, ratio(part, (ENGINE, "core"), ORJSON))
    yield Target(f"full analysis / orjson parse, CPU{where}", 6.0, ratio(part, (one(part), "cpu"), ORJSON))
    yield Target(f"full analysis / parse-and-check loop, wall{where}", 1.5, ratio(part, (two(part), "wall"), CHECK))


def _gym(part: Part, where: str) -> Iterator[Target]:
    ours = one(part)
    for key, word, limit in (("cpu", "CPU", 5.0), ("peak", "memory", 10.0)):
        times = ratio(part, ("gym_profile", key), (ours, key))
        yield Target(f"Gym's profile / full analysis, {word}{where}", limit, times, least=True)


def _cache(part: Part) -> Iterator[Target]:
    for way in ("size and time", "content"):
        times = ratio(part, (f"analyze, warm by {way}", "cpu"), ("analyze, cold into the cache", "cpu"))
        yield Target(f"warm by {way} / cold, whole command, CPU", 0.1, times)


def _against_earlier(part: Part, analysis: str) -> float | None:
    return ratio(part, (analysis, "cpu"), (EARLIER, "cpu"))


def _dearest(part: Part) -> float | None:
    """The highest cost of any format, as a multiple of parsing the same bytes."""
    costs = part.facts.get("taken") or {}
    return max((cost["times"] for cost in costs.values()), default=None)


def _minutes(part: Part) -> float | None:
    seconds = part.value(TESTS, "cpu")
    return None if seconds is None else seconds / 60


def _memory(results: Results) -> Iterator[Target]:
    """The highest peak of any analysis of a part."""
    for name, part in results.items():
        peaks = [
            max(sample.values("peak"))
            for key, sample in part.samples.items()
            if "analyze" in key and key != EARLIER and sample.taken
        ]
        if peaks:
            yield Target(f"peak memory, {name}", PEAK, max(peaks), "MB")


def _growth(part: Part) -> float | None:
    sizes = part.facts.get("sizes")
    if not sizes or len(part.samples) != len(sizes):
        return None
    *_, middle, largest = part.samples
    found = ratio(part, (largest, "cpu"), (middle, "cpu"))
    return None if found is None else found * sizes[-2] / sizes[-1]


def _left_out(part: Part) -> float | None:
    ran = part.value(COLD, "detectors")
    return None if ran is None else len(names()) - ran

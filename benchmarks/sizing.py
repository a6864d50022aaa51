"""How long larger work would take, reckoned from measured rates: reading divides among cores, the rest does not."""

from __future__ import annotations

from dataclasses import dataclass

from benchmarks.results import Results

__all__ = ["CORES", "Rates", "duration", "rates", "sizing_rows"]

CORES = (1, 8, 64)
MANY = 10_000_000
GIGABYTES = {"10 GB": 10.0, "1 TB": 1000.0}


@dataclass(frozen=True, slots=True)
class Rates:
    """Seconds of a core: once, per GB in the reading stage, and per GB after it."""

    once: float
    reading: float
    after: float

    def seconds(self, gigabytes: float, cores: int) -> float:
        return self.once + gigabytes * (self.reading / cores + self.after)


def rates(results: Results) -> Rates | None:
    """A line through the smallest and the largest file of the growth part, and the reading stage by itself."""
    growth, ingest = results.get("growth"), results.get("ingest")
    if growth is None or ingest is None or "sizes" not in growth.facts or "shape" not in ingest.facts:
        return None
    taken = [sample.median("cpu") for sample in growth.samples.values()]
    reading = ingest.value("read, cold into the cache", "core")
    if len(taken) < 2 or taken[0] is None or taken[-1] is None or reading is None:
        return None
    small, large = growth.facts["sizes"][0] / 1000, growth.facts["sizes"][-1] / 1000
    whole = (taken[-1] - taken[0]) / (large - small)
    read = reading / (ingest.facts["shape"]["bytes"] / 1e9)
    return Rates(max(0.0, taken[0] - whole * small), read, max(0.0, whole - read))


def sizing_rows(results: Results) -> list[list[str]]:
    """Wall time of a cold analysis of larger work."""
    found = rates(results)
    if found is None:
        return []
    shape = results["ingest"].facts["shape"]
    many = shape["bytes"] / 1e9 / shape["rows"] * MANY
    works = {**GIGABYTES, f"{MANY:,} rollouts ({many:,.0f} GB)": many}
    return [[name, *(duration(found.seconds(amount, cores)) for cores in CORES)] for name, amount in works.items()]


def duration(seconds: float) -> str:
    """Rounded: it is a reckoning, not a measurement."""
    if seconds < 120:
        return f"{seconds:.0f} s"
    if seconds < 7200:
        return f"{seconds / 60:.0f} min"
    if seconds < 172_800:
        return f"{seconds / 3600:.1f} h"
    return f"{seconds / 86_400:.1f} days"

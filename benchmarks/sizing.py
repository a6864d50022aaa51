"""How long larger work would take, reckoned from measured rates: reading divides among cores, the rest does not."""

from __future__ import annotations

from benchmarks.results import Results
from benchmarks.targets import one

__all__ = ["CORES", "duration", "sizing_rows"]

CORES = (1, 8, 64)
LARGEST_RUN = 10_000_000
GIGABYTES = {"10 GB": 10.0, "1 TB": 1000.0}


def sizing_rows(results: Results) -> list[list[str]]:
    """Wall time of a cold analysis, with the seconds of a core per GB that were measured."""
    part = results.get("ingest")
    if part is None or "shape" not in part.facts:
        return []
    size = part.facts["shape"]["bytes"] / 1e9
    whole, reading = part.value(one(part), "cpu"), part.value("read, cold into the cache", "core")
    if whole is None or reading is None:
        return []
    rest = max(0.0, whole - reading) / size
    per_row = part.facts["shape"]["bytes"] / 1e9 / part.facts["shape"]["rows"]
    works = {**GIGABYTES, f"{LARGEST_RUN:,} rollouts ({per_row * LARGEST_RUN:,.0f} GB)": per_row * LARGEST_RUN}
    return [
        [name, *(duration(amount * (reading / size / cores + rest)) for cores in CORES)]
        for name, amount in works.items()
    ]


def duration(seconds: float) -> str:
    """Rounded: it is a reckoning, not a measurement."""
    if seconds < 120:
        return f"{seconds:.0f} s"
    if seconds < 7200:
        return f"{seconds / 60:.0f} min"
    if seconds < 172_800:
        return f"{seconds / 3600:.1f} h"
    return f"{seconds / 86_400:.1f} days"

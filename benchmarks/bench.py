"""The performance benchmark: BLADE against floors and other readers, memory, workers, cache, growth, statistics.

    python -m benchmarks.bench                                       # everything, medians of five: long
    python -m benchmarks.bench --megabytes 20 --large 20 --rounds 2   # a small one, to try it
    python -m benchmarks.bench --only growth --write docs/performance.md

Parts: ingest, real, small, formats, tests, rows, large, growth, start, ray, slices, statistics. What was measured is
kept in results.json in the folder, so that parts can be measured one at a time; tables are made of all that is kept.
What is not in this repository is named from outside: BLADE_BENCH_REAL a file of real rows, BLADE_BENCH_FOREIGN a folder
with one folder of runs for each foreign format, BLADE_BENCH_BEFORE the `src` folder of an earlier version.
"""

from __future__ import annotations

import argparse
import datetime as dt
import os
import platform
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benchmarks import variants
from benchmarks.corpora import shape_of
from benchmarks.measuring import measure
from benchmarks.performance_tables import filled, tables
from benchmarks.results import Part, Results, take
from benchmarks.variants import PYTHON, Place

from blade.version import __version__

PARTS = (
    "ingest", "real", "small", "formats", "tests", "rows", "large", "growth", "start", "ray", "slices", "statistics",
)  # fmt: skip
FOREIGN = "BLADE_BENCH_FOREIGN"
STARTS = 9
SMALL_ROUNDS = 5
SLICED = ("1000000", "20")


def machine() -> str:
    """The shape of the machine; nothing that names it."""
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 1e9
    cores = len(os.sched_getaffinity(0))
    told = f"{cores} cores ({platform.machine()}), {memory:.0f} GB of memory, {platform.system()}"
    return f"{told}, Python {platform.python_version()}, BLADE {__version__}"


def measure_part(name: str, place: Place, asked: argparse.Namespace) -> Part:
    """Make the corpora of a part, let its variants take turns, and say what was read."""
    megabytes = asked.large if name in {"large", "ray"} else asked.megabytes
    made = Part(dt.datetime.now(tz=dt.UTC).date().isoformat(), megabytes, facts={"machine": machine()})
    if name in {"slices", "statistics", "formats"}:
        made.facts |= _formats() if name == "formats" else _statistics(name, asked)
        return made
    makers = {"rows": variants.row_sorts}
    chosen = makers.get(name) or getattr(variants, name)
    found = chosen(place, megabytes)
    made.facts |= _shapes(name, place, megabytes)
    rounds = {"start": STARTS, "small": max(asked.rounds, SMALL_ROUNDS), "tests": 0}.get(name, asked.rounds)
    made.samples = take(found, rounds)
    return made


def _shapes(name: str, place: Place, megabytes: float) -> dict[str, Any]:
    """What the files of a part look like."""
    if name in {"start", "small", "tests"}:
        return {}
    if name == "real":
        path = variants.real_rows(place)
        return {} if path is None else {"shapes": {"real": asdict(shape_of(path))}}
    if name == "rows":
        shapes = {kind: asdict(shape_of(place.corpus(megabytes, kind))) for kind in ("small", "agentic")}
        return {"shapes": shapes, "longest": max(one["longest"] for one in shapes.values()) / 1000}
    if name == "growth":
        files = [shape_of(place.corpus(megabytes * times)) for times in variants.GROWTH]
        longest = max(file.longest for file in files) / 1000
        return {"sizes": [file.bytes / 1e6 for file in files], "longest": longest, "shape": asdict(files[-1])}
    shape = shape_of(place.corpus(megabytes))
    return {"shape": asdict(shape), "longest": shape.longest / 1000}


def _formats() -> dict[str, Any]:
    """What reading each foreign format costs over parsing the same bytes."""
    folder = Path(os.environ.get(FOREIGN, "nowhere"))
    paths = sorted(map(str, folder.glob("*/")))
    if not paths:
        return {"taken": {}, "note": f"{FOREIGN} names no folder of runs"}
    taken = measure((*PYTHON, "benchmarks.reading_formats", *paths, "--times", "3", "--megabytes", "8", "--json"))
    return {"taken": taken.said, "note": taken.failed}


def _statistics(name: str, asked: argparse.Namespace) -> dict[str, Any]:
    more = (str(asked.rows), SLICED[1]) if name == "slices" else ()
    taken = measure((*PYTHON, "benchmarks.at_size", name, *more))
    if taken.failed:
        print(f"{name}: {taken.failed}", file=sys.stderr)
    return {"taken": taken.said, "note": taken.failed}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, default=Path("build/bench"), help="where corpora and results stand")
    parser.add_argument(
        "--megabytes", type=float, default=200, help="size of the smaller corpora; growth ends at ten times"
    )
    parser.add_argument("--large", type=float, default=1000, help="size of the large corpus")
    parser.add_argument("--rows", type=int, default=int(SLICED[0]), help="rows of the table for slices")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", action="append", choices=PARTS, help="one part; may be given several times")
    parser.add_argument("--write", type=Path, help="a page whose tables are filled in")
    asked = parser.parse_args()
    kept = asked.folder / "results.json"
    results = Results.load(kept)
    for name in asked.only or PARTS:
        results[name] = measure_part(name, Place(asked.folder), asked)
        results.save(kept)
    made = tables(results)
    for name, text in made.items():
        print(f"## {name}\n\n{text}\n")
    if asked.write is not None:
        asked.write.write_text(filled(asked.write.read_text(encoding="utf-8"), made), encoding="utf-8")


if __name__ == "__main__":
    main()

"""How large `report.html` is, and how long it takes to make once all is counted.

Usage: python benchmarks/page.py [TASKS]

The demo; then runs like the demo's with 1,000 tasks and four attempts, two of them and four. Wanted: the demo under
2 MB, the others under 15 MB.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import blade
from blade import api
from blade.simulate import demo_pair
from blade.simulate.demo import BASELINE, CANDIDATE
from blade.simulate.gym_files import write_run

LIMITS = (2.0, 15.0)


def main() -> int:
    tasks = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    print("| runs | tasks | seconds to write all | report.html, MB | report.md, MB |")
    print("|---:|---:|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        within = [_measure(folder / "demo", demo_pair(folder / "runs"), LIMITS[0])]
        others = (
            replace(BASELINE, model="sim-medium-3", skill=0.62),
            replace(BASELINE, model="sim-medium-4", skill=0.4),
        )
        made = (BASELINE, CANDIDATE, *others)
        paths = [write_run(replace(one, tasks=tasks), folder / f"run{place}") for place, one in enumerate(made)]
        within += [_measure(folder / f"of{many}", paths[:many], LIMITS[1]) for many in (2, 4)]
    return int(not all(within))


def _measure(folder: Path, paths: Sequence[Path], limit: float) -> bool:
    options = blade.Options(cache=False)
    runs = blade.read(*paths, options=options)
    analysis = blade.analyze_runs(runs, options)
    begun = time.monotonic()
    api.write(folder, runs, analysis)
    seconds = time.monotonic() - begun
    page, text = ((folder / name).stat().st_size / 1e6 for name in ("report.html", "report.md"))
    print(f"| {len(runs)} | {len(analysis.tasks):,} | {seconds:.1f} | {page:.2f} | {text:.2f} |", flush=True)
    return page < limit


if __name__ == "__main__":
    raise SystemExit(main())

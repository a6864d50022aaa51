"""Time and memory of one whole comparison: two runs of 1,000 tasks with 16 repeats, every section, nothing cached.

Usage: python -m benchmarks.size [TASKS [REPEATS]]

Wanted: at most 60 seconds and 2 GB on two cores. On a machine with other work, compare the seconds of a core.
"""

from __future__ import annotations

import resource
import sys
import tempfile
from pathlib import Path

from benchmarks.planted_suite.planted_case import case
from memory import measure

LIMITS = (60.0, 2000.0)


def main() -> int:
    tasks, repeats = (int(text) for text in (*sys.argv[1:], *("1000", "16")[len(sys.argv) - 1 :]))
    with tempfile.TemporaryDirectory() as folder:
        made = case("gain_and_outage", "E2", 2, folder, tasks=tasks, repeats=repeats, dose=5.0)
        size = sum(path.stat().st_size for path in (made.base, made.candidate)) / 1e6
        blade = [sys.executable, "-m", "blade", "analyze", str(made.base), str(made.candidate)]
        seconds, peak = measure([*blade, "-o", str(Path(folder) / "out"), "--cache-dir", str(Path(folder) / "cache")])
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print("| tasks | repeats | both files, MB | seconds | seconds of a core | peak of the tree, MB |")
    print("|---:|---:|---:|---:|---:|---:|")
    busy = used.ru_utime + used.ru_stime
    print(f"| {tasks} | {repeats} | {size:,.0f} | {seconds:.1f} | {busy:.1f} | {peak:,.0f} |")
    return int(seconds > LIMITS[0] or peak > LIMITS[1])


if __name__ == "__main__":
    raise SystemExit(main())

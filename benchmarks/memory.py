"""How much memory an analysis needs: peak of the whole process tree against the size of the file.

Usage: python benchmarks/memory.py [MEGABYTES]
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from blade.simulate import Scenario, stream_lines

POLL = 0.05


def write_run(path: Path, megabytes: int) -> None:
    """A file of simulated rollouts with fresh text, at least this large."""
    wanted = megabytes * 1_000_000
    scenario = Scenario(benchmark="front_desk", seed=7, tasks=100_000, repeats=4, pad_chars=30_000)
    written = 0
    with path.open("wb") as stream:
        for line in stream_lines(scenario):
            written += stream.write(line if line.endswith(b"\n") else line + b"\n")
            if written >= wanted:
                return


def tree_memory(root: int) -> int:
    """Resident kilobytes of a process and all its children, from /proc."""
    total = 0
    waiting = [root]
    while waiting:
        pid = waiting.pop()
        try:
            status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
            children = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii")
        except OSError:
            continue
        total += next((int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS")), 0)
        waiting.extend(map(int, children.split()))
    return total


def measure(arguments: list[str]) -> tuple[float, float]:
    """Seconds and peak megabytes of one command."""
    begun = time.monotonic()
    process = subprocess.Popen(arguments, stdout=subprocess.DEVNULL)
    peak = 0
    done = threading.Event()

    def watch() -> None:
        nonlocal peak
        while not done.is_set():
            peak = max(peak, tree_memory(process.pid))
            time.sleep(POLL)

    watcher = threading.Thread(target=watch)
    watcher.start()
    code = process.wait()
    done.set()
    watcher.join()
    if code:
        sys.exit(f"blade analyze ended with {code}")
    return time.monotonic() - begun, peak / 1000


def main() -> None:
    megabytes = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rollouts.jsonl"
        write_run(path, megabytes)
        size = path.stat().st_size / 1e6
        blade = [sys.executable, "-m", "blade", "analyze", str(path), "-o", f"{folder}/out"]
        cache = ["--cache-dir", f"{folder}/cache"]
        print("| analysis | file, MB | seconds | peak of the tree, MB |")
        print("|---|---:|---:|---:|")
        for name in ("cold", "warm"):
            seconds, peak = measure([*blade, *cache])
            print(f"| {name} | {size:,.0f} | {seconds:.1f} | {peak:,.0f} |", flush=True)


if __name__ == "__main__":
    main()

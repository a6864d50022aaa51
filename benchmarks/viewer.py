"""How soon `blade view` shows its first page on 1 GB of rollouts that it has seen before.

Usage: python -m benchmarks.viewer [TASKS [REPEATS]]

Two simulated runs in light rows, padded with thinking to what rows of real agents weigh. The first opening reads and
analyzes everything; then the program is started anew three times, and the seconds until the first page has come whole
are taken. Wanted: about two seconds. On a machine with other work, compare the seconds of a core.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from urllib.request import urlopen

import orjson
from benchmarks.planted_suite.planted_case import case

ROW = 31_500
"""Bytes of thinking that are added to every row."""
LIMIT = 2.5
PAGES = ("", "tasks", "tasks?bucket=never", "search?q=record", "text?q=nothing+holds+these+words")


def main() -> int:
    tasks, repeats = (int(text) for text in (*sys.argv[1:], *("1000", "16")[len(sys.argv) - 1 :]))
    with tempfile.TemporaryDirectory() as folder:
        made = case("gain_and_outage", "E2", 2, folder, tasks=tasks, repeats=repeats, dose=5.0)
        size = sum(_pad(path) for path in (made.base, made.candidate)) / 1e9
        begin = [sys.executable, "-m", "blade", "view", str(made.base), str(made.candidate), "--port", "0"]
        begin += ["--cache-dir", str(Path(folder) / "cache")]
        first, _, _ = _open(begin, ())
        warm = [_open(begin, PAGES if last else ()) for last in (False, False, True)]
    best, busy, _ = min(warm)
    print("| size, GB | rollouts | first time, s | seen before, s | seconds of a core |")
    print("|---:|---:|---:|---:|---:|")
    print(f"| {size:.2f} | {2 * tasks * repeats:,} | {first:.1f} | {best:.2f} | {busy:.2f} |")
    print()
    print("| page | s |")
    print("|---|---:|")
    for page, seconds in warm[-1][2]:
        print(f"| /{page} | {seconds:.2f} |")
    return int(min(best, busy) > LIMIT)


def _pad(path: Path) -> int:
    """Add thinking to every row; the size comes back."""
    words = ("I look at the record again and hold it against what was asked. " * (ROW // 60))[:ROW]
    thought = {"type": "reasoning", "summary": [{"type": "summary_text", "text": words}]}
    padded = path.with_suffix(".padded")
    with path.open("rb") as rows, padded.open("wb") as out:
        for line in rows:
            row = orjson.loads(line)
            row.setdefault("response", {}).setdefault("output", []).insert(0, thought)
            out.write(orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE))
    padded.replace(path)
    return path.stat().st_size


def _open(command: list[str], pages: tuple[str, ...]) -> tuple[float, float, list[tuple[str, float]]]:
    """Seconds until the first page is there, seconds of a core by then, and how long other pages take."""
    begun = time.monotonic()
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None  # noqa: S101 - piped in the line above
        address = server.stdout.readline().strip()
        _get(address)
        seconds = time.monotonic() - begun
        ticks = Path(f"/proc/{server.pid}/stat").read_text(encoding="utf-8").split()[13:15]
        busy = sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK")
        timed = [(page, _get(address + page)) for page in pages]
        server.terminate()
    return seconds, busy, timed


def _get(address: str) -> float:
    begun = time.monotonic()
    with urlopen(address) as answer:  # noqa: S310 - an address that our own server printed
        answer.read()
    return time.monotonic() - begun


if __name__ == "__main__":
    raise SystemExit(main())

"""What reading the runs of other programs costs, against parsing the same bytes with orjson.

    python -m benchmarks.reading_formats ../shared/corpus/foreign/* --times 3 --megabytes 25

Reading is all that happens at the door: recognise, translate, write the rows into the cache, nothing kept from before.
With `--megabytes` every path is first made as large as that in a temporary folder (`grown_runs.py`): of small files
mostly their opening is measured.
The measure is parsing every file that was opened for it, once, with orjson; members of archives are unpacked first.
What comes behind the door (facts, detectors) is the same for all rollouts and stands in docs/performance.md.
"""

from __future__ import annotations

import argparse
import gc
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson
from benchmarks.grown_runs import grow

from blade.engine.discover import discover
from blade.engine.plan import RunPlan
from blade.errors import BladeError
from blade.files.lines import iter_lines, open_bytes
from blade.files.sniff import ZIP_MAGIC
from blade.translate.archives import members, unpack


@dataclass(frozen=True, slots=True)
class Cost:
    """Seconds of one processor for one path."""

    path: Path
    kind: str
    rows: int
    megabytes: float
    reading: float
    parsing: float

    @property
    def times(self) -> float:
        return self.reading / self.parsing if self.parsing else 0.0


class Opened:
    """The files below a path that are opened while it is watched; an audit hook cannot be taken away again."""

    def __init__(self) -> None:
        self.below = ""
        self.files: dict[str, None] = {}
        sys.addaudithook(self._hook)

    def _hook(self, event: str, given: tuple[Any, ...]) -> None:
        if event == "open" and self.below and isinstance(given[0], str) and given[0].startswith(self.below):
            self.files.setdefault(given[0])

    def by(self, path: Path) -> tuple[list[RunPlan], list[Path]]:
        """The runs behind a path, and the files that were opened for them."""
        self.below, self.files = str(path.resolve()), {}
        plans = discover([path.resolve()])
        self.below = ""
        return plans, [Path(name) for name in self.files if Path(name).is_file()]


def cost(path: Path, opened: Opened, times: int) -> Cost:
    cache = Path(os.environ["BLADE_CACHE_DIR"])
    shutil.rmtree(cache, ignore_errors=True)
    plans, files = opened.by(path)
    parsing = min(seconds(lambda: _parse_all(files)) for _ in range(times))
    reading = []
    for _ in range(times):
        shutil.rmtree(cache, ignore_errors=True)
        reading.append(seconds(lambda: discover([path.resolve()])))
    kinds = {plan.rollouts[0].kind for plan in plans}
    rows = sum(plan.translated.rows for plan in plans if plan.translated)
    size = sum(file.stat().st_size for file in files) / 1e6
    return Cost(path, " ".join(sorted(kinds)), rows, size, min(reading), parsing)


def seconds(work: Callable[[], Any]) -> float:
    """Seconds of one processor, cycles looked for as seldom as in the command line."""
    gc.set_threshold(100_000, 50, 50)
    start = time.process_time()
    work()
    return time.process_time() - start


def _parse_all(files: Iterable[Path]) -> None:
    for file in files:
        for content in contents(file):
            try:
                orjson.loads(content)
            except orjson.JSONDecodeError:
                continue


def contents(file: Path) -> Iterable[bytes]:
    """The pieces of JSON in a file: its lines, its members, or all of it."""
    with file.open("rb") as stream:
        if stream.read(4) == ZIP_MAGIC:
            yield from (unpack(stream, info) for info in members(file).values())
            return
    with open_bytes(file) as whole:
        if ".jsonl" in file.name:
            yield from (line.data for line in iter_lines(whole))
        else:
            content = whole.read()
            lines = content.split(b"\n") if content[:1] == b"{" and b"\n{" in content else [content]
            yield from lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="+", type=Path, help="files and folders of other programs")
    parser.add_argument("--times", type=int, default=3, help="the best of so many")
    parser.add_argument("--megabytes", type=float, default=0.0, help="make every path about this large first")
    parser.add_argument("--json", action="store_true", help="end with one line of JSON")
    asked = parser.parse_args()
    opened = Opened()
    total: dict[str, list[Cost]] = {}
    with tempfile.TemporaryDirectory(prefix="blade-reading-") as folder:
        os.environ["BLADE_CACHE_DIR"] = folder + "/cache"
        for path in asked.paths:
            grown = Path(folder) / "grown"
            shutil.rmtree(grown, ignore_errors=True)
            try:
                made = cost(grow(path, grown, asked.megabytes) if asked.megabytes else path, opened, asked.times)
            except BladeError as error:
                print(f"{path}: {error}", file=sys.stderr)
                continue
            total.setdefault(made.kind, []).append(made)
            print(
                f"{made.kind:15} {made.rows:6} rows {made.megabytes:8.1f} MB  parsing {made.parsing:7.3f} s  "
                f"reading {made.reading:7.3f} s  {made.times:5.2f} ×  {path.name}",
                flush=True,
            )
    print("\n| format | rows | MB | orjson (s) | reading (s) | times |\n|---|---:|---:|---:|---:|---:|")
    table: dict[str, dict[str, float]] = {}
    for kind, costs in sorted(total.items()):
        parsing, reading = sum(one.parsing for one in costs), sum(one.reading for one in costs)
        rows, size = sum(one.rows for one in costs), sum(one.megabytes for one in costs)
        times = reading / max(parsing, 1e-9)
        table[kind] = {"rows": rows, "megabytes": size, "parsing": parsing, "reading": reading, "times": times}
        print(f"| `{kind}` | {rows:,} | {size:.1f} | {parsing:.3f} | {reading:.3f} | {times:.2f} |")
    if asked.json:
        print(orjson.dumps(table).decode())


if __name__ == "__main__":
    main()

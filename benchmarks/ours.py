"""BLADE itself, in a fresh process, timed inside without the imports.

    python -m benchmarks.ours facts FILE            # one pass without detectors
    python -m benchmarks.ours read FILE [--cache-dir DIR] [--workers N] [--engine local|ray] [--passes K]

The last line printed is JSON.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from benchmarks.baselines import timed

from blade.options import Options

__all__ = ["detectors_that_ran", "facts_only"]


def facts_only(path: Path) -> Callable[[], int]:
    """Lines, parser, facts, table: the reading pass of the engine with its detectors left out."""
    from xxhash import xxh3_128  # noqa: PLC0415 - imports are outside the clock

    from blade.engine.rows import NO_INPUTS, FlawTally, RowReader  # noqa: PLC0415
    from blade.extract.declared import NOTHING  # noqa: PLC0415
    from blade.facts.table import FactsBuilder  # noqa: PLC0415
    from blade.files.lines import iter_lines, open_bytes  # noqa: PLC0415

    def work() -> int:
        builder = FactsBuilder()
        reader = RowReader("failures", (NOTHING, NO_INPUTS), builder, FlawTally())  # of this role no detector is asked
        with open_bytes(path) as stream:
            for line in iter_lines(stream, xxh3_128()):
                reader.add(line)
        reader.finish()
        return int(builder.finish().height)

    return work


def detectors_that_ran(letters: Sequence[str]) -> dict[str, int]:
    """How many detectors gave an answer on some row, and how many crashed on some row."""
    columns = [set(states) for states in zip(*letters, strict=True)]
    return {"detectors": sum(bool(seen - {"x"}) for seen in columns), "crashed": sum("x" in seen for seen in columns)}


def read_passes(path: Path, asked: argparse.Namespace) -> dict[str, Any]:
    """The reading stage by itself, several times with one engine: the first pass starts what has to be started."""
    from blade import detectors  # noqa: PLC0415
    from blade.engine.discover import discover  # noqa: PLC0415
    from blade.engine.engines import open_engine  # noqa: PLC0415
    from blade.engine.runs import RawRun, read_plans  # noqa: PLC0415

    detectors.names()  # what a process loads once is outside the clock
    chosen: dict[str, Any] = {"cache": asked.cache_dir is not None, "cache_dir": asked.cache_dir}
    chosen |= {name: getattr(asked, name) for name in ("workers", "engine") if getattr(asked, name) is not None}
    options = Options(**chosen)
    runs: list[RawRun] = []
    with open_engine(options) as engine:

        def work() -> int:
            runs[:] = read_plans(discover([path]), options, engine)
            return sum(run.rollouts.height for run in runs)

        taken = [timed(work) for _ in range(asked.passes)]
    letters = [text for run in runs for text in run.rollouts["detectors"].to_list() if text]
    later = sorted(one["seconds"] for one in taken[1:])
    return {
        **taken[0],
        "later": later[len(later) // 2] if later else None,
        **detectors_that_ran(letters),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("facts", "read"))
    parser.add_argument("path", type=Path)
    parser.add_argument("--cache-dir", type=Path)
    parser.add_argument("--workers", type=int)
    parser.add_argument("--engine")
    parser.add_argument("--passes", type=int, default=1)
    asked = parser.parse_args()
    made = timed(facts_only(asked.path)) if asked.what == "facts" else read_passes(asked.path, asked)
    print(json.dumps(made))


if __name__ == "__main__":
    main()

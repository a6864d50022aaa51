"""Makes the corpora of the performance benchmark: simulated rollouts of any size, the same bytes every time.

    python -m benchmarks.corpora build/bench/mixed.jsonl --megabytes 200 --kind mixed

`mixed` has 85 % small rows and 15 % long agentic ones, `small` and `agentic` have one sort each. Every task has four
attempts. A block of tasks is made at a time, so that a file of gigabytes needs no memory. The verdicts, the tasks and
the last steps of every transcript come from the simulator; what makes the rows long is dealt text.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson
from benchmarks.corpus_text import SHELL_TOOLS, thinking, tool_rounds

from blade.simulate import Scenario, stream_rows

__all__ = ["KINDS", "Shape", "corpus", "inputs_of", "rows", "shape_of"]

Json = dict[str, Any]
REPEATS = 4
AGENT = {"name": "bench_agent"}
BLOCK_SECONDS = 900.0
SPREAD = 6.0
SMALL_BYTES = (6_300, 13_500)
AGENTIC_BYTES = 118_000
AGENTIC_MORE = 29_000
LONGEST = 396_000


@dataclass(frozen=True, slots=True)
class Part:
    """Tasks of one benchmark in a block; `family` names the tool rounds that make its rows long."""

    benchmark: str
    tasks: int
    family: str = ""


SMALL = (Part("patch_bench", 7), Part("field_notes", 7), Part("front_desk", 3))
DESK, SHELL = (Part("front_desk", 1, "desk"), Part("patch_bench", 1, "shell"))
KINDS: dict[str, tuple[tuple[Part, ...], ...]] = {
    "mixed": ((*SMALL, DESK, DESK, SHELL), (*SMALL, DESK, SHELL, SHELL)),
    "small": (SMALL,),
    "agentic": ((DESK, SHELL),),
}
"""The blocks of each kind of corpus; they take turns."""


@dataclass(frozen=True, slots=True)
class Shape:
    """What a corpus looks like: its size and the sizes of its rows in kilobytes."""

    bytes: int
    rows: int
    p10: float
    p50: float
    p90: float
    p99: float
    longest: float


def rows(kind: str, seed: int = 0) -> Iterator[list[Json]]:
    """Endless blocks of rows; every task of a block is whole."""
    first, number = 0, 0
    while True:
        parts = KINDS[kind][number % len(KINDS[kind])]
        yield _block(parts, number, first, seed)
        first += sum(part.tasks for part in parts)
        number += 1


def corpus(path: Path, megabytes: float, kind: str = "mixed", seed: int = 0) -> Path:
    """Write a corpus of at least this size, unless a finished one stands there."""
    if path.exists() and path.stat().st_size >= megabytes * 1e6:
        return path
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_suffix(".part")
    written = 0
    with beside.open("wb") as out:
        for block in rows(kind, seed):
            written += out.write(b"".join(orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE) for row in block))
            if written >= megabytes * 1e6:
                break
    beside.replace(path)
    return path


def inputs_of(path: Path, target: Path) -> Path:
    """The materialized inputs of a corpus, as other tools want them: one row per task and attempt."""
    with path.open("rb") as source, target.open("wb") as out:
        for line in source:
            row = orjson.loads(line)
            kept = ("responses_create_params", "task_id", "category", "difficulty", "agent_ref")
            stamps = ("_ng_task_index", "_ng_rollout_index")
            out.write(orjson.dumps({key: row[key] for key in (*kept, *stamps)}, option=orjson.OPT_APPEND_NEWLINE))
    return target


def shape_of(path: Path) -> Shape:
    with path.open("rb") as source:
        sizes = sorted(map(len, source))
    p10, p50, p90, p99 = (sizes[min(len(sizes) - 1, int(len(sizes) * part))] / 1000 for part in (0.1, 0.5, 0.9, 0.99))
    return Shape(sum(sizes), len(sizes), p10, p50, p90, p99, sizes[-1] / 1000)


def _block(parts: tuple[Part, ...], number: int, first: int, seed: int) -> list[Json]:
    rng = random.Random(f"{seed} block {number}")
    placed: list[tuple[float, Json]] = []
    for place, part in enumerate(parts):
        scenario = Scenario(
            benchmark=part.benchmark, seed=1000 * seed + number, tasks=part.tasks, first_task=20 * place, dice=place
        )
        for row in stream_rows(scenario):
            _fill(row, part, rng)
            row["agent_ref"] = AGENT
            row["_ng_task_index"] += first
            row["response"]["created_at"] += number * BLOCK_SECONDS
            placed.append((row["_ng_task_index"] + SPREAD * rng.random(), row))
        first += part.tasks
    return [row for _, row in sorted(placed, key=lambda pair: pair[0])]


def _fill(row: Json, part: Part, rng: random.Random) -> None:
    """Make a row as long as its sort wants it; what the simulator wrote stays at the end."""
    response = row["response"]
    size = len(orjson.dumps(row))
    if part.family:
        wanted = min(LONGEST, AGENTIC_BYTES + int(rng.expovariate(1 / AGENTIC_MORE)))
        made = tool_rounds(rng, wanted - size, part.family)
        response["output"] = made.items + response["output"]
        if part.family == "shell":
            response["tools"] = row["responses_create_params"]["tools"] = list(SHELL_TOOLS)
        for key, more in (("num_tool_calls", made.calls), ("num_tool_errors", made.errors)):
            if key in row:
                row[key] += more
    else:
        missing = rng.randint(*SMALL_BYTES) - size
        if missing < 400:
            return
        many = rng.randint(1, 3)
        response["output"] = [thinking(rng, missing // many - 150) for _ in range(many)] + response["output"]
    grown = len(orjson.dumps(response["output"])) // 4
    usage = response["usage"]
    for key, more in (("input_tokens", grown // 2), ("output_tokens", grown // 2), ("total_tokens", grown // 2 * 2)):
        usage[key] += more


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("path", type=Path)
    parser.add_argument("--megabytes", type=float, default=200)
    parser.add_argument("--kind", choices=sorted(KINDS), default="mixed")
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    begun = time.monotonic()
    found = shape_of(corpus(asked.path, asked.megabytes, asked.kind, asked.seed))
    print(f"{found} in {time.monotonic() - begun:.1f} s")


if __name__ == "__main__":
    main()

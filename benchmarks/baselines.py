"""The floors and the other readers, each a small function in a fresh process.

    python -m benchmarks.baselines orjson_parse build/bench/mixed.jsonl

The last line printed is JSON: seconds and seconds of a core inside the function, imports left out, and the rows seen.
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import sys
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

__all__ = ["FLOORS", "OTHERS", "gym_command", "timed"]

BLOCK = 1 << 20
CHUNK = 500
TASK_KEYS = ("_ng_task_index", "_task_index", "task_id", "task_index")
ATTEMPT_KEYS = ("_ng_rollout_index", "_rollout_index", "rollout_index")
GYM = "BLADE_BENCH_GYM"
"""The environment variable that names Gym's program, where it is not on the path."""


def block_read(path: Path) -> Callable[[], int]:
    """Read the file in blocks of a megabyte."""

    def work() -> int:
        size = 0
        with path.open("rb", buffering=0) as stream:
            while block := stream.read(BLOCK):
                size += len(block)
        return size

    return work


def line_read(path: Path) -> Callable[[], int]:
    """Read the lines as bytes."""

    def work() -> int:
        with path.open("rb") as stream:
            return sum(1 for _ in stream)

    return work


def orjson_parse(path: Path) -> Callable[[], int]:
    """Parse every line with orjson and drop it: the unit of all ratios."""
    import orjson  # noqa: PLC0415 - imports are outside the clock

    def work() -> int:
        rows = 0
        loads = orjson.loads
        with path.open("rb") as stream:
            for line in stream:
                loads(line)
                rows += 1
        return rows

    return work


def parse_and_check(path: Path) -> Callable[[], int]:
    """Read text, parse with the standard library, look for a score and for ids: what a plain validator does."""

    def work() -> int:
        rows = 0
        with path.open(encoding="utf-8") as stream:
            for number, line in enumerate(stream, start=1):
                if not line.strip():
                    continue
                try:
                    row = json.loads(line)
                except json.JSONDecodeError as error:
                    raise SystemExit(f"line {number}: {error}") from error
                if not isinstance(row, dict) or not _complete(row):
                    raise SystemExit(f"line {number}: no score, task or attempt")
                rows += 1
        return rows

    return work


def _complete(row: dict[str, object]) -> bool:
    score = row.get("reward", row.get("score"))
    task = any(row.get(key) is not None for key in TASK_KEYS)
    attempt = any(row.get(key) is not None for key in ATTEMPT_KEYS)
    return isinstance(score, int | float) and task and attempt and isinstance(row.get("response"), dict)


def pandas_lines(path: Path) -> Callable[[], int]:
    """pandas.read_json, 500 lines at a time, and the mean reward per task."""
    pd = import_module("pandas")

    def work() -> int:
        with pd.read_json(path, lines=True, chunksize=CHUNK) as chunks:
            kept = [chunk[["_ng_task_index", "reward"]] for chunk in chunks]
        table = pd.concat(kept)
        table.groupby("_ng_task_index")["reward"].mean()
        return len(table)

    return work


def polars_inferred(path: Path) -> Callable[[], int]:
    """polars.scan_ndjson with the schema it infers from all rows, and the mean reward per task."""
    return _polars(path, None)


def polars_two_columns(path: Path) -> Callable[[], int]:
    """polars.scan_ndjson, the two columns that are needed given."""
    return _polars(path, ("_ng_task_index", "reward"))


def _polars(path: Path, columns: tuple[str, str] | None) -> Callable[[], int]:
    import polars as pl  # noqa: PLC0415

    schema = None if columns is None else dict(zip(columns, (pl.Int64, pl.Float64), strict=True))

    def work() -> int:
        frame = pl.scan_ndjson(path, schema=schema, infer_schema_length=None)
        means = frame.group_by("_ng_task_index").agg(pl.col("reward").mean(), pl.len().alias("rows"))
        return int(means.collect(engine="streaming")["rows"].sum())

    return work


def duckdb_auto(path: Path) -> Callable[[], int]:
    """read_json with the schema it finds, and the mean reward per task."""
    return _duckdb(path, "read_json", "_ng_task_index", "reward")


def duckdb_objects(path: Path) -> Callable[[], int]:
    """read_ndjson_objects and two fields taken out of each."""
    return _duckdb(path, "read_ndjson_objects", "json->>'$._ng_task_index'", "(json->>'$.reward')::DOUBLE")


def _duckdb(path: Path, reader: str, task: str, reward: str) -> Callable[[], int]:
    duckdb = import_module("duckdb")

    more = ", format = 'newline_delimited'" if reader == "read_json" else ""
    source = f"{reader}('{path}', maximum_object_size = 67108864{more})"
    query = f"SELECT {task} AS task, avg({reward}), count(*) FROM {source} GROUP BY 1"  # noqa: S608 - our own file

    def work() -> int:
        return sum(row[2] for row in duckdb.connect().sql(query).fetchall())

    return work


FLOORS = {
    "block_read": block_read,
    "line_read": line_read,
    "orjson_parse": orjson_parse,
    "parse_and_check": parse_and_check,
}
OTHERS = {
    "pandas": pandas_lines,
    "polars_inferred": polars_inferred,
    "polars_two_columns": polars_two_columns,
    "duckdb_auto": duckdb_auto,
    "duckdb_objects": duckdb_objects,
}


def gym_command(rollouts: Path, inputs: Path) -> list[str] | None:
    """Gym's own profile command for these files, or None where it is not installed."""
    program = os.environ.get(GYM) or shutil.which("gym")
    if not program:
        return None
    return [program, "eval", "profile", "--inputs", str(inputs), "--rollouts", str(rollouts)]


def timed(work: Callable[[], int]) -> dict[str, float]:
    """Seconds and seconds of a core (threads and children too) of one call."""
    begun, used = time.perf_counter(), _used()
    rows = work()
    return {"seconds": time.perf_counter() - begun, "core": _used() - used, "rows": rows}


def _used() -> float:
    own, children = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime


def main() -> None:
    name, path = sys.argv[1], Path(sys.argv[2])
    print(json.dumps(timed((FLOORS | OTHERS)[name](path))))


if __name__ == "__main__":
    main()

"""What any translation of another program's runs costs at the least, in Python, against parsing the same bytes.

    python -m benchmarks.format_floor ../shared/corpus/foreign/* --times 5 --megabytes 10

Four costs take turns, each the best of some rounds, in seconds of one processor:

- *parse*: orjson parses every piece of JSON in the files that are opened for a run, once.
- *write*: the same, and every parsed piece is written again by orjson as it is: nothing is translated.
- *smallest row*: parsed, and of every record a dict is built without any check and written: task, attempt, reward and
  the messages as they are.
- *reading*: what BLADE does, as `reading_formats.py` measures it.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson
from benchmarks.grown_runs import grow
from benchmarks.reading_formats import Opened, contents, seconds

from blade.engine.discover import discover
from blade.errors import BladeError

COSTS = ("parse", "write", "smallest row", "reading")


@dataclass(frozen=True, slots=True)
class Names:
    """What a format calls the parts of its records; empty where it has no such part."""

    task: str
    attempt: str
    reward: str
    prompt: str
    output: str
    marks: tuple[str, ...]
    """What a record has one of, and the heads and summaries beside it have not; of SWE-bench it is found otherwise."""
    below: tuple[str, ...] = ()
    """Where the list of records stands in a document."""


NAMES = {
    "bfcl": Names("id", "", "", "", "result", ("result",)),
    "harbor": Names("task_name", "", "verifier_result", "", "steps", ("task_name", "steps")),
    "helm": Names("instance", "train_trial_index", "", "request", "result", ("request",), ("request_states",)),
    "inspect": Names("id", "epoch", "scores", "input", "messages", ("messages",), ("samples",)),
    "lm_eval": Names("doc_id", "", "acc", "arguments", "resps", ("resps",)),
    "nemo_evaluator": Names("problem_idx", "repeat", "reward", "prompt", "model_response", ("latency_ms",)),
    "nemo_skills": Names("id", "", "symbolic_correct", "problem", "judgement", ("num_generated_tokens",)),
    "openhands": Names("instance_id", "", "test_result", "instruction", "history", ("history",)),
    "promptfoo": Names("testIdx", "promptIdx", "score", "prompt", "response", ("testIdx",), ("results", "results")),
    "swe_bench": Names("instance_id", "", "resolved", "history", "messages", ()),
    "tau": Names("task_id", "trial", "reward", "traj", "messages", ("task_id",), ("simulations",)),
    "terminal_bench": Names("task_id", "", "is_resolved", "instruction", "", ("is_resolved",), ("results",)),
    "verifiers": Names("example_id", "", "reward", "prompt", "completion", ("completion",)),
}


def records(value: Any, names: Names) -> Iterable[dict[str, Any]]:
    """The records in a piece of JSON: those of its list, of a mapping of instances, or the piece itself."""
    for key in names.below:
        value = value.get(key, value) if isinstance(value, dict) else value
    if names is NAMES["swe_bench"] and isinstance(value, dict):
        return _instances(value)
    listed = value if isinstance(value, list) else [value]
    return [record for record in listed if isinstance(record, dict) and any(mark in record for mark in names.marks)]


def _instances(value: dict[str, Any]) -> Iterable[dict[str, Any]]:
    """SWE-bench keeps predictions by instance, verdicts as lists of instances, and a document for each trajectory."""
    if "no_generation" in value:
        resolved = set(value["resolved"])
        every = dict.fromkeys(name for names in value.values() if isinstance(names, list) for name in names)
        return [{"instance_id": name, "resolved": name in resolved} for name in every]
    first = next(iter(value.values()), None)
    return value.values() if isinstance(first, dict) and "model_patch" in first else [value]


def smallest_row(record: dict[str, Any], names: Names) -> dict[str, Any]:
    return {
        "task_id": record.get(names.task),
        "_ng_rollout_index": record.get(names.attempt),
        "reward": record.get(names.reward),
        "responses_create_params": {"input": record.get(names.prompt)},
        "response": {"output": record.get(names.output)},
    }


def _parsed(files: Iterable[Path]) -> Iterator[Any]:
    for file in files:
        for content in contents(file):
            try:
                yield orjson.loads(content)
            except orjson.JSONDecodeError:
                continue


def _parse(files: Iterable[Path]) -> None:
    for _ in _parsed(files):
        pass


def _write(files: Iterable[Path]) -> None:
    for value in _parsed(files):
        orjson.dumps(value)


def _smallest_rows(files: Iterable[Path], names: Names) -> int:
    count = 0
    for value in _parsed(files):
        for record in records(value, names):
            orjson.dumps(smallest_row(record, names))
            count += 1
    return count


def _read(path: Path) -> None:
    discover([path])


@dataclass(frozen=True, slots=True)
class Floor:
    kind: str
    rows: int
    records: int
    megabytes: float
    costs: dict[str, float]


def floor(path: Path, opened: Opened, times: int) -> Floor:
    """The four costs of one path, in turns."""
    cache = Path(os.environ["BLADE_CACHE_DIR"])
    shutil.rmtree(cache, ignore_errors=True)
    plans, files = opened.by(path)
    kind = plans[0].rollouts[0].kind
    names = NAMES[kind]
    works: dict[str, Callable[[], Any]] = {
        "parse": lambda: _parse(files),
        "write": lambda: _write(files),
        "smallest row": lambda: _smallest_rows(files, names),
        "reading": lambda: _read(path.resolve()),
    }
    costs = dict.fromkeys(COSTS, float("inf"))
    for _ in range(times):
        for name, work in works.items():
            shutil.rmtree(cache, ignore_errors=True)
            costs[name] = min(costs[name], seconds(work))
    rows = sum(plan.translated.rows for plan in plans if plan.translated)
    size = sum(file.stat().st_size for file in files) / 1e6
    return Floor(kind, rows, _smallest_rows(files, names), size, costs)


def table(floors: Iterable[Floor]) -> str:
    """Seconds of each cost, and how many times the parse it is; paths of one format together."""
    kinds: dict[str, list[Floor]] = {}
    for one in floors:
        kinds.setdefault(one.kind, []).append(one)
    lines = [
        "| format | rows | records | MB | parse, core s | write / parse | smallest row / parse | reading / parse |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for kind, of_kind in sorted(kinds.items()):
        parse, *others = (sum(one.costs[name] for one in of_kind) for name in COSTS)
        times = " | ".join(f"{cost / max(parse, 1e-9):.1f}" for cost in others)
        rows, made = sum(one.rows for one in of_kind), sum(one.records for one in of_kind)
        size = sum(one.megabytes for one in of_kind)
        lines.append(f"| `{kind}` | {rows:,} | {made:,} | {size:.1f} | {parse:.3f} | {times} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="+", type=Path, help="files and folders of other programs")
    parser.add_argument("--times", type=int, default=5, help="the best of so many rounds")
    parser.add_argument("--megabytes", type=float, default=0.0, help="make every path about this large first")
    asked = parser.parse_args()
    opened = Opened()
    floors = []
    with tempfile.TemporaryDirectory(prefix="blade-floor-") as folder:
        os.environ["BLADE_CACHE_DIR"] = folder + "/cache"
        for path in asked.paths:
            grown = Path(folder) / "grown"
            shutil.rmtree(grown, ignore_errors=True)
            try:
                floors.append(
                    floor(grow(path, grown, asked.megabytes) if asked.megabytes else path, opened, asked.times)
                )
            except BladeError as error:
                print(f"{path}: {error}", file=sys.stderr)
    print(table(floors))


if __name__ == "__main__":
    main()

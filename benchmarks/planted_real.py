"""Causes planted into real runs: how often the engine names them, says where they are, or names another.

    python benchmarks/planted_real.py --cases 20                  # even seeds: for development
    python benchmarks/planted_real.py --cases 50 --seeds odd      # for publication, once

Needs the corpus of real runs beside the project. Odd seeds are kept for publication: nothing is tuned on them.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from real_bases import BASES, CORPUS, Halves, detectable, halves
from real_plants import KINDS as PLAIN
from real_plants import Ground, Impossible, Truth
from real_variants import VERDICTS
from real_variants_outside import OUTSIDE

import blade
from blade.renderers.json import document
from blade.simulate.rng import dice

KINDS = {**PLAIN, **VERDICTS, **OUTSIDE}
MDES = (1.0, 2.5)
SHARED_DOSES = (0.03, 0.1)
MOST_TRIES = 120
ENOUGH = 0.5
"""Overlap of the window or of the tasks from which a cause counts as localised."""


@dataclass(frozen=True, slots=True)
class Mark:
    """One case: what was planted and what the engine said of it."""

    kind: str
    base: str
    seed: int
    evidence: str
    size: float
    mde: float
    named: bool
    localised: bool | None
    wrong: tuple[str, ...]
    """Other causes that are named and called identified."""
    false: tuple[str, ...]
    """All other causes that are named."""
    gain: bool | None
    additive: bool
    took: float
    said: tuple[str, ...] = ()
    error: str = ""


def make(kind: str, seed: int) -> tuple[Halves, Truth, str, float]:
    """The pair of one seed: bases are tried in an order of the dice until the plant fits."""
    rng = dice("planted real", kind, seed)
    for number in range(MOST_TRIES):
        name = rng.choice(sorted(BASES))
        throw = dice("planted real base", kind, seed, number)
        pair = halves(name, throw)
        mde = detectable(pair)
        low, high = MDES
        dose = (
            max(0.02, mde * throw.uniform(low, min(high, low + 0.1 * number + 0.5)))
            if mde
            else throw.uniform(*SHARED_DOSES)
        )
        try:
            truth = KINDS[kind](Ground(pair, 1.05 * dose, throw))
        except Impossible:
            continue
        return pair, truth, name, mde
    raise RuntimeError(f"{kind}, seed {seed}: no base takes it")


def explain(pair: Halves, folder: Path) -> dict[str, Any]:
    places = []
    for name, rows in (("base", pair.a), ("candidate", pair.b)):
        place = folder / name / "rollouts.jsonl"
        place.parent.mkdir()
        place.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        places.append(f"{name}={place}")
    options = blade.Options(cache=False)
    said: dict[str, Any] = document(blade.compare_runs(blade.read(*places, options=options), options))["change"]
    return said


def run_job(job: tuple[str, int]) -> Mark:
    kind, seed = job
    pair, truth, base, mde = make(kind, seed)
    begun = time.perf_counter()
    with tempfile.TemporaryDirectory(prefix="planted-real-") as folder:
        try:
            change = explain(pair, Path(folder))
        except Exception as problem:  # noqa: BLE001 a crash on one case must not end the others
            told = f"{type(problem).__name__}: {problem}"
            return Mark(
                kind, base, seed, truth.evidence, truth.points, mde, False, None, (), (), None, False, 0.0, (), told
            )
    took = time.perf_counter() - begun
    parts = [part for part in change["parts"] if part["named"]]
    right = [part for part in parts if _right(truth, part)]
    others = [part for part in parts if part not in right and not _gain(truth, part)]
    return Mark(
        kind=kind,
        base=base,
        seed=seed,
        evidence=truth.evidence,
        size=truth.points,
        mde=mde,
        named=bool(right),
        localised=_localised(truth, right, pair) if truth.causes else None,
        wrong=tuple(part["cause"] for part in others if part["status"] == "identified"),
        false=tuple(part["cause"] for part in others),
        gain=any(_gain(truth, part) for part in parts) if truth.second else None,
        additive=abs(sum(part["points"] for part in change["parts"]) - change["delta"]) < 1e-9,
        took=took,
        said=tuple(_line(part) for part in change["parts"]),
    )


def _line(part: dict[str, Any]) -> str:
    mark = "*" if part["named"] else " "
    where = json.dumps(part.get("where") or {}, ensure_ascii=False)[:160]
    return f"{mark}{part['cause']}/{part['sub']} {part['points']:+.3f} {part['status']} {part.get('blame')} {where}"


def _gain(truth: Truth, part: dict[str, Any]) -> bool:
    """Fewer broken or cut attempts are a gain of the model, too."""
    return truth.second > 0 and part["cause"] in {"behaviour", "malformed", "truncation"} and part["points"] > 0


def _right(truth: Truth, part: dict[str, Any]) -> bool:
    if "tool" in truth.causes:
        return part["cause"] in {"behaviour", "tool"} and bool(part["where"].get("tool") or part.get("blame") == "tool")
    return part["cause"] in truth.causes


def _localised(truth: Truth, parts: Sequence[dict[str, Any]], pair: Halves) -> bool:
    wheres = [part.get("where") or {} for part in parts]
    if "tool" in truth.where:
        return any(where.get("tool") == truth.where["tool"] for where in wheres)
    if "category" in truth.where and any(_says(where.get("category"), truth.where["category"]) for where in wheres):
        return True
    if "window" in truth.where and any(_overlaps(where.get("window"), truth.where["window"], pair) for where in wheres):
        return True
    told = {task for part in parts for task in part["tasks"]}
    both, either = told & truth.tasks, told | truth.tasks
    return bool(either) and len(both) / len(either) >= ENOUGH


def _says(spot: Any, value: str) -> bool:
    return isinstance(spot, dict) and value in map(str, spot.values())


def _overlaps(told: Any, true: tuple[int, int], pair: Halves) -> bool:
    """Windows in rows of the candidate's file; those in time are turned into rows first."""
    if not isinstance(told, dict):
        return False
    start, end = told["rows"]
    if told.get("order") == "time":
        times = [row["response"].get("created_at") for row in pair.b]
        inside = [place for place, when in enumerate(times) if when is not None and told["from"] <= when <= told["to"]]
        start, end = (inside[0], inside[-1] + 1) if inside else (0, 0)
    both = min(end, true[1]) - max(start, true[0])
    return both / (max(end, true[1]) - min(start, true[0])) >= ENOUGH


def table(marks: Sequence[Mark]) -> str:
    """One line per kind: shares of its cases."""
    lines = [
        "| kind | n | size / MDE | named | localised | another identified | another named | gain named | seconds |",
        "|---|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    by_kind: defaultdict[str, list[Mark]] = defaultdict(list)
    for mark in marks:
        by_kind[mark.kind].append(mark)
    for kind, found in by_kind.items():
        places = [mark.localised for mark in found if mark.localised is not None]
        gains = [mark.gain for mark in found if mark.gain is not None]
        ratios = sorted(abs(mark.size) / mark.mde for mark in found if mark.mde and mark.size)
        cells = [
            kind,
            str(len(found)),
            f"{ratios[len(ratios) // 2]:.1f}" if ratios else "",
            _share([mark.named for mark in found]) if places else "",
            _share(places),
            _share([bool(mark.wrong) for mark in found]),
            _share([bool(mark.false) for mark in found]),
            _share(gains),
            f"{sum(mark.took for mark in found) / len(found):.1f}",
        ]
        lines.append(f"| {' | '.join(cells)} |")
    additive = sum(mark.additive for mark in marks)
    return "\n".join([*lines, "", f"{additive} of {len(marks)} add up."])


def _share(values: Sequence[bool]) -> str:
    return f"{sum(values) / len(values):.2f}" if values else ""


def tell(mark: Mark) -> None:
    """What was said in a case that is not right."""
    right = mark.named and mark.localised if mark.localised is not None else True
    if right and not mark.false and mark.gain is not False and not mark.error:
        return
    print(
        f"{mark.kind} {mark.seed} {mark.base} [{mark.evidence}] {mark.size:+.3f} mde {mark.mde:.3f} "
        f"named {mark.named} localised {mark.localised} {mark.error}"
    )
    print("".join(f"    {line}\n" for line in mark.said), end="", flush=True)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=10, help="cases of each kind")
    parser.add_argument("--kinds", nargs="+", choices=list(KINDS), metavar="KIND", help=", ".join(KINDS))
    parser.add_argument("--seeds", choices=("even", "odd"), default="even", help="odd seeds are kept for publication")
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    parser.add_argument("--tell", action="store_true", help="print what was said in every case that is not right")
    parser.add_argument("--json", type=Path, metavar="OUT", help="write the marks to this file")
    chosen = parser.parse_args(arguments)
    if not CORPUS.is_dir():
        print(f"{CORPUS} is not there", file=sys.stderr)
        return 2
    odd = int(chosen.seeds == "odd")
    jobs = [(kind, 2 * number + odd) for kind in chosen.kinds or KINDS for number in range(chosen.cases)]
    marks = []
    with ProcessPoolExecutor(chosen.jobs, mp_context=get_context("spawn")) as pool:
        for mark in pool.map(run_job, jobs, chunksize=2):
            marks.append(mark)
            if chosen.tell:
                tell(mark)
    print(table(marks))
    if chosen.json:
        chosen.json.write_text(json.dumps([asdict(mark) for mark in marks], indent=1), encoding="utf-8")
    return int(any(mark.error for mark in marks))


if __name__ == "__main__":
    raise SystemExit(main())

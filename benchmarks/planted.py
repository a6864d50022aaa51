"""The planted-cause benchmark: makes cases with a known truth, lets the engine explain them, and marks its answers.

    python -m benchmarks.planted --cases 30                       # every kind, even seeds: for development
    python -m benchmarks.planted --cases 100 --silent 143 --seeds odd --json planted.json   # for publication

Odd seeds are kept for publication: nothing is tuned on them.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from benchmarks.planted_suite.evidence_level import Level
from benchmarks.planted_suite.kinds import kinds
from benchmarks.planted_suite.planted_case import CaseTruth, PlantedCase, case
from benchmarks.planted_suite.scoring import Marks, PlantSummary, mark, summarise
from benchmarks.planted_suite.scoring.invariance import agree
from benchmarks.planted_suite.scoring.table import as_markdown
from benchmarks.planted_suite.transformed import TRANSFORMS

import blade
from blade.renderers.json import document
from blade.simulate.rng import dice

__all__ = ["Answer", "Job", "answer", "explain", "make_jobs", "score_cases"]

DOSES = (0.5, 1.0, 2.0, 5.0, 10.0)
NOISY_DOSES = (2.0, 5.0, 8.0, 10.0, 12.0)
SIZES = ((40, 4), (40, 4), (30, 4), (60, 4), (40, 8), (120, 1))
NOISY_SIZES = ((60, 4), (60, 4), (60, 8))
NOISY = ("noise_limited", "sampling", "pair", "row_evidence", "controlled")
INSIDE_TASKS = ("duplicated_rows", "rows_lost_at_random")
"""Kinds that need repeats: a copy of a task's only row changes nothing, and without that row the task is gone."""
SILENT = ("null", "decoy")
MIRRORED = 0.25


@dataclass(frozen=True, slots=True)
class Job:
    """One case to be made."""

    kind: str
    level: Level
    seed: int
    tasks: int
    repeats: int
    dose: float
    mirrored: bool
    invariances: bool = False


@dataclass(frozen=True, slots=True)
class Answer:
    """What the engine said. `change` is null where it explains no change yet; `error` where it stopped."""

    truth: CaseTruth
    change: dict[str, Any] | None
    health: tuple[dict[str, Any], ...] = ()
    error: str = ""
    made: float = 0.0
    """Seconds to make the case."""
    took: float = 0.0
    """Seconds for the engine to explain it."""
    broken: tuple[str, ...] | None = None
    """Transforms under which the parts were not the same; null where none was tried."""


def make_jobs(
    cases: int, chosen: Sequence[str], *, silent: int | None = None, odd: bool = False, invariances: int = 0
) -> list[Job]:
    """So many cases of each kind. Size, dose, side and evidence are dealt by dice named after the kind and seed.

    `silent` is the number for kinds that plant nothing.
    """
    jobs = []
    for name in chosen:
        kind = kinds()[name]
        for number in range(silent if silent is not None and kind.group in SILENT else cases):
            seed = 2 * number + int(odd)
            rng = dice("planted job", name, seed)
            levels = list(kind.knowable)
            sizes = NOISY_SIZES if kind.group in NOISY else SIZES
            tasks, repeats = rng.choice([size for size in sizes if size[1] > 1 or name not in INSIDE_TASKS])
            job = Job(
                kind=name,
                level=levels[number % len(levels)],
                seed=seed,
                tasks=tasks,
                repeats=repeats,
                dose=rng.choice(NOISY_DOSES if kind.group in NOISY else DOSES),
                mirrored=rng.random() < MIRRORED,
                invariances=number < invariances,
            )
            jobs.append(job)
    return jobs


def explain(one: PlantedCase) -> dict[str, Any]:
    """What the engine says of the change between the two runs, with nothing cached."""
    options = blade.Options(cache=False)
    runs = blade.read(f"base={one.base}", f"candidate={one.candidate}", options=options)
    return document(blade.compare_runs(runs, options))


def answer(one: PlantedCase) -> Answer:
    """The engine's answer to one case; a crash is an answer too."""
    begun = time.perf_counter()
    try:
        said = explain(one)
    except Exception as problem:  # noqa: BLE001 a crash on one case must not end the other thousand
        return Answer(one.truth, None, error=f"{type(problem).__name__}: {problem}")
    took = time.perf_counter() - begun
    return Answer(one.truth, said["change"], tuple(said["health"]), took=took)


def run_job(job: Job) -> Answer:
    """Make the case in a folder of its own, explain it, and throw the files away."""
    with tempfile.TemporaryDirectory(prefix="planted-") as folder:
        begun = time.perf_counter()
        made = case(
            job.kind,
            job.level,
            job.seed,
            folder,
            tasks=job.tasks,
            repeats=job.repeats,
            dose=job.dose,
            mirrored=job.mirrored,
        )
        seconds = time.perf_counter() - begun
        said = answer(made)
        broken = _broken(made, said.change, Path(folder)) if job.invariances and said.change else None
    return Answer(said.truth, said.change, said.health, said.error, seconds, said.took, broken)


def _broken(one: PlantedCase, change: dict[str, Any], folder: Path) -> tuple[str, ...]:
    """The transforms that change what the engine says of the parts."""
    found = []
    for name, transform in TRANSFORMS.items():
        other = answer(transform(one, folder / name)).change
        if other is None or not agree(change, other, turned=name == "swapped", pool_bounds=name == "doubled"):
            found.append(name)
    return tuple(found)


def score_cases(cases: Iterable[PlantedCase]) -> PlantSummary:
    """Explain every case and sum the marks up. Raises where the engine explains no change or stops."""
    marks = []
    for one in cases:
        said = answer(one)
        if said.change is None:
            reason = said.error or "the engine gives no `change` yet"
            raise RuntimeError(f"{one.truth.kind}, seed {one.truth.seed}: {reason}")
        marks.append(mark(said.truth, said.change, said.health))
    return summarise(marks)


def run_all(jobs: Sequence[Job], workers: int) -> Iterator[Answer]:
    if workers <= 1:
        yield from map(run_job, jobs)
        return
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        yield from pool.map(run_job, jobs, chunksize=4)


def report(answers: Sequence[Answer]) -> tuple[str, list[Marks], PlantSummary]:
    """The Markdown: what could not be marked comes first."""
    marks = [mark(one.truth, one.change, one.health) for one in answers if one.change is not None]
    crashed = [one for one in answers if one.error]
    silent = sum(one.change is None and not one.error for one in answers)
    lines = [f"# Planted causes: {len(answers)} cases", ""]
    if silent:
        lines += [f"The engine gives no `change` for {silent} of {len(answers)} cases: nothing to mark there.", ""]
    if crashed:
        first = crashed[0]
        told = f"{first.truth.kind} {first.truth.level}, seed {first.truth.seed}: {first.error}"
        lines += [f"The engine stopped on {len(crashed)} of {len(answers)} cases. The first: {told}", ""]
    summary = summarise(marks)
    if marks:
        lines += [as_markdown(summary, marks), ""]
    tried = [one for one in answers if one.broken is not None]
    if tried:
        broken = [f"{one.truth.kind} {one.truth.level} ({', '.join(one.broken or ())})" for one in tried if one.broken]
        lines += [f"Invariances: broken in {len(broken)} of {len(tried)} cases. {'; '.join(broken[:10])}", ""]
    made, took = (sorted(values)[len(values) // 2] for values in zip(*[(a.made, a.took) for a in answers], strict=True))
    lines.append(f"Median seconds a case: {made:.2f} to make, {took:.2f} to explain.")
    return "\n".join(lines), marks, summary


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=10, help="cases of each kind")
    parser.add_argument("--silent", type=int, metavar="N", help="cases of each kind that plants nothing")
    parser.add_argument("--kinds", nargs="+", choices=list(kinds()), metavar="KIND", help=", ".join(kinds()))
    parser.add_argument("--seeds", choices=("even", "odd"), default="even", help="odd seeds are kept for publication")
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    parser.add_argument("--invariances", type=int, default=0, metavar="N", help="also transform N cases of each kind")
    parser.add_argument("--json", type=Path, metavar="OUT", help="write marks and summary to this file")
    chosen = parser.parse_args(arguments)
    jobs = make_jobs(
        chosen.cases,
        chosen.kinds or list(kinds()),
        silent=chosen.silent,
        odd=chosen.seeds == "odd",
        invariances=chosen.invariances,
    )
    answers = []
    for number, one in enumerate(run_all(jobs, chosen.jobs), 1):
        answers.append(one)
        if number % 50 == 0:
            print(f"{number} of {len(jobs)} cases", file=sys.stderr)
    text, marks, summary = report(answers)
    print(text)
    if chosen.json:
        lines = [asdict(line) | {"value": line.value, "low": line.low, "high": line.high} for line in summary.lines]
        told = asdict(summary) | {"lines": lines}
        chosen.json.write_text(json.dumps({"summary": told, "marks": [asdict(one) for one in marks]}, indent=1))
    return 1 if any(one.error for one in answers) else 0


if __name__ == "__main__":
    raise SystemExit(main())

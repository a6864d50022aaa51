"""The audit of attempts on scenes whose truth is known: how many planted rows it finds, how many valid ones it voids.

    python -m benchmarks.audit_scenes --seeds 10                 # even seeds, three vocabularies: for development
    python -m benchmarks.audit_scenes --seeds 20 --odd           # odd seeds, the fourth vocabulary too: for publication

Odd seeds are kept for publication: nothing is tuned on them, and one vocabulary is played on them only.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import product
from multiprocessing import get_context
from pathlib import Path

import polars as pl
from benchmarks.attempt_scenes import HELD_OUT, AttemptScene, make_scene, scenes, vocabularies

import blade
from blade.counting.run import Run
from blade.detectors import read_sightings
from blade.findings import State
from blade.model import NOT_EVALUABLE

__all__ = ["Marks", "as_markdown", "jobs", "mark_scene"]

Job = tuple[str, str, int]
RECALL, FALSE = 0.95, 0.005


@dataclass(frozen=True, slots=True)
class Marks:
    """What was said of the rows of one scene, or of several."""

    scene: str
    vocabulary: str
    planted: int
    recognised: int
    others: int
    mistaken: int
    """Rows that nothing was planted in, of which the engine says that it was."""
    voided: int
    """Valid rows that are called void."""
    valid: int


def jobs(seeds: int, chosen: Iterable[str], *, odd: bool) -> list[Job]:
    """Every scene in every vocabulary over so many seeds."""
    words = [name for name in vocabularies() if odd or name != HELD_OUT]
    return [(scene, name, 2 * n + int(odd)) for scene, name, n in product(chosen, words, range(seeds))]


def mark_scene(made: AttemptScene, run: Run) -> Marks:
    """Hold what the run's rows are said to be against what was planted."""
    said = recognised_rows(made, run)
    void = _void(run)
    valid = [made.expected != "void" or not planted for planted in made.planted]
    return Marks(
        made.name,
        made.vocabulary,
        sum(made.planted),
        sum(yes and planted for yes, planted in zip(said, made.planted, strict=True)),
        len(made.planted) - sum(made.planted),
        sum(yes and not planted for yes, planted in zip(said, made.planted, strict=True)),
        sum(yes and good for yes, good in zip(void, valid, strict=True)),
        sum(valid),
    )


def recognised_rows(made: AttemptScene, run: Run) -> list[bool]:
    """The rows of which the engine says what the scene plants, in the order of the file."""
    facts = run.facts.sort("file", "line")
    if made.expected == "void":
        return _void(run)
    if made.expected == "calls":
        return [bool(seen) and seen == many for seen, many in zip(facts["calls"], made.calls, strict=True)]
    if made.expected == "cut":
        cut = pl.Series("cut", run.cut_rows(), pl.Boolean)
        return run.facts.with_columns(cut).sort("file", "line")["cut"].to_list()
    seen = [read_sightings(text) for text in facts["sightings"].to_list()]
    return [made.expected in found and found[made.expected].state in {State.FIRED, State.GUARDED} for found in seen]


def _void(run: Run) -> list[bool]:
    """Rows that say nothing about the model."""
    states = run.facts.sort("file", "line")["state"].to_list()
    return [state in {status.value for status in NOT_EVALUABLE} for state in states]


def run_job(job: Job) -> Marks:
    made = make_scene(*job)
    with tempfile.TemporaryDirectory(prefix="audit-scene-") as folder:
        (run,) = blade.read(made.write(Path(folder)), options=blade.Options(cache=False))
        return mark_scene(made, run)


def as_markdown(marks: Sequence[Marks]) -> str:
    """A line for every scene and vocabulary, and one for all."""
    lines = [
        "| scene | vocabulary | planted | recognised | recall | others | mistaken | valid rows | false voids |",
        "|---|---|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for scene, words in sorted({(mark.scene, mark.vocabulary) for mark in marks}):
        lines.append(_line(scene, words, [mark for mark in marks if (mark.scene, mark.vocabulary) == (scene, words)]))
    lines.append(_line("all", "", marks))
    return "\n".join(lines)


def _line(scene: str, words: str, marks: Sequence[Marks]) -> str:
    planted, recognised = sum(mark.planted for mark in marks), sum(mark.recognised for mark in marks)
    others, mistaken = sum(mark.others for mark in marks), sum(mark.mistaken for mark in marks)
    valid, voided = sum(mark.valid for mark in marks), sum(mark.voided for mark in marks)
    shown = (
        f"| {scene} | {words} | {planted:,} | {recognised:,} | {recognised / planted:.1%} | {others:,} | {mistaken:,} "
    )
    return shown + f"| {valid:,} | {voided / valid:.2%} |"


def missed(marks: Sequence[Marks]) -> list[str]:
    """The scenes whose target is missed: recall, or false voids."""
    found = []
    for scene in sorted({mark.scene for mark in marks}):
        held = [mark for mark in marks if mark.scene == scene]
        recall = sum(mark.recognised for mark in held) / sum(mark.planted for mark in held)
        false = sum(mark.voided for mark in held) / sum(mark.valid for mark in held)
        if recall < RECALL or false > FALSE:
            found.append(f"{scene}: recall {recall:.1%}, false voids {false:.2%}")
    return found


def run_all(todo: Sequence[Job], workers: int) -> Iterator[Marks]:
    if workers <= 1:
        yield from map(run_job, todo)
        return
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        yield from pool.map(run_job, todo, chunksize=2)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=4, help="seeds of each scene and vocabulary")
    parser.add_argument("--odd", action="store_true", help="odd seeds and the vocabulary kept back: for publication")
    parser.add_argument("--scenes", nargs="+", choices=list(scenes()), metavar="SCENE", help=", ".join(scenes()))
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    chosen = parser.parse_args(arguments)
    todo = jobs(chosen.seeds, chosen.scenes or list(scenes()), odd=chosen.odd)
    marks = list(run_all(todo, chosen.jobs))
    print(as_markdown(marks))
    for line in missed(marks):
        print(f"target missed: {line}", file=sys.stderr)
    return 1 if missed(marks) else 0


if __name__ == "__main__":
    raise SystemExit(main())

"""Damaged and hostile files of every format: none may give a traceback, hang, or lose a row without a word.

    make fuzz                                                      # every format, for five minutes
    MINUTES=60 make fuzz
    python -m benchmarks.fuzz_formats --cases 10000                # every format, about an hour on one core
    python -m benchmarks.fuzz_formats --cases 500 --only inspect
    python -m benchmarks.fuzz_formats --only inspect --case 1234   # one case again, with what was done to it

A case is the sample of a format (`tests/formats/samples`), damaged by a random that is seeded with the case's number
(`benchmarks/file_damage.py`). It goes through the door as `blade convert` does: recognised, translated, written as
rows. Every twentieth is read into facts as well (`blade.read`), every five hundredth analyzed and reported. Of `gym`,
two runs of NeMo Gym with their sidecars, every case is read, every fourth analyzed and written in all forms, and every
fourth asked questions by commands. Of `package`, a benchmark package, every case goes through some of the commands that
read packages (`benchmarks/fuzz_commands.py`).

An error of BLADE's own (a sentence and a way out) is the right answer to many a case. Faults are tracebacks, cases that
do not end, rows that are neither counted nor named, and more than 1 GB of memory. A folder in memory (TMPDIR) saves
time. What is found is put into `tests/formats/test_damaged_runs.py` or `tests/test_bad_input.py` in its smallest form.
"""

from __future__ import annotations

import argparse
import math
import os
import random
import resource
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from types import FrameType

from benchmarks.file_damage import Damage, Folder, Link, Tree, damage
from benchmarks.fuzz_commands import commands_fault, package_commands, run_commands

import blade
from blade.engine.discover import discover
from blade.engine.plan import RunPlan
from blade.errors import BladeError
from blade.registry import plugins

GYM, PACKAGE = "gym", "package"
NAMES = sorted([*plugins("formats"), GYM, PACKAGE])
READ_EVERY, ANALYZE_EVERY, ANALYZE_GYM_EVERY, ASK_GYM_EVERY = 20, 500, 4, 4
ROUND, ROUND_OF_PACKAGES = 40, 5
"""Cases of each format in one round of the minutes; those of packages take seconds each."""
SECONDS = 60
MOST_HELD = 1 << 20
"""Kilobytes that the process may hold."""
MEMORY = 6 << 30


class _TooLong(BaseException):
    """A case that does not end; no `except Exception` may swallow it."""


@dataclass(slots=True)
class Tally:
    """What became of the cases of a format."""

    cases: int = 0
    read: int = 0
    """Cases that gave runs."""
    refused: int = 0
    """Cases that ended with an error of BLADE's own."""
    faults: Counter[str] = field(default_factory=Counter)
    first: dict[str, str] = field(default_factory=dict)
    oversized: bool = False

    def add(self, fault: str, case: int, done: list[Damage]) -> None:
        self.faults[fault] += 1
        self.first.setdefault(fault, f"case {case}: " + "; ".join(one.text for one in done))


@dataclass(frozen=True, slots=True)
class Sample:
    """The sample of a format as it lies in memory: its files, what is given on the command line, and its records."""

    name: str
    tree: Tree
    given: tuple[str, ...]
    rows: int


def sample_of(name: str, folder: Path) -> Sample:
    place = folder / name
    place.mkdir()
    given = import_module(f"tests.formats.samples.{name}").write(place)
    files = [path for path in sorted(place.rglob("*")) if path.is_file()]
    tree: Tree = {str(path.relative_to(place)): path.read_bytes() for path in files}
    rows = 0 if name == PACKAGE else sum(plan.translated.rows for plan in discover(given) if plan.translated)
    return Sample(name, tree, tuple(str(path.relative_to(place)) for path in given), rows)


def run_case(sample: Sample, number: int, strange: Tree, folder: Path, tally: Tally) -> list[Damage]:
    """Damage the sample, read it, and count what came of it."""
    draw = random.Random(f"{sample.name} {number}")
    tree = dict(sample.tree)
    done = damage(tree, draw, strange)
    place = folder / "case"
    shutil.rmtree(place, ignore_errors=True)
    shutil.rmtree(folder / "cache", ignore_errors=True)
    write_tree(tree, place)
    tally.cases += 1
    try:
        with limited(SECONDS):
            fault = _tried(sample, number, [place / name for name in sample.given], done)
    except BladeError:
        tally.refused += 1
        return done
    except _TooLong:
        fault = f"still at work after {SECONDS} seconds of the processor"
    except Exception as error:  # noqa: BLE001 - any other exception is what is looked for
        fault = signature(error)
    else:
        tally.read += 1
    if not fault and not tally.oversized and resource.getrusage(resource.RUSAGE_SELF).ru_maxrss > MOST_HELD:
        tally.oversized, fault = True, "more than 1 GB held"
    if fault:
        tally.add(fault, number, done)
    return done


def _tried(sample: Sample, number: int, paths: list[Path], done: list[Damage]) -> str:
    draw = random.Random(f"commands {number}")
    output = paths[0].parents[1] / "out"
    if sample.name == PACKAGE:
        return commands_fault(package_commands(paths[0], output), draw)
    if sample.name == GYM and number % ASK_GYM_EVERY == 1:
        return commands_fault(run_commands(paths, output), draw)
    if sample.name == GYM:
        return _tried_rollouts(number, paths)
    plans = discover(paths)
    unsaid = _unsaid(sample, plans) if all(one.within for one in done) and len(done) == 1 else 0
    if number % READ_EVERY == 0:
        runs = blade.read(*paths, options=blade.Options(cache=False))
        if number % ANALYZE_EVERY == 0:
            blade.report(blade.analyze_runs(runs, blade.Options()))
        told = sum(run.facts.height for run in runs) + sum(flaw.rows for run in runs for flaw in run.raw.flaws)
        if told < sum(plan.translated.rows for plan in plans if plan.translated):
            return "rows that were translated and not read"
    return f"{unsaid} records lost without a word" if unsaid > 0 else ""


def _tried_rollouts(number: int, paths: list[Path]) -> str:
    """Rollouts of NeMo Gym: each line is a row or a flaw, and the sums of the analysis close."""
    runs = blade.read(*paths, options=blade.Options(cache=False))
    if number % ANALYZE_GYM_EVERY:
        flaws = [flaw for run in runs for flaw in run.raw.flaws]
    else:
        analysis = blade.analyze_runs(runs, blade.Options(allow_unrelated=True))
        blade.write(paths[0].parents[1] / "out", runs, analysis, full=True, forms=("github", "csv", "junit"))
        flaws = list(analysis.flaws)
    rows = {id(run.raw): run.raw.rollouts.height for run in runs}
    if sum(run.facts.height for run in runs) != sum(rows.values()):
        return "rows that are in no run"
    return next((f"{flaw.slug}: {flaw.statement}" for flaw in flaws if flaw.slug == "rows-unaccounted"), "")


def _unsaid(sample: Sample, plans: list[RunPlan]) -> int:
    """Records that are neither rows nor named as unreadable."""
    told = sum(plan.translated.rows + sum(flaw.rows for flaw in plan.flaws) for plan in plans if plan.translated)
    flaws = [flaw for plan in plans for flaw in plan.flaws]
    if not all(plan.translated for plan in plans):
        return 0  # rows that look like rollouts of NeMo Gym now, and are read as such
    if any(flaw.slug == "other-program" or "no list of records" in flaw.statement for flaw in flaws):
        return 0  # a whole file, of which nobody knows how many records it holds
    if any(item.kind in {"unknown", "unreadable"} for plan in plans for item in plan.listed):
        return 0  # a file that is listed as unreadable
    return sample.rows - told


def write_tree(tree: Tree, folder: Path) -> None:
    folder.mkdir(parents=True)
    for name, content in tree.items():
        path = folder / name
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            if isinstance(content, Folder):
                path.mkdir()
            elif isinstance(content, Link):
                path.symlink_to(content.target)
            else:
                path.write_bytes(content)
        except OSError:  # below something that is no folder any more
            continue


@contextmanager
def limited(seconds: int) -> Iterator[None]:
    """Seconds of the processor, whatever else runs on the machine."""

    def stop(_signal: int, _frame: FrameType | None) -> None:
        raise _TooLong

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def signature(error: BaseException) -> str:
    """The exception and where in BLADE it came from: cases of one cause have the same."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if "blade" in Path(frame.filename).parts]
    where = frames[-1] if frames else traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__} in {Path(where.filename).name}:{where.lineno} {where.name}: {str(error)[:80]}"


def read_samples(folder: Path) -> dict[str, Sample]:
    """The sample of every format; the cache is in the folder from now on."""
    (folder / "samples").mkdir()
    os.environ["BLADE_CACHE_DIR"] = str(folder / "cache")
    return {name: sample_of(name, folder / "samples") for name in NAMES}


def fuzz(names: list[str], numbers: range, folder: Path, *, verbose: bool = False) -> dict[str, Tally]:
    """The cases with these numbers, for each format."""
    samples, tallies = read_samples(folder), {name: Tally() for name in names}
    for name in names:
        start = time.monotonic()
        fuzz_format(name, numbers, samples, tallies[name], folder, verbose=verbose)
        print(line_of(name, tallies[name], time.monotonic() - start), flush=True)
    return tallies


def fuzz_minutes(names: list[str], first: int, minutes: float, folder: Path) -> dict[str, Tally]:
    """Rounds of cases of all formats until the minutes are over."""
    samples, tallies = read_samples(folder), {name: Tally() for name in names}
    seconds, end = Counter[str](), time.monotonic() + 60 * minutes
    while time.monotonic() < end:
        for name in names:
            start = time.monotonic()
            cases = ROUND_OF_PACKAGES if name == PACKAGE else ROUND
            fuzz_format(name, range(first, first + cases), samples, tallies[name], folder, end=end)
            seconds[name] += int(time.monotonic() - start)
        first += ROUND
    for name in names:
        print(line_of(name, tallies[name], seconds[name]), flush=True)
    print(f"the next round begins with --from {first}")
    return tallies


def fuzz_format(
    name: str,
    numbers: range,
    samples: dict[str, Sample],
    tally: Tally,
    folder: Path,
    *,
    verbose: bool = False,
    end: float = math.inf,
) -> None:
    strange = {
        f"{other}-{file.rpartition('/')[2]}": content
        for other, sample in samples.items()
        if other != name
        for file, content in list(sample.tree.items())[:2]
    }
    for number in numbers:
        if time.monotonic() > end:
            return
        damages = run_case(samples[name], number, strange, folder, tally)
        if verbose:
            print(f"{name} {number}:", *(damage.text for damage in damages), sep="\n  ")


def line_of(name: str, tally: Tally, seconds: float) -> str:
    faults = sum(tally.faults.values())
    words = f"{name:16} {tally.cases:6} cases: {tally.read} read, {tally.refused} refused, {faults} faults"
    worst = [f"    {many} × {fault}\n        {tally.first[fault]}" for fault, many in tally.faults.most_common()]
    return "\n".join([f"{words} ({seconds:.0f} s)", *worst])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=500, help="cases per format")
    parser.add_argument("--minutes", type=float, help="rounds of all formats for so long, in place of --cases")
    parser.add_argument("--from", dest="first", type=int, default=0, help="number of the first case")
    parser.add_argument("--only", action="append", choices=NAMES, help="a format; several times")
    parser.add_argument("--case", type=int, help="this case alone, and what was done to it")
    asked = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    one = asked.case is not None
    numbers = range(asked.case, asked.case + 1) if one else range(asked.first, asked.first + asked.cases)
    with tempfile.TemporaryDirectory(prefix="blade-fuzz-") as folder:
        if asked.minutes is not None:
            tallies = fuzz_minutes(asked.only or NAMES, asked.first, asked.minutes, Path(folder))
        else:
            tallies = fuzz(asked.only or NAMES, numbers, Path(folder), verbose=one)
    return int(any(tally.faults for tally in tallies.values()))


if __name__ == "__main__":
    sys.exit(main())

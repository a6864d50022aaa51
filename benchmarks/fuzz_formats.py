"""Damaged and hostile files of every format: none may give a traceback, hang, or lose a row without a word.

    make fuzz                                                      # every format, for five minutes, in two processes
    make fuzz MINUTES=60 PROCESSES=2
    python -m benchmarks.fuzz_formats --cases 10000                # every format, about an hour on one core
    python -m benchmarks.fuzz_formats --cases 500 --only inspect
    python -m benchmarks.fuzz_formats --only inspect --case 1234   # one case again, with what was done to it

A case is the sample of a format (`tests/formats/samples`), damaged by a random that is seeded with the case's number
(`benchmarks/file_damage.py`). It goes through the door as `blade convert` does: recognised, translated, written as
rows. Every twentieth is read into facts as well (`blade.read`), every five hundredth analyzed and reported. Of `gym`,
two runs of NeMo Gym with their sidecars, every case is read, every fourth analyzed and written in all forms, every
fourth asked questions by commands, and every fourth damaged questions and addresses of the viewer
(`benchmarks/hostile_questions.py`). Of `sidecars`, what stands beside two runs (notes on rollouts, settings, a report
and its questions), the runs stay whole: every third case asks the tools of the MCP server with damaged arguments
(`benchmarks/hostile_tools.py`), the others go through the commands that read sidecars. Of `package`, a benchmark
package, every case goes through some of the commands that read packages (`benchmarks/fuzz_commands.py`).

An error of BLADE's own (a sentence and a way out) is the right answer to many a case. Faults are tracebacks, cases that
do not end, rows that are neither counted nor named, control characters of a file on the screen, and more than 1 GB of
memory. With `--minutes` the cases are dealt to processes, and a table says at the end what became of them; the exit
code is 1 where there are faults. A folder in memory (TMPDIR) saves time. What is found is put into
`tests/formats/test_damaged_runs.py` or `tests/test_bad_input.py` in its smallest form.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import FrameType

from benchmarks.file_damage import Damage, Folder, Link, Tree, damage
from benchmarks.fuzz_commands import commands_fault, package_commands, run_commands, sidecar_commands
from benchmarks.fuzz_tally import Fault, Kind, Tally, faults_of, table_of
from benchmarks.hostile_questions import questions, viewer_fault
from benchmarks.hostile_tools import served_tools, tools_fault
from tests.viewer.asking import Client

import blade
from blade.engine.discover import discover
from blade.engine.plan import RunPlan
from blade.errors import BladeError
from blade.index.build_index import gather
from blade.model import Flaw
from blade.registry import plugins
from blade.viewer.guard import rules_for
from blade.viewer.server import application

GYM, PACKAGE, SIDECARS = "gym", "package", "sidecars"
NAMES = sorted([*plugins("formats"), GYM, PACKAGE, SIDECARS])
READ_EVERY, ANALYZE_EVERY, ANALYZE_GYM_EVERY, ASK_GYM_EVERY = 20, 500, 4, 4
BY_COMMANDS, BY_HOSTILE_QUESTIONS = 1, 3
ASK_TOOLS_EVERY = 3
ROUND, ROUND_OF_PACKAGES = 40, 5
"""Cases of each format in one round of the minutes; those of packages take seconds each."""
SECONDS = 60
MOST_HELD = 1 << 20
"""Kilobytes that a case may take, beyond what its process held before."""
MEMORY = 6 << 30
OF_A_PROCESS = 10_000_000
"""Numbers of cases that one process has for itself."""
GRACE = 600
"""Seconds that a process may go on after its minutes, on a busy machine."""


class _TooLong(BaseException):
    """A case that does not end; no `except Exception` may swallow it."""


@dataclass(frozen=True, slots=True)
class Sample:
    """The sample of a format as it lies in memory: its files, what is given on the command line, and its records."""

    name: str
    tree: Tree
    given: tuple[str, ...]
    rows: int

    @property
    def damageable(self) -> Tree:
        """The files that are damaged: of runs with sidecars, the sidecars alone."""
        spared = self.given if self.name == SIDECARS else ()
        return {name: content for name, content in self.tree.items() if name not in spared}


def sample_of(name: str, folder: Path) -> Sample:
    place = folder / name
    place.mkdir()
    given = import_module(f"tests.formats.samples.{name}").write(place)
    files = [path for path in sorted(place.rglob("*")) if path.is_file()]
    tree: Tree = {str(path.relative_to(place)): path.read_bytes() for path in files}
    rows = (
        0 if name in {PACKAGE, SIDECARS} else sum(plan.translated.rows for plan in discover(given) if plan.translated)
    )
    return Sample(name, tree, tuple(str(path.relative_to(place)) for path in given), rows)


def run_case(sample: Sample, number: int, strange: Tree, folder: Path, tally: Tally) -> list[Damage]:
    """Damage the sample, read it, and count what came of it."""
    draw = random.Random(f"{sample.name} {number}")
    tree = sample.damageable
    spared = {name: content for name, content in sample.tree.items() if name not in tree}
    done = damage(tree, draw, strange)
    place = folder / "case"
    shutil.rmtree(place, ignore_errors=True)
    shutil.rmtree(folder / "cache", ignore_errors=True)
    write_tree(spared | tree, place)
    tally.cases += 1
    held_before, before = begin_measuring(), time.process_time()
    fault: Fault | None
    try:
        with limited(SECONDS):
            fault = _tried(sample, number, [place / name for name in sample.given], done)
    except BladeError:
        tally.refused += 1
        fault = None
    except _TooLong:
        fault = Fault(Kind.HANG, f"still at work after {SECONDS} seconds of the processor")
    except Exception as error:  # noqa: BLE001 - any other exception is what is looked for
        fault = Fault(Kind.TRACEBACK, signature(error))
    else:
        tally.read += 1
    held = most_held()
    tally.most_held = max(tally.most_held, held)
    tally.seconds += time.process_time() - before
    if fault is None and held - held_before > MOST_HELD:
        fault = Fault(Kind.MEMORY, "more than 1 GB taken")
    if fault:
        tally.add(fault, number, done)
    return done


def begin_measuring() -> int:
    """Kilobytes that are held now. The most that was held before is forgotten, where Linux lets a process do that."""
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    return most_held()


def most_held() -> int:
    """Kilobytes that were held at the most since the measuring began."""
    try:
        lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM:"))


def _tried(sample: Sample, number: int, paths: list[Path], done: list[Damage]) -> Fault | None:
    draw = random.Random(f"commands {number}")
    output = paths[0].parents[1] / "out"
    if sample.name == PACKAGE:
        return commands_fault(package_commands(paths[0], output), draw)
    if sample.name == SIDECARS and number % ASK_TOOLS_EVERY == 0:
        return tools_fault(served_tools(paths[0].parent, draw), paths[0].parent, draw)
    if sample.name == SIDECARS:
        return commands_fault(sidecar_commands(paths, output), draw, paths[0].parent)
    if sample.name == GYM and number % ASK_GYM_EVERY == BY_HOSTILE_QUESTIONS:
        fault = commands_fault(questions(paths, output, draw), draw)
        return fault or viewer_fault(_viewer_of(paths), draw)
    if sample.name == GYM and number % ASK_GYM_EVERY == BY_COMMANDS:
        return commands_fault(run_commands(paths, output), draw)
    if sample.name == GYM:
        return _tried_rollouts(number, paths)
    plans = discover(paths)
    unsaid = _unsaid(sample, plans) if all(one.within for one in done) and len(done) == 1 else 0
    if number % READ_EVERY == 0:
        runs = blade.read(*paths, options=blade.Options(cache=False))
        if number % ANALYZE_EVERY == 0:
            analysis = blade.analyze_runs(runs, blade.Options())
            blade.report(analysis)
            if unaccounted := _unaccounted(analysis.flaws):
                return unaccounted
        told = sum(run.facts.height for run in runs) + sum(flaw.rows for run in runs for flaw in run.raw.flaws)
        if told < sum(plan.translated.rows for plan in plans if plan.translated):
            return Fault(Kind.ROWS, "rows that were translated and not read")
    return Fault(Kind.ROWS, f"{unsaid} records lost without a word") if unsaid > 0 else None


def _viewer_of(paths: list[Path]) -> Callable[[str], int]:
    """Asks a viewer of the runs for a page; the status of what it answers."""
    index = gather([str(path) for path in paths], blade.Options(cache=False, allow_unrelated=True))
    client = Client(application(index, rules_for("127.0.0.1", None)))
    return lambda address: client.get(address).status_code


def _unaccounted(flaws: Iterable[Flaw]) -> Fault | None:
    """What an analysis says of sums that do not close."""
    statements = (f"{flaw.slug}: {flaw.statement}" for flaw in flaws if flaw.slug == "rows-unaccounted")
    return next((Fault(Kind.ROWS, statement) for statement in statements), None)


def _tried_rollouts(number: int, paths: list[Path]) -> Fault | None:
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
        return Fault(Kind.ROWS, "rows that are in no run")
    return _unaccounted(flaws)


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
        fuzz_format(name, numbers, samples, tallies[name], folder, verbose=verbose)
        print(line_of(name, tallies[name]), flush=True)
    return tallies


def fuzz_minutes(names: list[str], first: int, minutes: float, folder: Path, process: int = 0) -> dict[str, Tally]:
    """Rounds of cases of all formats until the minutes are over; each process begins with another format."""
    samples, tallies = read_samples(folder), {name: Tally() for name in names}
    end = time.monotonic() + 60 * minutes
    begin = process * len(names) // 2 % len(names)
    while time.monotonic() < end:
        for name in (*names[begin:], *names[:begin]):
            cases = ROUND_OF_PACKAGES if name == PACKAGE else ROUND
            fuzz_format(name, range(first, first + cases), samples, tallies[name], folder, end=end)
        first += ROUND
    return tallies


def fuzz_in_processes(names: list[str], first: int, minutes: float, processes: int) -> dict[str, Tally]:
    """The minutes on several processors, each with cases of its own; what kills a process is a fault, too."""
    begun = []
    for process in range(processes):
        start = first + process * OF_A_PROCESS
        words = ["--minutes", str(minutes), "--from", str(start), "--process", str(process)]
        words += [word for name in names for word in ("--only", name)]
        command = [sys.executable, "-m", "benchmarks.fuzz_formats", *words]
        begun.append((start, subprocess.Popen(command, stdout=subprocess.PIPE, text=True)))
    tallies = {name: Tally() for name in names}
    for start, child in begun:
        fault, printed = None, ""
        try:
            printed, _ = child.communicate(timeout=60 * minutes + GRACE)
        except subprocess.TimeoutExpired:
            child.kill()
            child.communicate()
            fault = Fault(Kind.HANG, f"the process does not end {GRACE} seconds after its time")
        else:
            if child.returncode:
                fault = Fault(Kind.TRACEBACK, f"the process ended with exit code {child.returncode}")
        if fault:
            tallies[names[0]].add(fault, start, [])
            continue
        for name, content in json.loads(printed.splitlines()[-1]).items():
            tallies[name].take(Tally.from_json(content))
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


def line_of(name: str, tally: Tally) -> str:
    faults = sum(tally.faults.values())
    words = f"{name:16} {tally.cases:6} cases: {tally.read} read, {tally.refused} refused, {faults} faults"
    return "\n".join([f"{words} ({tally.seconds:.0f} s of the processor)", *faults_of(tally)])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=500, help="cases per format")
    parser.add_argument("--minutes", type=float, help="rounds of all formats for so long, in place of --cases")
    parser.add_argument("--from", dest="first", type=int, default=0, help="number of the first case")
    parser.add_argument("--only", action="append", choices=NAMES, help="a format; several times")
    parser.add_argument("--processes", type=int, default=2, help="processes for --minutes")
    parser.add_argument("--process", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--case", type=int, help="this case alone, and what was done to it")
    asked = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    one = asked.case is not None
    numbers = range(asked.case, asked.case + 1) if one else range(asked.first, asked.first + asked.cases)
    names, begun = asked.only or NAMES, time.monotonic()
    if asked.minutes is not None and asked.process is None:
        tallies = fuzz_in_processes(names, asked.first, asked.minutes, asked.processes)
        print(table_of(tallies, time.monotonic() - begun))
        return int(any(tally.faults for tally in tallies.values()))
    with tempfile.TemporaryDirectory(prefix="blade-fuzz-") as folder:
        if asked.minutes is not None:
            tallies = fuzz_minutes(names, asked.first, asked.minutes, Path(folder), asked.process)
            print(json.dumps({name: tally.as_json() for name, tally in tallies.items()}))
            return 0
        tallies = fuzz(names, numbers, Path(folder), verbose=one)
    return int(any(tally.faults for tally in tallies.values()))


if __name__ == "__main__":
    sys.exit(main())

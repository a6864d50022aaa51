"""What is measured: for every part of the benchmark, the commands that take turns."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from pathlib import Path

from benchmarks.baselines import FLOORS, GYM, OTHERS, gym_command
from benchmarks.corpora import corpus, inputs_of
from benchmarks.grown_runs import grow
from benchmarks.measuring import ROOT

from blade.simulate import demo_pair

__all__ = [
    "EARLIER", "ENGINE", "GROWTH", "IMPORT", "PAIR", "READ", "SMALL", "TESTS", "Place", "Variant", "engine", "growth",
    "ingest", "large", "ray", "real", "row_sorts", "small", "start", "tests",
]  # fmt: skip

GROWTH = (0.05, 1.0, 10.0)
"""Sizes of the growth part, in units of the smaller corpus: 10 MB, 200 MB and 2 GB."""
PYTHON = (sys.executable, "-m")
ENGINE = "facts only"
READ = "read, nothing kept"
SMALL, PAIR, IMPORT = "analyze, 160 rollouts", "analyze, two runs of 160 rollouts", "import blade"
EARLIER = "analyze, before the questions"
TESTS = "the tests"
BEFORE = "BLADE_BENCH_BEFORE"
"""Names the `src` folder of an earlier version, which then takes turns with this one."""
REAL = "BLADE_BENCH_REAL"
"""Names a file of real rollouts."""
REAL_MEGABYTES = 20.0
PASSES = 4


@dataclass(frozen=True, slots=True)
class Variant:
    """A command with a name; `before` runs outside the clock. Without a command, `note` says why."""

    name: str
    command: tuple[str, ...] = ()
    before: Callable[[], object] | None = None
    folder: Path = ROOT
    note: str = ""


@dataclass(frozen=True, slots=True)
class Place:
    """Where the corpora and all that is made of them stand."""

    folder: Path

    def corpus(self, megabytes: float, kind: str = "mixed") -> Path:
        """A corpus in a folder of its own: nothing stands beside it that the engine could find."""
        return corpus(self.folder / f"{kind}-{megabytes:g}" / "rollouts.jsonl", megabytes, kind).resolve()

    def out(self, name: str) -> str:
        return str((self.folder / "out" / name).resolve())

    def cache(self, name: str) -> Path:
        return (self.folder / "cache" / name).resolve()


def ingest(place: Place, megabytes: float) -> list[Variant]:
    """The floors, the other readers and BLADE on the same file."""
    path = place.corpus(megabytes)
    made = [_baseline(name, path) for name in (*FLOORS, *OTHERS)]
    made += [_gym(place, path), *engine(place, path), _earlier(place, path)]
    return made + _cached(place, path)


def real(place: Place, _megabytes: float) -> list[Variant]:
    """A file of real rows, repeated under other ids and in other words: the floor, the reading, the whole analysis."""
    path = real_rows(place)
    if path is None:
        return [Variant(READ, note=f"{REAL} names no file of rollouts")]
    read = (*PYTHON, "benchmarks.ours", "read", str(path), "--workers", "1")
    return [_baseline("orjson_parse", path), Variant(READ, read), *engine(place, path), _earlier(place, path)]


def real_rows(place: Place) -> Path | None:
    """The real rows of the benchmark, made as large as is measured; None where no file is named."""
    source = Path(os.environ.get(REAL, ""))
    if not source.is_file():
        return None
    folder = place.folder.resolve() / f"real-{REAL_MEGABYTES:g}"
    if not folder.exists():
        grow(source, folder, REAL_MEGABYTES)
    return folder / source.name


def small(place: Place, _megabytes: float) -> list[Variant]:
    """One run and two runs of 160 simulated rollouts, and what loading alone takes."""
    runs = [str(path.parent) for path in demo_pair(place.folder.resolve() / "small")]
    return [
        Variant(SMALL, (*PYTHON, "blade", "analyze", runs[0], "-o", place.out("small"), "--no-cache")),
        Variant(PAIR, (*PYTHON, "blade", "analyze", *runs, "-o", place.out("pair"), "--no-cache")),
        _earlier(place, *runs),
        Variant(IMPORT, (sys.executable, "-c", "import blade")),
    ]


def tests(_place: Place, _megabytes: float) -> list[Variant]:
    """The tests as `make test` runs them, in one process."""
    return [Variant(TESTS, (*PYTHON, "pytest", "-q", "-m", "not slow", "-p", "no:cacheprovider"))]


def row_sorts(place: Place, megabytes: float) -> list[Variant]:
    """Files of only small and of only agentic rows."""
    made = []
    for kind in ("small", "agentic"):
        path = place.corpus(megabytes, kind)
        floors = [_baseline(name, path) for name in ("orjson_parse", "parse_and_check")]
        made += [replace(one, name=f"{kind}: {one.name}") for one in (*floors, *engine(place, path))]
    return made


def large(place: Place, megabytes: float) -> list[Variant]:
    path = place.corpus(megabytes)
    return [*(_baseline(name, path) for name in FLOORS), _gym(place, path), *engine(place, path)]


def growth(place: Place, megabytes: float) -> list[Variant]:
    """The same command on files of three sizes, in turns."""
    made = []
    for times in GROWTH:
        path = place.corpus(megabytes * times)
        made.append(Variant(f"analyze {megabytes * times:g} MB", _analyze(place, path, "growth", "--no-cache")))
    return made


def start(_place: Place, _megabytes: float) -> list[Variant]:
    return [Variant(f"blade {words}", (*PYTHON, "blade", *words.split())) for words in ("--help", "list")]


def ray(place: Place, megabytes: float) -> list[Variant]:
    """Passes in one process: the first starts the workers, the later ones are warm."""
    path = str(place.corpus(megabytes))
    read = (*PYTHON, "benchmarks.ours", "read", path, "--workers", "2", "--passes", str(PASSES), "--engine")
    return [Variant("pool, two workers", (*read, "local")), Variant("Ray, two workers", (*read, "ray"))]


def engine(place: Place, path: Path) -> list[Variant]:
    """Facts without detectors, the whole analysis, and the whole analysis with one and two workers."""
    made = [Variant(ENGINE, (*PYTHON, "benchmarks.ours", "facts", str(path)))]
    made.append(Variant("analyze", _analyze(place, path, "plain", "--no-cache")))
    for workers in (1, 2):
        name = f"analyze, {'one worker' if workers == 1 else 'two workers'}"
        command = _analyze(place, path, f"workers{workers}", "--no-cache", "--workers", str(workers))
        made.append(Variant(name, command))
    return made


def _cached(place: Place, path: Path) -> list[Variant]:
    """Cold into an empty cache; then warm, the file unchanged; then warm, the file touched so that it is hashed."""
    copy = path.parent.with_name(path.parent.name + "-copy") / path.name
    copy.parent.mkdir(exist_ok=True)
    if not copy.exists() or copy.stat().st_size != path.stat().st_size:
        shutil.copyfile(path, copy)
    made = []
    for stage in ("analyze", "read"):
        empty, full = place.cache(f"{stage}-empty"), place.cache(f"{stage}-full")
        cold, warm, touched = (
            _with_cache(place, stage, file, cache) for file, cache in ((path, empty), (path, full), (copy, full))
        )
        made += [
            Variant(f"{stage}, cold into the cache", cold, partial(shutil.rmtree, empty, ignore_errors=True)),
            Variant(f"{stage}, warm by size and time", warm, partial(_fill, warm)),
            Variant(f"{stage}, warm by content", touched, partial(os.utime, copy)),
        ]
    return made


def _with_cache(place: Place, stage: str, path: Path, cache: Path) -> tuple[str, ...]:
    if stage == "analyze":
        return _analyze(place, path, "cached", "--cache-dir", str(cache))
    one = ("--workers", "1")  # what other processes use is not on the clock of the one that is timed inside
    return (*PYTHON, "benchmarks.ours", "read", str(path), "--cache-dir", str(cache), *one)


@lru_cache(maxsize=64)
def _fill(command: tuple[str, ...]) -> None:
    """Run a command once, so that the cache knows its file."""
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)


def _earlier(place: Place, *paths: Path | str) -> Variant:
    """The same analysis by an earlier version of BLADE, if one is named."""
    source = os.environ.get(BEFORE)
    if not source:
        return Variant(EARLIER, note=f"{BEFORE} names no earlier version")
    analyze = (*PYTHON, "blade", "analyze", *map(str, paths), "-o", place.out("earlier"), "--no-cache")
    return Variant(EARLIER, ("env", f"PYTHONPATH={Path(source).resolve()}", *analyze))


def _analyze(place: Place, path: Path, out: str, *more: str) -> tuple[str, ...]:
    return (*PYTHON, "blade", "analyze", str(path), "-o", place.out(out), *more)


def _baseline(name: str, path: Path) -> Variant:
    return Variant(name, (*PYTHON, "benchmarks.baselines", name, str(path)))


def _gym(place: Place, path: Path) -> Variant:
    """Gym writes beside the rollouts and into the folder it is started in: it gets a folder of its own."""
    name, folder = "gym_profile", place.folder.resolve() / "gym" / path.parent.name
    folder.mkdir(parents=True, exist_ok=True)
    linked, inputs = folder / path.name, folder / "inputs.jsonl"
    command = gym_command(linked, inputs)
    if command is None:
        return Variant(name, note=f"not installed: no `gym` on the path, and {GYM} is not set")
    linked.unlink(missing_ok=True)
    linked.hardlink_to(path)
    if not inputs.exists():
        inputs_of(path, inputs)
    return Variant(name, tuple(command), folder=folder)

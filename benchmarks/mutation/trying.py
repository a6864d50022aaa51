"""Runs the tests against mutants: in copies of the project, each in a process of its own."""

from __future__ import annotations

import multiprocessing
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from compileall import compile_dir
from concurrent.futures import ThreadPoolExecutor
from importlib.util import cache_from_source
from pathlib import Path
from queue import SimpleQueue

from benchmarks.mutation.mutant import Mutant, Outcome, Result

LEFT_OUT = (".git", ".venv*", "build", "dist", ".*_cache", ".hypothesis", "__pycache__")
HEAVY = (
    "numpy",
    "scipy.stats",
    "polars",
    "orjson",
    "jinja2",
    "rich.console",
    "markdown_it",
    "nh3",
    "pytest",
)
"""Imported once, before the processes part: nothing of the project, which each reads from its own copy."""
FAILED_AS_IT_STANDS = "the tests fail without any mutant:"
SECONDS_MORE = 60.0
"""Beyond five times what the tests take as they stand, a mutant has made something endless."""


def tried(root: Path, mutants: Sequence[Mutant], workers: int) -> Iterator[Result]:
    """The results, in the order of the mutants."""
    with tempfile.TemporaryDirectory() as place, ThreadPoolExecutor(workers) as pool:
        copies: SimpleQueue[Path] = SimpleQueue()
        for number in range(workers):
            tree = shutil.copytree(root, Path(place) / str(number), ignore=shutil.ignore_patterns(*LEFT_OUT))
            compile_dir(tree / "src", quiet=1)
            copies.put(tree)
        sets = list(dict.fromkeys(mutant.tests for mutant in mutants))
        limits = dict(zip(sets, pool.map(lambda tests: _as_it_stands(tests, copies, workers), sets), strict=True))
        yield from pool.map(lambda mutant: _one(mutant, copies, limits[mutant.tests]), mutants)


def _as_it_stands(tests: tuple[str, ...], copies: SimpleQueue[Path], workers: int) -> float:
    """How long a mutant's tests may take, after they passed without one."""
    tree = copies.get()
    try:
        begun = time.monotonic()
        status, said = _run(tree, tests, 3600.0)
        if status:
            raise SystemExit(f"{FAILED_AS_IT_STANDS} {' '.join(tests)}\n{said}")
        return 5 * (time.monotonic() - begun) + SECONDS_MORE * workers
    finally:
        copies.put(tree)


def _one(mutant: Mutant, copies: SimpleQueue[Path], limit: float) -> Result:
    tree = copies.get()
    path = tree / mutant.file
    standing, cached = path.read_bytes(), Path(cache_from_source(str(path)))
    try:
        cached.unlink(missing_ok=True)
        path.write_text(mutant.source, encoding="utf-8")
        begun = time.monotonic()
        status, said = _run(tree, mutant.tests, limit)
        seconds = time.monotonic() - begun
    finally:
        path.write_bytes(standing)
        cached.unlink(missing_ok=True)
        copies.put(tree)
    return Result(mutant, Outcome.KILLED if status else Outcome.SURVIVED, seconds, _first_failure(said))


def _first_failure(said: str) -> str:
    lines = [line for line in said.splitlines() if line.startswith(("FAILED ", "ERROR "))]
    return lines[0].partition(" - ")[0].partition(" ")[2] if lines else "no end, or no beginning" if said else ""


def _run(tree: Path, tests: tuple[str, ...], limit: float) -> tuple[int, str]:
    """The exit status of the tests (−1: no end) and what they printed."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(list(HEAVY))
    handle, log = tempfile.mkstemp(suffix=".txt")
    os.close(handle)
    process = context.Process(target=_tests, args=(str(tree), tests, log))
    process.start()
    process.join(limit)
    ended = process.exitcode
    if ended is None:
        process.kill()
        process.join()
    said = Path(log).read_text(encoding="utf-8", errors="replace")
    Path(log).unlink()
    return (-1, said or "no end") if ended is None else (ended, said)


def _tests(tree: str, tests: tuple[str, ...], log: str) -> None:
    os.chdir(tree)
    sys.path[:0] = [f"{tree}/src", tree]
    os.environ |= {"PYTHONPATH": f"{tree}/src", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    screen = os.open(log, os.O_WRONLY)
    os.dup2(screen, 1)
    os.dup2(screen, 2)
    import pytest  # noqa: PLC0415 - preloaded

    plugins = ["-p", "no:cacheprovider", "-p", "_hypothesis_pytestplugin", "--hypothesis-seed=0"]
    options = ["-x", "-q", "--no-header", "--tb=no", *plugins]
    status = int(pytest.main([*options, *tests]))
    sys.stdout.flush()
    os._exit(status)

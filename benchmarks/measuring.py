"""One command, measured: seconds, seconds of a core, and the peak memory of its whole process tree."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import statistics
import subprocess
import tempfile
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson
from benchmarks.memory import tree_memory

__all__ = ["ROOT", "Measured", "Sample", "measure", "median"]

ROOT = Path(__file__).parents[1]
POLL = 0.02
PATIENCE = 1800.0
FOLDERS = re.compile(r"(?<![\w.])/(?:[\w.@+-]+/)+")
"""Folders of this machine: they are cut from what a failing command says."""


@dataclass(frozen=True, slots=True)
class Measured:
    """One run of a command. `cpu` is user and system time of the process and all children that it waited for."""

    wall: float
    cpu: float
    peak: float
    """Megabytes: the largest sum of resident memory over the tree. Shared pages count once for every process."""
    said: dict[str, Any] = field(default_factory=dict)
    """What the command told of itself: its last line, where that is JSON."""
    failed: str = ""


@dataclass(slots=True)
class Sample:
    """The rounds of one variant; the warm-up is not among them."""

    name: str
    taken: list[Measured] = field(default_factory=list)
    note: str = ""
    """Why there are no figures, or what is to be known of them."""

    def values(self, name: str) -> list[float]:
        """`wall`, `cpu`, `peak`, or something that the command said."""
        found = [getattr(one, name) if hasattr(one, name) else one.said.get(name) for one in self.taken]
        return [float(value) for value in found if value is not None]

    def median(self, name: str) -> float | None:
        return median(self.values(name))


def median(values: Sequence[float]) -> float | None:
    return statistics.median(values) if values else None


def measure(arguments: Sequence[str], *, folder: Path = ROOT, patience: float = PATIENCE) -> Measured:
    """Run a command in a folder. One that fails or takes too long says so; nothing is raised."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as errors:
        begun = time.monotonic()
        process = subprocess.Popen(arguments, stdout=out, stderr=errors, cwd=folder, start_new_session=True)
        watch = _Watch(process.pid, patience)
        _, status, used = os.wait4(process.pid, 0)
        wall = time.monotonic() - begun
        process.returncode = os.waitstatus_to_exitcode(status)
        peak = watch.stop()
        out.seek(0)
        errors.seek(0)
        said = _last_json(out.read())
        failed = "" if process.returncode == 0 else _reason(errors.read(), process.returncode, watch.late, patience)
    return Measured(wall, used.ru_utime + used.ru_stime, peak, said, failed)


class _Watch:
    """Looks at the memory of a tree every few milliseconds, and ends the tree when its time is up."""

    def __init__(self, pid: int, patience: float) -> None:
        self.late = False
        self._pid = pid
        self._until = time.monotonic() + patience
        self._peak = 0
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._look)
        self._thread.start()

    def _look(self) -> None:
        while not self._done.wait(POLL):
            self._peak = max(self._peak, tree_memory(self._pid))
            if time.monotonic() > self._until and not self.late:
                self.late = True
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(self._pid, signal.SIGKILL)

    def stop(self) -> float:
        self._done.set()
        self._thread.join()
        return self._peak / 1000


def _last_json(output: bytes) -> dict[str, Any]:
    line = output.strip().rpartition(b"\n")[2]
    try:
        found = orjson.loads(line)
    except orjson.JSONDecodeError:
        return {}
    return found if isinstance(found, dict) else {}


def _reason(errors: bytes, code: int, late: bool, patience: float) -> str:
    if late:
        return f"stopped after {patience:.0f} s"
    lines = [line.strip() for line in errors.decode("utf-8", "replace").splitlines() if line.strip()]
    told = lines[-1] if lines else f"ended with {code}"
    return FOLDERS.sub("", told).replace("|", "/")[:160]

"""The engines there are, by name, and the one of this machine.

Where there is little to do, it works in this process, else in this one and in a pool of others.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Self

from blade.engine.facts_chunks import Job, read_piece
from blade.engine.files import Done, Engine, Progress
from blade.engine.pool import Pool
from blade.engine.rows import Known
from blade.errors import UsageError
from blade.options import Options

SMALL = 16 << 20
"""Bytes that are read sooner than processes are started."""
UNPACKED = 5
"""A compressed file holds about so many times its size."""


class Local:
    """Use it as a context: leaving it ends the processes."""

    def __init__(self, workers: int | None = None, pool: Pool | None = None) -> None:
        self._workers = workers or cores()
        self._pool = pool

    def run(self, jobs: Sequence[Job], knowns: Sequence[Known], progress: Progress | None = None) -> Iterator[Done]:
        work = sum(job.size * (1 if job.end is not None else UNPACKED) for job in jobs)
        if self._pool is None and (self._workers == 1 or len(jobs) < 2 or work < SMALL):
            for number, job in enumerate(jobs):
                yield number, read_piece(job, knowns[job.known], progress), None
            return
        self._pool = self._pool or Pool(self._workers - 1, reads_itself=True)
        yield from self._pool.run(jobs, knowns, progress)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._pool is not None:
            self._pool.close()


def cores() -> int:
    """The processors that this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on every system
        return os.cpu_count() or 1


NAMES = ("local", "ray")


def open_engine(options: Options) -> AbstractContextManager[Engine]:
    """The engine that the options name, as a context that ends what it started."""
    if options.engine == "local":
        return Local(options.workers)
    if options.engine == "ray":
        from blade.engine.on_ray import OnRay  # noqa: PLC0415 - an extra

        return OnRay(options.ray_address, options.workers)
    raise UsageError(f"No engine is named '{options.engine}'.", f"There are: {', '.join(NAMES)}.")

"""Runs jobs as Ray tasks: on a cluster that is running, or on one that is started here."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import Any, Self

from blade.engine.facts_chunks import Job, read_piece
from blade.engine.files import Done, Progress
from blade.engine.rows import Known
from blade.errors import UsageError, WorkerLost
from blade.facts.chunk import pack, unpack
from blade.files.remote_paths import cache_folder

RETRIES = 2
AHEAD = 2
"""Jobs in flight for each processor: more would only wait in memory."""


def read_packed(job: Job, context: Known, cache: str) -> bytes:
    """What a task does: the same as a process of the local pool, with our cache, where translated rows lie."""
    os.environ["BLADE_CACHE_DIR"] = cache
    return pack(read_piece(job, context))


class OnRay:
    """Use it as a context: leaving it ends the cluster, if it was started here."""

    def __init__(self, address: str | None = None, workers: int | None = None) -> None:
        os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
        try:
            import ray  # noqa: PLC0415 - an extra
        except ImportError:
            hint = "Install it with: pip install 'blade-engine[ray]'"
            raise UsageError("--engine ray needs Ray, which is not installed.", hint) from None
        self._ray: Any = ray
        self._own = not ray.is_initialized()
        if self._own:
            self._start(address, workers)

    def _start(self, address: str | None, workers: int | None) -> None:
        local_settings: dict[str, Any] = {"num_cpus": workers, "include_dashboard": False} if address is None else {}
        try:
            self._ray.init(address=address or "local", log_to_driver=False, logging_level="ERROR", **local_settings)
        except (ConnectionError, RuntimeError, ValueError) as error:
            reason = str(error).strip().split("\n", 1)[0]
            raise UsageError(
                f"Ray cannot be reached at {address or 'this machine'} ({reason}).", "Check --ray-address."
            ) from None

    def run(self, jobs: Sequence[Job], knowns: Sequence[Known], progress: Progress | None = None) -> Iterator[Done]:
        """Every job once, the largest first. A task whose process died is done again by Ray."""
        ray = self._ray
        task = ray.remote(max_retries=RETRIES, num_cpus=1)(read_packed)
        cache = str(cache_folder())
        shared = {number: ray.put(knowns[number]) for number in {job.known for job in jobs}}
        waiting = sorted(range(len(jobs)), key=lambda number: jobs[number].size)
        limit = AHEAD * max(1, int(ray.cluster_resources().get("CPU", 1)))
        flying: dict[Any, int] = {}
        while waiting or flying:
            while waiting and len(flying) < limit:
                number = waiting.pop()
                flying[task.remote(jobs[number], shared[jobs[number].known], cache)] = number
            finished, _ = ray.wait(list(flying), num_returns=1)
            for reference in finished:
                number = flying.pop(reference)
                packed = self._fetch(reference, jobs[number])
                if progress is not None:
                    progress(jobs[number].size)
                yield number, unpack(packed), packed

    def _fetch(self, reference: Any, job: Job) -> bytes:
        try:
            return bytes(self._ray.get(reference))
        except self._ray.exceptions.RayError as error:
            reason = str(error).strip().split("\n", 1)[0]
            raise WorkerLost(
                f"{job}: the Ray task that read this range failed {RETRIES + 1} times over ({reason}).",
                "See Ray's log of its worker, or read it with --engine local.",
            ) from None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._own:
            self._ray.shutdown()

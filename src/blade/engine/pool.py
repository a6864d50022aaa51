"""A few processes of our own that read pieces, fed over pipes.

A process that is killed takes nothing with it but the job at hand: the job is done once more by a new process, and if
that one dies as well, the error names the range. Each process is started as a program of its own and not as a copy of
this one: a script that uses the library needs no guard, and threads of this process cannot hang in it. To start one
takes most of a second of a core, so this process may read, too, instead of waiting for one more.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections import deque
from collections.abc import Iterator, Sequence
from queue import SimpleQueue
from threading import Event, Lock, Thread
from typing import IO

from blade.engine.facts_chunks import Job, read_piece
from blade.engine.files import Done, Progress
from blade.engine.rows import Known
from blade.errors import InputError, WorkerLost
from blade.facts.chunk import unpack

HEADER = 8
TRIES = 2
FINE, WRONG = b"+", b"-"
COMMAND = (sys.executable, "-m", "blade.engine.worker")


def send(stream: IO[bytes], message: bytes) -> None:
    """A message with its length before it."""
    stream.write(len(message).to_bytes(HEADER, "big"))
    stream.write(message)
    stream.flush()


def receive(stream: IO[bytes]) -> bytes | None:
    """The next message; None where the other side is gone."""
    header = stream.read(HEADER)
    size = int.from_bytes(header, "big")
    message = stream.read(size) if len(header) == HEADER else b""
    return message if len(header) == HEADER and len(message) == size else None


class Worker:
    """One process."""

    def __init__(self, command: Sequence[str]) -> None:
        paths = os.pathsep.join(path for path in sys.path if path)
        env = {"OPENBLAS_NUM_THREADS": "1", **os.environ, "PYTHONPATH": paths, "POLARS_MAX_THREADS": "1"}
        self._process = subprocess.Popen(  # noqa: S603 - this interpreter and a module of this package
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env
        )
        self._told: set[int] = set()

    @property
    def pid(self) -> int:
        return self._process.pid

    def ask(self, job: Job, context: Known) -> bytes | None:
        """The packed piece; None where the process died over it."""
        assert self._process.stdin is not None  # noqa: S101 - it was asked for
        assert self._process.stdout is not None  # noqa: S101 - it was asked for
        context_sent = job.known in self._told
        try:
            send(self._process.stdin, pickle.dumps((job, None if context_sent else context)))
        except OSError:  # it was gone before it was asked
            return None
        self._told.add(job.known)
        answer = receive(self._process.stdout)
        if answer is not None and answer[:1] == WRONG:
            raise InputError(f"{job}: cannot be read ({answer[1:].decode()}).", "Try it with --workers 1.")
        return answer and answer[1:]

    def ended(self) -> str:
        """How the process ended, in words."""
        code = self._process.wait()
        return f"killed by signal {-code}" if code < 0 else f"ended with code {code}"

    def kill(self) -> None:
        self._process.kill()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                try:
                    stream.close()
                except OSError:  # what was still to be sent has nobody to read it
                    continue
        self._process.wait()


class Pool:
    """Processes that live until the pool is closed. With `reads_itself`, this process reads between their answers."""

    def __init__(self, workers: int, command: Sequence[str] = COMMAND, *, reads_itself: bool = False) -> None:
        self._size = workers
        self._command = command
        self._reads_itself = reads_itself
        self.workers: dict[int, Worker] = {}
        self._stop = Event()
        self._lock = Lock()
        self._threads: list[Thread] = []

    def run(self, jobs: Sequence[Job], knowns: Sequence[Known], progress: Progress | None = None) -> Iterator[Done]:
        """Every job once, the largest first, as they are done."""
        waiting = deque(sorted(range(len(jobs)), key=lambda number: -jobs[number].size))
        results: SimpleQueue[tuple[int, bytes] | BaseException] = SimpleQueue()

        def feed(slot: int) -> None:
            try:
                while not self._stop.is_set():
                    number = waiting.popleft()
                    results.put((number, self._read(slot, jobs[number], knowns[jobs[number].known])))
            except IndexError:  # nothing waits any more
                return
            except BaseException as error:  # noqa: BLE001 - it is raised where the results are awaited
                results.put(error)

        self._threads = [Thread(target=feed, args=(slot,)) for slot in range(min(self._size, len(jobs)))]
        for thread in self._threads:
            thread.start()
        for _ in jobs:
            if self._reads_itself and results.empty() and waiting:
                try:
                    number = waiting.popleft()
                except IndexError:  # a thread was faster
                    pass
                else:
                    yield number, read_piece(jobs[number], knowns[jobs[number].known], progress), None
                    continue
            result = results.get()
            if isinstance(result, BaseException):
                self.close()
                raise result
            number, packed = result
            if progress is not None:
                progress(jobs[number].size)
            yield number, unpack(packed), packed

    def _read(self, slot: int, job: Job, context: Known) -> bytes:
        ended = ""
        for _ in range(TRIES):
            worker = self._worker(slot)
            packed = worker.ask(job, context)
            if packed is not None:
                return packed
            ended = worker.ended()
            with self._lock:
                self.workers.pop(slot, worker).kill()
        raise WorkerLost(
            f"{job}: the process that read this range was {ended}, {TRIES} times over.",
            "If the machine ran out of memory, give it fewer at once with --workers 1.",
        )

    def _worker(self, slot: int) -> Worker:
        """The process of a thread, started if need be; none is started once the pool is closed."""
        with self._lock:
            if self._stop.is_set():
                raise InputError("The reading was stopped.")
            return self.workers.setdefault(slot, self.workers.get(slot) or Worker(self._command))

    def close(self) -> None:
        with self._lock:
            self._stop.set()
            for worker in self.workers.values():
                worker.kill()
            self.workers.clear()
        for thread in self._threads:
            thread.join()

"""`python -m blade.engine.worker`: one process of the pool. It is told jobs and answers with packed pieces."""

# ruff: noqa: E402 - what is set before the imports is set for them, too
from __future__ import annotations

import gc
import os
import pickle
import signal
import sys

gc.set_threshold(100_000, 50, 50)  # as in the command line
gc.disable()  # what is loaded stays for good, and is searched for cycles neither now nor later

from blade.engine.facts_chunks import Job, read_piece
from blade.engine.pool import FINE, WRONG, receive, send
from blade.engine.rows import Known
from blade.errors import BladeError
from blade.facts.chunk import pack

gc.freeze()
gc.enable()


def main() -> None:
    """Until the other side is gone. Whatever a plug-in prints must not get among the answers."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent is told to stop, and ends its processes
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    knowns: dict[int, Known] = {}
    while (message := receive(sys.stdin.buffer)) is not None:
        job: Job
        job, context = pickle.loads(message)  # noqa: S301 - from the process that started this one
        if context is not None:
            knowns[job.known] = context
        try:
            answer = FINE + pack(read_piece(job, knowns[job.known]))
        except BladeError as error:
            answer = WRONG + str(error).encode()
        except Exception as error:  # noqa: BLE001 - whatever it is, it is told where people can read it
            answer = WRONG + f"{type(error).__name__}: {error}".encode(errors="replace")
        send(answers, answer)


if __name__ == "__main__":
    main()

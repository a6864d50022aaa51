"""The one function that every engine runs: a range of a file → a piece of facts."""

from __future__ import annotations

from typing import Any

from blade.detectors import names
from blade.engine.collecting import seldom_collected
from blade.engine.rows import FlawTally, Known, RowReader
from blade.facts.chunk import FactsChunk
from blade.facts.table import FactsBuilder
from blade.files.lines import UNREADABLE, Reach, iter_lines, open_bytes, seek_line
from blade.files.remote_paths import new_digest
from blade.frozen import frozen

NO_RECORD = ("row-unreadable", "row-not-object")
"""Flaws of lines that gave no record: every line is a record or one of these."""


@frozen
class Job:
    """The lines of a file that begin between two bytes; a compressed file has no end and is one job."""

    path: str
    role: str
    start: int = 0
    end: int | None = None
    size: int = 0
    """Bytes to be read, for the progress and to share the work out."""
    known: int = 0
    """Which of the things known beforehand goes with it."""
    hash: str = "xxh3"
    timed: bool = False

    def __str__(self) -> str:
        span = f"bytes {self.start:,} to {self.end:,}" if self.end is not None else "the whole file"
        return f"{self.path}: {span}"


@seldom_collected()
def read_piece(job: Job, context: Known, progress: Any = None) -> FactsChunk:
    """Read a range once: every line parsed, taken apart and shown to every detector."""
    builder, tally, digest = FactsBuilder(), FlawTally(), new_digest(job.hash)
    seconds = dict.fromkeys(names(), 0.0) if job.timed and job.role == "rollouts" else None
    reader = RowReader(job.role, context, builder, tally, seconds)
    reach = Reach()
    begin = last = lines = 0
    try:
        with open_bytes(job.path, digest) as stream:
            begin = reach.offset = seek_line(stream, job.start)
            for line in iter_lines(stream, digest if job.end is not None else None, reach, job.end):
                last = line.number
                lines += 1
                reader.add(line)
                if progress is not None:
                    progress(len(line.data) + 1)
    except UNREADABLE as error:
        tally.add(
            "file-unreadable", f"the file could not be read to its end ({error}); the rows before stand", last + 1
        )
    reader.finish()
    end = reach.offset if job.end is not None else job.size
    facts = builder.finish()
    unaccounted = lines - facts.height - sum(flaw.rows for flaw in tally.flaws() if flaw.slug in NO_RECORD)
    if unaccounted:
        tally.add("rows-unaccounted", f"rows and reasons miss the lines of the file by {unaccounted}", last)
    return FactsChunk(
        begin, end, reach.lines, digest.hexdigest(), reach.whole, tuple(tally.flaws()), facts, seconds or {}
    )

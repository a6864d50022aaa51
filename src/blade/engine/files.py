"""Files → facts: what the cache knows is taken from there, the rest is cut into jobs for an engine."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, Protocol

import polars as pl

from blade.detectors import names
from blade.engine.facts_chunks import Job
from blade.engine.ranges import SMALLEST, cut, cut_at_lines
from blade.engine.rows import NO_INPUTS, ExpectedAnswers, Known
from blade.extract.declared import NOTHING, Declared
from blade.facts.cache import FactsCache, Span
from blade.facts.chunk import FactsChunk, joined
from blade.facts.table import empty
from blade.files.lines import UNREADABLE, is_compressed, open_bytes
from blade.files.remote_paths import DIGITS, digest_of, is_remote, state_of
from blade.frozen import frozen
from blade.model import Flaw

MOST_SMALL = 16
"""Small pieces that a growing file may leave before they are read again as one."""
Progress = Callable[[int], None]
Done = tuple[int, FactsChunk, bytes | None]
"""The job's number, what it gave, and the same as bytes where the engine has them."""


class Engine(Protocol):
    """Where jobs are run. Each comes back once, in any order."""

    def run(self, jobs: Sequence[Job], knowns: Sequence[Known], progress: Progress | None = None) -> Iterator[Done]: ...


@frozen
class FileRequest:
    """A file to read. `role` is rollouts, failures or inputs; `known` is the place of what is known beforehand."""

    path: Path
    role: str
    known: int = 0


@frozen
class FileFacts:
    """What one file gave."""

    path: Path
    facts: pl.DataFrame
    flaws: tuple[Flaw, ...]
    bytes: int
    lines: int
    cached: bool
    seconds: dict[str, float] = field(default_factory=dict)
    state: dict[str, Any] = field(default_factory=dict)
    """Size and times before it was read."""


@dataclass(slots=True)
class FileReading:
    """A file on its way: where its pieces go, with the place where each stands now, and the jobs for the rest."""

    wanted: FileRequest
    shape: str
    take: Callable[[int, FactsChunk], None]
    state: dict[str, Any] = field(default_factory=dict)
    spans: list[Span] = field(default_factory=list)
    jobs: list[Job] = field(default_factory=list)
    problem: str = ""
    readable: bool = True

    def add(self, start: int, piece: FactsChunk) -> None:
        if piece.end > piece.start:
            self.spans.append(Span(start, start + piece.end - piece.start, piece.digest, piece.whole))
        self.readable = self.readable and piece.readable
        self.take(start, piece)


@frozen
class ReadOptions:
    """How files are read."""

    cache: FactsCache | None = None
    hash: str = "xxh3"
    timed: bool = False


def read_files(
    requests: Sequence[FileRequest],
    knowns: Sequence[Known],
    engine: Engine,
    manner: ReadOptions | None = None,
    progress: Progress | None = None,
) -> list[FileFacts]:
    """The facts of files, in their order."""
    pieces: list[list[tuple[int, FactsChunk]]] = [[] for _ in requests]

    def take(number: int, start: int, piece: FactsChunk) -> None:
        pieces[number].append((start, piece))

    readings = stream_files(requests, knowns, engine, take, manner, progress)
    return [_put_together(reading, file_pieces) for reading, file_pieces in zip(readings, pieces, strict=True)]


def stream_files(
    requests: Sequence[FileRequest],
    knowns: Sequence[Known],
    engine: Engine,
    take: Callable[[int, int, FactsChunk], None],
    manner: ReadOptions | None = None,
    progress: Progress | None = None,
) -> list[FileReading]:
    """Hand every piece on as it comes: the file's number, the place of the piece, the piece. Nothing is kept here."""
    manner = manner or ReadOptions()
    readings = [
        plan_reading(request, knowns[request.known], manner, partial(take, number))
        for number, request in enumerate(requests)
    ]
    owners = [reading for reading in readings for _ in reading.jobs]
    for number, piece, packed in engine.run([job for reading in readings for job in reading.jobs], knowns, progress):
        owners[number].add(piece.start, piece)
        if manner.cache is not None and piece.readable and piece.end > piece.start:
            manner.cache.store(piece, owners[number].shape, packed)
    for reading in readings:
        if manner.cache is not None and reading.readable and not reading.problem:
            spans = sorted(reading.spans, key=lambda span: span.start)
            manner.cache.remember(reading.wanted.path, reading.state, spans)
    return readings


def shape_of(role: str, declared: Declared = NOTHING, expected: ExpectedAnswers = NO_INPUTS) -> str:
    """What beside the content decides the facts of a file: part of its cache key."""
    shape = f"{role}|{declared.key}"
    return f"{shape}|{','.join(names())}|{expected.key}" if role == "rollouts" else shape


def plan_reading(
    request: FileRequest, context: Known, manner: ReadOptions, take: Callable[[int, FactsChunk], None]
) -> FileReading:
    """Take what is known of a file, and make the jobs that read the rest."""
    reading = FileReading(request, shape_of(request.role, *context), take)
    base = Job(str(request.path), request.role, known=request.known, hash=manner.hash, timed=manner.timed)
    try:
        reading.state = state_of(request.path)  # before it is read: a change meanwhile must show afterwards
        with open_bytes(request.path) as stream:
            compressed = is_compressed(stream)
        size = reading.state["size"]
        gaps = [(0, size)] if compressed else cut(0, size)
        if manner.cache is not None:
            gaps = _gaps(reading, manner.cache, manner.hash, compressed=compressed)
    except UNREADABLE as error:
        reading.problem = getattr(error, "strerror", None) or str(error)
        return reading
    reading.jobs = [
        replace(base, start=start, end=None if compressed else end, size=end - start) for start, end in gaps
    ]
    return reading


def _gaps(reading: FileReading, cache: FactsCache, hashed: str, *, compressed: bool) -> list[tuple[int, int]]:
    """Take the pieces that the cache has, one behind the other from the beginning; says what is left to read."""
    size, begin = reading.state["size"], 0
    gaps: list[tuple[int, int]] = []
    for span in _spans(reading, cache, hashed, compressed=compressed):
        if span.start != begin or span.end > size or (not span.whole and span.end < size):
            break
        piece = cache.load(span, reading.shape) if span.digest else None
        if piece is None:
            gaps.append((span.start, span.end))
        else:
            reading.add(span.start, piece)
        begin = span.end
    tail = [(begin, size)] if compressed and begin < size else cut(begin, size)
    return gaps + tail


def _spans(reading: FileReading, cache: FactsCache, hashed: str, *, compressed: bool) -> Iterator[Span]:
    """Spans whose bytes are certainly as their digest says: by the file's state, else by hashing them."""
    path, size = reading.wanted.path, reading.state["size"]
    note = cache.note(path, reading.state)
    spans = [span for span in note.spans if len(span.digest) == DIGITS[hashed]] if note else []
    if note and note.unchanged:
        yield from spans
        return
    if is_remote(path):  # to hash it is to read it
        return
    if not spans:
        ranges = [(0, size)] if compressed else cut_at_lines(path, 0, size)
        spans = [Span(start, end, "") for start, end in ranges]
    for span in _usable_spans(spans):
        may_be_cached = span.digest or cache.may_hold(span.end - span.start)
        digest = digest_of(path, span.start, span.end, name=hashed) if may_be_cached else ""
        if span.digest not in {"", digest}:
            return
        yield Span(span.start, span.end, digest, span.whole)


def _usable_spans(spans: list[Span]) -> list[Span]:
    """A file that grew often has many small pieces at its end: too many are read again as one."""
    large = len(spans)
    while large and spans[large - 1].end - spans[large - 1].start < SMALLEST:
        large -= 1
    return spans[:large] if len(spans) - large > MOST_SMALL else spans


def _put_together(reading: FileReading, pieces: list[tuple[int, FactsChunk]]) -> FileFacts:
    """The pieces of a file as one: lines and places counted from its beginning."""
    path, size = reading.wanted.path, int(reading.state.get("size", 0))
    if reading.problem:
        flaw = Flaw("file-unreadable", f"the file could not be read ({reading.problem})", str(path))
        return FileFacts(path, empty(), (flaw,), 0, 0, cached=False)
    ordered = sorted(pieces, key=lambda pair: (pair[0], pair[1].end))
    placed = [replace(piece, facts=_moved(piece.facts, start - piece.start)) for start, piece in ordered]
    if not placed:
        return FileFacts(path, empty(), (), size, 0, cached=not reading.jobs, state=reading.state)
    joined_piece = joined(placed, "")
    flaws = tuple(replace(flaw, file=str(path)) for flaw in joined_piece.flaws)
    return FileFacts(
        path,
        joined_piece.facts,
        flaws,
        size,
        joined_piece.lines,
        cached=not reading.jobs,
        seconds=joined_piece.seconds,
        state=reading.state,
    )


def _moved(facts: pl.DataFrame, by: int) -> pl.DataFrame:
    """A piece that was stored at another place of a file."""
    return facts.with_columns(pl.col("offset") + by) if by else facts

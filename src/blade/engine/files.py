"""Files → facts: what the cache knows is taken from there, the rest is cut into jobs for an engine."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol

import polars as pl

from blade.detectors import names
from blade.engine.pieces import Job
from blade.engine.ranges import SMALLEST, cut, cut_at_lines
from blade.engine.rows import NO_INPUTS, Asked, Known
from blade.extract.declared import NOTHING, Declared
from blade.facts.cache import FactsCache, Span
from blade.facts.packed import Piece
from blade.facts.table import empty
from blade.lines import UNREADABLE, is_compressed, open_bytes
from blade.model import Flaw
from blade.places import DIGITS, digest_of, is_remote, state_of

MOST_SMALL = 16
"""Small pieces that a growing file may leave before they are read again as one."""
Progress = Callable[[int], None]
Done = tuple[int, Piece, bytes | None]
"""The job's number, what it gave, and the same as bytes where the engine has them."""


class Engine(Protocol):
    """Where jobs are run. Each comes back once, in any order."""

    def run(self, jobs: Sequence[Job], knowns: Sequence[Known], progress: Progress | None = None) -> Iterator[Done]: ...


@dataclass(frozen=True, slots=True)
class Wanted:
    """A file to read. `role` is rollouts, failures or inputs; `known` is the place of what is known beforehand."""

    path: Path
    role: str
    known: int = 0


@dataclass(frozen=True, slots=True)
class FileFacts:
    """What one file gave."""

    path: Path
    facts: pl.DataFrame
    flaws: tuple[Flaw, ...]
    bytes: int
    lines: int
    cached: bool
    seconds: dict[str, float] = field(default_factory=dict)


@dataclass(slots=True)
class Reading:
    """A file on its way: the pieces at hand, with the place where each stands now, and the jobs for the rest."""

    wanted: Wanted
    shape: str
    state: dict[str, Any] = field(default_factory=dict)
    pieces: list[tuple[int, Piece]] = field(default_factory=list)
    jobs: list[Job] = field(default_factory=list)
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Manner:
    """How files are read."""

    cache: FactsCache | None = None
    hash: str = "xxh3"
    timed: bool = False


def read_files(
    wanted: Sequence[Wanted],
    knowns: Sequence[Known],
    engine: Engine,
    manner: Manner | None = None,
    progress: Progress | None = None,
) -> list[FileFacts]:
    """The facts of files, in their order."""
    manner = manner or Manner()
    readings = [plan_reading(one, knowns[one.known], manner) for one in wanted]
    owners = [reading for reading in readings for _ in reading.jobs]
    for number, piece, packed in engine.run([job for reading in readings for job in reading.jobs], knowns, progress):
        owners[number].pieces.append((piece.start, piece))
        if manner.cache is not None and piece.readable and piece.end > piece.start:
            manner.cache.store(piece, owners[number].shape, packed)
    return [_finish(reading, manner.cache) for reading in readings]


def shape_of(role: str, declared: Declared = NOTHING, asked: Asked = NO_INPUTS) -> str:
    """What beside the content decides the facts of a file: part of its cache key."""
    shape = f"{role}|{declared.key}"
    return f"{shape}|{','.join(names())}|{asked.key}" if role == "rollouts" else shape


def plan_reading(wanted: Wanted, known: Known, manner: Manner) -> Reading:
    """What is known of a file, and the jobs that read the rest."""
    reading = Reading(wanted, shape_of(wanted.role, *known))
    base = Job(str(wanted.path), wanted.role, known=wanted.known, hash=manner.hash, timed=manner.timed)
    try:
        reading.state = state_of(wanted.path)  # before it is read: a change meanwhile must show afterwards
        with open_bytes(wanted.path) as stream:
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


def _gaps(reading: Reading, cache: FactsCache, hashed: str, *, compressed: bool) -> list[tuple[int, int]]:
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
            reading.pieces.append((span.start, piece))
        begin = span.end
    rest = [(begin, size)] if compressed and begin < size else cut(begin, size)
    return gaps + rest


def _spans(reading: Reading, cache: FactsCache, hashed: str, *, compressed: bool) -> Iterator[Span]:
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
    for span in _few(spans):
        held = span.digest or cache.may_hold(span.end - span.start)
        found = digest_of(path, span.start, span.end, name=hashed) if held else ""
        if span.digest not in {"", found}:
            return
        yield Span(span.start, span.end, found, span.whole)


def _few(spans: list[Span]) -> list[Span]:
    """A file that grew often has many small pieces at its end: too many are read again as one."""
    large = len(spans)
    while large and spans[large - 1].end - spans[large - 1].start < SMALLEST:
        large -= 1
    return spans[:large] if len(spans) - large > MOST_SMALL else spans


def _finish(reading: Reading, cache: FactsCache | None) -> FileFacts:
    """The pieces of a file put together: lines and places counted from its beginning."""
    path, size = reading.wanted.path, int(reading.state.get("size", 0))
    if reading.problem:
        flaw = Flaw("file-unreadable", f"the file could not be read ({reading.problem})", str(path))
        return FileFacts(path, empty(), (flaw,), 0, 0, cached=False)
    ordered = sorted(reading.pieces, key=lambda pair: (pair[0], pair[1].end))
    frames, lines, flaws = [], 0, dict[tuple[str, str], list[int]]()
    seconds: dict[str, float] = {}
    for start, piece in ordered:
        shift = pl.col("offset") + (start - piece.start)
        frames.append(piece.facts.with_columns(pl.col("line") + lines, shift))
        for flaw in piece.flaws:
            entry = flaws.setdefault((flaw.slug, flaw.statement), [(flaw.line or 0) + lines, 0])
            entry[1] += flaw.rows or 0
        lines += piece.lines
        for name, took in piece.seconds.items():
            seconds[name] = seconds.get(name, 0.0) + took
    if cache is not None and all(piece.readable for _, piece in ordered):
        spans = [Span(start, start + piece.end - piece.start, piece.digest, piece.whole) for start, piece in ordered]
        cache.remember(path, reading.state, [span for span in spans if span.end > span.start])
    told = tuple(Flaw(slug, text, str(path), line, rows) for (slug, text), (line, rows) in sorted(flaws.items()))
    facts = pl.concat(frames) if frames else empty()
    return FileFacts(path, facts, told, size, lines, cached=not reading.jobs, seconds=seconds)

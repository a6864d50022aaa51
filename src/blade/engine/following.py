"""Reads a run that is still being written: each look reads the lines that are new, and never one that is half there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import polars as pl

from blade.engine.discover import discover
from blade.engine.facts_chunks import Job
from blade.engine.files import Engine, FileRequest, ReadOptions, read_files, shape_of
from blade.engine.plan import RunPlan
from blade.engine.ranges import LARGEST, cut
from blade.engine.rows import NO_INPUTS, Known, asked_of
from blade.engine.runs import declared_of
from blade.engine.settings import find_benchmark, load_benchmark
from blade.errors import InputError, NoRuns, NotFound, UsageError
from blade.facts.cache import FactsCache, Span
from blade.facts.chunk import FactsChunk, joined
from blade.files.lines import is_compressed, open_bytes
from blade.files.remote_paths import digest_of, open_raw, state_of
from blade.frozen import frozen
from blade.options import Options

TAIL = 1 << 12
BLOCK = 1 << 20


@dataclass(slots=True)
class Followed:
    """One file: how far it was read, and a fingerprint of the bytes before, which must not change."""

    path: Path
    number: int
    offset: int = 0
    tail: str = ""
    pieces: list[FactsChunk] = field(default_factory=list)


@frozen
class News:
    """What one look found. `anew`: a file was written anew, and what was told before is void."""

    pieces: tuple[tuple[int, FactsChunk], ...] = ()
    inputs: pl.DataFrame | None = None
    anew: bool = False


class Following:
    """The run behind some paths; files may come later than the first look."""

    def __init__(self, paths: Sequence[str | Path], options: Options, engine: Engine) -> None:
        self._paths = paths
        self._options = options
        self._engine = engine
        self._files: dict[Path, Followed] = {}
        self._known: Known | None = None
        self._inputs: dict[str, object] = {}
        self.translated = False
        """Whether the run is another program's. It is then translated anew at every look that finds it changed."""

    def look(self) -> News:
        """Read what is new in every file of the run."""
        plan = self._plan()
        if plan is None:
            return News()
        inputs = self._read_inputs(plan)
        for item in plan.rollouts:
            self._files.setdefault(item.path, Followed(item.path, len(self._files)))
        anew = [file for file in self._files.values() if self._changed(file)]
        if anew:
            self._files = {path: Followed(path, number) for number, path in enumerate(self._files)}
        new_pieces = [(file.number, piece) for file in self._files.values() for piece in self._read(file)]
        return News(tuple(new_pieces), inputs, anew=bool(anew))

    def keep(self) -> None:
        """Put what was read into the cache, in large pieces, so that an analysis need not read it again."""
        if not self._options.cache or self._known is None:
            return
        cache, shape = FactsCache(self._options.cache_dir), shape_of("rollouts", *self._known)
        for file in self._files.values():
            spans = []
            state = state_of(file.path)
            for group in _groups(file.pieces):
                joined_piece = joined(
                    group, digest_of(file.path, group[0].start, group[-1].end, name=self._options.fingerprint)
                )
                cache.store(joined_piece, shape)
                spans.append(Span(joined_piece.start, joined_piece.end, joined_piece.digest, joined_piece.whole))
            cache.remember(file.path, {**state, "size": file.offset}, spans)

    def _plan(self) -> RunPlan | None:
        """The run, or nothing while it has no rows that can be read."""
        try:
            plans = discover(self._paths)
        except (NoRuns, NotFound):
            return None
        if len(plans) != 1:
            names = ", ".join(plan.name for plan in plans)
            raise UsageError(f"One run can be followed at a time; here are {len(plans)}: {names}.", "Give one of them.")
        self.translated = plans[0].translated is not None
        return plans[0]

    def _read_inputs(self, plan: RunPlan) -> pl.DataFrame | None:
        """What was asked, where it is new; it is written before the run begins."""
        items = plan.of("inputs")
        states = {str(item.path): state_of(item.path) for item in items}
        if self._known is not None and states == self._inputs:
            return None
        benchmark, _ = load_benchmark(find_benchmark([item.path.parent for item in plan.rollouts]))
        declared = declared_of(benchmark, self._options)
        self._inputs = dict(states)
        self._known = (declared, NO_INPUTS)
        if not items:
            return None
        read = read_files(
            [FileRequest(item.path, "inputs") for item in items], [self._known], self._engine, ReadOptions()
        )
        inputs = pl.concat([file_facts.facts for file_facts in read])
        self._known = (declared, asked_of(inputs))
        return inputs

    def _changed(self, file: Followed) -> bool:
        """Whether bytes that were read are no longer what they were."""
        if not file.offset:
            return False
        if file.path.stat().st_size < file.offset:
            return True
        return digest_of(file.path, max(0, file.offset - TAIL), file.offset) != file.tail

    def _read(self, file: Followed) -> Iterator[FactsChunk]:
        with open_bytes(file.path) as stream:
            if is_compressed(stream):
                raise InputError(f"{file.path}: a compressed file cannot be followed.", "Wait until it is written.")
        end = last_line_end(file.path, file.offset, file.path.stat().st_size)
        if end <= file.offset or self._known is None:
            return
        name = self._options.fingerprint
        jobs = [
            Job(str(file.path), "rollouts", begin, stop, stop - begin, hash=name)
            for begin, stop in cut(file.offset, end)
        ]
        new_pieces = sorted(
            (piece for _, piece, _ in self._engine.run(jobs, [self._known])), key=lambda piece: piece.start
        )
        file.pieces += [piece for piece in new_pieces if piece.end > piece.start]
        file.offset = end
        file.tail = digest_of(file.path, max(0, end - TAIL), end)
        yield from new_pieces


def last_line_end(path: Path, start: int, end: int) -> int:
    """The place behind the last line that ended between two places; the first of them where none did."""
    with open_raw(path) as stream:
        while end > start:
            begin = max(start, end - BLOCK)
            stream.seek(begin)
            position = stream.read(end - begin).rfind(b"\n")
            if position >= 0:
                return begin + position + 1
            end = begin
    return start


def _groups(pieces: Sequence[FactsChunk]) -> Iterator[list[FactsChunk]]:
    """Pieces that follow each other, up to the size of a range."""
    group: list[FactsChunk] = []
    for piece in pieces:
        if group and piece.end - group[0].start > LARGEST:
            yield group
            group = []
        group.append(piece)
    if group:
        yield group

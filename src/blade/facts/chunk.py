"""A piece of a run's facts as bytes: a checksum and a Parquet table. It travels, and lies in the cache."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import field
from typing import Any

import orjson
import polars as pl
from xxhash import xxh3_128_digest

from blade.facts.columns import SCHEMA
from blade.frozen import frozen
from blade.model import Flaw

NOTE_KEY = "blade"
DIGEST = 16
UNUSABLE = (OSError, ValueError, KeyError, TypeError, AttributeError, pl.exceptions.PolarsError)
"""What opening bytes that are no piece, or a damaged one, raises."""


@frozen
class FactsChunk:
    """What a range of a file gave. Lines are counted from the range's first."""

    start: int
    end: int
    lines: int
    digest: str
    """Of the bytes between start and end; of a compressed file, of its bytes on the disk."""
    whole: bool
    """Whether the last line ended; one that did not may be half-written."""
    flaws: tuple[Flaw, ...]
    facts: pl.DataFrame
    seconds: dict[str, float] = field(default_factory=dict)
    """What the detectors took, where that was asked for."""

    @property
    def readable(self) -> bool:
        return not any(flaw.slug == "file-unreadable" for flaw in self.flaws)


def joined(pieces: Sequence[FactsChunk], digest: str) -> FactsChunk:
    """Pieces that follow each other as one."""
    lines = 0
    frames: list[pl.DataFrame] = []
    flaws: dict[tuple[str, str], list[int]] = {}
    seconds: dict[str, float] = {}
    for piece in pieces:
        frames.append(piece.facts.with_columns(pl.col("line") + lines))
        for flaw in piece.flaws:
            entry = flaws.setdefault((flaw.slug, flaw.statement), [(flaw.line or 0) + lines, 0])
            entry[1] += flaw.rows or 0
        lines += piece.lines
        for name, took in piece.seconds.items():
            seconds[name] = seconds.get(name, 0.0) + took
    return FactsChunk(
        pieces[0].start,
        pieces[-1].end,
        lines,
        digest,
        pieces[-1].whole,
        tuple(Flaw(slug, text, line=line, rows=rows) for (slug, text), (line, rows) in sorted(flaws.items())),
        pl.concat(frames),
        seconds,
    )


def pack(piece: FactsChunk) -> bytes:
    note = {
        "start": piece.start,
        "end": piece.end,
        "lines": piece.lines,
        "digest": piece.digest,
        "whole": piece.whole,
        "flaws": [[flaw.slug, flaw.statement, flaw.line, flaw.rows] for flaw in piece.flaws],
        "seconds": piece.seconds,
    }
    buffer = io.BytesIO()
    piece.facts.write_parquet(buffer, compression="zstd", metadata={NOTE_KEY: orjson.dumps(note).decode()})
    table = buffer.getvalue()
    return xxh3_128_digest(table) + table


def unpack(packed: bytes) -> FactsChunk:
    """A ValueError, or another of UNUSABLE, where one byte is not as it was written."""
    digest, table = packed[:DIGEST], packed[DIGEST:]
    if xxh3_128_digest(table) != digest:
        raise ValueError("the piece is damaged")
    note: dict[str, Any] = orjson.loads(pl.read_parquet_metadata(io.BytesIO(table))[NOTE_KEY])
    facts = pl.read_parquet(io.BytesIO(table))
    if facts.schema != pl.Schema(SCHEMA):
        raise ValueError("the piece has other columns")
    flaws = tuple(Flaw(slug, text, line=line, rows=rows) for slug, text, line, rows in note.pop("flaws"))
    return FactsChunk(**note, flaws=flaws, facts=facts)

"""One rollout as the viewer shows it: entries with anchors, and the findings marked at their quotes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

import orjson

from blade.detectors import read_sightings
from blade.evidence import open_row
from blade.extract.citing import field_text
from blade.extract.text import clean
from blade.extract.transcript import arguments_text, prompt_steps, row_steps
from blade.findings import Cite, State
from blade.frozen import frozen
from blade.index.tables import IndexedAttempt
from blade.model import Source, Step, StepKind
from blade.pages.markup import Mark
from blade.trajectory import TranscriptPart, parts

CHUNK = 100
SHOWN = 4_000
AROUND = 500
LONGEST_LAID_OUT = 100_000
KEPT = 4
"""Rollouts whose entries are kept in memory: the chunks of one page ask again and again."""


@frozen
class TranscriptEntry:
    """One thing to read. `place` is its place in the transcript, `anchor` its name in the address."""

    place: int
    anchor: str
    part: TranscriptPart
    marks: tuple[Mark, ...] = ()
    key: str = ""
    """Equal keys: the same call, or the same words."""


@frozen
class TextPiece:
    """A stretch of a long text that is shown; `before` characters are left out ahead of it."""

    before: int
    text: str
    marks: tuple[Mark, ...]


@frozen
class Noticed:
    """One finding of the rollout: what was noticed, and the places that prove it."""

    detector: str
    detail: str
    quotes: tuple[tuple[str, str, int | None], ...]
    """Words, anchor and item of each."""


@frozen
class ViewedTranscript:
    entries: tuple[TranscriptEntry, ...]
    noticed: tuple[Noticed, ...]

    def chunk_of(self, at: str) -> int:
        """The chunk that holds an item or an anchor; the first where there is none."""
        anchors = (at, f"item-{at}")
        place = next((entry.place for entry in self.entries if entry.anchor in anchors), 0)
        return place // CHUNK

    @property
    def chunks(self) -> int:
        return -(-len(self.entries) // CHUNK)

    def chunk(self, number: int) -> tuple[TranscriptEntry, ...]:
        return self.entries[number * CHUNK : (number + 1) * CHUNK]


def open_transcript(attempt: IndexedAttempt) -> ViewedTranscript:
    """The rollout at its place in the file, with what the detectors noticed in it."""
    return _opened(attempt.source, attempt.sightings, attempt.noticed)


@lru_cache(maxsize=KEPT)
def _opened(source: Source, sightings: str | None, detectors: tuple[str, ...]) -> ViewedTranscript:
    row = open_row(source)
    entries = list(_entries(row))
    notices = []
    for name, sighting in read_sightings(sightings).items():
        if sighting.state is State.FIRED and name in detectors:
            quotes = []
            for number, cite in enumerate(sighting.cites):
                mark = f"mark-{name}-{number}"
                entry = _marked(entries, row, cite, Mark(cite.start, cite.end, mark, f"{name}: {sighting.detail}"))
                quotes.append((cite.quote, mark if entry else "", cite.item))
            notices.append(Noticed(name, sighting.detail, tuple(quotes)))
    return ViewedTranscript(tuple(entries), tuple(notices))


def _entries(row: dict[str, Any]) -> Iterator[TranscriptEntry]:
    steps: list[Step] = [*prompt_steps(row.get("responses_create_params")), *row_steps(row)]
    anchor_counts: dict[str, int] = {}
    for place, part in enumerate(parts(row)):
        step = steps[place] if place < len(steps) else None
        anchor = "row" if part.item is None else f"item-{part.item}"
        anchor_counts[anchor] = anchor_counts.get(anchor, 0) + 1
        name = anchor if anchor_counts[anchor] == 1 else f"{anchor}.{anchor_counts[anchor]}"
        identity = arguments_text(step.arguments) if step is not None and step.kind is StepKind.CALL else part.text
        shown_part = replace(part, text=_laid_out(part.text)) if part.kind == "output" else part
        yield TranscriptEntry(place, name, shown_part, key=f"{part.kind}\0{part.title}\0{identity}")


def _laid_out(text: str) -> str:
    """An answer in JSON, indented; the words as they stand come back where something is marked in them."""
    if len(text) > LONGEST_LAID_OUT or text[:1] not in "{[" or not text:
        return text
    try:
        value = orjson.loads(text)
        return orjson.dumps(value, option=orjson.OPT_INDENT_2).decode()
    except (orjson.JSONDecodeError, orjson.JSONEncodeError):
        return text


def _marked(entries: list[TranscriptEntry], row: dict[str, Any], cite: Cite, mark: Mark) -> TranscriptEntry | None:
    """Set a mark where its words stand; the field of a row that is quoted becomes an entry of its own."""
    if cite.item is None:
        return _marked_field(entries, row, cite, mark)
    for place, entry in enumerate(entries):
        if entry.part.item != cite.item or (entry.part.kind == "call") is not (cite.field == "arguments"):
            continue
        text, shift = entry.key.split("\0", 2)[2], entry.part.start
        start, end = cite.start - shift, cite.end - shift
        if start >= 0 and clean(text[start:end]) == clean(cite.quote):
            part, shifted_mark = replace(entry.part, text=text), replace(mark, start=start, end=end)
            entries[place] = replace(entry, part=part, marks=(*entry.marks, shifted_mark))
            return entries[place]
    return None


def _marked_field(
    entries: list[TranscriptEntry], row: dict[str, Any], cite: Cite, mark: Mark
) -> TranscriptEntry | None:
    name = cite.field.removeprefix("row.")
    text = field_text(row, name)
    if clean(text[cite.start : cite.end]) != clean(cite.quote):
        return None
    anchor = f"field-{name}"
    for place, entry in enumerate(entries):
        if entry.anchor == anchor:
            entries[place] = replace(entry, marks=(*entry.marks, mark))
            return entries[place]
    field_entry = TranscriptEntry(
        len(entries), anchor, TranscriptPart("row", name, text, None), (mark,), key=f"row\0{name}\0{text}"
    )
    entries.append(field_entry)
    return field_entry


def pieces(entry: TranscriptEntry, limit: int = SHOWN) -> tuple[list[TextPiece], int]:
    """What is shown of an entry: all of a short text; of a long one its beginning and what stands around the marks.

    The number is how many characters are left out at the end.
    """
    text = entry.part.text
    if len(text) <= limit:
        return [TextPiece(0, text, entry.marks)], 0
    spans = [(0, limit)]
    for mark in sorted(entry.marks, key=lambda mark: mark.start):
        start, end = max(0, mark.start - AROUND), min(len(text), mark.end + AROUND)
        if start <= spans[-1][1]:
            spans[-1] = (spans[-1][0], max(end, spans[-1][1]))
        else:
            spans.append((start, end))
    parts, last = [], 0
    for start, end in spans:
        parts.append(TextPiece(start - last, text[start:end], shifted(entry.marks, start, end)))
        last = end
    return parts, len(text) - last


def shifted(marks: Sequence[Mark], start: int, end: int) -> tuple[Mark, ...]:
    """The marks inside a stretch, counted from its beginning."""
    contained = (mark for mark in marks if start <= mark.start < end)
    return tuple(replace(mark, start=mark.start - start, end=min(mark.end, end) - start) for mark in contained)

"""Two attempts beside each other: the same step stands in the same row, and the step that decides is marked."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher
from itertools import zip_longest

from blade.detectors import read_sightings
from blade.diagnosis.cases import Case
from blade.diagnosis.divergence import Parting, part
from blade.diagnosis.transcript_summary import track_of
from blade.evidence import open_row
from blade.frozen import frozen
from blade.index.tables import IndexedAttempt
from blade.viewer.transcript import TranscriptEntry, ViewedTranscript, open_transcript

MOST_COMPARED = 4_000_000
"""Beyond this many pairs of steps, rows after the common beginning are filled up in order."""


@frozen
class ComparedRow:
    place: int
    left: TranscriptEntry | None
    right: TranscriptEntry | None
    alike: bool
    parts: bool
    """Whether the attempts part here."""


@frozen
class AttemptComparison:
    left: IndexedAttempt
    right: IndexedAttempt
    rows: tuple[ComparedRow, ...]
    statement: str
    """Where they part, in words."""
    at: int | None
    """The row where they part."""


def pair(left: IndexedAttempt, right: IndexedAttempt) -> AttemptComparison:
    """Two attempts of one task, of one run or of two."""
    left_transcript, right_transcript = open_transcript(left), open_transcript(right)
    aligned = _aligned(left_transcript.entries, right_transcript.entries)
    if left.passed is not None and right.passed is not None and left.passed is not right.passed:
        parting = _parting(left, right)
        spots = _spots(parting, left_transcript, right_transcript, swapped=not left.passed)
        statement = parting.statement
    else:
        spots, statement = set(), ""
    if not spots:
        first = next((row for row in aligned if _differs(*row)), None)
        spots = {id(entry) for entry in first or () if entry is not None}
        statement = statement or ("the first difference is marked" if first else "all steps are the same")
    rows = tuple(
        ComparedRow(
            place,
            left_entry,
            right_entry,
            not _differs(left_entry, right_entry),
            parts=any(id(entry) in spots for entry in (left_entry, right_entry)),
        )
        for place, (left_entry, right_entry) in enumerate(aligned)
    )
    return AttemptComparison(left, right, rows, statement, next((row.place for row in rows if row.parts), None))


def _differs(left_entry: TranscriptEntry | None, right_entry: TranscriptEntry | None) -> bool:
    if left_entry is None or right_entry is None:
        return True
    return left_entry.part.kind != "row" and left_entry.key != right_entry.key


def _parting(left: IndexedAttempt, right: IndexedAttempt) -> Parting:
    good, bad = (left, right) if left.passed else (right, left)
    return part(*(track_of(_case(attempt), open_row(attempt.source)) for attempt in (good, bad)))


def _case(attempt: IndexedAttempt) -> Case:
    source = attempt.source
    return Case(
        attempt.run,
        attempt.task,
        attempt.task,
        attempt.attempt,
        attempt.reward or 0.0,
        attempt.passed,
        not attempt.passed,
        attempt.state,
        attempt.reason,
        attempt.answer,
        read_sightings(attempt.sightings),
        "",
        (source.file, source.line, source.offset, source.length),
        mode=attempt.mode,
    )


def _spots(
    parting: Parting, left_transcript: ViewedTranscript, right_transcript: ViewedTranscript, *, swapped: bool
) -> set[int]:
    """The entries where they part, by identity."""
    events = (parting.bad, parting.good) if swapped else (parting.good, parting.bad)
    entry_ids = set()
    for transcript, event in ((left_transcript, events[0]), (right_transcript, events[1])):
        if event is not None:
            kind = event.kind.value
            entry = next(
                (
                    candidate
                    for candidate in transcript.entries
                    if candidate.part.item == event.item and candidate.part.kind == kind
                ),
                None,
            )
            entry_ids |= {id(entry)} if entry is not None else set()
    return entry_ids


def _aligned(
    left: Sequence[TranscriptEntry], right: Sequence[TranscriptEntry]
) -> list[tuple[TranscriptEntry | None, TranscriptEntry | None]]:
    """Rows of two columns: calls of the same tool with the same arguments meet, everything else fills up in order."""
    start = 0
    for left_entry, right_entry in zip(left, right, strict=False):
        if left_entry.key != right_entry.key:
            break
        start += 1
    rows: list[tuple[TranscriptEntry | None, TranscriptEntry | None]] = list(
        zip(left[:start], right[:start], strict=True)
    )
    left_rest, right_rest = left[start:], right[start:]
    if len(left_rest) * len(right_rest) > MOST_COMPARED:
        return [*rows, *zip_longest(left_rest, right_rest)]
    keys = [[_meets_by(entry) for entry in side] for side in (left_rest, right_rest)]
    for _, begin, end, first, last in SequenceMatcher(None, keys[0], keys[1], autojunk=False).get_opcodes():
        rows += zip_longest(left_rest[begin:end], right_rest[first:last])
    return rows


def _meets_by(entry: TranscriptEntry) -> str:
    return entry.key if entry.part.kind == "call" else f"{entry.part.kind}\0{entry.part.title}"

"""Search: over tasks, tools and findings in the index, and over the words of the transcripts in the files.

The words are not kept anywhere: files are streamed from where the last answer ended, and every answer is bounded in
time and in hits.
"""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import polars as pl

from blade.detectors import read_sightings
from blade.files.lines import UNREADABLE, open_bytes, parse
from blade.findings import State
from blade.frozen import frozen
from blade.index.tables import Index, IndexedAttempt
from blade.trajectory import TranscriptPart, parts
from blade.viewer.selection import Selection, attempt_filters, select

SECONDS = 4.0
MOST_HITS = 50
MOST_NAMES = 30
AROUND = 120
SCOPES = {
    "model": ("what the model writes", ("thought", "message", "call")),
    "tool": ("what tools answer", ("output", "environment")),
    "user": ("what the user says", ("prompt", "user")),
    "verifier": ("what the verifier and the row say", ("row",)),
}
"""Scope → its words, and the kinds of parts it looks at."""
SYSTEM = {"system", "developer"}
_WORD = re.compile(r"[a-z0-9]{2,}")


@frozen
class TextHit:
    """Where words stand: an attempt, an item (none for a field of the row), and what is around them."""

    attempt: IndexedAttempt
    item: int | None
    before: str
    words: str
    after: str
    more: int
    """Further entries of the same rollout that hold the words."""


@frozen
class SearchResult:
    """One bounded answer. `next` is the rollout to go on from, None where all was read."""

    hits: tuple[TextHit, ...]
    read: int
    of: int
    next: int | None
    unreadable: tuple[str, ...] = ()


@frozen
class MatchedFinding:
    """A finding whose words match."""

    attempt: IndexedAttempt
    detector: str
    detail: str
    at: str
    """The item that its first quote stands in."""


def tools(index: Index, words: str) -> list[tuple[str, int]]:
    """Tools whose name holds the words, with the rollouts that call them."""
    low = words.lower()
    counts: Counter[str] = Counter(dict(index.attempts["tools"].explode().drop_nulls().value_counts().iter_rows()))
    return [(name, count) for name, count in counts.most_common() if low in name.lower()][:MOST_NAMES]


def findings(index: Index, words: str) -> list[MatchedFinding]:
    """Findings that tell or quote the words."""
    low = words.lower()
    titles = {name for name, title in index.facts["titles"].items() if low in title.lower() or low in name}
    mentions = pl.col("sightings").str.to_lowercase().str.contains(low, literal=True)
    titled = pl.col("noticed").list.eval(pl.element().is_in(list(titles))).list.any()
    rows = index.attempts.filter(pl.col("noticed").list.len() > 0, mentions | titled)
    matches = (
        match
        for attempt in index.read(rows.head(20 * MOST_NAMES))
        for match in _matching_findings(attempt, low, titles)
    )
    return [match for match, _ in zip(matches, range(MOST_NAMES), strict=False)]


def _matching_findings(attempt: IndexedAttempt, low: str, titles: set[str]) -> Iterator[MatchedFinding]:
    for name, sighting in read_sightings(attempt.sightings).items():
        texts = (sighting.detail, *(cite.quote for cite in sighting.cites))
        matches = name in titles or any(low in text.lower() for text in texts)
        if matches and sighting.state is State.FIRED and name in attempt.noticed:
            first = sighting.cites[0].item
            yield MatchedFinding(attempt, name, sighting.detail, "row" if first is None else str(first))


def text(index: Index, words: str, selection: Selection, begin: int = 0, seconds: float = SECONDS) -> SearchResult:
    """Rollouts whose transcripts hold the words, in the order in which they stand in the files."""
    rows = _rows(index, selection)
    low, token = words.lower(), _token(words)
    hits: list[TextHit] = []
    prompts: set[str] = set()
    broken: list[str] = []
    ends = time.monotonic() + seconds
    place = begin
    for frame in rows[begin:].partition_by("path", maintain_order=True):
        path, after = frame["path"][0], place + frame.height
        try:
            with open_bytes(path) as stream:
                for attempt in index.read(frame):
                    stream.seek(attempt.source.offset)
                    data = stream.read(attempt.source.length)
                    place += 1
                    if token in data.lower() and (
                        hit := _hit(attempt, parse(data).value, low, selection.scope, prompts)
                    ):
                        hits.append(hit)
                    if len(hits) >= MOST_HITS or time.monotonic() > ends:
                        next_place = place if place < rows.height else None
                        return SearchResult(tuple(hits), place, rows.height, next_place, tuple(broken))
        except UNREADABLE as error:
            broken.append(f"{path}: {error}")
            place = after
    return SearchResult(tuple(hits), rows.height, rows.height, None, tuple(broken))


def _rows(index: Index, selection: Selection) -> pl.DataFrame:
    """The attempts that the filters leave, in the order in which they stand in the files."""
    rows = index.attempts
    if set(selection.chosen) - {"q", "scope", "base", "candidate"}:
        orders = select(index, replace(selection, q=""))
        run_filter = [pl.col("run") == selection.run] if selection.run else []
        rows = rows.filter(pl.col("order").is_in(orders), *attempt_filters(selection), *run_filter)
    return rows.sort("path", "offset")


def _token(words: str) -> bytes:
    """A run of plain letters that the raw line must hold, however its JSON is escaped; empty where there is none."""
    longest = max(_WORD.findall(words.lower()), key=len, default="")
    # \n, \t, \u00e9: the letter after a backslash may be glued to the word, so a match inside is enough
    return longest.encode()


def _hit(attempt: IndexedAttempt, row: Any, low: str, scope: str, prompts: set[str]) -> TextHit | None:
    """The first place of a rollout that holds the words; a system prompt counts in the first rollout that has it."""
    if not isinstance(row, dict):
        return None
    holding = [
        (part, at)
        for part in parts(row)
        if _in_scope(part, scope)
        and ((at := _at(part.text, low)) >= 0 or low in part.title.lower())
        and not (_is_system_prompt(part) and part.text in prompts)
    ]
    prompts |= {part.text for part, _ in holding if _is_system_prompt(part)}
    if not holding:
        return None
    part, at = holding[0]
    start, end = max(at, 0), max(at, 0) + (len(low) if at >= 0 else 0)
    return TextHit(
        attempt, part.item, _before(part.text, start), part.text[start:end], _after(part.text, end), len(holding) - 1
    )


def _before(text: str, start: int) -> str:
    """What stands before the words, from a whole word on, with the mark of what is left out."""
    if start <= AROUND:
        return text[:start]
    words = text[start - AROUND : start]
    return "…" + (words.partition(" ")[2] or words)


def _after(text: str, end: int) -> str:
    if len(text) <= end + AROUND:
        return text[end:]
    words = text[end : end + AROUND]
    return (words.rpartition(" ")[0] or words) + "…"


def _is_system_prompt(part: TranscriptPart) -> bool:
    return part.kind == "prompt" and part.title in SYSTEM


def _in_scope(part: TranscriptPart, scope: str) -> bool:
    """Whether the text is by the one asked for; a system prompt is by no user."""
    if scope not in SCOPES:
        return True
    return part.kind in SCOPES[scope][1] and not _is_system_prompt(part)


def _at(words: str, low: str) -> int:
    """Where the words stand. A text whose length changes in lower case is looked at letter by letter."""
    flat = words.lower()
    if len(flat) == len(words):
        return flat.find(low)
    match = re.search(re.escape(low), words, re.IGNORECASE)
    return match.start() if match else -1

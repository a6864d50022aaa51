"""What a report shows of the rollouts themselves: the message around each quote, and both attempts of a twin.

The rows are opened again by their place, once each; only what is shown is kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, replace
from typing import Any

from blade.counting.run import Run
from blade.evidence import open_rows
from blade.findings import Evidence
from blade.frozen import frozen
from blade.model import Analysis, Source
from blade.quoted_evidence.expected import ExpectedLine, expected_lines
from blade.quoted_evidence.owners import owners
from blade.quoted_evidence.pairs import Side, TwinPair, pair_of, sources, transcript_sides
from blade.quoted_evidence.quotes import Exhibit, exhibit_id, exhibit_of

__all__ = ["Exhibit", "Exhibits", "TwinPair", "collect"]

MOST_FINDINGS = 3
"""Findings of one mode or intervention whose places are shown."""
MOST_PAIR_TEXT = 5_000_000
"""Characters of transcripts in one report; the twins that say most come first."""


@frozen
class Exhibits:
    """Everything shown, in the order of the report; found again by its evidence."""

    quotes: tuple[Exhibit, ...] = ()
    pairs: tuple[TwinPair, ...] = ()
    pairs_left_out: int = 0
    _known: Mapping[str, Exhibit] = field(default_factory=dict)

    def of(self, evidence: Mapping[str, Any] | Evidence) -> Exhibit | None:
        """The exhibit of a piece of evidence, where it is shown."""
        return self._known.get(exhibit_id(_data(evidence)))


def collect(analysis: Analysis, runs: Sequence[Run]) -> Exhibits:
    """Open every place that the report quotes, and the transcripts of its twins."""
    evidence = {exhibit_id(entry): entry for entry in _cited(analysis)}
    places = {_source(entry) for entry in evidence.values()}
    twins = list(analysis.twins)
    twin_sources = [sources(twin) for twin in twins]
    owner_of = owners(runs, {(place.file, place.line) for place in places})
    of_twins = {source for pair in twin_sources for source in pair}
    by_place: dict[Source, list[str]] = {}
    for name, entry in evidence.items():
        by_place.setdefault(_source(entry), []).append(name)
    exhibits = {name: exhibit_of(name, entry, None, owner_of.get(_place(entry))) for name, entry in evidence.items()}
    cuts: dict[Source, list[Side]] = {}
    failing, expected = {bad for _, bad in twin_sources}, dict[Source, tuple[ExpectedLine, ...]]()
    for source, row in open_rows(places | of_twins):
        for name in by_place.get(source, ()):
            exhibits[name] = exhibit_of(name, evidence[name], row, owner_of.get((source.file, source.line)))
        if source in of_twins:
            cuts[source] = transcript_sides(row)
        if source in failing:
            expected[source] = tuple(expected_lines(row, passed=False))
    pairs = tuple(
        replace(pair, expected=expected.get(pair.sources[1], ())) for pair in _pairs(twins, twin_sources, cuts)
    )
    return Exhibits(tuple(exhibits.values()), pairs, len(twins) - len(pairs), exhibits)


def _pairs(
    twins: Sequence[Mapping[str, Any]], twin_sources: Sequence[tuple[Source, Source]], cuts: Mapping[Source, list[Side]]
) -> tuple[TwinPair, ...]:
    room = MOST_PAIR_TEXT
    pairs: list[TwinPair] = []
    for number, (twin, (good, bad)) in enumerate(zip(twins, twin_sources, strict=True)):
        if good in cuts and bad in cuts and room > 0:
            pairs.append(pair_of(number, twin, cuts[good], cuts[bad]))
            room -= pairs[-1].size
    return tuple(pairs)


def _cited(analysis: Analysis) -> Iterable[dict[str, Any]]:
    """Evidence of what the report says, in its order: parts, health, modes, interventions, stories, twins."""
    for change in analysis.changes:
        for part in change.parts:
            yield from map(_data, part.evidence)
    for item in analysis.health:
        yield from map(_data, item["evidence"])
    findings = {finding.id: finding for finding in analysis.findings}
    because = [*(mode.findings for mode in analysis.modes), *(item.because for item in analysis.interventions)]
    for ids in because:
        for finding in [findings[finding_id] for finding_id in ids if finding_id in findings][:MOST_FINDINGS]:
            yield from map(_data, finding.evidence)
    for story in (*analysis.stories, *analysis.twins):
        yield from map(_data, story["evidence"])


def _data(evidence: Mapping[str, Any] | Evidence) -> dict[str, Any]:
    if isinstance(evidence, Evidence):
        names = ("kind", "file", "line", "offset", "length", "item", "field", "start", "end", "quote")
        return {name: getattr(evidence, name) for name in names}
    return dict(evidence)


def _place(entry: Mapping[str, Any]) -> tuple[str, int]:
    return entry["file"], entry["line"]


def _source(entry: Mapping[str, Any]) -> Source:
    return Source(entry["file"], entry["line"], entry["offset"], entry["length"])

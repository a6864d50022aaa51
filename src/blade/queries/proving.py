"""Counts that a report cites, counted again over the runs that it is held against."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from blade.checking import Cited, ids
from blade.counting.run import Run
from blade.errors import BladeError
from blade.index.build_index import build
from blade.model import Analysis
from blade.queries.asking import ask
from blade.queries.kept import FILE, load


def files_beside(report: Path, given: Path | None) -> list[Path]:
    """The file given; else those beside the report and in this folder, as far as they are there."""
    if given is not None:
        return [given]
    places = dict.fromkeys(place.resolve() for place in (report.parent / FILE, Path(FILE)))
    return [place for place in places if place.is_file()]


def prove(text: str, places: Sequence[Path], runs: Sequence[Run], analysis: Analysis) -> dict[str, Cited]:
    """Every id that a text cites and some file keeps, with what its question counts now."""
    wanted = set(ids(text))
    kept = {one.id: one for one in load(places) if one.id in wanted} if wanted else {}
    if not kept:
        return {}
    index = build(runs, analysis)
    digests = index.facts["digests"]
    found = {}
    for name, one in kept.items():
        if one.query.id(digests) != name:
            found[name] = Cited(problem="the question was asked of other runs, or other names of them")
            continue
        try:
            found[name] = Cited(ask(index, one.query).counts)
        except BladeError as error:
            found[name] = Cited(problem=f"the question cannot be asked: {error.message}")
    return found

"""Finds for each piece of a printed report its counterpart in the report made anew.

Sections are matched by their headings. Inside a section equal pieces are matched first, in order; then equal pieces
that were moved; then, in the gaps between, pieces that are much alike, unless their headings name other runs. What has
no counterpart is somebody's own prose.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

from blade.checking.markdown_blocks import MarkdownBlock
from blade.checking.tokens import plain

ALIKE = {"sentence": 0.6, "quote": 0.6, "row": 0.5, "header": 0.5, "heading": 0.5}
MOST_PAIRS = 40_000
"""Above this many comparisons in one gap, neighbours alone are compared."""

Span = tuple[int, int, int, int]


def align(
    report: Sequence[MarkdownBlock], printed: Sequence[MarkdownBlock], runs: Sequence[str] = ()
) -> dict[int, int]:
    """Place in `report` → place in `printed`, for every piece that has a counterpart."""
    aligned: dict[int, int] = {}
    sections = _by_section(printed)
    for title, report_places in _by_section(report).items():
        printed_places = sections.get(title)
        if printed_places is not None:
            aligned.update(
                _section(
                    [(place, report[place]) for place in report_places],
                    [(place, printed[place]) for place in printed_places],
                    runs,
                )
            )
        if printed_places is None or not title:
            aligned.update(pasted([place for place in report_places if place not in aligned], report, printed))
    return aligned


def _by_section(blocks: Sequence[MarkdownBlock]) -> dict[str, list[int]]:
    sections: dict[str, list[int]] = {}
    for place, piece in enumerate(blocks):
        sections.setdefault(plain(piece.section).lower(), []).append(place)
    return sections


def pasted(
    places: Sequence[int], report: Sequence[MarkdownBlock], printed: Sequence[MarkdownBlock]
) -> Iterator[tuple[int, int]]:
    """Under a heading of somebody's own, or none, what stands word for word in the report is the report's."""
    matcher = SequenceMatcher(
        None, [_key(report[place]) for place in places], [_key(piece) for piece in printed], False
    )
    for first, second, size in matcher.get_matching_blocks():
        yield from ((places[first + step], second + step) for step in range(size))


def _section(
    report: list[tuple[int, MarkdownBlock]], printed: list[tuple[int, MarkdownBlock]], runs: Sequence[str]
) -> dict[int, int]:
    matcher = SequenceMatcher(None, [_key(piece) for _, piece in report], [_key(piece) for _, piece in printed], False)
    aligned: dict[int, int] = {}
    gaps: list[Span] = []
    for tag, first, last, begin, end in matcher.get_opcodes():
        if tag == "equal":
            aligned.update((report[first + step][0], printed[begin + step][0]) for step in range(last - first))
        else:
            gaps.append((first, last, begin, end))
    used = _moved(report, printed, gaps, aligned)
    for first, last, begin, end in gaps:
        report_gap = [pair for pair in report[first:last] if pair[0] not in aligned]
        printed_gap = [pair for pair in printed[begin:end] if pair[0] not in used]
        aligned.update(_gap(report_gap, printed_gap, runs))
    return aligned


def _moved(
    report: list[tuple[int, MarkdownBlock]],
    printed: list[tuple[int, MarkdownBlock]],
    gaps: Sequence[Span],
    aligned: dict[int, int],
) -> set[int]:
    """Pairs equal pieces below one heading that changed places; returns the places taken in `printed`."""
    waiting: dict[tuple[str, ...], list[int]] = {}
    for _, _, begin, end in gaps:
        for place, piece in printed[begin:end]:
            waiting.setdefault((piece.below, *_key(piece)), []).append(place)
    used: set[int] = set()
    for first, last, _, _ in gaps:
        for place, piece in report[first:last]:
            printed_places = waiting.get((piece.below, *_key(piece)))
            if printed_places:
                aligned[place] = printed_places.pop(0)
                used.add(aligned[place])
    return used


def _gap(
    report: list[tuple[int, MarkdownBlock]], printed: list[tuple[int, MarkdownBlock]], runs: Sequence[str]
) -> Iterator[tuple[int, int]]:
    """The pairs that are most alike, best first, none of them crossing another."""
    near = len(report) * len(printed) > MOST_PAIRS
    scored = [
        (-likeness, first, second)
        for first, (_, report_block) in enumerate(report)
        for second, (_, printed_block) in enumerate(printed)
        if (not near or abs(first - second) < 3)
        and _are_of_one(report_block.below, printed_block.below, runs)
        and (likeness := alike(report_block, printed_block)) >= ALIKE[report_block.kind]
    ]
    chosen_pairs: list[tuple[int, int]] = []
    for _, first, second in sorted(scored):
        if all((first - chosen_first) * (second - chosen_second) > 0 for chosen_first, chosen_second in chosen_pairs):
            chosen_pairs.append((first, second))
            yield report[first][0], printed[second][0]


def alike(left: MarkdownBlock, right: MarkdownBlock) -> float:
    """From 0 to 1: how much two pieces of one kind share."""
    if left.kind != right.kind:
        return 0.0
    if left.kind in {"row", "header"}:
        left_cells, right_cells = left.cells, right.cells
        if len(left_cells) != len(right_cells):
            return 0.0
        equal = sum(plain(cell) == plain(right_cell) for cell, right_cell in zip(left_cells, right_cells, strict=True))
        first = 0.5 if plain(left_cells[0]) == plain(right_cells[0]) != "" else 0.0
        return max(equal / len(left_cells), first)
    ours_words, theirs_words = left.text.split(), right.text.split()
    matcher = SequenceMatcher(None, ours_words, theirs_words, False)
    return 0.0 if matcher.quick_ratio() < ALIKE[left.kind] else matcher.ratio()


def _are_of_one(heading: str, printed_heading: str, runs: Sequence[str]) -> bool:
    """Whether two pieces may speak of the same: the headings above them do not name different runs."""
    if heading == printed_heading:
        return True
    heading_runs, printed_runs = ({*plain(text).split()} & {*runs} for text in (heading, printed_heading))
    return not heading_runs or not printed_runs or heading_runs == printed_runs


def _key(piece: MarkdownBlock) -> tuple[str, str]:
    return piece.kind, plain(piece.text)

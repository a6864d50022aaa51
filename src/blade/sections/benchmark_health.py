"""Benchmark Health: what is not well with the benchmark itself, and what that does to the score."""

from __future__ import annotations

from blade.document import Block, Paragraph, Table, say
from blade.model import Analysis
from blade.wording import count, points

TITLE = "Benchmark Health"
ORDER = 95
SHOWN = 20
RANK = {"high": 0, "medium": 1, "low": 2}


def build(analysis: Analysis) -> list[Block]:
    if not analysis.health:
        return []
    ordered = sorted(analysis.health, key=lambda item: RANK.get(item["severity"], 3))
    rows = tuple(
        (
            item["severity"],
            item["check"].replace("_", " "),
            item["statement"],
            "" if item["change_points"] is None else points(item["change_points"]),
        )
        for item in ordered[:SHOWN]
    )
    blocks: list[Block] = [Table(("Severity", "Check", "What was found", ">Points of the change"), rows)]
    if len(ordered) > SHOWN:
        more = count(len(ordered) - SHOWN, "more finding")
        blocks.append(Paragraph((say("{more} in analysis.json.", more=more),)))
    return blocks

"""Benchmark Health: what is not well with the benchmark itself, which checks ran clean, and which could not look."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from blade.document import Block, Paragraph, Sentence, Table, say
from blade.model import Analysis
from blade.wording import count, listed, points

TITLE = "Benchmark Health"
ORDER = 95
SHOWN = 20
RANK = {"high": 0, "medium": 1, "low": 2}


def build(analysis: Analysis) -> list[Block]:
    blocks: list[Block] = []
    ordered = sorted(analysis.health, key=lambda item: RANK.get(item["severity"], 3))
    if ordered:
        rows = tuple(
            (
                item["severity"],
                item["check"].replace("_", " "),
                item["statement"],
                "" if item["change_points"] is None else points(item["change_points"]),
            )
            for item in ordered[:SHOWN]
        )
        blocks.append(Table(("Severity", "Check", "What was found", ">Points of the change"), rows))
    if len(ordered) > SHOWN:
        more = count(len(ordered) - SHOWN, "more finding is", "more findings are")
        blocks.append(Paragraph((say("{more} in analysis.json.", more=more),)))
    ended = tuple(_ended(analysis))
    return [*blocks, Paragraph(ended)] if ended else blocks


def _ended(analysis: Analysis) -> Iterator[Sentence]:
    """The checks that found nothing: those that looked, and those that could not."""
    clean = [_named(check) for check in analysis.health_checks if check["state"] == "clean"]
    if clean:
        yield say("Looked at and found clean: {checks}.", checks=listed(clean))
    missed = [_named(check) for check in analysis.health_checks if check["state"] == "not_checked"]
    if missed:
        yield say("Not checked: {checks}.", checks=listed(missed))


def _named(check: Mapping[str, str]) -> str:
    name = check["check"].replace("_", " ")
    return f"{name} ({check['why']})" if check["why"] else name

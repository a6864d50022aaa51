"""Benchmark Health: what is not well with the benchmark itself, which checks ran clean, and which could not look."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from blade.document import Block, Paragraph, Sentence, Table, say
from blade.model import Analysis
from blade.questions import OF_THE_EVALUATION
from blade.registry import plugins, summary
from blade.wording import count, listed, points

TITLE = "Benchmark Health"
ORDER = 95
SHARE = 0.05
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
        blocks.append(Table(("Severity", "Check", "Finding", ">Points of the change"), rows))
    if len(ordered) > SHOWN:
        remainder = count(len(ordered) - SHOWN, "more finding is", "more findings are")
        blocks.append(Paragraph((say("{more} in analysis.json.", more=remainder),)))
    ended = (*_investigated(analysis), *_ended(analysis))
    return [*blocks, Paragraph(ended)] if ended else blocks


def _investigated(analysis: Analysis) -> Iterator[Sentence]:
    """What the investigation tells of the evaluation itself: no check beside it is clean of that."""
    faults = [
        question.TITLE
        for name, question in sorted(plugins("questions").items(), key=lambda pair: (pair[1].ORDER, pair[0]))
        if name in analysis.investigation
        and hasattr(question, "brief")
        and getattr(question, "WEIGHT", 1.0) >= OF_THE_EVALUATION
        and any(True for _ in question.brief(analysis.investigation[name]))
    ]
    if faults:
        yield say(
            "The investigation, too, puts the evaluation in doubt: {faults}.",
            faults=listed([f"“{title}”" for title in faults]),
        )


def _ended(analysis: Analysis) -> Iterator[Sentence]:
    """The checks that found nothing: those that looked, and those that could not."""
    clean = [_sought(check) for check in analysis.health_checks if check["state"] == "clean"]
    if clean:
        yield say("Checked, no problem found: {checks}.", checks="; ".join(clean))
    missed = [_check_name(check) for check in analysis.health_checks if check["state"] == "not_checked"]
    if missed:
        yield say("Not checked: {checks}.", checks=listed(missed))


def _sought(check: Mapping[str, str]) -> str:
    """The check and what exactly it looks for, so that nobody takes it for more."""
    _, _, asks = summary(plugins("health")[check["check"]]).partition(": ")
    parts = [part for part in (asks.rstrip("."), check["why"]) if part]
    return f"{check['check'].replace('_', ' ')} ({'; '.join(parts)})"


def _check_name(check: Mapping[str, str]) -> str:
    name = check["check"].replace("_", " ")
    return f"{name} ({check['why']})" if check["why"] else name

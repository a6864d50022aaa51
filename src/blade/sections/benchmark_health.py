"""Benchmark Health: what is not well with the benchmark itself, which checks ran clean, and which could not look."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from blade.document import Block, Paragraph, Sentence, Table, say
from blade.health import ELSEWHERE
from blade.model import Analysis
from blade.questions import OF_THE_EVALUATION
from blade.registry import plugins, summary
from blade.wording import count, listed, points

TITLE = "Benchmark Health"
ORDER = 95
SHARE = 0.05
SHOWN = 20
PINNED_ROWS = 2
"""So few findings stand in the short report as they are; of more their names do."""
RANK = {"high": 0, "medium": 1, "low": 2}


def build(analysis: Analysis) -> list[Block]:
    blocks: list[Block] = []
    ordered = sorted(analysis.health, key=lambda item: RANK.get(item["severity"], 3))
    if ordered:
        if len(ordered) > PINNED_ROWS:
            hits = dict.fromkeys(_name(item) for item in ordered)
            blocks.append(Paragraph((say("Problems found: {checks}.", checks=listed([*hits])),)))
        rows = tuple(
            (
                item["severity"],
                item["check"].replace("_", " "),
                item["statement"],
                "" if item["change_points"] is None else points(item["change_points"]),
            )
            for item in ordered[:SHOWN]
        )
        columns = ("Severity", "Check", "Finding", ">Points of the change")
        blocks.append(Table(columns, rows, pinned=len(ordered) <= PINNED_ROWS))
    if len(ordered) > SHOWN:
        remainder = count(len(ordered) - SHOWN, "more finding is", "more findings are")
        blocks.append(Paragraph((say("{more} in analysis.json.", more=remainder),)))
    ended = (*_investigated(analysis), *_ended(analysis))
    return [*blocks, Paragraph(ended), *_details(analysis)] if ended else blocks


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
    """The checks that found nothing: those whose matter other parts tell, those that looked, those that could not."""
    moved = [f"{_name(check)} ({check['why']})" for check in analysis.health_checks if check["state"] == ELSEWHERE]
    if moved:
        yield say("Told elsewhere in this report: {checks}.", checks=listed(moved))
    for words, state in (("Checked, no problem found: {checks}.", "clean"), ("Not checked: {checks}.", "not_checked")):
        names = [_name(check) for check in analysis.health_checks if check["state"] == state]
        if names:
            yield say(words, checks=listed(names))


def _details(analysis: Analysis) -> Iterator[Paragraph]:
    """What exactly the clean checks look for, so that nobody takes them for more, and why others could not look."""
    clean = [_sought(check) for check in analysis.health_checks if check["state"] == "clean"]
    if clean:
        yield Paragraph((say("What the clean ones look for: {checks}.", checks="; ".join(clean)),))
    missed = [check for check in analysis.health_checks if check["state"] == "not_checked" and check["why"]]
    if missed:
        reasons = [f"{_name(check)}: {check['why']}" for check in missed]
        yield Paragraph((say("Why others were not checked: {reasons}.", reasons="; ".join(reasons)),))


def _sought(check: Mapping[str, str]) -> str:
    _, _, asks = summary(plugins("health")[check["check"]]).partition(": ")
    parts = [part for part in (asks.rstrip("."), check["why"]) if part]
    return f"{_name(check)} ({'; '.join(parts)})"


def _name(check: Mapping[str, str]) -> str:
    return check["check"].replace("_", " ")

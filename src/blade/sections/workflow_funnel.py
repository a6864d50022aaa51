"""Workflow Funnel: how far attempts come, and where most of them are lost."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from blade.diagnosis.funnel import FEWEST_PASSES, largest_drop, recorded
from blade.document import Block, Fact, Paragraph, Sentence, Table, say
from blade.model import Analysis, RunAnalysis
from blade.wording import count, fact, listed, name, percent

TITLE = "Workflow Funnel"
ORDER = 45
SHARE = 0.00
FEWEST = 3
MANY_RUNS = 4
"""So many runs are told together where they lose most at the same step."""


def build(analysis: Analysis) -> list[Block]:
    chain = [stage for stage in analysis.funnel if stage["necessary"]]
    if len(chain) < FEWEST:
        return []
    together = _in_short(analysis)
    sentences: list[Sentence] = []
    optional_stages = [stage["stage"] for stage in analysis.funnel if not stage["necessary"]]
    passes = sum(line["reached"] for stage in analysis.funnel[-1:] for line in stage["runs"].values())
    if optional_stages and passes < FEWEST_PASSES:
        passes_words = count(passes, "pass", "passes")
        sentences.append(
            say(
                "With {few}, whether {stages} can be skipped is unknown.",
                few=passes_words,
                stages=listed(optional_stages),
            )
        )
    elif optional_stages:
        all_recorded = all(recorded(stage, run) for stage in analysis.funnel for run in analysis.runs)
        sentences.append(
            say(
                "Passing attempts skip {stages}{unless}, so skipping is counted but is no loss.",
                stages=listed(optional_stages),
                unless="" if all_recorded else " or do not record them",
            )
        )
    losses = Paragraph(tuple(together or _of_few(analysis)))
    return [losses, *([Paragraph(tuple(sentences))] if sentences else []), _table(analysis)]


def _in_short(analysis: Analysis) -> list[Sentence]:
    """The losses of many runs together, by the step at which they lose most; nothing of a few runs."""
    runs = [run.name for run in analysis.runs]
    if len(runs) < MANY_RUNS:
        return []
    start = next(stage for stage in analysis.funnel if stage["necessary"])["runs"]
    largest_drops = {run: largest_drop(analysis.funnel, run) for run in runs}
    steps: dict[tuple[str, str], list[str]] = {}
    for run, drop in largest_drops.items():
        if drop is not None:
            steps.setdefault(drop[:2], []).append(f"{run} {drop[2]:,} of {start[run]['of']:,}")
    all_alike = len(steps) == 1 and all(largest_drops.values())
    words = [
        say(
            ("All runs lose" if all_alike else "These lose") + " most between {one} and {two}: {lost}.",
            one=stage, two=next_stage, lost=listed(losses),
        )
        for (stage, next_stage), losses in sorted(steps.items(), key=lambda step: -len(step[1]))
    ]  # fmt: skip
    early = {run: largest_drop(analysis.funnel, run, before_verdict=True) for run in runs}
    before = [
        f"{run} {drop[2]:,} between {drop[0]} and {drop[1]}"
        for run, drop in early.items()
        if drop is not None and drop != largest_drops[run]
    ]
    words += [say("Before that, {before}.", before=listed(before))] if before else []
    unstarted = [f"{run} {start[run]['of'] - start[run]['survived']:,}" for run in runs if _not_started(start[run])]
    words += [say("Before the agent starts: {lost}.", lost=listed(unstarted))] if unstarted else []
    return words


def _not_started(line: Mapping[str, Any]) -> bool:
    return bool(line["survived"] < line["of"])


def _of_few(analysis: Analysis) -> Iterator[Sentence]:
    """How many come to a verdict and how many of those pass, one clause for each run; where the others are lost."""
    facts: dict[str, Fact | str] = {}
    clauses = [_clause(analysis, place, run.name, facts) for place, run in enumerate(analysis.runs)]
    clauses = [clauses[0], *(clause[0].lower() + clause[1:] for clause in clauses[1:])]
    yield say("; ".join(clauses) + ".", **facts)
    yield from _losses(analysis)


def _clause(analysis: Analysis, place: int, run: str, facts: dict[str, Fact | str]) -> str:
    """What a run's rollouts came to; its numbers go into `facts`."""
    chain = [(at, stage) for at, stage in enumerate(analysis.funnel) if stage["necessary"]]
    (first, start), (before, verdict), (last, passed) = chain[0], chain[-2], chain[-1]

    def funnel_fact(at: int, value: int, key: str) -> Fact:
        return fact(f"{value:,}", value, "funnel", at, "runs", run, key)

    started, came = start["runs"][run]["survived"], verdict["runs"][run]["survived"]
    rows, passes = start["runs"][run]["of"], passed["runs"][run]["reached"]
    skipped = passes - passed["runs"][run]["survived"]
    facts |= {
        f"started{place}": funnel_fact(first, started, "survived"),
        f"run{place}": name(run),
        f"came{place}": funnel_fact(before, came, "survived"),
        f"passes{place}": funnel_fact(last, passes, "reached"),
    }
    which = f" whose agent started (of {rows:,})" if started < rows else ""
    skipping = f" ({skipped:,} of those without some stage)" if skipped else ""
    return (
        f"Of the {{started{place}}} rollouts of {{run{place}}}{which}, {{came{place}}} completed every stage before "
        f"the last and {{passes{place}}} passed{skipping}"
    )


def _losses(analysis: Analysis) -> Iterator[Sentence]:
    """Where each run loses most; where that is the last step, where it loses most before that."""
    start = next(stage for stage in analysis.funnel if stage["necessary"])["runs"]
    several = len(analysis.runs) > 1
    clauses = []
    for run in (run.name for run in analysis.runs):
        started, rows = start[run]["survived"], start[run]["of"]
        largest = largest_drop(analysis.funnel, run)
        early = largest_drop(analysis.funnel, run, before_verdict=True)
        losses = []
        if rows - started > (largest[2] if largest else 0):
            losses.append(f"before the agent starts ({rows - started:,} of {rows:,} rollouts)")
        for opening, drop in (
            ("of those that start " if losses else "", largest),
            ("before that ", early if early != largest else None),
        ):
            if drop is not None:
                losses.append(f"{opening}between {drop[0]} and {drop[1]} ({drop[2]:,} of {count(started, 'rollout')})")
        if losses:
            clauses.append((f"{run} loses most " if several else "Most are lost ") + ", ".join(losses))
    if clauses:
        yield say("{losses}.", losses="; ".join(clauses))


def _table(analysis: Analysis) -> Table:
    """The stages down and the runs across; of many runs, one in a line."""
    stages = [
        (place, stage)
        for place, stage in enumerate(analysis.funnel)
        if any(recorded(stage, run) for run in analysis.runs)
    ]
    titles = [stage["stage"] if stage["necessary"] else f"({stage['stage']})" for _, stage in stages]
    if len(analysis.runs) >= MANY_RUNS:
        lines = tuple(
            (name(run.name), *(_reached(place, stage, run, all_the_way=True)[0] for place, stage in stages))
            for run in analysis.runs
        )
        return Table(("Run", *(f">{title}" for title in titles)), lines)
    columns = ["Stage"]
    for run in analysis.runs:
        columns += [f">{run.name} reached", ">after every stage before"]
    rows = tuple(
        (title, *(cell for run in analysis.runs for cell in _reached(place, stage, run)))
        for title, (place, stage) in zip(titles, stages, strict=True)
    )
    return Table(tuple(columns), rows)


def _reached(
    place: int, stage: Mapping[str, Any], run: RunAnalysis, *, all_the_way: bool = False
) -> tuple[str | Fact, str | Fact]:
    """How many came to a stage, and how many of those through every stage before it; `all_the_way` tells both."""
    if not recorded(stage, run):
        return "not recorded", ""
    line, at = stage["runs"][run.name], ("funnel", place, "runs", run.name)
    share = f" ({percent(line['reached'] / line['of'])})" if line["of"] else ""
    apart = all_the_way and stage["necessary"] and line["survived"] != line["reached"]
    through_words = f"; {line['survived']:,} all the way" if apart else ""
    survived = fact(f"{line['survived']:,}", line["survived"], *at, "survived") if stage["necessary"] else ""
    return fact(f"{line['reached']:,}{share}{through_words}", line["reached"], *at, "reached"), survived

"""How the trend over the checkpoints of one model is worded."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from blade.counting.lost_rollouts import mostly_lost
from blade.document import Fact, Sentence, say
from blade.model import Analysis, Change
from blade.summary.change_words import no_chance, points_span
from blade.wording import CHANCE, amount, count, difference, fact, listed, name, score


def series_words(analysis: Analysis, *, brief: bool = False) -> list[Sentence]:
    """The trend over the checkpoints of one model and the first change that is real; nothing without a series."""
    series = analysis.series
    if series is None:
        return []
    scale = analysis.runs[0].scale
    first, last = (
        fact(score(series["scores"][place], scale), series["scores"][place], "series", "scores", place)
        for place in (0, len(series["runs"]) - 1)
    )
    facts: dict[str, Fact | str] = {"many": count(len(series["runs"]), "checkpoint")}
    facts |= {"start": name(series["runs"][0]), "end": name(series["runs"][-1]), "first": first, "last": last}
    words = [say("Over {many} of one model the score goes from {first} ({start}) to {last} ({end}).", **facts)]
    pairs = fact(count(series["pairs"], "pair"), series["pairs"], "series", "pairs")
    words.append(_first_real(series, pairs, scale))
    runs_lost = [run.name for run in analysis.runs if mostly_lost(run) and run.name in series["runs"]]
    if runs_lost:
        text = "Most rollouts of {runs} were lost: their scores say nothing of the model."
        words.append(say(text, runs=listed(runs_lost)))
    return words if brief else [*words, *_real_alone(analysis), *_order_words(series, pairs, scale)]


def real_alone(analysis: Analysis, change: Change) -> bool:
    """Whether a change between two checkpoints is real by itself, and not once all pairs of the series are counted."""
    series = analysis.series or {}
    compared = {change.base, change.candidate} <= set(series.get("runs", ()))
    real = ([change.base, change.candidate], [change.candidate, change.base])
    by_itself = change.verdict == "real" and not no_chance(change)
    return compared and by_itself and not any(pair in series["real_pairs"] for pair in real)


def _first_real(series: Mapping[str, Any], pairs: Fact, scale: str) -> Sentence:
    pair = series["first_real"]
    if pair is None:
        return say("No change between any two of them is real, all {pairs} taken together.", pairs=pairs)
    return say(
        "The first change that is real is at {run}: {delta} against {base} (95% interval {interval}, which holds for "
        "all {pairs} together).",
        run=name(pair["candidate"]),
        delta=fact(difference(pair["delta"], scale), pair["delta"], "series", "first_real", "delta"),
        base=name(pair["base"]),
        interval=fact(points_span(pair["interval"], scale), pair["interval"], "series", "first_real", "interval"),
        pairs=pairs,
    )


def _real_alone(analysis: Analysis) -> Iterator[Sentence]:
    """Checkpoints that a comparison with the baseline alone calls real."""
    alone = [change.candidate for change in analysis.changes if real_alone(analysis, change)]
    if alone:
        yield say(
            "Compared with {base} alone, the change at {runs} would count as real; among so many pairs it may be "
            "chance.",
            base=name(analysis.runs[0].name),
            runs=listed(alone),
        )


def _order_words(series: Mapping[str, Any], pairs: Fact, scale: str) -> Iterator[Sentence]:
    """Whether the order alone shows a trend, and which single steps are real."""
    p = series["trend_p"]
    verdict = "a trend beyond chance" if p < CHANCE else "which a random order may show as well"
    yield say(
        "Of {pairs}, the later scores higher in {rises} and lower in {falls}: {verdict} ({p}, by the order alone).",
        pairs=pairs,
        rises=amount(series["rises"], "series", "rises"),
        falls=amount(series["falls"], "series", "falls"),
        verdict=verdict,
        p="p < 0.0001" if p < 0.0001 else f"p = {p:.2g}",
    )
    steps = [
        f"{pair['base']} → {pair['candidate']} ({difference(pair['delta'], scale)})" for pair in series["real_steps"]
    ]
    if steps:
        yield say("From one checkpoint to the next these are real by themselves: {steps}.", steps=listed(steps))
    else:
        yield say("No single step from one checkpoint to the next is real by itself.")

"""Checkpoints of one model in one analysis: the runs in their order, the trend, and the first change that is real.

The order comes from the checkpoint or the name of a run, where these differ in one number alone that follows a word
for a step, or in one date. Numbered runs without such a word are repeats, not a series.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from blade.change.ranking import common_means
from blade.counting.align import Alignment
from blade.counting.measure import Measured
from blade.counting.run import Run
from blade.counting.seed import seed_of
from blade.options import Options
from blade.stats.ranks import Difference, rank_runs
from blade.stats.trend import order_p, order_statistic

FEWEST_RUNS = 3
_DATE = re.compile(r"(?<!\d)(20\d\d)-?(0[1-9]|1[0-2])-?(0[1-9]|[12]\d|3[01])(?!\d)")
_STEP = re.compile(
    r"(?<![a-z])(?:steps?|iter(?:ation)?s?|epochs?|ckpt|checkpoint|updates?|global_?step)[-_=/ .]?"
    r"(\d{1,18})(k|m)?(?![a-z\d])",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"\d+")
_SCALES = {"": 1, "k": 1_000, "m": 1_000_000}
Place = tuple[str, int]
"""What the texts of a series have in common, and where in it a run stands."""


def checkpoint_series(
    runs: Sequence[Run], measured: Sequence[Measured], alignments: Sequence[Alignment], options: Options
) -> dict[str, Any] | None:
    """The largest series among the runs, in its order; None where fewer than three runs form one."""
    places = _ordered(measured)
    if len(places) < FEWEST_RUNS:
        return None
    means = common_means([measured[place] for place in places], _alignments(alignments, places))
    ranked = rank_runs(means, seed=seed_of([runs[place] for place in places], options.seed)) if means else None
    if ranked is None:
        return None
    names = [runs[place].name for place in places]
    rises, falls = order_statistic(ranked.scores)
    return {
        "runs": names,
        "tasks": len(means),
        "scores": list(ranked.scores),
        "intervals": [_interval(measured[place]) for place in places],
        "rises": rises,
        "falls": falls,
        "pairs": len(ranked.pairs),
        "trend_p": order_p(ranked.scores),
        "real_pairs": [[names[pair.first], names[pair.second]] for pair in ranked.pairs if pair.significant],
        "first_real": _first_real(ranked.pairs, names),
        "real_steps": [
            _pair(pair, names) for pair in ranked.pairs if pair.second == pair.first + 1 and pair.significant
        ],
    }


def _interval(item: Measured) -> list[float] | None:
    interval = item.analysis.metrics["score_interval"]
    return list(interval) if interval else None


def _alignments(alignments: Sequence[Alignment], places: Sequence[int]) -> list[Alignment | None]:
    return [alignments[place - 1] if place else None for place in places]


def _first_real(pairs: Sequence[Difference], names: Sequence[str]) -> dict[str, Any] | None:
    """The earliest run that differs from one before it, all pairs held together; of several, the clearest pair."""
    real = [pair for pair in pairs if pair.significant]
    if not real:
        return None
    earliest = min(pair.second for pair in real)
    clearest = max((pair for pair in real if pair.second == earliest), key=lambda pair: abs(pair.delta))
    return _pair(clearest, names)


def _pair(pair: Difference, names: Sequence[str]) -> dict[str, Any]:
    return {
        "base": names[pair.first],
        "candidate": names[pair.second],
        "delta": pair.delta,
        "interval": list(pair.interval),
    }


def _ordered(measured: Sequence[Measured]) -> list[int]:
    """The places of the runs of the largest series, by step or date; empty where there is none."""
    groups: dict[tuple[str, str, str], list[tuple[int, int]]] = {}
    sources: tuple[tuple[str, Callable[[Measured], str]], ...] = (
        ("checkpoint", lambda item: item.analysis.provenance.checkpoint or ""),
        ("name", lambda item: item.analysis.name),
    )
    for source, text_of in sources:
        for place, item in enumerate(measured):
            model = _NUMBER.sub("#", next(iter(item.analysis.provenance.models), ""))
            for template, number in _positions(text_of(item)):
                groups.setdefault((source, model, template), []).append((number, place))
    series = [group for group in groups.values() if len({number for number, _ in group}) == len(group)]
    best = max(series, key=len, default=[])
    return [place for _, place in sorted(best)]


def steps_of(name: str) -> frozenset[str]:
    """The steps of a training that the name of a run tells, as its name writes them."""
    return frozenset(match[0].lower() for match in _STEP.finditer(name))


def _positions(text: str) -> list[Place]:
    """Every step and date in a text: the text around it, and its number."""
    steps = [
        (text[: match.start(1)] + "#" + text[match.end() :], int(match[1]) * _SCALES[(match[2] or "").lower()])
        for match in _STEP.finditer(text)
    ]
    dates = [
        (text[: match.start()] + "#date" + text[match.end() :], int(match[1] + match[2] + match[3]))
        for match in _DATE.finditer(text)
    ]
    return steps + dates

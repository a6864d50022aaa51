"""How much of the gap between two runs is made of attempts that did not happen or were not judged?"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

from blade.diagnosis.cases import Case, RunCases
from blade.document import Block, Paragraph, Sentence, say
from blade.questions import SURE, by_task, judged, pass_rate
from blade.stats.rounding import WRITTEN, significant
from blade.stats.scipy_functions import special
from blade.wording import amount, count, fact, percent, plain, points

TITLE = "The gap without lost attempts"
ORDER = 15
OF_COPIES = True
FEWEST_LOST = 0.05
"""A run that lost so many of its rollouts cannot be compared as it stands."""
MOSTLY = 0.5
FEWEST_TASKS = 5
MOST_PAIRS = 3
LEVEL = 0.95
NEVER_RAN = frozenset({"no_trial", "not_started"})
BROKEN = "broken"


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Pairs of runs of which one lost many attempts, the largest gaps first."""
    shares = {run.run.name: _lost_share(run) for run in runs}
    pairs = [
        _pair(first, other) if shares[first.run.name] >= shares[other.run.name] else _pair(other, first)
        for first, other in combinations(runs, 2)
        if max(shares[first.run.name], shares[other.run.name]) >= FEWEST_LOST
    ]
    kept = [pair for pair in pairs if pair is not None]
    for pair in kept:
        pair["p_corrected"] = _written(min(1.0, pair["p_corrected"] * len(kept)))
    kept.sort(key=lambda pair: (-abs(pair["gap"]), pair["lost"], pair["other"]))
    return {"pairs": kept[:MOST_PAIRS], "left_out": len(kept[MOST_PAIRS:])} if kept else None


def _lost_share(run: RunCases) -> float:
    return 1 - len(judged(run)) / len(run.cases) if run.cases else 0.0


def _pair(lost: RunCases, other: RunCases) -> dict[str, Any] | None:
    """`lost` is the run that lost more attempts; the gap is the passes of the other run minus its own."""
    mine, theirs = by_task(lost.cases), by_task(other.cases)
    valid, valid_theirs = by_task(judged(lost)), by_task(judged(other))
    common = [key for key in mine if key in theirs]
    both = [key for key in common if key in valid and key in valid_theirs]
    if len(both) < FEWEST_TASKS:
        return None
    never = [key for key in common if all(map(_never_ran, mine[key]))]
    never_run = frozenset(never)
    attempted = [key for key in common if key not in never_run]
    gap = _passes(theirs, common) - _passes(mine, common)
    on_never = _passes(theirs, never)
    on_lost = math.fsum((len(mine[key]) - len(valid.get(key, ()))) * pass_rate(theirs[key]) for key in attempted)
    mix = [key for key in common if key in valid]
    weights = [len(valid[key]) for key in mix]
    rate = _passes(valid, mix) / sum(weights)
    differences = [pass_rate(valid[key]) - pass_rate(theirs[key]) for key in mix]
    mean = _weighted(weights, differences)
    of_both = [len(valid[key]) for key in both]
    judged_alone = [pass_rate(valid[key]) - pass_rate(valid_theirs[key]) for key in both]
    alone = _weighted(of_both, judged_alone)
    interval, p = _spread(weights, differences, mean)
    p_alone = _spread(of_both, judged_alone, alone)[1]
    return {
        "lost": lost.run.name,
        "lost_share": _written(_lost_share(lost)),
        "other": other.run.name,
        "gap": gap,
        "never_tasks": len(never),
        "on_never": on_never,
        "broken": sum(case.stage_lost not in NEVER_RAN for key in never for case in mine[key]),
        "on_lost": _written(on_lost),
        "rest": _written(gap - on_never - on_lost),
        "tasks": len(mix),
        "judged": sum(weights),
        "rate": _written(rate),
        "other_rate": _written(rate - mean),
        "other_judged_rate": _written(_weighted(of_both, [pass_rate(valid_theirs[key]) for key in both])),
        "other_unjudged": sum(len(theirs[key]) - len(valid_theirs.get(key, ())) for key in mix),
        "other_unjudged_passes": _passes(theirs, mix)
        - _passes(valid_theirs, [key for key in mix if key in valid_theirs]),
        "difference": _written(mean),
        "interval": interval,
        "p_corrected": max(p, p_alone) if mean * alone > 0 else 1.0,
    }


def _never_ran(case: Case) -> bool:
    return case.stage_lost in NEVER_RAN or case.stage_lost == BROKEN


def _passes(tasks: Mapping[str, Sequence[Case]], keys: Sequence[str]) -> int:
    return sum(bool(case.passed) for key in keys for case in tasks[key])


def _weighted(weights: Sequence[int], values: Sequence[float]) -> float:
    return math.fsum(weight * value for weight, value in zip(weights, values, strict=True)) / sum(weights)


def _spread(weights: Sequence[int], differences: Sequence[float], mean: float) -> tuple[list[float], float]:
    """The interval, and the p of no difference (to be corrected), by tasks, each weighing its judged rollouts."""
    tasks, total = len(weights), sum(weights)
    squares = math.fsum((w * (d - mean)) ** 2 for w, d in zip(weights, differences, strict=True))
    error = math.sqrt(squares * tasks / (tasks - 1)) / total
    half = float(special.stdtrit(tasks - 1, (1 + LEVEL) / 2)) * error
    p = 2 * float(special.stdtr(tasks - 1, -abs(mean) / error)) if error else float(not mean)
    return [_written(mean - half), _written(mean + half)], p


def _written(value: float) -> float:
    return significant(value, WRITTEN)


def tell(answer: Mapping[str, Any]) -> list[Block]:
    blocks: list[Block] = [Paragraph(tuple(_sentences(place, pair))) for place, pair in enumerate(answer["pairs"])]
    if answer["left_out"]:
        left = count(answer["left_out"], "more pair")
        blocks.append(Paragraph((say("{left} with smaller gaps can be compared the same way.", left=left),)))
    return blocks


def _sentences(place: int, pair: Mapping[str, Any]) -> Iterator[Sentence]:
    yield _gap(place, pair)
    yield _matched(place, pair)


def _gap(place: int, pair: Mapping[str, Any], *, rate: bool = True) -> Sentence:
    """Of what the passes are made that one run has more than the other; `rate` says how lost attempts were counted."""
    at = ("investigation", "lost_attempts", "pairs", place)
    more, rest = "more" if pair["gap"] >= 0 else "fewer", round(pair["rest"], 1)
    apart = pair["gap"] < 0 or rest < 0  # not all parts point the same way: each then says its own
    facts: dict[str, Any] = {
        "other": pair["other"],
        "lost": pair["lost"],
        "gap": fact(count(abs(pair["gap"]), "pass", "passes"), pair["gap"], *at, "gap"),
        "never": amount(pair["on_never"], *at, "on_never"),
        "never_tasks": fact(count(pair["never_tasks"], "task"), pair["never_tasks"], *at, "never_tasks"),
        "on_lost": fact(plain(round(pair["on_lost"], 1)), pair["on_lost"], *at, "on_lost"),
        "rest": fact(plain(abs(rest)), pair["rest"], *at, "rest"),
        "more": " more" if apart else "",
        "rest_more": (" more" if rest >= 0 else " fewer") if apart else "",
    }
    parts = []
    if pair["never_tasks"]:
        lost_how = (
            "where {lost} was broken from outside in every attempt" if pair["broken"] else "where {lost} never ran"
        )
        parts.append("{never}{more} on the {never_tasks} " + lost_how + ", ")
    if pair["on_lost"]:
        how = " (at the rate of {other} there)" if rate else ""
        parts.append("about {on_lost}{more} on its lost or unjudged attempts of other tasks" + how + ", ")
    return say(
        "{other} has {gap} " + more + " than {lost}: " + "".join(parts) + "and {rest}{rest_more} on attempts that were "
        "judged.",
        **facts,
    )


def _matched(place: int, pair: Mapping[str, Any]) -> Sentence:
    """What both runs pass on the mix of tasks that the one that lost attempts had judged."""
    at = ("investigation", "lost_attempts", "pairs", place)
    low, high = pair["interval"]
    sure = "the interval includes zero" if low <= 0 <= high else "too near zero to be sure among all that is compared"
    sure = "that is beyond chance" if pair["p_corrected"] <= SURE else sure
    unjudged = pair["other_unjudged"]
    how = "as they were scored" if pair["other_unjudged_passes"] else "as failed"
    counted = "counts" if unjudged == 1 else "count"
    as_failed = f", whose {{attempts}} there that did not run or got no verdict {counted} {how}" if unjudged else ""
    without = f"; without {'this' if unjudged == 1 else 'these'} {{other}} comes to {{other_judged_rate}}" * bool(
        unjudged
    )
    return say(
        "Matched on the mix of tasks that {lost} had judged ({judged} of {tasks}), it is {rate} against {other_rate} "
        "for {other}" + as_failed + " ({difference}, 95% interval {low} to {high}, by tasks): " + sure + without + ".",
        lost=pair["lost"],
        judged=fact(count(pair["judged"], "attempt"), pair["judged"], *at, "judged"),
        tasks=fact(count(pair["tasks"], "task"), pair["tasks"], *at, "tasks"),
        other=pair["other"],
        rate=fact(percent(pair["rate"]), pair["rate"], *at, "rate"),
        other_rate=fact(percent(pair["other_rate"]), pair["other_rate"], *at, "other_rate"),
        difference=fact(points(pair["difference"]), pair["difference"], *at, "difference"),
        low=fact(points(low), low, *at, "interval", 0),
        high=fact(points(high), high, *at, "interval", 1),
        attempts=fact(count(unjudged, "attempt"), unjudged, *at, "other_unjudged"),
        other_judged_rate=fact(percent(pair["other_judged_rate"]), pair["other_judged_rate"], *at, "other_judged_rate"),
    )


def brief(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    """The largest gap to a run that lost most of its attempts, and what is left of it where both were judged."""
    for place, pair in enumerate(answer["pairs"][:1]):
        if pair["lost_share"] > MOSTLY:
            gap, matched = _gap(place, pair, rate=False), _on_equal_terms(place, pair)
            yield Sentence((*gap.parts, " ", *matched.parts))


def _on_equal_terms(place: int, pair: Mapping[str, Any]) -> Sentence:
    """What both runs score on the tasks that the one that lost most had judged, in one line."""
    at = ("investigation", "lost_attempts", "pairs", place)
    alone = " ({other_judged_rate} without its own lost attempts)" if pair["other_unjudged"] else ""
    low, high = pair["interval"]
    return say(
        "On the tasks where {lost} was judged, in the same mix, it passes {rate} and {other} {other_rate}"
        + alone
        + ": {difference}, "
        "95% interval {low} to {high}"
        + (", beyond chance" if pair["p_corrected"] <= SURE else ", within chance")
        + ".",
        lost=pair["lost"],
        other=pair["other"],
        rate=fact(percent(pair["rate"]), pair["rate"], *at, "rate"),
        other_rate=fact(percent(pair["other_rate"]), pair["other_rate"], *at, "other_rate"),
        other_judged_rate=fact(percent(pair["other_judged_rate"]), pair["other_judged_rate"], *at, "other_judged_rate"),
        difference=fact(points(pair["difference"]), pair["difference"], *at, "difference"),
        low=fact(points(low), low, *at, "interval", 0),
        high=fact(points(high), high, *at, "interval", 1),
    )

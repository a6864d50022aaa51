"""Sums the marks of many cases up, and holds them against the targets with binomial bounds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from benchmarks.planted_suite.scoring.marks import Marks
from scipy.stats import beta

__all__ = ["BINS", "PlantSummary", "PromiseLine", "summarise"]

BINS = ((0.0, 0.5), (0.5, 1.0), (1.0, 2.0), (2.0, float("inf")))
"""Size of the plant over what could just be detected."""
CONFIDENCE = 0.95
ONE_POINT = 0.01 - 1e-9


@dataclass(frozen=True, slots=True)
class PromiseLine:
    """One measure: how many of how many cases, and what is wanted. A share without a target is for reading only."""

    measure: str
    hits: int
    n: int
    least: float | None = None
    most: float | None = None

    @property
    def value(self) -> float | None:
        return self.hits / self.n if self.n else None

    @property
    def low(self) -> float:
        """The share is above this with 95 % confidence."""
        return float(beta.ppf(1 - CONFIDENCE, self.hits, self.n - self.hits + 1)) if self.hits else 0.0

    @property
    def high(self) -> float:
        """The share is below this with 95 % confidence."""
        return float(beta.ppf(CONFIDENCE, self.hits + 1, self.n - self.hits)) if self.hits < self.n else 1.0

    @property
    def met(self) -> bool | None:
        """False where the 95 % bound excludes the target; null where there is no target or no case."""
        if self.value is None or (self.least is None and self.most is None):
            return None
        return (self.least is None or self.high >= self.least) and (self.most is None or self.low <= self.most)


@dataclass(frozen=True, slots=True)
class PlantSummary:
    """Lines with targets, then averages over all plants."""

    cases: int
    lines: tuple[PromiseLine, ...]
    top_one: float | None
    f1: float | None
    share_error: float | None
    """Median over plants."""
    located: float | None
    utility: float | None
    composite: float | None
    """One number to follow over time; 0 where the parts do not add up or false alarms pass 8 %."""

    def line(self, measure: str) -> PromiseLine:
        return next(line for line in self.lines if line.measure == measure)

    @property
    def missed(self) -> tuple[PromiseLine, ...]:
        return tuple(line for line in self.lines if line.met is False)


def summarise(marks: Sequence[Marks]) -> PlantSummary:
    plants = [mark for mark in marks if mark.truth.parts]
    lines = (*_promises(marks), *_detection(plants), *_intervals(plants), *_in_bins(plants))
    knowable = [mark for mark in plants if mark.truth.knowable in ("identified", "bounds") and mark.truth.ratio >= 1]
    errors = sorted(min(mark.share_error, 1e6) for mark in knowable)
    summary = PlantSummary(
        cases=len(marks),
        lines=lines,
        top_one=_mean(float(mark.top_one) for mark in knowable),
        f1=_mean(mark.f1 for mark in knowable),
        share_error=errors[len(errors) // 2] if errors else None,
        located=_mean(mark.located for mark in knowable if mark.located is not None),
        utility=_mean(mark.utility for mark in marks),
        composite=None,
    )
    return _with_composite(summary)


def _promises(marks: Sequence[Marks]) -> list[PromiseLine]:
    nulls = [mark for mark in marks if mark.truth.group == "null"]
    decoys = [mark for mark in marks if mark.truth.group == "decoy"]
    silent = [mark for mark in marks if mark.truth.group == "churn"]
    restless = [mark for mark in marks if _restless(mark)]
    unknowable = [mark for mark in marks if mark.truth.knowable == "not_identified"]
    return [
        _line("parts add up to the change", marks, lambda mark: mark.additive, least=1.0),
        _line("null: a cause is named", nulls, lambda mark: bool(mark.named), at_most=0.05),
        _line("null: a slice is named", nulls, lambda mark: mark.slice_alarm, at_most=0.05),
        _line("null: a task is flagged", nulls, lambda mark: mark.flip_alarm),
        _line("decoy: a cause is named", decoys, lambda mark: bool(mark.named), at_most=0.05),
        _line("decoy: a slice is named", decoys, lambda mark: mark.slice_alarm, at_most=0.07),
        _line("flaky sampling: a cause is named", silent, lambda mark: bool(mark.named), at_most=0.05),
        _line("flaky sampling: churn is told", restless, lambda mark: mark.churn, least=0.90),
        _line("unidentifiable: confident wrong name", unknowable, lambda mark: mark.confident_wrong, at_most=0.05),
        _line(
            "unidentifiable: wrong beyond plain behaviour",
            unknowable,
            lambda mark: mark.confident_wrong and not mark.only_behaviour,
        ),
    ]


def _detection(plants: Sequence[Marks]) -> list[PromiseLine]:
    knowable = [mark for mark in plants if mark.truth.knowable in ("identified", "bounds")]
    facts = [
        mark
        for mark in knowable
        if mark.truth.group == "fact" and max(mark.truth.size, mark.truth.dose / 100) >= ONE_POINT
    ]
    rows = [mark for mark in knowable if mark.truth.group == "row_evidence" and mark.truth.ratio >= 1]
    noisy = [mark for mark in knowable if mark.truth.group == "noise_limited"]
    from_one_mde, plenty = ([mark for mark in noisy if low <= mark.truth.ratio < high] for low, high in BINS[2:])
    controlled = [mark for mark in knowable if mark.truth.group == "controlled" and mark.truth.ratio >= 1]
    foreign = {level: [mark for mark in knowable if _is_foreign(mark, level)] for level in ("E2", "E1")}
    gold = [mark for mark in knowable if mark.truth.group == "gold" and mark.truth.size >= ONE_POINT]
    pairs = [mark for mark in knowable if mark.truth.group == "pair" and mark.truth.ratio >= 1]
    return [
        _line("facts from 1 pp: named", facts, _all_found, least=0.99),
        _line("row evidence from 1 MDE: named", rows, _all_found, least=0.95),
        _line("row evidence from 1 MDE: top-1", rows, lambda mark: mark.top_one, least=0.95),
        _line("noise-limited, 1 to 2 MDE: named", from_one_mde, _all_found, least=0.75),
        _line("noise-limited, above 2 MDE: named", plenty, _all_found, least=0.95),
        _line("truncated or malformed from 1 MDE: named or bounds", controlled, _named_or_hedged, least=0.90),
        _line("foreign rows with a name: named", foreign["E2"], _all_found, least=0.99),
        _line("foreign rows by their traces: named", foreign["E1"], _all_found, least=0.80),
        _line("wrong gold from 1 pp: named or a health item", gold, _all_found, least=0.70),
        _line("gain and outage from 1 MDE: both named", pairs, _all_found),
    ]


def _intervals(plants: Sequence[Marks]) -> list[PromiseLine]:
    covers = [covered_part for marks in plants for covered_part in marks.covered]
    firm = [covered_part for covered_part in covers if covered_part.status == "identified"]
    assumed = [covered_part for covered_part in covers if covered_part.status == "assumed"]
    bounds = [covered_part for covered_part in covers if covered_part.status == "bounds"]
    return [
        PromiseLine(
            "identified: interval holds the truth",
            sum(covered_part.holds for covered_part in firm),
            len(firm),
            0.93,
            0.98,
        ),
        PromiseLine(
            "assumed: interval holds the truth", sum(covered_part.holds for covered_part in assumed), len(assumed)
        ),
        PromiseLine("bounds hold the truth", sum(covered_part.holds for covered_part in bounds), len(bounds), 0.95),
    ]


def _in_bins(plants: Sequence[Marks]) -> list[PromiseLine]:
    knowable = [mark for mark in plants if mark.truth.knowable in ("identified", "bounds")]
    return [
        _line(f"all plants, from {low:g} MDE: named or bounds", in_bin, _named_or_hedged)
        for low, high in BINS
        if (in_bin := [mark for mark in knowable if low <= mark.truth.ratio < high or mark.truth.ratio == high])
    ]


def _with_composite(summary: PlantSummary) -> PlantSummary:
    """.30 F1 + .25 (1 - share error) + .20 closeness of coverage to .95 + .15 place + .10 honesty, behind a gate."""
    if summary.f1 is None or summary.share_error is None:
        return summary
    coverage = summary.line("identified: interval holds the truth").value
    closeness = max(0.0, 1 - abs(coverage - 0.95) / 0.10) if coverage is not None else 0.0
    composite = (
        0.30 * summary.f1
        + 0.25 * (1 - min(summary.share_error, 1.0))
        + 0.20 * closeness
        + 0.15 * (summary.located or 0.0)
        + 0.10 * max(0.0, summary.utility or 0.0)
    )
    alarms = summary.line("null: a cause is named").value or 0.0
    open_gate = summary.line("parts add up to the change").met is not False and alarms <= 0.08
    return PlantSummary(
        summary.cases,
        summary.lines,
        summary.top_one,
        summary.f1,
        summary.share_error,
        summary.located,
        summary.utility,
        composite if open_gate else 0.0,
    )


def _line(
    measure: str,
    cases: Sequence[Marks],
    holds: Callable[[Marks], bool],
    *,
    least: float | None = None,
    at_most: float | None = None,
) -> PromiseLine:
    return PromiseLine(measure, sum(map(holds, cases)), len(cases), least, at_most)


def _is_foreign(mark: Marks, level: str) -> bool:
    return mark.truth.group == "foreign" and mark.truth.level == level


def _restless(mark: Marks) -> bool:
    """Flaky sampling that is hot enough, on enough rows, to be seen."""
    truth = mark.truth
    return truth.group == "churn" and truth.dose >= 5 and truth.repeats >= 4 and truth.tasks >= 100


def _all_found(mark: Marks) -> bool:
    return all(mark.found)


def _named_or_hedged(mark: Marks) -> bool:
    return all(is_named or hedged for is_named, hedged in zip(mark.found, mark.hedged, strict=True))


def _mean(values: Iterable[float]) -> float | None:
    numbers = list(values)
    return sum(numbers) / len(numbers) if numbers else None

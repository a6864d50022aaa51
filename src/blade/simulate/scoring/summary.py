"""Sums the marks of many cases up, and holds them against the targets with binomial bounds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from scipy.stats import beta

from blade.simulate.scoring.marks import Marks

__all__ = ["BINS", "Line", "Summary", "summarise"]

BINS = ((0.0, 0.5), (0.5, 1.0), (1.0, 2.0), (2.0, float("inf")))
"""Size of the plant over what could just be detected."""
CONFIDENCE = 0.95
ONE_POINT = 0.01 - 1e-9


@dataclass(frozen=True, slots=True)
class Line:
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
class Summary:
    """Lines with targets, then averages over all plants."""

    cases: int
    lines: tuple[Line, ...]
    top_one: float | None
    f1: float | None
    share_error: float | None
    """Median over plants."""
    located: float | None
    utility: float | None
    composite: float | None
    """One number to follow over time; 0 where the parts do not add up or false alarms pass 8 %."""

    def line(self, measure: str) -> Line:
        return next(line for line in self.lines if line.measure == measure)

    @property
    def missed(self) -> tuple[Line, ...]:
        return tuple(line for line in self.lines if line.met is False)


def summarise(marks: Sequence[Marks]) -> Summary:
    plants = [one for one in marks if one.truth.parts]
    lines = (*_promises(marks), *_detection(plants), *_intervals(plants), *_in_bins(plants))
    knowable = [one for one in plants if one.truth.knowable in ("identified", "bounds") and one.truth.ratio >= 1]
    errors = sorted(min(one.share_error, 1e6) for one in knowable)
    summary = Summary(
        cases=len(marks),
        lines=lines,
        top_one=_mean(float(one.top_one) for one in knowable),
        f1=_mean(one.f1 for one in knowable),
        share_error=errors[len(errors) // 2] if errors else None,
        located=_mean(one.located for one in knowable if one.located is not None),
        utility=_mean(one.utility for one in marks),
        composite=None,
    )
    return _with_composite(summary)


def _promises(marks: Sequence[Marks]) -> list[Line]:
    nulls = [one for one in marks if one.truth.group == "null"]
    decoys = [one for one in marks if one.truth.group == "decoy"]
    silent = [one for one in marks if one.truth.group == "churn"]
    restless = [one for one in marks if _restless(one)]
    unknowable = [one for one in marks if one.truth.knowable == "not_identified"]
    return [
        _line("parts add up to the change", marks, lambda one: one.additive, least=1.0),
        _line("null: a cause is named", nulls, lambda one: bool(one.named), most=0.05),
        _line("null: a slice is named", nulls, lambda one: one.slice_alarm, most=0.05),
        _line("null: a task is flagged", nulls, lambda one: one.flip_alarm),
        _line("decoy: a cause is named", decoys, lambda one: bool(one.named), most=0.05),
        _line("decoy: a slice is named", decoys, lambda one: one.slice_alarm, most=0.07),
        _line("flaky sampling: a cause is named", silent, lambda one: bool(one.named), most=0.05),
        _line("flaky sampling: churn is told", restless, lambda one: one.churn, least=0.90),
        _line("unidentifiable: confident wrong name", unknowable, lambda one: one.confident_wrong, most=0.05),
        _line(
            "unidentifiable: wrong beyond plain behaviour",
            unknowable,
            lambda one: one.confident_wrong and not one.only_behaviour,
        ),
    ]


def _detection(plants: Sequence[Marks]) -> list[Line]:
    known = [one for one in plants if one.truth.knowable in ("identified", "bounds")]
    facts = [
        one for one in known if one.truth.group == "fact" and max(one.truth.size, one.truth.dose / 100) >= ONE_POINT
    ]
    rows = [one for one in known if one.truth.group == "row_evidence" and one.truth.ratio >= 1]
    noisy = [one for one in known if one.truth.group == "noise_limited"]
    some, plenty = ([one for one in noisy if low <= one.truth.ratio < high] for low, high in BINS[2:])
    controlled = [one for one in known if one.truth.group == "controlled" and one.truth.ratio >= 1]
    foreign = {level: [one for one in known if _is_foreign(one, level)] for level in ("E2", "E1")}
    gold = [one for one in known if one.truth.group == "gold" and one.truth.size >= ONE_POINT]
    pairs = [one for one in known if one.truth.group == "pair" and one.truth.ratio >= 1]
    return [
        _line("facts from 1 pp: named", facts, _all_found, least=0.99),
        _line("row evidence from 1 MDE: named", rows, _all_found, least=0.95),
        _line("row evidence from 1 MDE: top-1", rows, lambda one: one.top_one, least=0.95),
        _line("noise-limited, 1 to 2 MDE: named", some, _all_found, least=0.75),
        _line("noise-limited, above 2 MDE: named", plenty, _all_found, least=0.95),
        _line("truncated or malformed from 1 MDE: named or bounds", controlled, _said, least=0.90),
        _line("foreign rows with a name: named", foreign["E2"], _all_found, least=0.99),
        _line("foreign rows by their traces: named", foreign["E1"], _all_found, least=0.80),
        _line("wrong gold from 1 pp: named or a health item", gold, _all_found, least=0.70),
        _line("gain and outage from 1 MDE: both named", pairs, _all_found),
    ]


def _intervals(plants: Sequence[Marks]) -> list[Line]:
    covers = [one for marks in plants for one in marks.covered]
    firm = [one for one in covers if one.status == "identified"]
    assumed = [one for one in covers if one.status == "assumed"]
    bounds = [one for one in covers if one.status == "bounds"]
    return [
        Line("identified: interval holds the truth", sum(one.holds for one in firm), len(firm), 0.93, 0.98),
        Line("assumed: interval holds the truth", sum(one.holds for one in assumed), len(assumed)),
        Line("bounds hold the truth", sum(one.holds for one in bounds), len(bounds), 0.95),
    ]


def _in_bins(plants: Sequence[Marks]) -> list[Line]:
    known = [one for one in plants if one.truth.knowable in ("identified", "bounds")]
    return [
        _line(f"all plants, from {low:g} MDE: named or bounds", inside, _said)
        for low, high in BINS
        if (inside := [one for one in known if low <= one.truth.ratio < high or one.truth.ratio == high])
    ]


def _with_composite(summary: Summary) -> Summary:
    """.30 F1 + .25 (1 - share error) + .20 closeness of coverage to .95 + .15 place + .10 honesty, behind a gate."""
    if summary.f1 is None or summary.share_error is None:
        return summary
    held = summary.line("identified: interval holds the truth").value
    closeness = max(0.0, 1 - abs(held - 0.95) / 0.10) if held is not None else 0.0
    made = (
        0.30 * summary.f1
        + 0.25 * (1 - min(summary.share_error, 1.0))
        + 0.20 * closeness
        + 0.15 * (summary.located or 0.0)
        + 0.10 * max(0.0, summary.utility or 0.0)
    )
    alarms = summary.line("null: a cause is named").value or 0.0
    open_gate = summary.line("parts add up to the change").met is not False and alarms <= 0.08
    return Summary(
        summary.cases,
        summary.lines,
        summary.top_one,
        summary.f1,
        summary.share_error,
        summary.located,
        summary.utility,
        made if open_gate else 0.0,
    )


def _line(
    measure: str,
    cases: Sequence[Marks],
    holds: Callable[[Marks], bool],
    *,
    least: float | None = None,
    most: float | None = None,
) -> Line:
    return Line(measure, sum(map(holds, cases)), len(cases), least, most)


def _at_least_a_point(one: Marks) -> bool:
    return one.truth.size >= ONE_POINT


def _is_foreign(one: Marks, level: str) -> bool:
    return one.truth.group == "foreign" and one.truth.level == level


def _restless(one: Marks) -> bool:
    """Flaky sampling that is hot enough, on enough rows, to be seen."""
    truth = one.truth
    return truth.group == "churn" and truth.dose >= 5 and truth.repeats >= 4 and truth.tasks >= 100


def _all_found(one: Marks) -> bool:
    return all(one.found)


def _said(one: Marks) -> bool:
    return all(named or hedged for named, hedged in zip(one.found, one.hedged, strict=True))


def _mean(values: Iterable[float]) -> float | None:
    kept = list(values)
    return sum(kept) / len(kept) if kept else None

"""Integrity: what is left of a score after everything in the report that is not true."""

from __future__ import annotations

from collections.abc import Sequence

from blade.frozen import frozen
from blade.judge.quoting import ELSEWHERE, FOUND, NOWHERE, Cited
from blade.judge.settings import SETTINGS, JudgeSettings
from blade.judge.verify import CONTRADICTED, VERIFIED, Verified


@frozen
class Integrity:
    """What is left of the score after everything that is not true."""

    factor: float
    numbers: float
    ids: float
    bindings: float
    quotes: float
    denied: float
    unproved: float
    counts: dict[str, int]


def integrity(verified: Verified, quotes: Sequence[tuple[Cited, str]], settings: JudgeSettings = SETTINGS) -> Integrity:
    """What is false in a report, as rates, and what each rate leaves of its score."""
    verdict_counts = {(v.kind, v.outcome): 0 for checked in verified.statements for v in checked.verdicts}
    counted_keys: set[tuple[str, str, str]] = set()
    for checked in verified.statements:
        for verdict in checked.verdicts:
            key = (checked.statement.text, verdict.kind, f"{verdict.start} {verdict.printed}")
            if key not in counted_keys:
                counted_keys.add(key)
                verdict_counts[verdict.kind, verdict.outcome] += 1
    numbers = {
        outcome: verdict_counts.get(("number", outcome), 0) for outcome in (VERIFIED, CONTRADICTED, "unverifiable")
    }
    number_count = sum(numbers.values())
    prose = [checked for checked in verified.statements if checked.statement.prose and checked.statement.content]
    denied = sum(checked.flipped for checked in prose)
    bad_ids = _rate(verdict_counts.get(("id", CONTRADICTED), 0), verdict_counts.get(("id", VERIFIED), 0))
    bad_bindings = _rate(verdict_counts.get(("binding", CONTRADICTED), 0), verdict_counts.get(("binding", VERIFIED), 0))
    quote_outcomes = [outcome for _, outcome in quotes if outcome in {FOUND, ELSEWHERE, NOWHERE}]
    precision = quote_outcomes.count(FOUND) / len(quote_outcomes) if quote_outcomes else 1.0
    factors = {
        "numbers": _fall(
            numbers[CONTRADICTED] / number_count if number_count else 0.0, settings.numbers_free, settings.numbers_slope
        ),
        "ids": _fall(bad_ids, settings.ids_free, settings.ids_slope),
        "bindings": _fall(bad_bindings, settings.bindings_free, settings.bindings_slope),
        "quotes": settings.quotes_floor + (1 - settings.quotes_floor) * precision,
        "denied": _fall(denied / len(prose) if prose else 0.0, settings.denied_free, settings.denied_slope),
        "unproved": _proved(numbers[VERIFIED] / number_count if number_count else 0.0, settings),
    }
    counts = {
        **numbers,
        "all": number_count,
        "denied": denied,
        "statements": len(prose),
        "quotes": len(quote_outcomes),
        "quotes_found": quote_outcomes.count(FOUND),
    }
    counts |= {
        "ids": verdict_counts.get(("id", VERIFIED), 0),
        "ids_unknown": verdict_counts.get(("id", CONTRADICTED), 0),
    }
    factor = 1.0
    for value in factors.values():
        factor *= value
    return Integrity(factor, counts=counts, **factors)


def _rate(bad: int, good: int) -> float:
    return bad / (bad + good) if bad + good else 0.0


def _fall(rate: float, free: float, slope: float) -> float:
    return max(0.0, 1.0 - slope * max(0.0, rate - free))


def _proved(share: float, settings: JudgeSettings) -> float:
    return min(1.0, max(0.0, (share - settings.proved_low) / (settings.proved_high - settings.proved_low)))

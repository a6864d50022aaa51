"""Integrity: what is left of a score after everything in the report that is not true."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from blade.judge.quoting import ELSEWHERE, FOUND, NOWHERE, Cited
from blade.judge.settings import SETTINGS, Settings
from blade.judge.verify import CONTRADICTED, VERIFIED, Verified


@dataclass(frozen=True, slots=True)
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


def integrity(verified: Verified, quotes: Sequence[tuple[Cited, str]], chosen: Settings = SETTINGS) -> Integrity:
    """What is false in a report, as rates, and what each rate leaves of its score."""
    told = {(v.kind, v.outcome): 0 for one in verified.held for v in one.verdicts}
    seen: set[tuple[str, str, str]] = set()
    for one in verified.held:
        for verdict in one.verdicts:
            key = (one.said.text, verdict.kind, f"{verdict.start} {verdict.said}")
            if key not in seen:
                seen.add(key)
                told[verdict.kind, verdict.outcome] += 1
    numbers = {outcome: told.get(("number", outcome), 0) for outcome in (VERIFIED, CONTRADICTED, "unverifiable")}
    whole = sum(numbers.values())
    prose = [one for one in verified.held if one.said.prose and one.said.content]
    denied = sum(one.flipped for one in prose)
    bad_ids = _rate(told.get(("id", CONTRADICTED), 0), told.get(("id", VERIFIED), 0))
    bad_bindings = _rate(told.get(("binding", CONTRADICTED), 0), told.get(("binding", VERIFIED), 0))
    judged = [outcome for _, outcome in quotes if outcome in {FOUND, ELSEWHERE, NOWHERE}]
    precision = judged.count(FOUND) / len(judged) if judged else 1.0
    factors = {
        "numbers": _fall(numbers[CONTRADICTED] / whole if whole else 0.0, chosen.numbers_free, chosen.numbers_slope),
        "ids": _fall(bad_ids, chosen.ids_free, chosen.ids_slope),
        "bindings": _fall(bad_bindings, chosen.bindings_free, chosen.bindings_slope),
        "quotes": chosen.quotes_floor + (1 - chosen.quotes_floor) * precision,
        "denied": _fall(denied / len(prose) if prose else 0.0, chosen.denied_free, chosen.denied_slope),
        "unproved": _proved(numbers[VERIFIED] / whole if whole else 0.0, chosen),
    }
    counts = {
        **numbers,
        "all": whole,
        "denied": denied,
        "statements": len(prose),
        "quotes": len(judged),
        "quotes_found": judged.count(FOUND),
    }
    counts |= {"ids": told.get(("id", VERIFIED), 0), "ids_unknown": told.get(("id", CONTRADICTED), 0)}
    factor = 1.0
    for value in factors.values():
        factor *= value
    return Integrity(factor, counts=counts, **factors)


def _rate(bad: int, good: int) -> float:
    return bad / (bad + good) if bad + good else 0.0


def _fall(rate: float, free: float, slope: float) -> float:
    return max(0.0, 1.0 - slope * max(0.0, rate - free))


def _proved(share: float, chosen: Settings) -> float:
    return min(1.0, max(0.0, (share - chosen.proved_low) / (chosen.proved_high - chosen.proved_low)))

"""Small runs written as letters, as the worked examples write them."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import replace

from blade.stats.ledger import Ledger, LedgerRow, LedgerRun

LETTERS = {
    "1": LedgerRow("", 1.0),
    "w": LedgerRow("", 0.0, mode="wrong_answer"),
    "s": LedgerRow("", 0.0, mode="tool_misuse"),
    "0": LedgerRow("", 0.0),
    "h": LedgerRow("", 0.5, mode="half_done"),
    "I": LedgerRow("", 0.0, "infrastructure"),
    "V": LedgerRow("", 0.0, "verifier_error"),
    "T": LedgerRow("", 0.0, "truncated"),
    "t": LedgerRow("", 0.0, "timed_out"),
    "P": LedgerRow("", 1.0, "truncated"),  # cut, and passed all the same
    "M": LedgerRow("", 0.0, "malformed"),
    "x": LedgerRow("", 0.0, "missing"),
    "R": LedgerRow("", 1.0, rescored=0.0),  # the other verifier lets it fail
    "r": LedgerRow("", 0.0, mode="wrong_answer", rescored=1.0),
    "a": LedgerRow("", 1.0, rescored=1.0),  # both verifiers agree
    "b": LedgerRow("", 0.0, rescored=0.0),
    "l": LedgerRow("", 1.0, out_tokens=50),  # long
    "L": LedgerRow("", 0.0, out_tokens=50),
}

BASE = {"t1": "1111", "t2": "11ww", "t3": "111w", "t4": "wwww", "t5": "1w1w", "t6": "1111"}
CANDIDATE = {"t1": "11II", "t2": "11TT", "t3": "1wss", "t4": "www1", "t5": "1w1M", "t7": "wwww"}


def run(tasks: Mapping[str, str], expected: AbstractSet[Hashable] | None = None) -> LedgerRun:
    rows = [replace(LETTERS[letter], task=task) for task, letters in tasks.items() for letter in letters]
    return LedgerRun(rows, expected)


def points(ledger: Ledger) -> dict[str, float]:
    return {p.cause if p.sub is None else f"{p.cause}:{p.sub}": p.points for p in ledger.parts}

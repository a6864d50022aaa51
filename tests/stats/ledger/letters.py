"""Small runs written as letters, as the worked examples write them."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from collections.abc import Set as AbstractSet

from blade.stats.ledger import Ledger, Row, Run

LETTERS = {
    "1": ("ok", 1.0, None),
    "w": ("ok", 0.0, "wrong_answer"),
    "s": ("ok", 0.0, "tool_misuse"),
    "0": ("ok", 0.0, None),
    "I": ("infrastructure", 0.0, None),
    "V": ("verifier_error", 0.0, None),
    "T": ("truncated", 0.0, None),
    "t": ("timed_out", 0.0, None),
    "P": ("truncated", 1.0, None),
    "M": ("malformed", 0.0, None),
    "x": ("missing", 0.0, None),
}

BASE = {"t1": "1111", "t2": "11ww", "t3": "111w", "t4": "wwww", "t5": "1w1w", "t6": "1111"}
CANDIDATE = {"t1": "11II", "t2": "11TT", "t3": "1wss", "t4": "www1", "t5": "1w1M", "t7": "wwww"}


def run(tasks: Mapping[str, str], expected: AbstractSet[Hashable] | None = None) -> Run:
    rows = []
    for task, letters in tasks.items():
        for letter in letters:
            status, reward, mode = LETTERS[letter]
            rows.append(Row(task, reward, status, mode))
    return Run(rows, expected)


def points(ledger: Ledger) -> dict[str, float]:
    return {p.cause if p.sub is None else f"{p.cause}:{p.sub}": p.points for p in ledger.parts}

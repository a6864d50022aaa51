"""Drawn mutants that no test can kill, each with the reason why: they are left out of the score and counted beside it.

The line is kept with the key, so that an entry whose line has gone is noticed (`tests/test_mutants.py`).
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Equivalent:
    """The key of a mutant, its file and its line as it stands, and why the change means nothing."""

    key: str
    file: str
    line: str
    reason: str


EQUIVALENT = (
    Equivalent(
        "28d02b16",
        "src/blade/change/compare.py",
        "if not delta or not se or not scores[0]:",
        "both runs have scores of the same common tasks, so that both lists are empty or none is",
    ),
    Equivalent(
        "33eaf417",
        "src/blade/change/compare.py",
        "if all(bounds) and bounds[0] and bounds[1]:",
        "all(bounds) has asked for both; the rest tells the type checker",
    ),
    Equivalent(
        "0a8cb9c3",
        "src/blade/stats/ledger/table.py",
        "sure = min(abs(ends[0]), abs(ends[1])) >= LEAST and ends[0] * ends[1] > 0.0",
        "both ends are at least LEAST away from 0, so their product never is 0",
    ),
    Equivalent(
        "2249cce4",
        "src/blade/diagnosis/transcript_summary.py",
        "return [event for event in self.events if event.kind is StepKind.CALL]",
        "`call` is the first kind of step in the alphabet, so no other is `<=` to it",
    ),
    Equivalent(
        "6c362899",
        "src/blade/counting/identity.py",
        "mixed = ((mixed ^ ((value or 0) + 0x9E3779B97F4A7C15)) * 0xBF58476D1CE4E5B9) & 0xFFFFFFFFFFFFFFFF",
        "any other number mixes as well: only whether two hashes are equal is ever asked",
    ),
    Equivalent(
        "a6a5dd5a",
        "src/blade/counting/recompute/profiles.py",
        (
            'agree(as_number(group.get("mean/reward", group.get("avg_reward"))), '
            "_mean_reward(tasks[task]), 1.0, tolerance)"
        ),
        "the scale only widens the allowance for rounding, from one rounding error to two",
    ),
)

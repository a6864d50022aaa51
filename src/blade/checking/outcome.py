"""What a check says of one printed thing: right, wrong with the right value, or nothing to hold it against."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from blade.frozen import frozen

LONGEST_CONTEXT = 160


class CheckOutcome(StrEnum):
    RIGHT = "right"
    WRONG = "wrong"
    UNVERIFIABLE = "unverifiable"


class ClaimKind(StrEnum):
    NUMBER = "number"
    ID = "id"
    RUN = "run"
    QUOTE = "quote"
    WORD = "word"


UNBOUND = {
    ClaimKind.NUMBER: "no count is bound to the number: blade count or blade grep, then cite the id",
    ClaimKind.ID: "no such name in the runs: blade tasks",
    ClaimKind.RUN: "no such name in the runs: blade tasks",
    ClaimKind.QUOTE: "in no rollout, and no name of the runs: blade grep",
    ClaimKind.WORD: "no count settles it: blade count or blade contrast, then cite the id",
}
"""What would settle a thing that nothing could be held against."""


@frozen
class Checked:
    """One number, id, run name, quote or telling word of a report, held against the runs."""

    outcome: CheckOutcome
    kind: ClaimKind
    line: int
    said: str
    wanted: str | None = None
    """What it should say, where that is known."""
    path: tuple[str | int, ...] = ()
    """The place in the analysis that proves it."""
    context: str = ""
    note: str = ""

    def data(self) -> dict[str, Any]:
        proof = {"query": "analysis", "args": {"path": list(self.path)}} if self.path else None
        return {
            "outcome": self.outcome.value,
            "kind": self.kind.value,
            "line": self.line,
            "said": self.said,
            "wanted": self.wanted,
            "proof": proof,
            "context": self.context,
            "note": self.note,
        }


@frozen
class ReportCheck:
    """Everything that was checked in one report, in the order of its lines."""

    things: tuple[Checked, ...]

    def of(self, outcome: CheckOutcome) -> list[Checked]:
        return [check for check in self.things if check.outcome is outcome]

    @property
    def wrong(self) -> list[Checked]:
        return self.of(CheckOutcome.WRONG)

    @property
    def unverifiable(self) -> list[Checked]:
        return self.of(CheckOutcome.UNVERIFIABLE)

    @property
    def counts(self) -> Mapping[str, int]:
        counts = dict.fromkeys((outcome.value for outcome in CheckOutcome), 0)
        for check in self.things:
            counts[check.outcome.value] += 1
        return counts

    def open_claims(self) -> dict[str, dict[int, list[str]]]:
        """What would settle it → line → the numbers, names and words there that wait for it."""
        claims: dict[str, dict[int, list[str]]] = {}
        for check in self.unverifiable:
            lines = claims.setdefault(check.note or UNBOUND[check.kind], {})
            waiting = lines.setdefault(check.line, [])
            if check.said not in waiting:
                waiting.append(check.said)
        return dict(sorted(claims.items(), key=lambda item: (-len(item[1]), item[0])))

    def data(self) -> dict[str, Any]:
        """The counts, the wrong things and those that nothing could be held against; what is right is only counted."""
        return {
            "counts": dict(self.counts),
            "wrong": [check.data() for check in self.wrong],
            "unverifiable": [check.data() for check in self.unverifiable],
            "open": {question: list(lines) for question, lines in self.open_claims().items()},
        }

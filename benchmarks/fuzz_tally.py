"""What became of fuzzed cases: counted by format and by kind of fault, added up over processes, and printed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from benchmarks.file_damage import Damage


class Kind(StrEnum):
    """What may be wrong with a case; the value is the title of its column."""

    TRACEBACK = "tracebacks"
    HANG = "over 60 s"
    MEMORY = "over 1 GB"
    ROWS = "rows lost"
    SCREEN = "screen"
    """A control character of a file that reached the screen, or an exit code that is none of BLADE's."""


@dataclass(frozen=True, slots=True)
class Fault:
    kind: Kind
    text: str


@dataclass(slots=True)
class Tally:
    """What became of the cases of a format."""

    cases: int = 0
    read: int = 0
    """Cases that gave runs."""
    refused: int = 0
    """Cases that ended with an error of BLADE's own."""
    faults: Counter[Fault] = field(default_factory=Counter)
    first: dict[Fault, str] = field(default_factory=dict)
    seconds: float = 0.0
    """Seconds of the processor."""
    most_held: int = 0
    """Kilobytes that the process held at the most."""

    def add(self, fault: Fault, case: int, done: list[Damage]) -> None:
        self.faults[fault] += 1
        self.first.setdefault(fault, f"case {case}: " + "; ".join(one.text for one in done))

    def take(self, other: Tally) -> None:
        """Add the cases of another process."""
        self.cases += other.cases
        self.read += other.read
        self.refused += other.refused
        self.faults += other.faults
        self.first = {**other.first, **self.first}
        self.seconds += other.seconds
        self.most_held = max(self.most_held, other.most_held)

    def of(self, kind: Kind) -> int:
        return sum(many for fault, many in self.faults.items() if fault.kind is kind)

    def as_json(self) -> dict[str, Any]:
        faults = [[fault.kind, fault.text, many, self.first[fault]] for fault, many in self.faults.items()]
        numbers = {"seconds": self.seconds, "most_held": self.most_held}
        return {"cases": self.cases, "read": self.read, "refused": self.refused, "faults": faults, **numbers}

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> Tally:
        numbers = {name: content[name] for name in ("cases", "read", "refused", "seconds", "most_held")}
        tally = cls(**numbers)
        for kind, text, many, first in content["faults"]:
            fault = Fault(Kind(kind), text)
            tally.faults[fault], tally.first[fault] = many, first
        return tally


def faults_of(tally: Tally) -> list[str]:
    """Each fault with its first case, the most frequent first."""
    return [f"    {many} × {fault.text}\n        {tally.first[fault]}" for fault, many in tally.faults.most_common()]


def table_of(tallies: Mapping[str, Tally], wall: float) -> str:
    """A line for each format, the sums, and below them the faults in words."""
    total = Tally()
    for tally in tallies.values():
        total.take(tally)
    titles = ["format", "cases", "read", "refused", *Kind, "CPU s", "MB"]
    lines = [titles, *(_cells(name, tally) for name, tally in tallies.items()), _cells("all", total)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    printed = [
        "  ".join(cell.ljust(width) if not place else cell.rjust(width) for place, (cell, width) in enumerate(pairs))
        for pairs in (list(zip(line, widths, strict=True)) for line in lines)
    ]
    words = [line for name, tally in tallies.items() if tally.faults for line in (f"{name}:", *faults_of(tally))]
    spent = f"{total.seconds / 60:.1f} minutes of the processor in {wall / 60:.1f} minutes"
    faults = sum(total.faults.values())
    return "\n".join([*printed, *words, f"{total.cases} cases, {faults or 'no'} faults, {spent}"])


def _cells(name: str, tally: Tally) -> list[str]:
    numbers = [tally.cases, tally.read, tally.refused, *(tally.of(kind) for kind in Kind)]
    return [name, *map(str, numbers), f"{tally.seconds:.0f}", f"{tally.most_held / 1024:.0f}"]

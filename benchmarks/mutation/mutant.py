"""One change to one file of the source, and what became of it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Outcome(StrEnum):
    """Killed: a test failed, or the tests did not come to an end."""

    KILLED = "killed"
    SURVIVED = "survived"
    EXCLUDED = "excluded"


@dataclass(frozen=True, slots=True)
class Mutant:
    """A file as it stands, and as the mutant has it. `key` stays the same while the line itself does."""

    folder: str
    key: str
    file: str
    line: int
    was: str
    becomes: str
    source: str
    tests: tuple[str, ...]

    @property
    def words(self) -> str:
        return f"{self.key} {self.file}:{self.line}\n    − {self.was}\n    + {self.becomes}"


@dataclass(frozen=True, slots=True)
class Result:
    """How one mutant came out, and how long its tests took."""

    mutant: Mutant
    outcome: Outcome
    seconds: float
    reason: str = ""

"""What a kind of planted case is, and how its planter reaches a wanted change of the score."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from benchmarks.planted_suite.evidence_level import Level

from blade.simulate import benchmarks
from blade.simulate.cause_context import CauseContext, PlantedCause
from blade.simulate.rng import chance, dice
from blade.simulate.run import expected_score, score

if TYPE_CHECKING:
    import random

    from blade.simulate.cause_context import Scenario
    from blade.simulate.simulated_row import SimulatedRow, SimulatedTask

__all__ = ["ExpectedCause", "Group", "Knowable", "Plan", "PlantKind", "PlantSetting", "solve"]

Group = Literal[
    "null",
    "decoy",
    "fact",
    "row_evidence",
    "noise_limited",
    "controlled",
    "churn",
    "sampling",
    "pair",
    "gold",
    "foreign",
]
Knowable = Literal["identified", "bounds", "not_identified", "nothing"]
"""What an honest reader can say of the cause; `nothing` where there is no cause."""
HALVINGS = 9


@dataclass(frozen=True, slots=True)
class PlantSetting:
    """The candidate as it would have been, the dose as a fraction of the score, and dice of the planter's own."""

    scenario: Scenario
    clean: tuple[SimulatedRow, ...]
    dose: float
    level: Level
    rng: random.Random

    @property
    def score(self) -> float:
        return score(self.clean)

    @property
    def tasks(self) -> list[SimulatedTask]:
        return list({row.index: row.task for row in self.clean}.values())

    def mean_chance(self, skill: float, *, shift: float = 0.0, category: str = "") -> float:
        """Sum of the pass probabilities of the tasks (of one category) over the number of all tasks."""
        heat = self.scenario.temperature
        odds = [chance(skill, task.hardness + shift, heat) for task in self.tasks if category in ("", task.category)]
        return sum(odds) / len(self.tasks)

    @property
    def expected(self) -> float:
        return expected_score(self.clean)

    def change(self, cause: PlantedCause, *, realised: bool) -> float:
        """What the cause alone would do to this candidate's score: on these rows, or on average over reruns."""
        cause_rng = dice("cause", self.scenario.seed, self.scenario.dice, 0, cause.name)
        edit = cause.plant(CauseContext(self.scenario, benchmarks.load(self.scenario.benchmark), self.clean, cause_rng))
        return score(edit.rows) - self.score if realised else expected_score(edit.rows) - self.expected

    def fit(
        self, make: Callable[[float], PlantedCause], low: float, high: float, *, realised: bool = False
    ) -> PlantedCause:
        """The cause whose size, between the two bounds, moves the score by the dose as nearly as it can.

        The average over reruns is aimed at, so that the luck of these rows does not choose the size; only where
        the cause picks rows by their outcome must the realised change be aimed at.
        """
        best, gap = make(high), abs(abs(self.change(make(high), realised=realised)) - self.dose)
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            size = abs(self.change(make(middle), realised=realised))
            if abs(size - self.dose) < gap:
                best, gap = make(middle), abs(size - self.dose)
            low, high = (middle, high) if size < self.dose else (low, middle)
        return best


@dataclass(frozen=True, slots=True)
class Plan:
    """The causes that are planted into the candidate, and those that the base has as well."""

    candidate: tuple[PlantedCause, ...] = ()
    base: tuple[PlantedCause, ...] = ()


@dataclass(frozen=True, slots=True)
class ExpectedCause:
    """The right name of a planted cause in a report's words; `also` are names that are as right."""

    cause: str
    sub: str | None = None
    also: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PlantKind:
    """One kind of case. `wanted` says for each planted cause what a report should call it."""

    name: str
    number: int | None
    """Its row in the table of kinds; a decoy has none."""
    group: Group
    plan: Callable[[PlantSetting], Plan]
    knowable: Mapping[Level, Knowable]
    """What can be known at each level of evidence; a level that is not here does not exist for this kind."""
    wanted: Mapping[str, ExpectedCause] = field(default_factory=dict)
    benchmarks: tuple[str, ...] = ("field_notes", "patch_bench")
    shared: bool = False
    """The candidate repeats the attempts of the base word for word."""
    exact: bool = False
    """The truth is what was done to these very rows, not what many reruns would give on average."""
    manifest: Literal["always", "only_full"] = "always"
    """`only_full`: below E2 nobody says which rows were expected."""


def solve(function: Callable[[float], float], target: float, low: float, high: float) -> float:
    """Where a rising function reaches a value, or the nearer bound."""
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if function(middle) < target else (low, middle)
    return (low + high) / 2

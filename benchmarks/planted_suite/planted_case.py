"""One case of the planted-cause benchmark: two runs on disk, and the truth about them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.planted_suite import kinds
from benchmarks.planted_suite.evidence_level import Level
from benchmarks.planted_suite.gym_light import write_light
from benchmarks.planted_suite.planter import Group, Knowable, PlantKind, PlantSetting

from blade.simulate.cause_context import Scenario
from blade.simulate.rng import dice
from blade.simulate.run import SimulatedRun, clean_rows, make_run, score
from blade.simulate.simulated_row import Json, SimulatedRow
from blade.simulate.truth import shared_out

if TYPE_CHECKING:
    from blade.simulate.run import Planted

__all__ = ["CaseTruth", "PlantedCase", "TruePart", "case"]

DETECTABLE = 2.8016
"""Standard errors that a change must have to be found four times out of five at the 5 % level."""
PASS_RATES = (0.45, 0.7)
LEFT = ("failures", "absent")


@dataclass(frozen=True, slots=True)
class TruePart:
    """What one planted cause did, in a report's words. Points are candidate minus base, as fractions of 1."""

    planted: str
    cause: str
    sub: str | None
    also: tuple[str, ...]
    realised: float
    """On these very rows: with the cause against without it."""
    expected: float | None
    """On average over many reruns; null where only these very rows count."""
    where: Json
    tasks: tuple[str, ...]
    rollouts: int

    @property
    def points(self) -> float:
        """The truth that an estimate should cover."""
        return self.realised if self.expected is None else self.expected


@dataclass(frozen=True, slots=True)
class CaseTruth:
    """What an honest and able reader of the two runs could know."""

    kind: str
    number: int | None
    group: Group
    level: Level
    knowable: Knowable
    seed: int
    benchmark: str
    tasks: int
    repeats: int
    dose: float
    """Asked for, in percentage points; what was reached stands in the parts."""
    mirrored: bool
    """The causes are in the base: the signs of the parts are turned."""
    shared: bool
    delta: float
    mde: float
    """The change that this many rows could just detect, from the true pass probabilities."""
    parts: tuple[TruePart, ...]

    @property
    def size(self) -> float:
        """How much there is to find. Rows that left the file count for what they would cost as zeros."""
        rows_gone = any(part.where.get("shape") in LEFT or part.where.get("by") == "random" for part in self.parts)
        return max([abs(part.points) for part in self.parts] + [self.dose / 100 if rows_gone else 0.0])

    @property
    def ratio(self) -> float:
        """The size in units of what could just be detected."""
        return self.size / self.mde if self.mde else float("inf")


@dataclass(frozen=True, slots=True)
class PlantedCase:
    """Two rollouts files with their sidecars, and the truth."""

    base: Path
    candidate: Path
    truth: CaseTruth


def case(
    kind: str,
    evidence: Level,
    seed: int,
    folder: str | Path,
    *,
    tasks: int = 100,
    repeats: int = 4,
    dose: float = 5.0,
    mirrored: bool = False,
) -> PlantedCase:
    """Write both runs of one case below the folder: rollouts, materialized inputs, and failures where needed.

    `dose` is aimed at, in percentage points of the score. The benchmark, its pass rate, the error texts and the
    places that are hit follow from the seed. With `mirrored` the causes go into the base instead.
    """
    planted_kind = kinds.load(kind)
    if evidence not in planted_kind.knowable:
        raise KeyError(f"{kind}: no evidence level {evidence}; there are {', '.join(planted_kind.knowable)}")
    hit, clean_run = _runs(planted_kind, evidence, seed, (tasks, repeats), dose / 100)
    manifest = planted_kind.manifest == "always" or evidence == "E2"
    places = [Path(folder) / name for name in ("base", "candidate")]
    base, candidate = (hit, clean_run) if mirrored else (clean_run, hit)
    paths = [
        write_light(run, place, evidence, manifest=manifest)
        for run, place in zip((base, candidate), places, strict=True)
    ]
    sign = -1.0 if mirrored else 1.0
    truth = CaseTruth(
        kind=kind,
        number=planted_kind.number,
        group=planted_kind.group,
        level=evidence,
        knowable=planted_kind.knowable[evidence],
        seed=seed,
        benchmark=hit.scenario.benchmark,
        tasks=tasks,
        repeats=repeats,
        dose=dose,
        mirrored=mirrored,
        shared=planted_kind.shared,
        delta=score(candidate.rows) - score(base.rows),
        mde=0.0 if planted_kind.shared else _detectable(hit.clean, repeats),
        parts=_true_parts(planted_kind, hit, sign),
    )
    return PlantedCase(paths[0], paths[1], truth)


def _runs(
    kind: PlantKind, level: Level, seed: int, size: tuple[int, int], dose: float
) -> tuple[SimulatedRun, SimulatedRun]:
    """The run that the causes are planted in, and the other one."""
    rng = dice("case", kind.name, level, seed)
    benchmark = kind.benchmarks[rng.randrange(len(kind.benchmarks))]
    skill = rng.uniform(*PASS_RATES)
    throws = 2 * rng.getrandbits(30)
    scenario = Scenario(benchmark, seed, *size, model="sim-case", skill=skill, dice=throws)
    again = scenario if kind.shared else replace(scenario, dice=throws + 1)
    first = tuple(clean_rows(scenario))
    second = first if kind.shared else tuple(clean_rows(again))
    plan = kind.plan(PlantSetting(again, second, dose, level, rng))
    hit = make_run(replace(again, causes=plan.candidate), second)
    clean_run = make_run(replace(scenario, causes=plan.base), first)
    return hit, clean_run


def _detectable(rows: tuple[SimulatedRow, ...], repeats: int) -> float:
    """Both runs throw the dice of each task so many times."""
    odds = {row.index: row.outlook for row in rows}
    variance = sum(2 * chance * (1 - chance) / repeats for chance in odds.values()) / len(odds) ** 2
    return float(DETECTABLE * variance**0.5)


def _true_parts(kind: PlantKind, run: SimulatedRun, sign: float) -> tuple[TruePart, ...]:
    """One for each planted cause that a report should find; several share the whole change out."""
    if not kind.wanted:
        return ()
    names = {row.index: row.task.task_id for row in run.clean}
    shares = shared_out(run)
    return tuple(
        _true_part(kind, planted, names, (sign * realised, sign * expected))
        for planted, (realised, expected) in zip(run.planted, shares, strict=True)
    )


def _true_part(kind: PlantKind, planted: Planted, names: dict[int, str], points: tuple[float, float]) -> TruePart:
    expected = kind.wanted[planted.cause]
    hit = sorted({int(key.partition(":")[0]) for key in planted.rows})
    return TruePart(
        planted=planted.cause,
        cause=expected.cause,
        sub=expected.sub,
        also=expected.also,
        realised=points[0],
        expected=None if kind.exact else points[1],
        where=planted.where,
        tasks=tuple(names[index] for index in hit),
        rollouts=len(planted.rows),
    )

"""What the ledger says: parts that add up to the change of the score, and the matrix they are the column sums of."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal

from blade.frozen import frozen
from blade.stats.ledger.behaviour import Capability, Migration
from blade.stats.ledger.composition import Weighting
from blade.stats.ledger.intervals import Span
from blade.stats.ledger.rows import Floats
from blade.stats.ledger.theta import Theta

Status = Literal["identified", "assumed", "bounds", "not_identified"]


@frozen
class Settings:
    weighting: Weighting = "macro"
    theta: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))  # by class; overrides estimates
    controls: Mapping[str, Mapping[Hashable, float]] = field(default_factory=lambda: MappingProxyType({}))
    # by class and task: what hit rows would have scored, on the unit scale, from a rerun or a re-extraction
    behaviour_p: float | None = None  # fixed-task permutation on clean rows of common tasks; None: t over tasks
    behaviour_open_p: float | None = None  # the same with rows of open theta counted as the failures they may be
    behaviour_slice_p: float | None = None  # of a slice whose clean rows moved otherwise than the rest
    verifier_p: float | None = None  # of a verifier change, from a test of re-scored rows; None: t over tasks
    verifier_changed: bool = False  # the verifiers are known to differ
    unit: tuple[float, float] | None = None  # rewards of nothing and of everything achieved
    draws: int = 1000
    seed: int = 0


@frozen
class LedgerPart:
    cause: str
    sub: str | None
    points: float  # on the scale of the rewards; all parts add up to delta
    interval: Span | None  # 95 %; None where tasks are too few
    bounds: Span | None  # over what the data leave open: theta from 0 to 1, or the level of tasks not in common
    status: Status
    named: bool
    p: float | None  # before Holm; None for facts and where nothing can be tested
    tasks: tuple[Hashable, ...]  # those it touches, largest first
    rollouts: int  # rows of both runs it speaks of
    theta: float | None = None
    theta_estimated: bool = False


@frozen
class Pooled:
    """The parts not named, as one bar."""

    points: float
    interval: Span | None
    parts: int


@dataclass(frozen=True, slots=True, eq=False)
class Ledger:
    scores: tuple[float | None, float | None]  # of base and candidate, corrected; None without rows
    delta: float | None  # candidate minus base, as found: corrections included; None if a run has no rows
    delta_common: float | None  # inside the common tasks, None without any
    parts: tuple[LedgerPart, ...]  # named first, then by size
    tasks: tuple[Hashable, ...]  # rows of phi
    phi: Floats  # [task, part], same columns as parts; adds up to delta
    pooled: Pooled
    behaviour: LedgerPart | None  # the whole behaviour part; parts hold it by failure mode
    migration: Migration | None  # losses that changed their mode
    capability: Capability  # the change inside common tasks by whether a task is ever solved
    thetas: Mapping[str, Theta]  # by class seen on common tasks
    common: int  # common tasks
    common_shares: tuple[float, float]  # of the weight of base and candidate
    imputed_mass: float  # points (absolute) on tasks where a run has no clean row
    imputed_share: float  # of all absolute entries of phi
    rescored_shares: tuple[float, float]  # of the rows of base and candidate on common tasks

"""What BLADE knows: the core types, on one page. Standard library only, no I/O.

One word per idea: a *run* is one model or agent on one benchmark; a *task* is one of its problems; an *attempt* is one
try at a task; a *rollout* is the record of an attempt; a *step* is one event inside it. A *bucket* describes a task
(always, sometimes, never, missing), a *flaw* is something in the input that could not be taken as it stood.
"""

from __future__ import annotations

import html
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

from blade.findings import Finding, Intervention, Label, Mode
from blade.frozen import frozen


class Status(StrEnum):
    """What happened to a row; the first that applies, in this order."""

    MISSING = "missing"
    SKIPPED = "skipped_verification"
    INFRASTRUCTURE = "infrastructure"
    VERIFIER_ERROR = "verifier_error"
    TIMED_OUT = "timed_out"
    TRUNCATED = "truncated"
    MALFORMED = "malformed"
    OK = "ok"


NOT_EVALUABLE = (Status.MISSING, Status.SKIPPED, Status.INFRASTRUCTURE, Status.VERIFIER_ERROR)
"""Statuses that say nothing about the model: left out of the evaluable set of numbers."""


class Bucket(StrEnum):
    ALWAYS = "always"
    SOMETIMES = "sometimes"
    NEVER = "never"
    MISSING = "missing"


class StepKind(StrEnum):
    __hash__ = str.__hash__  # the one of enumerations is Python code, and every step is looked up by its kind

    PROMPT = "prompt"
    THOUGHT = "thought"
    MESSAGE = "message"
    CALL = "call"
    OUTPUT = "output"
    USER = "user"
    ENVIRONMENT = "environment"
    OTHER = "other"


@dataclass(slots=True)
class Step:
    """One event of a rollout, in order. `item` is its place in response.output; prompt steps count below zero.

    A message that holds logs is several steps: `start` is where the text of this one begins in the text of the item.
    """

    kind: StepKind
    item: int
    text: str = ""
    name: str = ""
    arguments: Any = None
    call_id: str = ""
    role: str = ""
    start: int = 0


@frozen
class Flaw:
    """Something that could not be taken as it stood: what, where, how many rows it touches."""

    slug: str
    statement: str
    file: str = ""
    line: int | None = None
    rows: int = 0


@frozen
class Source:
    """Where a rollout stands: enough to open it again with one seek."""

    file: str
    line: int
    offset: int
    length: int


@frozen
class Rollout:
    run: str
    task: str
    attempt: int
    score: float | None
    status: Status
    passed: bool | None
    source: Source


@frozen
class File:
    """One file that was read or seen. `kind` is the name of the reader that knew it."""

    path: Path
    kind: str
    bytes: int
    rows: int | None = None
    fingerprint: str | None = None
    note: str = ""


@frozen
class Provenance:
    """Under what settings a run was made, as far as its artifacts or its owner say."""

    models: Mapping[str, int] = field(default_factory=dict)
    checkpoint: str | None = None
    agent: str | None = None
    skills: str | None = None
    sampling: Mapping[str, Any] = field(default_factory=dict)
    sampling_varies: tuple[str, ...] = ()
    repeats: int | None = None
    limit: int | None = None
    config: Mapping[str, Any] = field(default_factory=dict)
    config_file: str | None = None
    notes: str | None = None
    notes_file: str | None = None
    row_path: tuple[str, str] | None = None
    """A field in which every row names one path that the rows were made from, and that path: it may tell settings."""
    learned: Mapping[str, str] = field(default_factory=dict)
    """Fields that are read as the key, the answer, the expected actions or the checks for what they do in the rows."""


@frozen
class Loss:
    reason: str
    rollouts: int


@frozen
class Denominator:
    """expected → started → finished → graded → counted; every step down is named in `losses`."""

    expected: int | None
    expected_source: str
    expected_note: str
    started: int
    finished: int
    graded: int
    counted: int
    losses: tuple[Loss, ...]
    bounds: tuple[float, float] | None

    @property
    def from_rows(self) -> bool:
        """Whether the rows themselves gave the expected number, and no inputs or plan: reaching it proves nothing."""
        return self.expected_source == "inferred" and "declared" not in self.expected_note


@frozen
class TaskResult:
    """One task in one run."""

    attempts: int
    expected: int | None
    passes: int | None
    mean: float | None
    bucket: Bucket | None
    rate_above: float | None = None  # beside "never": P(true pass rate > 0.1)
    outcomes: str = ""
    """A letter per attempt, in order: p passed, f failed, g graded without a pass rule, i broken by infrastructure,
    v without a verdict, s never verified, m missing."""

    @property
    def judged(self) -> int:
        """The attempts that ran and were judged."""
        return sum(self.outcomes.count(letter) for letter in "pfg")

    @property
    def judged_passes(self) -> int:
        return self.outcomes.count("p")

    @property
    def judged_bucket(self) -> Bucket | None:
        """The bucket of the judged attempts alone; missing where there are none, None without a rule for passes."""
        if self.bucket is None:
            return None
        if not self.judged:
            return Bucket.MISSING
        passes = self.judged_passes
        return Bucket.ALWAYS if passes == self.judged else Bucket.SOMETIMES if passes else Bucket.NEVER


@frozen
class Task:
    task: str
    key_source: str
    slices: Mapping[str, str]
    runs: Mapping[str, TaskResult]
    text: str = ""
    called: Mapping[str, str] = field(default_factory=dict)
    """Run → what that run calls the task, where it has rows of it."""


@frozen
class RunAnalysis:
    """Everything counted about one run; `metrics` and the tables below it are plain data, ready to be written."""

    name: str
    files: tuple[File, ...]
    provenance: Provenance
    tasks: int
    rollouts: int
    score_threshold: float | None
    pass_source: str
    scale: str
    statuses: Mapping[str, int]
    metrics: Mapping[str, Any]
    denominator: Denominator
    buckets: Mapping[str, int] | None
    buckets_evaluable: Mapping[str, int] | None
    tokens: Mapping[str, Any]
    reasons: tuple[Mapping[str, Any], ...]
    endings: Mapping[str, Mapping[str, Any]]
    slices: tuple[Mapping[str, Any], ...]
    checks: tuple[Mapping[str, Any], ...]
    fields: tuple[Mapping[str, Any], ...]
    key_source: str
    spending: Mapping[str, Any] = field(default_factory=dict)
    """What the rollouts cost and how long they took, where their rows say so: see `counting.spending`."""
    audit: Mapping[str, Any] = field(default_factory=dict)
    """What became of the rows before anything is said about the model: see `counting.audit`."""


@frozen
class Part:
    """One part of a change, with its cause. All parts of a change add up to it exactly."""

    cause: str
    sub: str | None
    points: float
    interval: tuple[float, float] | None
    status: str  # identified | assumed | bounds | not_identified
    named: bool
    tasks: tuple[str, ...]
    rollouts: int
    where: Mapping[str, Any] = field(default_factory=dict)
    evidence: tuple[Mapping[str, Any], ...] = ()
    bounds: tuple[float, float] | None = None
    p: float | None = None
    theta: float | None = None
    rows: frozenset[tuple[str, int]] = field(default=frozenset(), repr=False)
    """File and line of what it counts, where neither status nor mode tells: rows that two verifiers score otherwise."""
    blame: str = ""
    """Of behaviour, whose doing it is (`diagnosis.blame`); empty for other causes, which say it themselves."""


@frozen
class Change:
    """One candidate against the baseline: is it real, and where does every point of it come from."""

    base: str
    candidate: str
    common_tasks: int
    delta: float | None
    delta_zero_fill: float | None
    delta_common: float | None
    interval: tuple[float, float] | None
    p: float | None
    p_method: str | None
    mde: float | None
    verdict: str  # real | inconclusive | noise | not_comparable
    reason: str
    churn_p: float | None
    repeats_needed: int | None
    tasks_needed: int | None
    separable: bool
    confounded_with: tuple[str, ...]
    shared_outputs: Mapping[str, Any]
    parts: tuple[Part, ...]
    flips: tuple[Mapping[str, Any], ...]
    flips_expected: Mapping[str, Any] | None
    slices: tuple[Mapping[str, Any], ...]
    passport: tuple[Mapping[str, Any], ...]
    views: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


@frozen
class Analysis:
    """Worked out, not yet worded."""

    benchmark: str | None
    runs: tuple[RunAnalysis, ...]
    tasks: tuple[Task, ...]
    flaws: tuple[Flaw, ...]
    inventory: tuple[File, ...] = ()
    identity: tuple[Mapping[str, Any], ...] = ()
    changes: tuple[Change, ...] = ()
    health: tuple[Mapping[str, Any], ...] = ()
    health_checks: tuple[Mapping[str, str], ...] = ()
    """Every health check with how it ended: `found`, `clean`, `elsewhere` (another part of the report tells of its
    matter) or `not_checked`, and why it could not look."""
    ranking: Mapping[str, Any] | None = None
    series: Mapping[str, Any] | None = None
    """Checkpoints of one model in their order: see `change.series`."""
    contrasts: tuple[Mapping[str, Any], ...] = ()
    investigation: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """What was asked of all rollouts together, by question: see `blade.questions`."""
    modes: tuple[Mode, ...] = ()
    funnel: tuple[Mapping[str, Any], ...] = ()
    twins: tuple[Mapping[str, Any], ...] = ()
    findings: tuple[Finding, ...] = ()
    findings_total: int = 0
    labels: tuple[Label, ...] = ()
    rollout_labels: tuple[Label, ...] = ()
    """Failed attempts whose label is not that of their task."""
    readings: tuple[Mapping[str, Any], ...] = ()
    """What was noted of each run by those who read its rollouts: see `diagnosis.readings`."""
    meanings: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    interventions: tuple[Intervention, ...] = ()
    other_interventions: tuple[Intervention, ...] = ()
    """Of the runs before the last, the most worthwhile of each, where there are more than two."""
    counterfactuals: tuple[Mapping[str, Any], ...] = ()
    stories: tuple[Mapping[str, Any], ...] = ()
    noticed: Any = field(default=None, repr=False, compare=False)
    """The table of all that was noticed, a row per cite: what findings.parquet holds."""
    features: Any = field(default=None, repr=False, compare=False)
    """Makes the table of rollouts and their features when it is called: what features.parquet holds."""

    def _repr_html_(self) -> str:
        """A line per run: what a notebook shows."""
        rows = "".join(
            f"<tr><td>{html.escape(run.name)}</td><td>{run.metrics['score']}</td><td>{run.tasks}</td>"
            f"<td>{run.denominator.graded}</td><td>{run.denominator.expected}</td></tr>"
            for run in self.runs
        )
        head = "".join(f"<th>{title}</th>" for title in ("run", "score", "tasks", "graded", "expected"))
        return f"<table><tr>{head}</tr>{rows}</table>"

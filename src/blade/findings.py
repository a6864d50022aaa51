"""What was noticed, and the place that proves it. A finding without evidence cannot be built.

A detector looks at one rollout and returns a `Sighting` in one of four states. Only `fired` becomes a `Finding`;
`guarded` is kept for the audit, `not applicable` is no evidence of absence.
"""

from __future__ import annotations

from collections.abc import Mapping, Sized
from dataclasses import field
from enum import StrEnum
from hashlib import sha256
from typing import Any

from blade.frozen import frozen

LONGEST_QUOTE = 240
MOST_CITES = 6
FEWEST_WORKING = 10
GOOD_PART = 3
HARDLY = 0.1
"""Of the rollouts still at work halfway to a limit: fewer that pass later leave nothing for a higher one to gain."""


class State(StrEnum):
    __hash__ = str.__hash__  # the one of enumerations is Python code, and every rule of every row asks for it

    FIRED = "fired"
    CLEAN = "clean"
    NOT_APPLICABLE = "n/a"
    GUARDED = "guarded"


@frozen
class Cite:
    """A place inside one rollout: an item of the transcript, or a field of the row, and the exact words there."""

    item: int | None
    """Place in response.output; the prompt counts below zero; None for a field of the row."""
    field: str
    """`text` or `arguments` of an item, or `row.<dotted name>`."""
    start: int
    end: int
    quote: str


@frozen
class Sighting:
    """What one detector says of one rollout."""

    state: State
    cites: tuple[Cite, ...] = ()
    detail: str = ""
    """What was noticed, as the end of a sentence: "calls 'lookup', which is not offered"."""
    value: str = ""
    """What groups sightings of one kind: a tool's name, an error class, an argument's name."""
    guard: str = ""
    """The guard that removed it: G1 to G6."""

    def __post_init__(self) -> None:
        if self.state in {State.FIRED, State.GUARDED} and not self.cites:
            raise ValueError("what fired must cite the place that proves it")


CLEAN = Sighting(State.CLEAN)
NOT_APPLICABLE = Sighting(State.NOT_APPLICABLE)


def fired(*cites: Cite, detail: str, value: str = "") -> Sighting:
    return Sighting(State.FIRED, cites[:MOST_CITES], detail, value)


def guarded(sighting: Sighting, guard: str) -> Sighting:
    """The same sighting, taken out by a chronology guard."""
    return Sighting(State.GUARDED, sighting.cites, sighting.detail, sighting.value, guard)


@frozen
class Evidence:
    """A cite with the file it stands in: everything that is needed to open it and prove it again."""

    kind: str  # quote, row, absence, statistic
    file: str
    line: int
    offset: int
    length: int
    item: int | None
    field: str
    start: int
    end: int
    quote: str

    @property
    def sha256(self) -> str:
        return sha256(self.quote.encode("utf-8", errors="replace")).hexdigest()


@frozen
class Finding:
    """Something a detector noticed in one rollout."""

    id: str
    detector: str
    family: str
    run: str
    task: str
    attempt: int
    statement: str
    value: str
    passed: bool | None
    evidence: tuple[Evidence, ...]

    def __post_init__(self) -> None:
        if not self.evidence:
            raise ValueError("a finding needs evidence")


@frozen
class PartShare:
    """The rollouts of a mode or an intervention that one part of a change counts. The points are the ledger's."""

    change: int
    part: int
    """Places in the analysis: of the change, and of the part in it."""
    cause: str
    sub: str | None
    points: float
    rollouts: int
    of: int
    """The failing rollouts that the part counts, in the runs that are spoken of."""
    whole: bool
    """Whether these are all of them: the points are theirs alone."""


@frozen
class NamedValue:
    """Something that rollouts of a mode name: an option, a call, a tool, an error."""

    value: str
    rollouts: int
    runs: Mapping[str, int]
    """Its rollouts in each run that has any."""
    tasks: tuple[str, ...]
    """Those with most of its rollouts first."""
    tasks_total: int
    passes: int
    """Passes in which the same rule names it."""
    is_sign: bool
    """Whether failures name it more often than passes do."""


@frozen
class NamedValues:
    """What the rollouts of a mode name, by one rule: what recurs, the commonest first."""

    noun: str
    """What the values are, in the singular: tool, error, expected call."""
    rollouts: int
    """The rollouts of the mode, in all runs."""
    distinct: int
    """How many values there are, those that do not recur among them."""
    common: tuple[NamedValue, ...]
    rarer: int = 0
    """The most rollouts of any other value; 0 where there is none."""


@frozen
class Mode:
    """One way of failing: every failed rollout has at most one. `runs` counts it in each run."""

    id: str
    name: str
    family: str
    kind: str  # format, knowledge, behaviour, verifier, infrastructure, data, unknown
    detector: str | None
    runs: Mapping[str, Mapping[str, Any]]
    recoverable: Mapping[str, Any]
    findings: tuple[str, ...]
    trend: str | None  # new, gone, persisting; None for one run
    where: Mapping[str, Any] = field(default_factory=dict)
    shift: Mapping[str, Any] | None = None
    """From the first run to the last: tasks with more of it and with fewer, and whether chance explains that."""
    parts: tuple[PartShare, ...] = ()
    """The parts of the last change that count its rollouts."""
    change_points: float | None = None
    """Its points of that change; None where it is only some of a part, or has none."""
    blame: str = "unexplained"
    """Whose doing it is: see `diagnosis.blame`."""
    separation: Mapping[str, Any] | None = None
    """Whether what it tells of goes with failing inside the runs (`diagnosis.separation`); None for shapes."""
    named: NamedValues | None = None
    """What its rollouts name (`diagnosis.named_values`); None where nothing recurs."""


@frozen
class Label:
    """Why a task failed in a run: KG, UK, BI, TI, IR, DA, or IE where the evidence is not enough."""

    run: str
    task: str
    labels: tuple[str, ...]
    confidence: float | None
    calibrated: bool
    because: tuple[str, ...]
    missing: str
    why: str = ""
    attempt: int | None = None
    """Of one attempt that differs from its task; None where the label is the task's."""
    rule: str = ""
    """What gave it: a detector, a pattern over attempts, a fault of the task; empty where nothing did."""


OF_KEY, OF_USER, OF_VERIFIER = "key", "simulated user", "verifier"


@frozen
class TaskFault:
    """Why the failures of a task are not the model's: the reason, whose fault it is, and in which runs."""

    reason: str
    source: str = OF_KEY
    runs: tuple[str, ...] = ()
    """The runs that it struck; empty for all."""

    def struck(self, run: str) -> bool:
        return not self.runs or run in self.runs


@frozen
class Annotation:
    """What somebody who read a rollout noted of it. `row` is the hash of the row: it finds the rollout in any run."""

    run: str
    task: str
    attempt: int
    row: str
    author: str
    label: str
    mechanism: str
    blame: str
    verdict_wrong: bool
    quote: str
    read_fully: bool
    remark: str = ""


@frozen
class MoreRoom:
    """What twice the limit of a run may bring, judged by its rollouts that were still at work halfway to it."""

    cut: int
    looping: int
    """Of the rollouts that it cut, those that repeat themselves."""
    working: int
    later: int
    """Of the rollouts still at work halfway, those that passed later."""
    points: float
    """What twice the limit would bring if as many of the cut failures passed: an estimate, not a bound."""

    @property
    def hardly_helps(self) -> bool:
        return self.working >= FEWEST_WORKING and self.later < HARDLY * self.working

    def covers(self, rollouts: Sized) -> bool:
        """Whether these rollouts may be what it cut, or a good part of it: a run can have several limits."""
        return len(rollouts) <= self.cut <= GOOD_PART * len(rollouts)


@frozen
class Intervention:
    """What to change, how many points it may bring, and how to find out cheaply."""

    kind: str  # harness, prompt, verifier, data, environment, sft, rl, skill
    summary: str
    points: float | None
    interval: tuple[float, float] | None
    exact: bool
    tasks: tuple[str, ...]
    because: tuple[str, ...]
    cheap_test: str
    prediction: str
    run: str = ""
    mode: str = ""
    rollouts: int = 0
    note: str = ""
    change: str = ""
    """What to change, without the counts."""
    ways: tuple[tuple[str, int], ...] = ()
    """How the rollouts fail: the names of their modes, the commonest first, each with its rollouts."""
    named: tuple[tuple[str, str, int], ...] = ()
    """What the rollouts name, or say of their end: what it is (tool, error, reason), the value, and its rollouts."""
    tasks_total: int = 0
    most: float | None = None
    """The ceiling: points if every rollout that fails this way had passed."""
    parts: tuple[PartShare, ...] = ()
    """The parts of the change that count its rollouts."""
    change_points: float | None = None
    """What they make up of the change from the baseline; None where they are only some of a part, or of none."""
    base: str = ""
    """The baseline of that change; empty where nothing is compared."""
    within: int | None = None
    """At most so many rollouts may fail this way in the next run if the change worked."""
    of: int = 0
    """The rollouts that were counted for it."""
    elsewhere: int = 0
    """Failures in the modes that it answers which another intervention counts."""
    more_room: MoreRoom | None = None
    """Where a limit is to be raised: what that may bring."""
    unpassed: int = 0
    """Of the rollouts those at tasks that no run passes, in eight attempts of three runs or more."""
    reachable: float | None = None
    """The ceiling without them; None where there are none."""
    own_errors: int = 0
    """Where a limit is to be raised: failures that it cut as well, left out as their tests end on the work's error."""

    @property
    def highest(self) -> float | None:
        """The ceiling to count on: that of the tasks which some rollout passes, where others are hit, too."""
        return self.most if self.reachable is None else self.reachable

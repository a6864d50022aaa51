"""Every counted rollout of the runs as a case: how it ended, and what the detectors noticed in it."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import Any

import orjson
import polars as pl

from blade.counting.align import Alignment
from blade.counting.durations import agent_seconds
from blade.counting.fields import Fields, field_rows
from blade.counting.passing import FULL, NEAR, UNIT, heap_at_full
from blade.counting.run import Run
from blade.detectors import read_sightings, read_states
from blade.findings import Cite, Evidence, Sighting, State
from blade.frozen import frozen
from blade.model import NOT_EVALUABLE, Status
from blade.registry import plugins

MOST_RECORDS = 8_192
"""Rollouts whose records stay in memory; those of all others are parsed again for every question."""
_OK = Status.OK.value
UNHURT = {status.value for status in NOT_EVALUABLE}
_COLUMNS = (
    "task",
    "label",
    "attempt",
    "reward",
    "passed",
    "state",
    "reason",
    "answer",
    "detectors",
    "sightings",
    "actions",
    "items",
    "acts",
    "stage_lost",
    "observed",
    "checks",
    "file",
    "line",
    "offset",
    "length",
    "text_hash",
)


@dataclass(slots=True)
class Case:
    """One counted rollout. `key` names its task in all runs alike; `mode` is given once modes are known."""

    run: str
    key: str
    label: str
    attempt: int
    reward: float
    passed: bool | None
    failing: bool
    state: str
    reason: str | None
    answer: str | None
    sightings: Mapping[str, Sighting]
    letters: str
    place: tuple[str, int, int, int]  # file, line, offset, length
    mode: str | None = field(default=None)
    signs: frozenset[str] = frozenset()
    """Every mode whose sign the rollout shows, whether it failed or not; given together with the mode."""
    only_spent: bool = False
    """Whether it was cut only where every failure of its run ends; given together with the mode."""
    actions: tuple[str, ...] = ()
    """The calls in order, each its tool and the names of its arguments."""
    items: int | None = None
    """Items of the transcript; 0 where the row holds none."""
    acts: int | None = None
    """What the model did, as far as the row shows it; None where nobody counted."""
    stage_lost: str | None = None
    """Where the attempt stopped before it was one: see `counting.audit`."""
    cut_at: int | None = None
    """The number of turns at which a limit cut it that no field names; found from all rollouts (`settled_signs`)."""
    in_dead_stretch: bool = False
    """Whether its tools were down, as those of the rollouts before and after it; found from all (`settled_signs`)."""
    text_hash: int | None = None
    """A number for the task's own text, as this rollout was asked."""
    observed_json: str | None = field(default=None, repr=False)
    checks_json: str | None = field(default=None, repr=False)
    keeps_record: bool = field(default=True, repr=False, compare=False)
    """Whether what was observed stays in memory once it was asked for."""
    _record: Mapping[str, Any] | None = field(default=None, init=False, repr=False, compare=False)
    _fired: Mapping[str, Sighting] | None = field(default=None, init=False, repr=False, compare=False)
    _tools: tuple[str, ...] | None = field(default=None, init=False, repr=False, compare=False)

    @property
    def shows_the_model(self) -> bool:
        """Whether the row shows anything that the model did."""
        return bool(self.items if self.acts is None else self.acts)

    @property
    def evaluable(self) -> bool:
        return self.state not in UNHURT

    def fired(self) -> Mapping[str, Sighting]:
        """What fired here and may be believed: infrastructure only where the status agrees. Worked out once."""
        if self._fired is None:
            sightings = self.sightings.items()
            self._fired = {
                name: sighting for name, sighting in sightings if sighting.state is State.FIRED and self.believes(name)
            }
        return self._fired

    def show(self, fired: Mapping[str, Sighting]) -> None:
        """Let these be all that fired, once the other rollouts settled what is a sign."""
        self._fired = fired

    def believes(self, detector: str) -> bool:
        """A claim of trouble counts only where the row's status was settled that way, and never on a good row."""
        return believed(detector, self.state)

    def states(self) -> Mapping[str, State]:
        return read_states(self.letters)

    @property
    def observed(self) -> Mapping[str, Any]:
        """What the rollout did: changes, errors of tools, its opening (`extract.observed`). Every question asks."""
        if self._record is not None:
            return self._record
        record = orjson.loads(self.observed_json) if self.observed_json else {}
        if self.keeps_record:
            self._record = record
        return record

    @property
    def checks(self) -> Mapping[str, Any]:
        """The verifier's checks by name, and whether each was passed; empty where it names none."""
        return loaded_record(self.checks_json) if self.checks_json else {}

    @property
    def tools(self) -> tuple[str, ...]:
        """The tools of the calls in order. Most questions ask; rollouts share most of their calls."""
        if self._tools is not None:
            return self._tools
        tools = tuple([tool_of(action) for action in self.actions])
        if self.keeps_record:
            self._tools = tools
        return tools

    def evidence(self, cite: Cite) -> Evidence:
        """A cite of this rollout with the place of its row."""
        file, line, offset, length = self.place
        return Evidence("quote", file, line, offset, length, cite.item, cite.field, cite.start, cite.end, cite.quote)


@lru_cache(maxsize=65536)
def tool_of(action: str) -> str:
    """The tool of a call."""
    return action.partition("(")[0]


@lru_cache(maxsize=MOST_RECORDS)
def loaded_record(text: str) -> Mapping[str, Any]:
    """A record out of the facts. Several comparisons ask for it; nobody changes it."""
    loaded: Mapping[str, Any] = orjson.loads(text)
    return loaded


def believed(detector: str, state: str) -> bool:
    """Whether what a detector says may be believed of a rollout with this status.

    A claim of a field that was held against the score and set aside leaves the status as it was.
    """
    return not _needs_status(detector) or state != _OK


@cache
def _needs_status(detector: str) -> bool:
    """Whether what a detector says counts only where the status agrees. Asked of every sighting, many times."""
    rule = plugins("detectors")[detector]
    return rule.FAMILY == "infrastructure" or getattr(rule, "NEEDS_STATUS", False)


@frozen
class RunCases:
    """The cases of one run, in order of task and attempt."""

    run: Run
    cases: tuple[Case, ...]
    known: dict[str, Any] = field(default_factory=dict, compare=False, repr=False)
    """What was worked out of the cases once, and is asked for again."""

    @property
    def failing(self) -> list[Case]:
        if "failing" not in self.known:
            self.known["failing"] = [case for case in self.cases if case.failing]
        return self.known["failing"]  # type: ignore[no-any-return]

    def judged(self) -> tuple[Case, ...]:
        """The rollouts that say something about the model: they ran, were judged, and passed or failed."""
        if "judged" not in self.known:  # nearly every question asks
            self.known["judged"] = tuple(
                case for case in self.cases if case.evaluable and case.stage_lost is None and case.passed is not None
            )
        return self.known["judged"]  # type: ignore[no-any-return]

    def observing(self, name: str) -> Sequence[Case]:
        """The judged rollouts of which something with this name was observed. Few are, of most names."""
        if "observing" not in self.known:
            cases_by_name: dict[str, list[Case]] = {}
            for case in self.judged():
                for observed_name in case.observed:
                    cases_by_name.setdefault(observed_name, []).append(case)
            self.known["observing"] = cases_by_name
        return self.known["observing"].get(name, ())  # type: ignore[no-any-return]

    @property
    def mixed_up_rows(self) -> int:
        """How many rows were checked as another task than the one whose id they bear."""
        return sum(flaw.rows for flaw in self.run.raw.flaws if flaw.slug == "task-contradicted")

    def judged_alone(self, tasks: Container[tuple[str, str]]) -> RunCases:
        """The attempts at some tasks, named by run and label, that nothing broke."""
        judged_cases = (case for case in self.cases if case.evaluable and case.stage_lost is None)
        return RunCases(self.run, tuple(case for case in judged_cases if (case.run, case.label) in tasks))

    def fields(self) -> list[Fields]:
        """The short fields of every case's row. Every other question asks: they stay where all records may."""
        if "fields" in self.known:
            return self.known["fields"]  # type: ignore[no-any-return]
        rows = field_rows(self.run.graded)
        if self.cases and self.cases[-1].keeps_record:
            self.known["fields"] = rows
        return rows

    def field_names(self) -> tuple[str, ...]:
        """Every name of a short field. Who asks for fields by their names looks at these first: rows share them."""
        if "field_names" not in self.known:
            name_sets = dict.fromkeys([tuple(fields) for fields in self.fields()])
            self.known["field_names"] = tuple(dict.fromkeys(name for names in name_sets for name in names))
        return self.known["field_names"]  # type: ignore[no-any-return]

    def fields_of(self, rows: pl.DataFrame) -> list[Fields]:
        """The short fields of some rows of the run, all that count among them: mostly these are all, and known."""
        return self.fields() if rows.height == self.run.graded.height else field_rows(rows)

    def models(self) -> tuple[str, ...]:
        """The models that the rows name, in order."""
        if "models" not in self.known:
            self.known["models"] = tuple(
                sorted({name for name in self.run.graded["model"].to_list() if name is not None})
            )
        return self.known["models"]  # type: ignore[no-any-return]

    def agent_seconds(self) -> list[float]:
        """How long the agent worked in every case; 0 where its row does not tell."""
        if "agent_seconds" not in self.known:
            self.known["agent_seconds"] = [agent_seconds(fields) for fields in self.fields()]
        return self.known["agent_seconds"]  # type: ignore[no-any-return]

    def by_task(self) -> dict[str, list[Case]]:
        if "by_task" not in self.known:
            cases_by_task: dict[str, list[Case]] = {}
            for case in self.cases:
                cases_by_task.setdefault(case.key, []).append(case)
            self.known["by_task"] = cases_by_task
        return self.known["by_task"]  # type: ignore[no-any-return]


def all_cases(runs: Sequence[Run], alignments: Sequence[Alignment]) -> list[RunCases]:
    """The cases of every run; the first run is the baseline that the alignments lead to."""
    full = _full_is_a_pass(runs)
    keys: list[Callable[[str], str]] = [lambda task: task, *(alignment.key for alignment in alignments)]
    run_cases = []
    records = MOST_RECORDS
    for run, key in zip(runs, keys[: len(runs)], strict=True):
        run_cases.append(_cases(run, key, full=full, records=records))
        records = max(records - len(run_cases[-1].cases), 0)
    return run_cases


def _full_is_a_pass(runs: Sequence[Run]) -> bool:
    """Whether a full score stands for a pass: no run says what a pass is, and rewards heap at the top of the scale."""
    if any(run.rule.threshold is not None for run in runs):
        return False
    return heap_at_full([reward for run in runs for reward in run.graded["reward"].to_list()])


def _cases(run: Run, key: Callable[[str], str], *, full: bool, records: int) -> RunCases:
    """The cases of a run, of which so many may keep their records."""
    rows = run.graded
    top = FULL if run.rule.scale == UNIT else max(rows["reward"].to_list(), default=0.0)
    cases = []
    same: dict[str, str] = {}  # the rows of a run share most of their short texts
    for place, row in enumerate(rows.select(_COLUMNS).iter_rows(named=True)):
        passed = row["reward"] >= FULL - NEAR if full else row["passed"]
        cases.append(
            Case(
                run.name,
                key(row["task"]),
                same.setdefault(row["label"], row["label"]),
                row["attempt"],
                row["reward"],
                passed,
                not passed if passed is not None else row["reward"] < top - 1e-9,
                same.setdefault(row["state"], row["state"]),
                row["reason"],
                row["answer"],
                read_sightings(row["sightings"]),
                same.setdefault(row["detectors"] or "", row["detectors"] or ""),
                (run.raw.sources[row["file"]], row["line"], row["offset"], row["length"]),
                actions=tuple([same.setdefault(action, action) for action in row["actions"] or ()]),
                items=row["items"],
                acts=row["acts"],
                stage_lost=row["stage_lost"],
                observed_json=row["observed"],
                checks_json=row["checks"],
                keeps_record=place < records,
                text_hash=row["text_hash"],
            )
        )
    return RunCases(run, tuple(cases))

"""Rows that are no attempt of the model, by the stage at which they stopped and the line that they share."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import polars as pl

from blade.counting.audit.recurring import SharedLine, opening_shared, verifier_endings, wholly_shared
from blade.counting.columns import Column
from blade.model import Source, Status

NO_TRIAL = "no_trial"
NOT_STARTED = "not_started"
NOT_JUDGED = "not_judged"
STAGES = (NO_TRIAL, NOT_STARTED, NOT_JUDGED)
_COLUMNS = (
    *("task", "label", "attempt", "copy", "passed", "state", "reason", "checks", "answer_state"),
    *("items", "acts", "calls", "messages", "output_tokens"),
)
STATES = {NO_TRIAL: Status.INFRASTRUCTURE, NOT_STARTED: Status.INFRASTRUCTURE, NOT_JUDGED: Status.VERIFIER_ERROR}
MOSTLY = 0.5
"""What so many rows of a run have, the others lack."""
SOME_ACT = 0.1
"""Unless so many rows show a turn of the model, the run does not record them."""
FEWEST_ROWS = 3
NEARLY_ALL = 0.6
MOST_VALUES = 50
MOST_FIELDS = 3
OWN_INSIDE, OWN_OUTSIDE = 0.2, 0.02
"""A value of a field is the word for some rows if so many of them have it, and no more of the others."""
_TIME = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d")


@dataclass(frozen=True, slots=True)
class VoidGroup:
    """Rows that stopped at one stage: how many, of how many tasks, and the lines that most of them share."""

    stage: str
    rows: int
    tasks: int
    inferred: int
    """Rows whose own text is not recorded, and whose task started in no other attempt."""
    lines: tuple[SharedLine, ...] = ()
    fields: tuple[tuple[str, str, int], ...] = ()
    """Values of the run's own fields that these rows have and others lack: field, value, rows."""
    status: tuple[str, Mapping[str, int]] | None = None
    """The field with which the run names what became of a row, and its values on these rows."""
    claim: SharedLine | None = None
    """A line of these rows that speaks of success."""
    attempts: Mapping[int, int] = field(default_factory=dict)
    """Rows per attempt index."""


@dataclass(frozen=True, slots=True)
class Audit:
    """What became of the rows of one run. `stages` has an entry per row: None where nothing speaks against it."""

    stages: tuple[str | None, ...]
    reasons: tuple[str | None, ...]
    groups: tuple[VoidGroup, ...]
    records_turns: bool
    """Whether the rows show what the model did."""
    silent: int
    """Rows without a turn of the model in a run that records them, and nothing that tells why."""
    unjudged: int
    """Rows without results of the verifier where others have them, and nothing that tells why."""
    by_attempt: tuple[Mapping[str, Any], ...] = field(default=())
    never_attempted: tuple[str, ...] = ()
    """Tasks of which no row is an attempt of the model."""
    failures: int = 0
    judged_failures: int = 0
    """Failed rows, and those of them that are judged attempts."""

    def settle(self, frame: pl.DataFrame) -> pl.DataFrame:
        """The rows with the stage at which each stopped; what did not happen is no plain failure any more."""
        stages = pl.Series("stage_lost", self.stages, pl.String)
        if not any(self.stages):
            return frame.with_columns(stages)
        states = [STATES[stage].value if stage else None for stage in self.stages]
        known = pl.col("state").is_in([Status.INFRASTRUCTURE.value, Status.VERIFIER_ERROR.value, Status.SKIPPED.value])
        state, reason = pl.Series(states, dtype=pl.String), pl.Series(self.reasons, dtype=pl.String)
        changed = stages.is_not_null() & ~frame.select(known).to_series()
        return frame.with_columns(
            stages,
            pl.when(changed).then(state).otherwise(pl.col("state")).alias("state"),
            pl.when(changed).then(reason).otherwise(pl.col("reason")).alias("reason"),
        )

    def data(self, rewards: Sequence[float | None]) -> dict[str, Any]:
        """The audit as plain data, with the score over all rows, over those that started, over those judged."""
        void = Counter(stage for stage in self.stages if stage)
        return {
            "rows": len(self.stages),
            "no_trial": void[NO_TRIAL],
            "not_started": void[NOT_STARTED],
            "not_judged": void[NOT_JUDGED],
            "records_turns": self.records_turns,
            "silent": self.silent,
            "unjudged": self.unjudged,
            "scores": (scores := self._scores(rewards)),
            "highest": _highest(scores),
            "groups": [_plain(group) for group in self.groups],
            "by_attempt": [dict(entry) for entry in self.by_attempt],
            "never_attempted": list(self.never_attempted),
            "failures": self.failures,
            "judged_failures": self.judged_failures,
        }

    def _scores(self, rewards: Sequence[float | None]) -> dict[str, Any]:
        kept = {
            "all": set(),
            "existing": {NO_TRIAL},
            "started": {NO_TRIAL, NOT_STARTED},
            "judged": set(STAGES),
        }
        scores: dict[str, Any] = {}
        for name, without in kept.items():
            values = [
                value
                for value, stage in zip(rewards, self.stages, strict=True)
                if value is not None and stage not in without
            ]
            scores[name] = {
                "rows": len(values),
                "points": math.fsum(values),
                "mean": math.fsum(values) / len(values) if values else None,
            }
        return scores


def _highest(scores: Mapping[str, Any]) -> float | None:
    """The score of the started rows if all of them that were not judged had earned a full point."""
    started, judged = scores["started"], scores["judged"]
    return (judged["points"] + started["rows"] - judged["rows"]) / started["rows"] if started["rows"] else None


def _plain(group: VoidGroup) -> dict[str, Any]:
    return {
        "stage": group.stage,
        "rows": group.rows,
        "tasks": group.tasks,
        "inferred": group.inferred,
        "lines": [_plain_line(one) for one in group.lines],
        "claim": _plain_line(group.claim) if group.claim else None,
        "fields": [{"field": name, "value": value, "rows": rows} for name, value, rows in group.fields],
        "status": {"field": group.status[0], "values": dict(group.status[1])} if group.status else None,
        "attempts": {str(attempt): rows for attempt, rows in group.attempts.items()},
    }


def _plain_line(line: SharedLine) -> dict[str, Any]:
    return {
        "line": line.line,
        "rows": line.rows,
        "tasks": line.tasks,
        "holders": list(line.holders),
        "evidence": dict(line.evidence),
    }


def audit_rows(frame: pl.DataFrame, columns: Callable[[], Iterable[Column]], sources: Sequence[str]) -> Audit:
    """The stage at which each row stopped. `columns` gives the run's short fields, `sources` are its files."""
    rows = frame.select(_COLUMNS).rows(named=True)
    failed = [row["passed"] is not True and not row["copy"] for row in rows]
    stages: list[str | None] = [None] * len(rows)
    for place in _without_trial(rows, failed, columns):
        stages[place] = NO_TRIAL
    records_turns = sum((row["acts"] or 0) > 0 for row in rows) >= max(FEWEST_ROWS, SOME_ACT * len(rows))
    lines: dict[str, tuple[SharedLine, ...]] = {}
    claims: dict[str, SharedLine | None] = {}
    inferred: set[int] = set()
    least = _least_turns(rows)
    silent = _silent(rows, stages, failed, least) if records_turns else []
    tasks = {place: row["task"] for place, row in enumerate(rows)}
    if len(silent) >= FEWEST_ROWS:
        never, shared, claim = wholly_shared(_sources(frame, silent, sources), tasks)
        if len({tasks[place] for place in never}) >= FEWEST_ROWS:
            alike = _without_turn_in_any_attempt(set(silent) - never, rows, least)
            unjudged = [place for place in silent if place not in never and rows[place]["checks"] is None]
            alike |= opening_shared(_sources(frame, unjudged, sources), _sources(frame, sorted(never), sources))
            inferred = _by_siblings(set(silent) - never - alike, never | alike, rows, least)
            never |= alike
            for place in never | inferred:
                stages[place] = NOT_STARTED
            lines[NOT_STARTED] = _by_label(shared, rows)
            claims[NOT_STARTED] = claim
    unjudged, doubtful = _without_verdict(rows, stages, failed)
    for place in unjudged:
        stages[place] = NOT_JUDGED
    if unjudged:
        lines[NOT_JUDGED] = _by_label(verifier_endings(_sources(frame, unjudged, sources), tasks), rows)
    return Audit(
        tuple(stages),
        tuple(_reason(place, stage, lines) for place, stage in enumerate(stages)),
        tuple(
            replace(group, claim=claims.get(group.stage)) for group in _groups(rows, stages, inferred, lines, columns)
        ),
        records_turns,
        sum(stages[place] is None for place in silent),
        len(doubtful),
        tuple(_by_attempt(rows, stages, _start_times(columns()) if any(stages) else {})),
        _never_attempted(rows, stages),
        sum(failed),
        sum(failed) - sum(stage is not None for stage in stages) - len(doubtful),
    )


Row = Mapping[str, Any]


def _by_label(lines: Sequence[SharedLine], rows: Sequence[Row]) -> tuple[SharedLine, ...]:
    """The lines with their tasks as people call them."""
    labels = {row["task"]: row["label"] for row in rows}
    return tuple(replace(line, holders=tuple(sorted(labels[task] for task in line.holders))) for line in lines)


def _without_trial(rows: Sequence[Row], failed: Sequence[bool], columns: Callable[[], Iterable[Column]]) -> list[int]:
    """Rows with no output, no results and no time of their own where most rows of the run have a time."""
    bare = [
        place
        for place, row in enumerate(rows)
        if not row["items"] and not row["acts"] and row["checks"] is None and failed[place]
    ]
    if not bare or len(bare) == len(rows):
        return []
    timed = [column for column in columns() if _is_time(column)]
    with_time = set()
    for column in timed:
        present = {code for code, value in enumerate(column.values) if value is not None}
        with_time |= {int(row) for row, code in zip(column.rows, column.codes, strict=True) if int(code) in present}
    if not timed or len(with_time) < MOSTLY * len(rows):
        return []
    return [place for place in bare if place not in with_time]


def _is_time(column: Column) -> bool:
    """A field of which every value is a point in time."""
    values = [value for value in column.values if value is not None]
    return bool(values) and all(isinstance(value, str) and _TIME.match(value) for value in values)


def _least_turns(rows: Sequence[Row]) -> int:
    """How many turns a row may show that no model took.

    Where nearly every attempt calls a tool, one text without any call may be a notice of somebody else.
    """
    longer = [row for row in rows if (row["acts"] or 0) > 1]
    calling = longer and sum((row["calls"] or 0) > 0 for row in longer) >= NEARLY_ALL * len(longer)
    return 1 if calling else 0


def _silent(rows: Sequence[Row], stages: Sequence[str | None], failed: Sequence[bool], least: int) -> list[int]:
    """Failed rows without a turn of the model, which the run otherwise records.

    A row whose usage says that the model wrote something is never silent.
    """
    return [
        place
        for place, row in enumerate(rows)
        if stages[place] is None
        and failed[place]
        and not row["calls"]
        and (row["acts"] or 0) <= least
        and not (row["output_tokens"] or 0)
    ]


def _without_turn_in_any_attempt(silent: set[int], rows: Sequence[Row], least: int) -> set[int]:
    """Silent rows with a text of their own, of tasks in which several attempts left a text and none shows a turn.

    What keeps an agent from starting may be the task's own image, and its words then recur in no other task.
    """
    written = {place for place in silent if rows[place]["items"]}
    known = Counter(rows[place]["task"] for place in written)
    acted = _acting_tasks(rows, least)
    return {place for place in written if known[task := rows[place]["task"]] >= FEWEST_ROWS and task not in acted}


def _by_siblings(silent: set[int], never: set[int], rows: Sequence[Row], least: int) -> set[int]:
    """Silent rows of tasks in which no attempt shows a turn of the model, and two at least are known to have none."""
    known = Counter(rows[place]["task"] for place in never)
    acted = _acting_tasks(rows, least)
    return {place for place in silent if known[rows[place]["task"]] > 1 and rows[place]["task"] not in acted}


def _acting_tasks(rows: Sequence[Row], least: int) -> set[str]:
    return {row["task"] for row in rows if (row["acts"] or 0) > least or row["calls"] or row["passed"]}


def _without_verdict(
    rows: Sequence[Row], stages: Sequence[str | None], failed: Sequence[bool]
) -> tuple[list[int], list[int]]:
    """Rows without the verifier's results where most have them: those with a sign of trouble, and the others."""
    judged = sum(row["checks"] is not None for row in rows)
    lacking = [place for place, row in enumerate(rows) if row["checks"] is None]
    if not lacking or judged < MOSTLY * len(rows) or any(rows[place]["passed"] for place in lacking):
        return [], []
    open_rows = [place for place in lacking if stages[place] is None and failed[place]]
    troubled = [
        place
        for place in open_rows
        if rows[place]["state"] != Status.OK.value and rows[place]["answer_state"] != "null"
    ]
    return troubled, sorted(set(open_rows) - set(troubled))


def _sources(frame: pl.DataFrame, places: Sequence[int], sources: Sequence[str]) -> dict[int, Source]:
    chosen = frame.select("file", "line", "offset", "length")
    return {place: Source(sources[file], *rest) for place in places for file, *rest in [chosen.row(place)]}


def _reason(place: int, stage: str | None, lines: Mapping[str, tuple[SharedLine, ...]]) -> str | None:
    """Why a row is void, with the first of the shared lines that it holds itself."""
    if stage is None:
        return None
    words = {
        NO_TRIAL: "no trial: no output, no time, no results",
        NOT_STARTED: "the agent never started",
        NOT_JUDGED: "the verifier left no results",
    }[stage]
    own = next((shared.line for shared in lines.get(stage, ()) if place in shared.places), None)
    return f"{words}: {own}" if own else words


def _groups(
    rows: Sequence[Row],
    stages: Sequence[str | None],
    inferred: set[int],
    lines: Mapping[str, tuple[SharedLine, ...]],
    columns: Callable[[], Iterable[Column]],
) -> list[VoidGroup]:
    groups: list[VoidGroup] = []
    fields = list(columns()) if any(stages) else []
    for stage in STAGES:
        places = {place for place, one in enumerate(stages) if one == stage}
        if places:
            tasks = len({rows[place]["task"] for place in places})
            own = _own_values(places, len(rows), fields)
            attempts = Counter(rows[place]["attempt"] for place in places)
            groups.append(
                VoidGroup(
                    stage,
                    len(places),
                    tasks,
                    len(inferred & places),
                    lines.get(stage, ()),
                    own,
                    attempts=dict(sorted(attempts.items())),
                )
            )
    return _with_status(groups, stages, fields)


def _with_status(groups: list[VoidGroup], stages: Sequence[str | None], columns: Sequence[Column]) -> list[VoidGroup]:
    """The groups with all values of the field that has a word of its own for most of their rows."""
    told: Counter[str] = Counter()
    for group in groups:
        for name, _, rows in group.fields:
            told[name] += rows
    if not told:
        return groups
    best = max(sorted(told), key=lambda name: told[name])
    column = next(column for column in columns if column.name == best)
    values = dict(zip(column.rows.tolist(), column.codes.tolist(), strict=True))
    known = []
    for group in groups:
        counts: Counter[str] = Counter()
        for place, stage in enumerate(stages):
            if stage == group.stage and place in values:
                counts[str(column.values[values[place]])] += 1
        known.append(replace(group, status=(best, dict(counts.most_common()))))
    return known


def _own_values(places: set[int], rows: int, columns: Iterable[Column]) -> tuple[tuple[str, str, int], ...]:
    """Values of short fields that many of these rows have and hardly any other: the run's own word for them."""
    found = []
    for column in columns:
        if len(column.values) > MOST_VALUES:
            continue
        inside: Counter[int] = Counter()
        outside: Counter[int] = Counter()
        for row, code in zip(column.rows.tolist(), column.codes.tolist(), strict=True):
            (inside if row in places else outside)[code] += 1
        for code, many in inside.items():
            value = column.values[code]
            rare = outside[code] <= OWN_OUTSIDE * max(rows - len(places), 1)
            if isinstance(value, str) and value and many >= OWN_INSIDE * len(places) and rare:
                found.append((column.name, value, many))
    return tuple(sorted(found, key=lambda entry: (-entry[2], entry[0]))[:MOST_FIELDS])


def _never_attempted(rows: Sequence[Row], stages: Sequence[str | None]) -> tuple[str, ...]:
    """Tasks all of whose rows never ran or never started."""
    happened = {row["task"] for row, stage in zip(rows, stages, strict=True) if stage in {None, NOT_JUDGED}}
    return tuple(sorted({row["label"] for row in rows if row["task"] not in happened}))


def _start_times(columns: Iterable[Column]) -> dict[int, str]:
    """The earliest point in time that each row tells of."""
    times: dict[int, str] = {}
    for column in columns:
        if _is_time(column):
            for row, code in zip(column.rows.tolist(), column.codes.tolist(), strict=True):
                value = column.values[code]
                if value is not None and (row not in times or value < times[row]):
                    times[row] = value
    return times


def _by_attempt(rows: Sequence[Row], stages: Sequence[str | None], times: Mapping[int, str]) -> list[dict[str, Any]]:
    """Rows, and rows that are no attempt, per attempt index; nothing where every task has one attempt."""
    counts: dict[int, Counter[str]] = defaultdict(Counter)
    last: dict[int, str] = {}
    for place, (row, stage) in enumerate(zip(rows, stages, strict=True)):
        if not row["copy"]:
            counts[row["attempt"]].update(["rows", *([stage] if stage else [])])
            if place in times:
                last[row["attempt"]] = max(times[place], last.get(row["attempt"], ""))
    if len(counts) < 2 or not any(stages):
        return []
    return [
        {"attempt": attempt, **{name: many[name] for name in ("rows", *STAGES)}, "last_start": last.get(attempt)}
        for attempt, many in sorted(counts.items())
    ]

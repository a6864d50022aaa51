"""Rows that are no attempt of the model, by the stage at which they stopped and the line that they share."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import field, replace
from functools import cache, cached_property
from typing import Any

import polars as pl

from blade.counting.audit.crashed_starts import crashed_starts
from blade.counting.audit.error_fields import error_fields
from blade.counting.audit.failed_launches import failed_launches
from blade.counting.audit.lost_index import Timed, lost_index, under_way
from blade.counting.audit.lost_with_a_machine import lost_with_a_machine
from blade.counting.audit.notices import notices
from blade.counting.audit.own_words import own_values
from blade.counting.audit.recurring import SharedLine, counted_in
from blade.counting.audit.silent_rows import Turns, never_started, without_turn
from blade.counting.audit.silent_users import silent_users
from blade.counting.audit.unfinished_logs import unfinished_logs
from blade.counting.audit.unjudged import (
    blank_records,
    cut_checks,
    endings,
    flagged_unjudged,
    null_verdicts,
    out_of_time,
    said_unjudged,
    stops_on_the_way,
    troubled,
    without_checks,
    without_fields,
)
from blade.counting.audit.verifier_errors import why_unfinished
from blade.counting.audit.windows import dead_stretches
from blade.counting.columns import Column
from blade.evidence import open_rows
from blade.extract.checks import states_results
from blade.extract.log_ends import says_something
from blade.extract.names import words
from blade.extract.trouble import keeps_from_starting
from blade.frozen import frozen
from blade.late_regex import late_regex
from blade.model import Source, Status

NO_TRIAL = "no_trial"
LABELS = frozenset("outcome result status verdict stage state cause reason label ended ending stop mode kind".split())
"""Words in the name of a field that says how a rollout ended."""
NOT_STARTED = "not_started"
NOT_ENDED = "not_ended"
NOT_JUDGED = "not_judged"
BROKEN = "broken"
STAGES = (NO_TRIAL, NOT_STARTED, BROKEN, NOT_ENDED, NOT_JUDGED)
_COLUMNS = (
    *("task", "label", "attempt", "copy", "passed", "state", "reason", "checks", "answer", "answer_state"),
    *("reward", "items", "acts", "calls", "messages", "output_chars", "output_tokens", "total_tokens", "log_ends"),
    *("calls_failed", "tool_message", "tools_called", "tools_failed", "output_hash", "final_hash", "final_form"),
    *("final_chars", "ends_on", "status", "incomplete", "model", "created_at", "line"),
)
STATES = {
    NO_TRIAL: Status.INFRASTRUCTURE,
    NOT_STARTED: Status.INFRASTRUCTURE,
    BROKEN: Status.INFRASTRUCTURE,
    NOT_ENDED: Status.INFRASTRUCTURE,
    NOT_JUDGED: Status.VERIFIER_ERROR,
}
MOSTLY = 0.5
"""What so many rows of a run have, the others lack."""
MOST_LINES = 3
_TIME = late_regex(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d")


@frozen
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
    unasked: int = 0
    """Rows without output of which not one token is counted."""
    silent_users: int = 0
    """Rows in which the simulated user sends empty messages alone."""


@frozen
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
    unjudged_tasks: tuple[str, ...] = ()
    by_attempt: tuple[Mapping[str, Any], ...] = field(default=())
    never_attempted: tuple[str, ...] = ()
    """Tasks of which no row is an attempt of the model."""
    failures: int = 0
    judged_failures: int = 0
    """Failed rows, and those of them that are judged attempts."""
    with_turns: int = 0
    """Rows that show a turn of the model."""

    def settle(self, frame: pl.DataFrame) -> pl.DataFrame:
        """The rows with the stage at which each stopped; what did not happen is no plain failure any more."""
        stages = pl.Series("stage_lost", self.stages, pl.String)
        if not any(self.stages):
            return frame.with_columns(stages)
        states = [STATES[stage].value if stage else None for stage in self.stages]
        unjudged = (pl.col("state") == Status.VERIFIER_ERROR.value) & (stages == NOT_JUDGED)
        already_lost = pl.col("state").is_in([Status.INFRASTRUCTURE.value, Status.SKIPPED.value]) | unjudged
        state, reason = pl.Series(states, dtype=pl.String), pl.Series(self.reasons, dtype=pl.String)
        changed = stages.is_not_null() & ~frame.select(already_lost).to_series()
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
            "broken": void[BROKEN],
            "not_ended": void[NOT_ENDED],
            "not_judged": void[NOT_JUDGED],
            "records_turns": self.records_turns,
            "with_turns": self.with_turns,
            "silent": self.silent,
            "unjudged": self.unjudged,
            "unjudged_tasks": list(self.unjudged_tasks),
            "scores": (scores := self._scores(rewards)),
            "highest": _highest(scores),
            "groups": [_plain(group) for group in self.groups],
            "by_attempt": [dict(entry) for entry in self.by_attempt],
            "never_attempted": list(self.never_attempted),
            "failures": self.failures,
            "judged_failures": self.judged_failures,
        }

    def _scores(self, rewards: Sequence[float | None]) -> dict[str, Any]:
        """The scores over ever fewer rows; a lost row without a score counts 0 as long as it is counted."""
        rows_left_out = {
            "all": set(),
            "existing": {NO_TRIAL},
            "started": {NO_TRIAL, NOT_STARTED},
            "ended": {NO_TRIAL, NOT_STARTED, BROKEN, NOT_ENDED},
            "judged": set(STAGES),
        }
        scores: dict[str, Any] = {}
        for name, without in rows_left_out.items():
            values = [
                value or 0.0
                for value, stage in zip(rewards, self.stages, strict=True)
                if (value is not None or stage is not None) and stage not in without
            ]
            scores[name] = {
                "rows": len(values),
                "points": math.fsum(values),
                "mean": math.fsum(values) / len(values) if values else None,
            }
        return scores


def _highest(scores: Mapping[str, Any]) -> float | None:
    """The score of the started rows if all of them that were not judged had earned a full point."""
    started_score, judged_score = scores["started"], scores["judged"]
    return (
        (judged_score["points"] + started_score["rows"] - judged_score["rows"]) / started_score["rows"]
        if started_score["rows"]
        else None
    )


def _plain(group: VoidGroup) -> dict[str, Any]:
    return {
        "stage": group.stage,
        "rows": group.rows,
        "tasks": group.tasks,
        "inferred": group.inferred,
        "unasked": group.unasked,
        "silent_users": group.silent_users,
        "lines": [_plain_line(line) for line in group.lines],
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
        "first_error": line.first_error,
        "evidence": dict(line.evidence),
    }


def audit_rows(frame: pl.DataFrame, columns: Callable[[], Iterable[Column]], sources: Sequence[str]) -> Audit:
    """The stage at which each row stopped. `columns` gives the run's short fields, `sources` are its files."""
    run = _Rows(frame, cache(lambda: tuple(columns())), sources)
    rows, failed = run.rows, run.failed
    stages: list[str | None] = [None] * len(rows)
    lines: dict[str, tuple[SharedLine, ...]] = {}
    _mark(stages, NO_TRIAL, _without_trial(rows, failed, run.columns))
    turns = Turns(rows)
    silent = turns.silent(failed, stages)
    never = never_started(turns, silent, run.ends, run.opened)
    _mark(stages, NOT_STARTED, never.places)
    lines[NOT_STARTED] = _by_label(never.lines, rows)
    ended, notes = notices(rows, stages, run.opened)
    alone = {place for place in ended if not turns.acted(rows[place])}
    _mark(stages, NOT_STARTED, alone)
    _mark(stages, NOT_ENDED, ended - alone)
    for stage, places in ((NOT_STARTED, alone), (NOT_ENDED, ended - alone)):
        lines[stage] = (*lines.get(stage, ()), *(_by_label(notes, rows) if places else ()))
    idle = without_turn(turns, failed, run.columns)
    unasked = {place for place in turns.unasked(failed) if not _broken(rows[place])} | idle
    dead = {place for place in unasked | dead_stretches(frame, rows, failed) if stages[place] is None}
    without_tools = {place for place in dead if rows[place]["calls"]}
    _mark(stages, NOT_STARTED, dead - without_tools)
    broken = {place for place, row in enumerate(rows) if stages[place] is None and failed[place] and _broken(row)}
    unheard = silent_users(rows, [place for place in run.failures(stages) if place not in broken], run.opened)
    recorded = {place for place in error_fields(failed, run.columns()) if stages[place] is None}
    broken |= without_tools | unheard | recorded
    refused_starts = {
        place for place in broken if keeps_from_starting(rows[place]["reason"] or "") and not rows[place]["calls"]
    }
    launches = failed_launches(
        rows, [place for place in run.screens if stages[place] is None], sorted(refused_starts), run.opened
    )
    _mark(stages, NOT_STARTED, launches.places | refused_starts)
    crashed = crashed_starts(rows, [place for place in run.screens if stages[place] is None], run.opened)
    _mark(stages, NOT_STARTED, crashed.places)
    refused = counted_in(
        (*launches.lines, *crashed.lines),
        run.opened(sorted(launches.places | refused_starts | crashed.places)),
        run.tasks,
    )
    own_errors = _own_errors(rows, (place for place in idle if _broken(rows[place])))
    lines[NOT_STARTED] = (*lines[NOT_STARTED], *_by_label((*refused, *own_errors), rows))
    broken -= launches.places | refused_starts | crashed.places
    _mark(stages, BROKEN, broken)
    lines[BROKEN] = _by_label(_own_errors(rows, broken), rows)
    unjudged, doubtful = _without_verdict(run, stages)
    _mark(stages, NOT_JUDGED, unjudged)
    if unjudged:
        judged_sources = run.opened([place for place, stage in enumerate(stages) if stage is None])
        lines[NOT_JUDGED] = _by_label(why_unfinished(run.opened(sorted(unjudged)), judged_sources, run.tasks), rows)
    marked = {"inferred": never.inferred, "unasked": unasked, "silent_users": unheard}
    groups = _groups(rows, stages, marked, lines, run.columns)
    return Audit(
        tuple(stages),
        tuple(_reason(place, stage, lines) for place, stage in enumerate(stages)),
        tuple(replace(group, claim=never.claim if group.stage == NOT_STARTED else None) for group in groups),
        turns.recorded,
        sum(stages[place] is None for place in silent),
        len(doubtful),
        tuple(sorted({rows[place]["label"] for place in doubtful})),
        tuple(_by_attempt(run, stages, _times(run.columns()) if any(stages) else {})),
        _never_attempted(rows, stages),
        sum(failed),
        sum(failed) - sum(stage is not None for stage in stages) - len(doubtful),
        turns.acting,
    )


class _Rows:
    """The rows of a run as the audit asks for them."""

    def __init__(self, frame: pl.DataFrame, columns: Callable[[], Sequence[Column]], sources: Sequence[str]) -> None:
        self.rows = frame.select(_COLUMNS).rows(named=True)
        self.failed = [row["passed"] is not True and not row["copy"] for row in self.rows]
        self.columns = columns
        self._places = frame.select("file", "line", "offset", "length").rows()
        self._sources = sources

    @cached_property
    def tasks(self) -> dict[int, str]:
        """The task of each row."""
        return {place: row["task"] for place, row in enumerate(self.rows)}

    @cached_property
    def ends(self) -> list[dict[str, str]]:
        """Where the logs of each row stop."""
        texts = [row["log_ends"] for row in self.rows]
        return endings(texts, self.columns()) if any(texts) else [{} for _ in texts]

    @cached_property
    def screens(self) -> list[int]:
        """Failed rows that end on a screen or a log and show no call."""
        ending_on_screen = ((place, row) for place, row in enumerate(self.rows) if row["ends_on"] == "environment")
        return [
            place
            for place, row in ending_on_screen
            if self.failed[place] and not row["calls"] and not row["output_tokens"]
        ]

    def failures(self, stages: Sequence[str | None]) -> list[int]:
        """Failed rows against which nothing speaks yet."""
        return [place for place, failed in enumerate(self.failed) if failed and stages[place] is None]

    def opened(self, places: Sequence[int]) -> dict[int, Source]:
        """Where these rows stand."""
        locations = ((place, self._places[place]) for place in places)
        return {place: Source(self._sources[file], *position) for place, (file, *position) in locations}


def _mark(stages: list[str | None], stage: str, places: Iterable[int]) -> None:
    for place in places:
        stages[place] = stage


Row = Mapping[str, Any]


def _by_label(lines: Sequence[SharedLine], rows: Sequence[Row]) -> tuple[SharedLine, ...]:
    """The lines with their tasks as people call them."""
    if not lines:
        return ()
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


def _broken(row: Row) -> bool:
    return bool(row["state"] == Status.INFRASTRUCTURE.value)


def _own_errors(rows: Sequence[Row], places: Iterable[int]) -> list[SharedLine]:
    """The errors of which rows tell that they broke the attempt, the commonest first."""
    holders: defaultdict[str, set[int]] = defaultdict(set)
    for place in places:
        message = rows[place]["tool_message"] or ""
        holders[rows[place]["reason"] or (message if says_something(message) else "")].add(place)
    shared = sorted((-len(row_places), reason, row_places) for reason, row_places in holders.items() if reason)
    return [
        SharedLine(
            reason, len(row_places), len({rows[place]["task"] for place in row_places}), places=frozenset(row_places)
        )
        for _, reason, row_places in shared[:MOST_LINES]
    ]


def _with_results(sources: Mapping[int, Source]) -> set[int]:
    """The rows in which a single check has a result: it is no set of checks, and was judged all the same."""
    places = {source: place for place, source in sources.items()}
    return {places[source] for source, row in open_rows(places) if states_results(row)}


def _without_verdict(run: _Rows, stages: Sequence[str | None]) -> tuple[set[int], set[int]]:
    """Rows that the verifier did not judge, and those without results of which nothing tells why.

    What a limit of the model's own output cut off left nothing to be judged: that is a failure.
    """
    rows = run.rows
    failing = {
        place
        for place, stage in enumerate(stages)
        if stage is None and run.failed[place] and rows[place]["state"] != Status.TRUNCATED.value
    }
    if not failing:
        return set(), set()
    lacking = without_checks(rows) & failing
    lacking -= _with_results(run.opened(sorted(lacking)))
    columns = list(run.columns())
    told = null_verdicts(rows, columns) | said_unjudged(rows, columns) | cut_checks(rows)
    told |= flagged_unjudged(rows, columns)
    told |= lost_with_a_machine(lacking, columns) | blank_records(rows, lacking, columns)
    unjudged = troubled(rows, lacking) | (told & failing)
    bare = (lacking | without_fields(rows, run.columns())) & failing
    if bare - unjudged:
        unjudged |= out_of_time(rows, bare, run.columns())
    unexplained = sorted(failing - unjudged)
    if any(run.ends[place] for place in unexplained):
        everywhere = run.opened(range(len(rows)))
        unjudged |= stops_on_the_way(rows, run.ends, unexplained, everywhere)
        unjudged |= unfinished_logs(rows, run.ends, sorted(failing - unjudged), everywhere, run.columns())
    return unjudged, lacking - unjudged


def _reason(place: int, stage: str | None, lines: Mapping[str, tuple[SharedLine, ...]]) -> str | None:
    """Why a row is void, with the first of the shared lines that it holds itself."""
    if stage is None:
        return None
    words = {
        NO_TRIAL: "no trial: no output, no time, no results",
        NOT_STARTED: "the agent never started",
        BROKEN: "broken off by infrastructure",
        NOT_ENDED: "ended by a message that the model did not write",
        NOT_JUDGED: "the verifier left no results",
    }[stage]
    own_line = next((shared.line for shared in lines.get(stage, ()) if place in shared.places), None)
    return f"{words}: {own_line}" if own_line else words


def _groups(
    rows: Sequence[Row],
    stages: Sequence[str | None],
    marked: Mapping[str, AbstractSet[int]],
    lines: Mapping[str, tuple[SharedLine, ...]],
    columns: Callable[[], Iterable[Column]],
) -> list[VoidGroup]:
    groups: list[VoidGroup] = []
    fields = list(columns()) if any(stages) else []
    stages_there = set(stages)
    for stage in STAGES:
        if stage in stages_there:
            places = {place for place, row_stage in enumerate(stages) if row_stage == stage}
            tasks = len({rows[place]["task"] for place in places})
            telling_values = own_values(places, [row["task"] for row in rows], fields)
            attempts = Counter(rows[place]["attempt"] for place in places)
            groups.append(
                VoidGroup(
                    stage,
                    len(places),
                    tasks,
                    len(marked["inferred"] & places),
                    lines.get(stage, ()),
                    telling_values,
                    attempts=dict(sorted(attempts.items())),
                    unasked=len(marked["unasked"] & places) if stage == NOT_STARTED else 0,
                    silent_users=len(marked["silent_users"] & places),
                )
            )
    return _with_status(groups, stages, fields)


def _with_status(groups: list[VoidGroup], stages: Sequence[str | None], columns: Sequence[Column]) -> list[VoidGroup]:
    """The groups with all values of the field that has a word of its own for most of their rows."""
    field_rows: Counter[str] = Counter()
    for group in groups:
        for name, _, rows in group.fields:
            field_rows[name] += rows
    if not field_rows:
        return groups
    best = max(sorted(field_rows), key=lambda name: (field_rows[name], not LABELS.isdisjoint(words(name))))
    if field_rows[best] == 1 < sum(group.rows for group in groups):
        return groups  # a word of a single row is no label
    column = next(column for column in columns if column.name == best)
    values = dict(zip(column.rows.tolist(), column.codes.tolist(), strict=True))
    groups_with_status = []
    for group in groups:
        counts: Counter[str] = Counter()
        for place, stage in enumerate(stages):
            if stage == group.stage and place in values:
                counts[str(column.values[values[place]])] += 1
        groups_with_status.append(replace(group, status=(best, dict(counts.most_common()))))
    return groups_with_status


def _never_attempted(rows: Sequence[Row], stages: Sequence[str | None]) -> tuple[str, ...]:
    """Tasks all of whose rows never ran or never started."""
    not_attempted = {NO_TRIAL, NOT_STARTED}
    happened = {row["task"] for row, stage in zip(rows, stages, strict=True) if stage not in not_attempted}
    return tuple(sorted({row["label"] for row in rows if row["task"] not in happened}))


Times = Mapping[int, tuple[str, str]]


def _times(columns: Iterable[Column]) -> dict[int, tuple[str, str]]:
    """The earliest and the latest point in time that each row tells of."""
    times: dict[int, tuple[str, str]] = {}
    for column in columns:
        if _is_time(column):
            for row, code in zip(column.rows.tolist(), column.codes.tolist(), strict=True):
                value = column.values[code]
                if value is not None:
                    start, end = times.get(row, (value, value))
                    times[row] = min(start, value), max(end, value)
    return times


def _by_attempt(run: _Rows, stages: Sequence[str | None], times: Times) -> list[dict[str, Any]]:
    """Rows, and rows that are no attempt, per attempt index; nothing where every task has one attempt.

    `under_way` is of an index that broke off: the rollouts that were not done when its last one started.
    """
    counts: dict[int, Counter[str]] = defaultdict(Counter)
    timed: dict[int, list[Timed]] = defaultdict(list)
    for place, (row, stage) in enumerate(zip(run.rows, stages, strict=True)):
        if not row["copy"]:
            counts[row["attempt"]].update(["rows", *([stage] if stage else [])])
            if place in times:
                timed[row["attempt"]].append(Timed(place, row["label"], stage, *times[place]))
    if len(counts) < 2 or not any(stages):
        return []
    by_index: list[dict[str, Any]] = [
        {
            "attempt": attempt,
            **{name: stage_counts[name] for name in ("rows", *STAGES)},
            "last_start": max((row.start for row in timed[attempt]), default=None),
        }
        for attempt, stage_counts in sorted(counts.items())
    ]
    broken_index = lost_index(by_index, (NO_TRIAL,))
    if broken_index is not None and timed[broken_index["attempt"]]:
        by_index[by_index.index(dict(broken_index))]["under_way"] = under_way(
            timed[broken_index["attempt"]], run.opened
        )
    return by_index

"""A settled run: every row has its task, attempt, status and verdict."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property, partial
from typing import Any

import polars as pl

from blade.counting.audit import Audit, Limit, audit_rows, reached_limits
from blade.counting.columns import Column, columns
from blade.counting.denominator import failure_states
from blade.counting.duplicates import mark_duplicates
from blade.counting.expected import Expected, Key, expected_of_source, expected_rows
from blade.counting.fields import Fields, field_rows
from blade.counting.foreign import mark_foreign
from blade.counting.identity import identify
from blade.counting.passing import PassRule, common_rule, pass_rule
from blade.counting.split import split
from blade.counting.status import judge_rows
from blade.engine.runs import RawRun
from blade.extract.makers import AGENT_FIELDS
from blade.frozen import frozen
from blade.model import NOT_EVALUABLE, File, Flaw, Rollout, Source, Status
from blade.options import Options

TASK_ID = "task_id"
"""The field that names the tasks of translated rows."""
SORT = ("task", "attempt", "row_hash", "file", "line")


@frozen
class VerdictFields:
    """What the booleans of the rows are to the pass.

    `verdict` equals it on every row; no rollout passes without the `stages`, widest first; the `disputed` are the
    verdict themselves and contradict the reward on some rows.
    """

    verdict: str = ""
    stages: tuple[str, ...] = ()
    disputed: frozenset[str] = frozenset()


@dataclass(frozen=True, eq=False, repr=False)
class Run:
    """One run, ready to be measured. `facts` has one row per rollout row found, copies included."""

    name: str
    facts: pl.DataFrame
    inputs: pl.DataFrame
    rule: PassRule
    expected: Expected
    failed: Mapping[Key, tuple[str, str]]
    raw: RawRun
    id_field: str | None
    keys_inferred: bool
    flaws: tuple[Flaw, ...] = ()
    agent: str | None = None
    skills: str | None = None
    files: tuple[File, ...] = field(default=())
    verdicts: VerdictFields = field(default=VerdictFields())
    audit: Audit | None = None

    @cached_property
    def graded(self) -> pl.DataFrame:
        """The rows the score counts: graded, and no copies."""
        is_counted = self.facts["counted"]
        return self.facts if is_counted.all(ignore_nulls=False) else self.facts.filter(is_counted)

    @cached_property
    def evaluable(self) -> pl.DataFrame:
        """Counted rows that say something about the model."""
        mute = self.graded["state"].is_in([status.value for status in NOT_EVALUABLE])
        return self.graded.filter(~mute) if mute.any() else self.graded

    def fields(self) -> list[Fields]:
        """The short scalar fields of every row, in the order of `facts`. They are large, and made anew each time."""
        return field_rows(self.facts)

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        """The same fields column by column, in order of name."""
        return _columns(self.facts)

    @cached_property
    def reached_limits(self) -> list[tuple[Limit, frozenset[int]]]:
        """The limits that nobody names, each with the places of its rows in `facts`: several questions ask."""
        return reached_limits(self.facts, self.columns)

    def cut_rows(self) -> list[bool]:
        """Whether each row reached such a limit."""
        reached = frozenset[int]().union(*(places for _, places in self.reached_limits))
        return [place in reached for place in range(self.facts.height)]

    def rollouts(self) -> list[Rollout]:
        """Every row as a light object that knows where it stands."""
        columns = ("label", "attempt", "reward", "state", "passed", "file", "line", "offset", "length")
        return [
            Rollout(
                self.name,
                task,
                attempt,
                score,
                Status(state),
                passed,
                Source(self.raw.sources[file], line, offset, size),
            )
            for task, attempt, score, state, passed, file, line, offset, size in self.facts.select(columns).rows()
        ]

    def __repr__(self) -> str:
        return f"Run({self.name!r}: {self.facts.height} rollouts of {self.facts['task'].n_unique()} tasks)"

    def _repr_html_(self) -> str:
        tasks = self.facts["task"].n_unique()
        return f"<b>{html.escape(self.name)}</b>: {self.facts.height} rollouts of {tasks} tasks"


def settle_all(raws: Sequence[RawRun], options: Options) -> list[Run]:
    """The runs in several sets of files. What a pass is, is settled once for all of them where that can be done."""
    runs = [run for raw in raws for run in settle(raw, options)]
    rule = common_rule([run.rule for run in runs], lambda: _scored_rows(runs))
    return runs if rule is None else [run for raw in raws for run in settle(raw, options, rule)]


def _scored_rows(runs: Sequence[Run]) -> tuple[list[float | None], list[Fields]]:
    rewards = [value for run in runs for value in run.facts["reward"].to_list()]
    return rewards, [row for run in runs for row in run.fields()]


def settle(raw: RawRun, options: Options, rule: PassRule | None = None) -> list[Run]:
    """The runs in one set of files: one, or one per agent, skill variant and whatever else made the same attempts."""
    return [_settle_part(raw, part, options, suffix, rule) for suffix, part in split(raw.rollouts)]


def _settle_part(
    raw: RawRun, rollouts: pl.DataFrame, options: Options, suffix: str, common_rule: PassRule | None = None
) -> Run:
    agent, skills = _only(rollouts, "agent"), _only(rollouts, "skills")
    inputs = _of_part(raw.inputs, agent, skills) if suffix else raw.inputs
    failures = _of_part(raw.failures, agent, skills) if suffix else raw.failures
    translated = raw.translated is not None
    identified = identify(rollouts, field_rows(rollouts), options.match_by or (TASK_ID if translated else None))
    frame, flaws = mark_duplicates(identified.frame)
    judged_rows = judge_rows(frame)
    frame = judged_rows.frame
    rule = common_rule or pass_rule(
        frame["reward"].to_list(),
        field_rows(frame),
        declared=options.pass_threshold,
        benchmark=raw.benchmark.values.get("pass_threshold"),
    )
    frame, foreign = mark_foreign(frame)
    is_counted = pl.col("reward").is_not_null() & ~pl.col("skipped") & ~pl.col("copy") & ~pl.col("foreign")
    passed = [rule.passed(value) for value in frame["reward"].to_list()]
    frame = frame.with_columns(is_counted.alias("counted"), pl.Series("passed", passed, pl.Boolean)).sort(SORT)
    by_column = cache(partial(_columns, frame))
    audit = audit_rows(frame, by_column, raw.sources)
    frame = audit.settle(frame)
    rows = frame.filter(~pl.col("copy"))
    expected = expected_of_source(rows, raw.translated.expected) if raw.translated else None
    if expected is None:
        expected = expected_rows(rows, inputs, failures, repeats=_repeats(raw, options), limit=_limit(raw, options))
    failed, stale = failure_states(rows, failures, expected)
    keys = [] if translated else _key_flaws(frame)
    run = Run(
        name=raw.name + suffix,
        facts=frame,
        inputs=inputs,
        rule=rule,
        expected=expected,
        failed=failed,
        raw=raw,
        id_field=identified.id_field,
        keys_inferred=identified.inferred,
        flaws=(*flaws, *foreign, *judged_rows.ignored, *expected.flaws, *stale, *keys, *_redactions(frame)),
        agent=agent or _told_agent(frame) or _configured_agent(raw.config),
        skills=skills,
        files=tuple(raw.files),
        audit=audit,
    )
    if by_column.cache_info().currsize:  # the same rows in the same order: what the audit took apart is not taken again
        vars(run)["columns"] = by_column()
    return run


def _columns(frame: pl.DataFrame) -> tuple[Column, ...]:
    return tuple(columns(field_rows(frame)))


def _key_flaws(frame: pl.DataFrame) -> list[Flaw]:
    flaws = []
    words = {
        "domain_id": "carry no task index; their task was told from a domain id",
        "text": "carry no task index and no usable id; their task was told from prompt, expected answer and metadata",
        "line": "carry nothing that tells their task; each stands for a task of its own",
    }
    for source, text in words.items():
        rows = frame.filter(pl.col("key_source") == source).height
        if rows:
            flaws.append(Flaw(f"key-from-{source.replace('_', '-')}", f"{rows} rows {text}", rows=rows))
    return flaws


def _redactions(frame: pl.DataFrame) -> list[Flaw]:
    """Rows that lost something before they came here: what is quoted from them shows the marks."""
    marked = frame.filter(pl.col("redacted"))
    if not marked.height:
        return []
    rows = "1 row" if marked.height == 1 else f"{marked.height} rows"
    text = f"in {rows} evidence was redacted: marks such as [redacted] or <KEY_OPENAI_1> stand for it"
    return [Flaw("redacted-evidence", text, line=min(marked["line"].to_list()), rows=marked.height)]


def _only(frame: pl.DataFrame, name: str) -> str | None:
    values = frame[name].drop_nulls().unique().to_list()
    return str(values[0]) if len(values) == 1 else None


def _told_agent(frame: pl.DataFrame) -> str | None:
    """The harness that all rows name alike, where Gym stamped none."""
    rows = field_rows(frame)
    for name in AGENT_FIELDS:
        agent_names = {row.get(name) for row in rows}
        if len(agent_names) == 1 and isinstance(value := agent_names.pop(), str):
            return value
    return None


def _configured_agent(config: Mapping[str, Any]) -> str | None:
    """The harness that the settings of the run name at their top."""
    value = config.get("agent")
    return value if isinstance(value, str) and value.strip() else None


def _of_part(frame: pl.DataFrame, agent: str | None, skills: str | None) -> pl.DataFrame:
    """The rows of that agent and skill variant, where the file tells them apart."""
    for name, value in (("agent", agent), ("skills", skills)):
        if frame[name].null_count() < frame.height:
            frame = frame.filter(pl.col(name).eq_missing(pl.lit(value, pl.String)))
    return frame


def _repeats(raw: RawRun, options: Options) -> int | None:
    return options.repeats or _setting(raw.config, "num_repeats")


def _limit(raw: RawRun, options: Options) -> int | None:
    return options.limit or _setting(raw.config, "limit")


def _setting(config: Any, name: str) -> int | None:
    """A whole positive number under that name, anywhere in a config."""
    waiting = [config]
    while waiting:
        value = waiting.pop(0)
        if isinstance(value, Mapping):
            number = value.get(name)
            if isinstance(number, int) and not isinstance(number, bool) and number > 0:
                return number
            waiting.extend(inner for inner in value.values() if isinstance(inner, (Mapping, list)))
        elif isinstance(value, list):
            waiting.extend(inner for inner in value if isinstance(inner, (Mapping, list)))
    return None

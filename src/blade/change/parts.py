"""The parts of a change as the analysis keeps them, and other ways to add up the same change."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any

import polars as pl

from blade.change.broken_tools import CLASS, BrokenTool
from blade.change.config_diff import ConfigDiff
from blade.change.gold import Regraded
from blade.change.localize import category, evidence, row_evidence, rows_of, where
from blade.change.modes import Modes
from blade.change.other_judges import OtherJudge
from blade.change.pair import Pair
from blade.change.score_corrections import CorrectedScores
from blade.change.shared_outputs import SharedOutputs
from blade.change.witness import Witness
from blade.counting.measure import Measured
from blade.counting.run import Run
from blade.counting.tasks import natural
from blade.diagnosis.blame import TOOL
from blade.model import Part
from blade.stats import ledger

FEWEST_SHARED = 5
MOST_TASKS = 1000
REGRADED = {"change", "gold"}
"""What of the verifier's part rests on rows that both verifiers scored."""
CERTAIN = 1e-9
LEAST_OPEN = 0.001
OPEN_NAMED = 0.01
TaskSlices = Mapping[str, Mapping[str, str]]


def parts_of(
    score_ledger: ledger.Ledger,
    pair: Pair,
    shared: SharedOutputs,
    slices: TaskSlices,
    seed: int,
    *,
    modes: Modes,
    corrected: CorrectedScores,
    missing: tuple[Part, ...],
) -> tuple[Part, ...]:
    """Parts as the analysis keeps them: named first, then by size.

    A changed verifier looks like changed behaviour. Plain behaviour is therefore assumed, unless enough passes that
    both runs share were passed by both. A mode that no agent can bring about is counted under what it blames.
    """
    new_keys, disputed = corrected.new_keys, corrected.disputed(pair)
    unseen = not shared.excludes(_touched(score_ledger, pair))
    exact = isinstance(corrected.again, Regraded) and corrected.again.p is None
    parts = []
    for part in score_ledger.parts:
        plain = part.cause == "behaviour" and modes.tool(part.sub) is None and part.sub != CLASS
        doubted = (unseen and not exact) or modes.of_verifier(part.sub)
        if plain and doubted and part.status == "identified":
            part = replace(part, status="assumed")  # noqa: PLW2901 - the part as it is kept
        if part.cause == "verifier" and part.sub == "change" and new_keys:
            part = replace(part, sub="gold")  # noqa: PLW2901 - as above
        rows = disputed if part.cause == "verifier" and part.sub in REGRADED else frozenset()
        analysed_part = _part(part, pair, slices, seed, modes)
        if part.cause == "verifier" and part.sub in REGRADED:
            analysed_part = replace(analysed_part, where={**analysed_part.where, **_told_by(corrected, pair)})
        if part.sub == CLASS and corrected.tool is not None:
            rows, analysed_part = (
                corrected.places(corrected.tool, pair),
                _of_tool(analysed_part, corrected.tool, pair, slices),
            )
        parts.append(replace(analysed_part, rows=rows))
    return tuple(sorted((*parts, *missing), key=lambda part: (not part.named, -abs(part.points))))


def _touched(score_ledger: ledger.Ledger, pair: Pair) -> float:
    """The share of the better run's tasks with passes that a verifier must have turned to make the behaviour part."""
    points = score_ledger.behaviour.points if score_ledger.behaviour else 0.0
    rewards = [value for frame in (pair.a, pair.b) for value in frame["reward"].to_list()]
    low, high = min(rewards, default=0.0), max(rewards, default=0.0)
    better = pair.a if points < 0 else pair.b
    passing = better.filter((pl.col("reward") >= high - CERTAIN) & pl.col("key").is_in(pair.common))["key"].n_unique()
    span = max(1.0, high - low)
    return abs(points) / span * len(pair.common) / passing if passing else 0.0


def missing_rows(base: Measured, candidate: Measured) -> tuple[Part, ...]:
    """Rollouts missing inside tasks: what they would have scored is open, so there are bounds and no points."""
    ends = []
    for item in (base, candidate):
        chain, value = item.analysis.denominator, item.analysis.metrics["score"]
        if chain.bounds is None or value is None:
            return ()
        ends.append((value - chain.bounds[1], value - chain.bounds[0]))
    low, high = ends[1][0] - ends[0][1], ends[1][1] - ends[0][0]
    ungraded_rows = sum(_ungraded(item) for item in (base, candidate))
    if high - low < LEAST_OPEN or ungraded_rows <= 0:
        return ()
    return (
        Part(
            cause="coverage",
            sub="rows_missing",
            points=0.0,
            interval=(low, high),
            status="bounds",
            named=high - low >= OPEN_NAMED,
            tasks=(),
            rollouts=ungraded_rows,
            bounds=(low, high),
        ),
    )


def _ungraded(item: Measured) -> int:
    chain = item.analysis.denominator
    return max(0, (chain.expected or 0) - chain.graded)


def _part(part: ledger.LedgerPart, pair: Pair, slices: TaskSlices, seed: int, modes: Modes) -> Part:
    side, run = _side(part, pair)
    return Part(
        cause=(cause := modes.cause(part.sub) if part.cause == "behaviour" else part.cause),
        blame=modes.blame(part.sub) if cause == "behaviour" else "",
        sub=part.sub,
        points=part.points,
        interval=part.interval,
        status=part.status,
        named=part.named,
        tasks=tuple(pair.label(task) for task in _tasks(part, pair)[:MOST_TASKS]),
        rollouts=part.rollouts,
        where=where(part.cause, part.sub, side, slices, seed, modes) | _elsewhere(part, pair, slices),
        evidence=tuple(evidence(part.cause, part.sub, side, run.name, run.raw.sources)),
        bounds=part.bounds,
        p=part.p,
        theta=part.theta,
    )


def _told_by(corrected: CorrectedScores, pair: Pair) -> dict[str, object]:
    """The field that shows a changed verifier, where one does."""
    if isinstance(corrected.again, OtherJudge):
        return corrected.again.where(pair)
    return {"field": corrected.again.field} if isinstance(corrected.again, Witness) else {}


def _of_tool(part: Part, tool: BrokenTool, pair: Pair, slices: TaskSlices) -> Part:
    """The part of a tool that broke: what it answers, and the rows with that answer."""
    hit = tool.frame(pair)
    run, run_rows = (pair.base, pair.a) if tool.side == "a" else (pair.candidate, pair.b)
    place = tool.where(pair)
    quotes = [{**item, "quote": place["message"]} for item in row_evidence(hit, run.name, run.raw.sources)]
    shared_category = category(set(hit["key"].to_list()), set(run_rows["key"].to_list()), slices)
    return replace(part, blame=TOOL, where=place | shared_category, evidence=tuple(quotes))


def _tasks(part: ledger.LedgerPart, pair: Pair) -> list[str]:
    """The tasks that carry its points, largest first, then those with rows of it that cost nothing."""
    if part.cause == "foreign_rows":
        return sorted(pair.with_foreign, key=lambda key: natural(pair.label(key)))
    rows = (rows_of(part.cause, part.sub, frame)["key"].to_list() for frame in (pair.a, pair.b))
    common_tasks = {key for keys in rows for key in keys} & set(pair.common)
    return list(dict.fromkeys([*map(str, part.tasks), *sorted(common_tasks, key=lambda key: natural(pair.label(key)))]))


def _elsewhere(part: ledger.LedgerPart, pair: Pair, slices: TaskSlices) -> dict[str, object]:
    """The category a changed verifier touches; the makers of foreign rows."""
    if part.cause == "foreign_rows":
        rows = pl.concat(
            [run.facts.filter("foreign").select("model", "id_form") for run in (pair.base, pair.candidate)]
        )
        return {"models": sorted(name for name in rows["model"].unique().to_list() if name)} if rows.height else {}
    if part.cause != "verifier" or part.sub not in REGRADED:
        return {}
    return category({str(task) for task in part.tasks}, set(pair.common), slices)


def _side(part: ledger.LedgerPart, pair: Pair) -> tuple[pl.DataFrame, Run]:
    """The run that lost by it: where the points fell the candidate, else the base."""
    return (pair.b, pair.candidate) if part.points <= 0 else (pair.a, pair.base)


def other_views(score_ledger: ledger.Ledger, pair: Pair, modes: Modes) -> dict[str, Any]:
    """Other ways to add up the same change; never to be added to the parts."""
    blamed = [
        part.points for part in score_ledger.parts if part.cause == "behaviour" and modes.cause(part.sub) != part.cause
    ]
    blamed += [-part.points for part in score_ledger.parts if part.sub == CLASS]
    return {
        "pooled": asdict(score_ledger.pooled),
        "capability": asdict(score_ledger.capability),
        "migration": _migration(score_ledger.migration, pair, modes),
        "behaviour": score_ledger.behaviour.points - sum(blamed) if score_ledger.behaviour else None,
        "common_shares": list(score_ledger.common_shares),
        "imputed_share": score_ledger.imputed_share,
        "rescored_shares": list(score_ledger.rescored_shares),
        "foreign_rows": dict(pair.foreign),
    }


def _migration(migration: ledger.Migration | None, pair: Pair, modes: Modes) -> dict[str, Any] | None:
    """Losses that changed their mode, as far as the plain counts of the modes went the same way.

    A failure counts under one mode, the nearest to the cause: a mode may cost less only because another took its place.
    """
    if migration is None:
        return None
    falling_modes = [mode for mode in migration.less if modes.more_common(mode, pair) is not True]
    rising_modes = [mode for mode in migration.more if modes.more_common(mode, pair) is not False]
    return (
        {**asdict(migration), "less": falling_modes, "more": rising_modes} if falling_modes and rising_modes else None
    )


def shared_data(shared: SharedOutputs, *, same_runs: bool) -> dict[str, Any]:
    return {
        "pairs": shared.pairs,
        "identical": shared.identical,
        "reward_differs": shared.reward_differs,
        "level": shared.level,
        "scored_two_ways": shared.flaky,
        "same_runs": same_runs,
    }


def config_diff_data(config_diff: ConfigDiff) -> tuple[dict[str, Any], ...]:
    return tuple(
        {"field": field.field, "base": field.base, "candidate": field.candidate, "role": field.role}
        | ({"diff": dict(field.diff)} if field.diff else {})
        for field in config_diff.moved
    )

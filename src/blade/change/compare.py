"""One candidate against the baseline: the verdict, the ledger, the flips and the slices, put together.

A loss in one slice can be beyond doubt while the mean over all tasks is not. It counts as a change of behaviour only if
it is a change of the whole score too: the score moved the same way, and the other tasks did not move against it. Hotter
sampling, which lifts the hard tasks and lowers the easy ones, has such slices without being a loss.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import fsum
from typing import Any

import polars as pl

from blade.change.broken_tools import broken_tool
from blade.change.config_diff import ConfigDiff, line_about, passport
from blade.change.flips import task_flips
from blade.change.gold import Regraded
from blade.change.modes import Modes, failure_modes, states
from blade.change.other_judges import OtherJudge
from blade.change.pair import ONLY_CANDIDATE, Pair, make_pair
from blade.change.parts import FEWEST_SHARED, config_diff_data, missing_rows, other_views, parts_of, shared_data
from blade.change.score_corrections import CorrectedScores, correct_scores
from blade.change.scores import OPEN, Scores, clean_scores, task_scores
from blade.change.shared_outputs import SharedOutputs, same_runs, shared_outputs
from blade.change.witness import Witness
from blade.counting.align import Alignment
from blade.counting.measure import Measured
from blade.counting.run import Run
from blade.counting.seed import seed_of
from blade.model import Change, Part
from blade.options import Options
from blade.stats import ledger, paired, power
from blade.stats.slicing import find_slices
from blade.wording import abridged

AGAINST = 0.05
"""p below which the other tasks moved the other way."""


def concentrated_p(scores: Scores, metadata: Sequence[Mapping[str, str]], seed: int) -> float | None:
    """P of the slice that stands out, adjusted for the search; 1 where none carries the change. None: no slices."""
    changes = paired.task_changes(*scores)
    search = find_slices(changes, metadata, seed=seed)
    if not search.candidates:
        return None
    if not search.named:
        return 1.0
    top = search.named[0]
    members = frozenset(top.members)
    outside = [place for place in range(len(changes)) if place not in members]
    outside_change = fsum(changes[place] for place in outside)
    if fsum(changes) * top.stats.excess <= 0.0:
        return 1.0
    p, _ = paired.label_permutation([scores[0][i] for i in outside], [scores[1][i] for i in outside], seed=seed)
    against = outside_change * top.stats.excess < 0.0 and p is not None and p < AGAINST
    return 1.0 if against else top.p_adjusted


CERTAIN = 1e-9
FEWEST_REPEATED = 5
NAMED = 4
NO_MODES = Modes()
BEYOND_DOUBT = 0.001
"""p of the mean below which no slice need be searched to say that behaviour changed."""

TaskSlices = Mapping[str, Mapping[str, str]]


def compare(
    base: Measured,
    candidate: Measured,
    runs: tuple[Run, Run],
    alignment: Alignment,
    options: Options,
    modes: Modes = NO_MODES,
) -> Change:
    """Everything that can be said about the change from one run to another."""
    config_diff = passport(*runs, alignment, options.treatment)
    if alignment.rule == "none":
        return _not_comparable(base, candidate, runs, alignment, config_diff)
    pair = _with_modes(make_pair(*runs, alignment), runs, modes)
    seed = seed_of(runs, options.seed)
    shared = shared_outputs(pair)
    zero_fill = options.missing == "zero"
    corrected = correct_scores(pair, shared, broken_tool(pair, seed), zero_fill=zero_fill, seed=seed)
    scores = task_scores(corrected, pair.common)
    p, method = paired.label_permutation(*scores, seed=seed)
    span, identical_runs = _span(corrected), same_runs(pair, config_diff)
    mean = paired.paired_t(paired.task_changes(*scores), span)
    interval = (0.0, 0.0) if identical_runs else _possible(mean.interval, span) if mean else None
    visible = paired.visible_change(*scores)
    slices = _slices(base.slices, candidate.slices, alignment)
    settings = _settings(corrected, pair, shared, config_diff, slices, seed)
    score_ledger = ledger.decompose(corrected.base, corrected.candidate, settings, corrected.corrections)
    flips, flip_totals = task_flips(pair)
    test = paired.verdict(
        p,
        interval,
        visible,
        len(pair.common),
        same_outputs=_only_scores_differ(shared, corrected),
        same_runs=identical_runs,
        span=span,
    )
    return Change(
        base=runs[0].name,
        candidate=runs[1].name,
        common_tasks=len(pair.common),
        delta=score_ledger.delta,
        delta_zero_fill=_difference(base, candidate, "score_zero_fill"),
        delta_common=mean.delta if mean else None,
        interval=interval,
        p=p,
        p_method=method if p is not None else None,
        mde=visible or None,
        verdict=test.verdict,
        reason=test.reason,
        churn_p=paired.churn(*scores, seed=seed)[2] if scores[0] else None,
        **_needed(scores, mean.delta if mean else None),
        separable=config_diff.separable,
        confounded_with=config_diff.confounded_with,
        shared_outputs=shared_data(shared, same_runs=identical_runs),
        parts=parts_of(
            score_ledger,
            pair,
            shared,
            slices,
            seed,
            modes=modes,
            corrected=corrected,
            missing=() if zero_fill else missing_rows(base, candidate),
        ),
        flips=tuple(flips),
        flips_expected=flip_totals,
        slices=tuple(
            item | {"prompt": line_about(config_diff, item["where"]) if item["named"] else None}
            for item in _slice_data(scores, pair, slices, seed)
        ),
        passport=config_diff_data(config_diff),
        views=other_views(score_ledger, pair, modes),
        notes=(*_notes(pair, corrected, shared, base, candidate, identical_runs=identical_runs), *_unread(pair, modes)),
    )


def _only_scores_differ(shared: SharedOutputs, corrected: CorrectedScores) -> bool:
    """Every output is shared and some were scored otherwise, on one scale: chance has no part in that."""
    return shared.complete and shared.level == "output" and shared.reward_differs > 0 and corrected.rescale is None


def _with_modes(pair: Pair, runs: tuple[Run, Run], modes: Modes) -> Pair:
    names = runs[0].name, runs[1].name
    a, b = (_of_run(run, frame, modes, names) for run, frame in zip(runs, (pair.a, pair.b), strict=True))
    return replace(pair, a=a, b=b)


def _of_run(run: Run, frame: pl.DataFrame, modes: Modes, names: tuple[str, str]) -> pl.DataFrame:
    frame = frame.with_columns(pl.Series("state", states(run, frame, modes), pl.String))
    return frame.with_columns(pl.Series("mode", failure_modes(run, frame, modes, names), pl.String))


def _span(corrected: CorrectedScores) -> float:
    """The range of the scores: 0 to 1 where they lie within it, else what was seen; 0 where all are alike."""
    values = [row.reward for run in (corrected.base, corrected.candidate) for row in run.rows]
    low, high = min(values, default=0.0), max(values, default=1.0)
    return 1.0 if low >= -CERTAIN and high <= 1 + CERTAIN else high - low


def _possible(interval: tuple[float, float] | None, span: float) -> tuple[float, float] | None:
    """An interval without what no difference of two scores can be: with few tasks t reaches far beyond."""
    return (max(interval[0], -span), min(interval[1], span)) if interval and span else interval


def _settings(
    corrected: CorrectedScores,
    pair: Pair,
    shared: SharedOutputs,
    config_diff: ConfigDiff,
    slices: TaskSlices,
    seed: int,
) -> ledger.Settings:
    deterministic = shared.flaky == 0 and (shared.complete or _repeated(pair) >= FEWEST_REPEATED)
    again = corrected.again
    certain = deterministic and shared.reward_differs > 0 and corrected.rescale is None
    if isinstance(again, Regraded):
        certain = again.p is None
    elif isinstance(again, Witness):
        certain = True
    elif isinstance(again, OtherJudge):
        certain = False
    verifier_p = again.p if isinstance(again, (Regraded, OtherJudge)) else None
    verifier_moved = any(field.field == "verifier" for field in config_diff.moved)
    clean, tasks = clean_scores(corrected, pair.common)
    filled, _ = clean_scores(corrected, pair.common, failing=OPEN)
    clean_p = paired.label_permutation(*clean, seed=seed)[0]
    doubted = clean_p is not None and clean_p >= BEYOND_DOUBT
    return ledger.Settings(
        behaviour_p=clean_p,
        behaviour_open_p=paired.label_permutation(*filled, seed=seed)[0],
        behaviour_slice_p=concentrated_p(clean, [slices.get(task, {}) for task in tasks], seed) if doubted else 1.0,
        verifier_p=CERTAIN if certain else verifier_p,
        verifier_changed=verifier_moved,
        seed=seed,
    )


def _repeated(pair: Pair) -> int:
    """Outputs that stand more than once in a run, so that a wavering verifier would have shown itself."""
    return sum(
        frame.filter(pl.col("output_hash").is_not_null())
        .group_by("key", "output_hash", "heard_hash")
        .len()
        .filter(pl.col("len") > 1)
        .height
        for frame in (pair.a, pair.b)
    )


def _slices(base: TaskSlices, candidate: TaskSlices, alignment: Alignment) -> dict[str, dict[str, str]]:
    slices = {task: dict(levels) for task, levels in base.items()}
    for task, levels in candidate.items():
        name = alignment.same.get(task, ONLY_CANDIDATE + task)
        slices[name] = {**levels, **slices.get(name, {})}
    return slices


def _needed(scores: Scores, delta: float | None) -> dict[str, int | None]:
    """Repeats of these tasks, and new tasks, that would show a change of this size, with four chances in five."""
    nothing: dict[str, int | None] = {"repeats_needed": None, "tasks_needed": None}
    se = paired.fixed_task_se(*scores)
    if not delta or not se or not scores[0]:
        return nothing  # without repeats, or where no attempt ever differed, the noise is not known
    tasks = len(scores[0])
    repeats = tasks / sum(1 / len(task) for task in scores[0]), tasks / sum(1 / len(task) for task in scores[1])
    within = se**2 * tasks / (1 / repeats[0] + 1 / repeats[1])
    repeats_to_show = power.repeats_needed(abs(delta), tasks, (within, within))
    tasks_to_show = power.tasks_needed(abs(delta), (within, within), repeats, paired.omega2(*scores) or 0.0)
    return {
        "repeats_needed": int(repeats_to_show) if repeats_to_show != float("inf") else None,
        "tasks_needed": int(tasks_to_show) if tasks_to_show != float("inf") else None,
    }


def _slice_data(scores: Scores, pair: Pair, slices: TaskSlices, seed: int) -> list[dict[str, Any]]:
    changes = paired.task_changes(*scores)
    metadata = [slices.get(task, {}) for task in pair.common]
    search = find_slices(changes, metadata, seed=seed)
    return [
        {
            "where": list(ranked_slice.where),
            "tasks": ranked_slice.stats.tasks,
            "inside": ranked_slice.stats.inside,
            "outside": ranked_slice.stats.outside,
            "excess": ranked_slice.stats.excess,
            "p_adjusted": ranked_slice.p_adjusted,
            "named": ranked_slice.named,
            "members": [pair.common[place] for place in ranked_slice.members]
            if ranked_slice.named and not rank
            else [],
        }
        for rank, ranked_slice in enumerate((*search.named, *search.suggested))
    ]


def _difference(base: Measured, candidate: Measured, key: str) -> float | None:
    before, after = base.analysis.metrics[key], candidate.analysis.metrics[key]
    return None if before is None or after is None else after - before


def _notes(
    pair: Pair,
    corrected: CorrectedScores,
    shared: SharedOutputs,
    base: Measured,
    candidate: Measured,
    *,
    identical_runs: bool,
) -> list[str]:
    notes = []
    bounds = [item.analysis.denominator.bounds for item in (base, candidate)]
    if all(bounds) and bounds[0] and bounds[1]:
        low, high = bounds[1][0] - bounds[0][1], bounds[1][1] - bounds[0][0]
        if low < 0 < high and (bounds[0][0] != bounds[0][1] or bounds[1][0] != bounds[1][1]):
            notes.append("The sign of the change is not identified: missing rollouts could turn it either way.")
    if corrected.rescale is not None:
        mapped_side, kept_side = (
            ("candidate", "base") if corrected.rescale.side == "candidate" else ("base", "candidate")
        )
        notes.append(
            f"The {mapped_side}'s rewards are on another scale; "
            f"they were mapped onto the {kept_side}'s before comparing."
        )
    if _only_scores_differ(shared, corrected):
        notes.append("Every output of the candidate stands in the base: it is the same run, scored again.")
    elif shared.identical < FEWEST_SHARED and not identical_runs:
        notes.append(
            "Hardly any output is shared, so a change of the verifier cannot be told from a change of behaviour; "
            "scoring up to 200 rows of one run with the other's verifier would settle it."
        )
    if len(pair.common) < paired.FEWEST_TASKS:
        notes.append("With so few common tasks only the two scores and their difference can be stated.")
    return notes


def _unread(pair: Pair, modes: Modes) -> list[str]:
    """Says that ways of failing are left out which one of the runs does not record."""
    left_out = modes.one_sided.get((pair.base.name, pair.candidate.name), ())
    if not left_out:
        return []
    names = abridged([modes.name(mode) or mode for mode in sorted(left_out)], NAMED)
    reason = "Failure modes that are read from logs or transcripts are no parts here, as one of the two runs keeps none"
    return [f"{reason}: {names}."]


def _not_comparable(
    base: Measured, candidate: Measured, runs: tuple[Run, Run], alignment: Alignment, config_diff: ConfigDiff
) -> Change:
    delta = _difference(base, candidate, "score_as_found")
    test = paired.verdict(None, None, None, 0, comparable=False)
    composition = () if delta is None else (Part("composition", None, delta, None, "not_identified", False, (), 0),)
    return Change(
        base=runs[0].name,
        candidate=runs[1].name,
        common_tasks=0,
        delta=delta,
        delta_zero_fill=_difference(base, candidate, "score_zero_fill"),
        delta_common=None,
        interval=None,
        p=None,
        p_method=None,
        mde=None,
        verdict=test.verdict,
        reason=f"{test.reason} {alignment.detail[:1].upper()}{alignment.detail[1:]}.",
        churn_p=None,
        repeats_needed=None,
        tasks_needed=None,
        separable=config_diff.separable,
        confounded_with=config_diff.confounded_with,
        shared_outputs={
            "pairs": 0,
            "identical": 0,
            "reward_differs": 0,
            "level": "none",
            "scored_two_ways": 0,
            "same_runs": False,
        },
        parts=composition,
        flips=(),
        flips_expected=None,
        slices=(),
        passport=config_diff_data(config_diff),
    )

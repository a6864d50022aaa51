"""The ledger: a change of score, taken apart into parts that add up to it exactly.

Three blocks in a forced order: corrections of the scores, the tasks themselves, and what happened inside the common
tasks. A row that should not exist has no behaviour, and what happens inside tasks can be told only where both runs have
them. Inside the last block no order is privileged: each class gets its Shapley value.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from blade.frozen import frozen
from blade.stats.intervals import unanimous_interval
from blade.stats.ledger.behaviour import Capability, capability, mode_migration
from blade.stats.ledger.common_tasks import (
    BEHAVIOUR,
    MODES,
    UNRESOLVED,
    CommonTasks,
    Draft,
    behaviour_drafts,
    class_draft,
    common_tasks,
)
from blade.stats.ledger.composition import LABELS, Composition, compose, reach, total
from blade.stats.ledger.corrections import Correction
from blade.stats.ledger.intervals import Span, hull, resampled, resampled_interval, task_interval, task_p
from blade.stats.ledger.naming import ALPHA, LEAST, holm, name_modes
from blade.stats.ledger.parts import Ledger, LedgerPart, Pooled, Settings, Status
from blade.stats.ledger.rows import CLASSES, ClassCounts, Floats, LedgerPair, LedgerRun, pair


def verifier_values(common: CommonTasks) -> Floats:
    """Weighted change that the verifier makes, per common task.

    Re-scored on both sides: [(m_A^vB - m_A^vA) + (m_B^vB - m_B^vA)] / 2, and all else is told with the mean of both
    rewards; on one side: that side's term alone, and all else is told with its re-scored reward. Either way it is the
    change as written minus the change as told. Rows that were not re-scored keep their reward, so it is a lower bound.
    """
    first_verdicts = [(c.total.sum(axis=1) + c.clean_total) / c.n for c in (common.base, common.candidate)]
    disputed = (common.base.disputed + common.candidate.disputed) > 0
    final_verdicts = common.candidate.mean - common.base.mean
    values: Floats = (final_verdicts - (first_verdicts[1] - first_verdicts[0])) * common.weight * disputed
    return values


def rescored_share(cells: ClassCounts) -> float:
    rows = float(cells.n.sum())
    return float(cells.rescored.sum()) / rows if rows else 0.0


def verifier_draft(
    common: CommonTasks, settings: Settings, two_sided: bool, other_parts: Floats, spread: Callable[[Floats], Floats]
) -> Draft | None:
    """The part `verifier: change`; `other_parts` is what else happened inside common tasks, weighted.

    Identified if every row was scored by both verifiers, assumed if every row of one run was, else bounds, from the
    part to the part and all the rest; the interval then holds both ends with their noise. With no row re-scored but
    verifiers known to differ: 0, not identified, bounds from 0 to all of it. None where there is nothing to say.
    """
    values, remainder = verifier_values(common), total(other_parts)
    shares = [rescored_share(c) for c in (common.base, common.candidate)]
    if not any(shares):
        if not settings.verifier_changed or not len(common.common):
            return None
        unknown: Span = (min(0.0, remainder), max(0.0, remainder))
        return Draft("verifier", "change", spread(values), 0, None, unknown, "not_identified", None)
    if not values.any():
        return None
    points = total(values)
    status: Status = "bounds"
    bounds: Span | None = (points + min(0.0, remainder), points + max(0.0, remainder))
    interval = hull(task_interval(values), task_interval(values + other_parts))
    if (min(shares) if two_sided else max(shares)) == 1.0:
        status, bounds, interval = ("identified" if two_sided else "assumed"), None, task_interval(values)
    p = task_p(values) if settings.verifier_p is None else settings.verifier_p
    rollouts = int((common.base.disputed + common.candidate.disputed).sum())
    return Draft("verifier", "change", spread(values), rollouts, interval, bounds, status, p)


TOLERANCE = 1e-9
BROKEN_TOOL = "broken_tool"
"""A part that is there only where a search has found it beyond chance: it takes nothing from the other tests."""


@frozen
class _DraftLedger:
    """Everything the table is written from."""

    settings: Settings
    pair: LedgerPair
    composition: Composition
    common: CommonTasks
    view: Floats  # weighted parts of the common tasks
    facts: list[Draft]  # block II
    tested: list[Draft]  # block III but for behaviour
    behaviour: Draft
    modes: list[Draft]
    replicates: Floats | None  # of block II and of the whole of block III


def decompose(
    base: LedgerRun, candidate: LedgerRun, settings: Settings | None = None, corrections: Sequence[Correction] = ()
) -> Ledger:
    """Take the change from base to candidate apart. Rows are those after correction; corrections are added as parts.

    Swapping the runs negates every part and mirrors every interval; names and statuses stay (`added` and `removed`
    change places). Without rows in a run there is no change to speak of: delta is None and there are no parts.
    """
    settings = settings or Settings()
    summary = pair(base, candidate, settings.unit)
    composition = compose(summary, base, candidate, settings.weighting)
    if composition.base is None or composition.candidate is None:
        return _nothing(summary, composition)
    draft_ledger = _open_draft(summary, composition, settings)
    return _close_draft(draft_ledger, corrections)


def _open_draft(summary: LedgerPair, composition: Composition, settings: Settings) -> _DraftLedger:
    common = common_tasks(summary, composition, settings)
    view = common.view(common.used)

    def spread(values: Floats) -> Floats:
        full = np.zeros(len(summary.tasks))
        full[common.common] = values
        return full

    columns = [z for z in common.present if common.moved(z) or view[:, z].any()]
    tested = [class_draft(common, z, view[:, z], spread) for z in columns]
    behaviour, modes = behaviour_drafts(common, view, tested, summary.modes, settings, spread)
    verifier = verifier_draft(common, settings, summary.two_sided, view[:, :MODES].sum(axis=1), spread)
    tested += [verifier] if verifier is not None else []
    if view[:, UNRESOLVED].any():
        rows_by_task = common.base.n + common.candidate.n
        values, rows = view[:, UNRESOLVED], int(rows_by_task[view[:, UNRESOLVED] != 0.0].sum())
        span = task_interval(values)
        tested.append(Draft("unresolved", None, spread(values), rows, span, None, "not_identified", None))
    if not composition.identified:
        behaviour, *unidentified = (replace(d, status="not_identified") for d in (behaviour, *tested, *modes))
        tested, modes = unidentified[: len(tested)], unidentified[len(tested) :]
    weight = np.where(common.weight > 0.0, common.weight, 1.0)
    drafts = [*tested, *modes]
    unweighted = (
        np.array([spread(d.phi[common.common] / weight) for d in drafts]).reshape(len(drafts), len(summary.tasks)).T
    )
    replicates = None
    if composition.phi.any():
        replicates = resampled(summary, composition, unweighted, settings.draws, settings.seed)
    facts = _facts(summary, composition, replicates)
    return _DraftLedger(settings, summary, composition, common, view, facts, tested, behaviour, modes, replicates)


def _facts(summary: LedgerPair, composition: Composition, replicates: Floats | None) -> list[Draft]:
    """Composition, coverage and weights. Few or no common tasks leave their level, and so these parts, open."""
    facts = []
    rows = summary.base.n + summary.candidate.n
    for column, (cause, sub) in enumerate(LABELS):
        phi = composition.phi[:, column]
        if not phi.any():
            continue
        lacking = composition.label[:, column] > 0
        bounds: Span | None = None
        status: Status = "identified"
        if not composition.identified:
            status = "bounds" if composition.common.any() and lacking.any() else "not_identified"
            bounds = reach(summary, composition, column) if lacking.any() else None
        interval = resampled_interval(
            total(phi), None if replicates is None else replicates[:, column], len(summary.tasks)
        )
        touched = lacking if lacking.any() else phi != 0.0
        facts.append(Draft(cause, sub, phi, int(rows[touched].sum()), interval, bounds, status, None))
    return facts


def _naming_flags(draft_ledger: _DraftLedger) -> tuple[list[bool], list[bool], list[bool], bool]:
    """Facts, tested parts, failure modes and the behaviour part: which are named."""
    facts = []
    for draft in draft_ledger.facts:
        ends = draft.bounds if draft.status == "bounds" and draft.bounds else (draft.points, draft.points)
        sure = min(abs(ends[0]), abs(ends[1])) >= LEAST and ends[0] * ends[1] > 0.0
        facts.append(sure and draft.status != "not_identified")
    family = [*draft_ledger.tested, draft_ledger.behaviour]
    p_values = [d.p if d.status != "not_identified" and d.phi.any() else None for d in family]
    tests = zip(
        holm([None if d.sub == BROKEN_TOOL else p for d, p in zip(family, p_values, strict=True)]),
        p_values,
        strict=True,
    )
    tested = [
        p is not None and p < ALPHA for adjusted, own_p in tests for p in [own_p if adjusted is None else adjusted]
    ]
    modes = [False] * len(draft_ledger.modes)
    if tested[-1]:
        points = [d.points for d in draft_ledger.modes]
        modes = name_modes(points, [d.p for d in draft_ledger.modes], draft_ledger.behaviour.points, LEAST)
    return facts, tested[:-1], modes, tested[-1]


def _close_draft(draft_ledger: _DraftLedger, corrections: Sequence[Correction]) -> Ledger:
    scale, composition = draft_ledger.pair.scale, draft_ledger.composition
    facts, tested, modes, behaves = _naming_flags(draft_ledger)
    flags = [*facts, *tested, *modes]
    drafts = [*draft_ledger.facts, *draft_ledger.tested, *draft_ledger.modes]
    parts = [_part(d, flag, draft_ledger.pair.tasks, scale) for d, flag in zip(drafts, flags, strict=True)]
    columns = [dict(zip(draft_ledger.pair.tasks, (scale * d.phi).tolist(), strict=True)) for d in drafts]
    correction_parts = [_correction_part(c, scale, len(draft_ledger.pair.tasks)) for c in corrections]
    order, tasks, phi = _sorted([*parts, *correction_parts], [*columns, *(dict(c.by_task) for c in corrections)])
    s_a, s_b = composition.base or 0.0, composition.candidate or 0.0
    delta = math.fsum([scale * s_b, -scale * s_a, *(c.points for c in corrections)])
    gap = math.fsum([*(p.points for p in order), -delta])
    if abs(gap) >= TOLERANCE * max(1.0, scale):
        raise ArithmeticError(f"the parts miss the change of {delta} by {gap}")
    by_mode = {d.sub: scale * d.points for d in draft_ledger.modes}
    imputed = draft_ledger.common.within(draft_ledger.common.used).imputed
    imputed_changes = np.hstack(
        [np.abs(draft_ledger.view[imputed, :BEHAVIOUR]).ravel(), np.abs(draft_ledger.view[:, UNRESOLVED])]
    )
    mass, total_change = scale * total(imputed_changes), total(np.abs(phi).ravel())
    change = scale * draft_ledger.common.weight * (draft_ledger.common.candidate.mean - draft_ledger.common.base.mean)
    low = draft_ledger.pair.low
    return Ledger(
        scores=(low + scale * s_a, low + scale * s_b),
        delta=delta,
        delta_common=total(change) if len(change) else None,
        parts=order,
        tasks=tasks,
        phi=phi,
        pooled=_pool(draft_ledger, flags, [p for p in correction_parts if not p.named]),
        behaviour=_part(draft_ledger.behaviour, behaves, draft_ledger.pair.tasks, scale)
        if draft_ledger.behaviour.phi.any()
        else None,
        migration=mode_migration(by_mode, LEAST * scale),
        capability=capability(draft_ledger.common.base.passes, draft_ledger.common.candidate.passes, change),
        thetas={CLASSES[z]: theta for z, theta in draft_ledger.common.thetas.items()},
        common=len(draft_ledger.common.common),
        common_shares=composition.shares,
        imputed_mass=mass,
        imputed_share=mass / total_change if total_change else 0.0,
        rescored_shares=(rescored_share(draft_ledger.common.base), rescored_share(draft_ledger.common.candidate)),
    )


def _part(draft: Draft, is_named: bool, tasks: Sequence[Hashable], scale: float) -> LedgerPart:
    sizes = np.abs(draft.phi).tolist()
    touched = sorted((i for i, size in enumerate(sizes) if size > 0.0), key=lambda i: (-sizes[i], repr(tasks[i])))
    theta = draft.theta
    return LedgerPart(
        cause=draft.cause,
        sub=draft.sub,
        points=math.fsum((scale * draft.phi).tolist()),
        interval=_times(_possible(draft.interval), scale),
        bounds=_times(draft.bounds, scale),
        status=draft.status,
        named=is_named,
        p=draft.p,
        tasks=tuple(tasks[i] for i in touched),
        rollouts=draft.rollouts,
        theta=None if theta is None else theta.value,
        theta_estimated=theta is not None and theta.estimated,
    )


def _correction_part(correction: Correction, scale: float, count: int) -> LedgerPart:
    """A correction is a fact. What it cost is an estimate where the rows set aside stood in the place of others."""
    points, by_task = correction.points, correction.by_task
    tasks = tuple(sorted((t for t, v in by_task.items() if v != 0.0), key=lambda t: (-abs(by_task[t]), repr(t))))
    interval: Span | None = (points, points)
    if correction.displaced:
        values = sorted(by_task.values(), key=lambda value: (abs(value), value))
        interval = task_interval(np.array([*[0.0] * max(0, count - len(values)), *values]))
    return LedgerPart(
        cause=correction.cause,
        sub=None,
        points=points,
        interval=interval,
        bounds=None,
        status="assumed" if correction.assumed else "identified",
        named=abs(points) >= LEAST * scale,
        p=None,
        tasks=tasks,
        rollouts=correction.rollouts,
    )


def _possible(span: Span | None) -> Span | None:
    """An interval without what no change of a score from 0 to 1 can be: with few tasks t reaches far beyond."""
    return None if span is None else (max(span[0], -1.0), min(span[1], 1.0))


def _times(span: Span | None, scale: float) -> Span | None:
    return None if span is None else (scale * span[0], scale * span[1])


def _sorted(
    parts: Sequence[LedgerPart], columns: Sequence[Mapping[Hashable, float]]
) -> tuple[tuple[LedgerPart, ...], tuple[Hashable, ...], Floats]:
    """Parts named first, then by size; tasks by name; and the matrix of both."""
    keys = [(not p.named, -abs(p.points), p.cause, p.sub or "") for p in parts]
    order = sorted(range(len(parts)), key=keys.__getitem__)
    tasks = sorted(dict.fromkeys(t for column in columns for t in column), key=lambda t: (type(t).__name__, repr(t)))
    phi = np.array([[columns[i].get(t, 0.0) for i in order] for t in tasks], dtype=np.float64)
    return tuple(parts[i] for i in order), tuple(tasks), phi.reshape(len(tasks), len(parts))


def _pool(draft_ledger: _DraftLedger, flags: Sequence[bool], correction_parts: Sequence[LedgerPart]) -> Pooled:
    """All that is not named, regrouped into one bar with one interval."""
    drafts = [*draft_ledger.facts, *draft_ledger.tested, *draft_ledger.modes]
    loose = [d for d, flag in zip(drafts, flags, strict=True) if not flag]
    scale, fixed = draft_ledger.pair.scale, math.fsum(p.points for p in correction_parts)
    points = math.fsum(value for d in loose for value in d.phi.tolist())
    if any(not flag for flag in flags[: len(draft_ledger.facts)]):
        facts = [LABELS.index((d.cause, d.sub)) for d, flag in zip(draft_ledger.facts, flags, strict=False) if not flag]
        unnamed = [len(LABELS) + i for i, flag in enumerate(flags[len(draft_ledger.facts) :]) if not flag]
        draws = None if draft_ledger.replicates is None else draft_ledger.replicates[:, facts + unnamed].sum(axis=1)
        interval = resampled_interval(points, draws, len(draft_ledger.pair.tasks))
    else:
        together = sum((d.phi for d in loose), np.zeros(len(draft_ledger.pair.tasks)))[draft_ledger.common.common]
        offset = len(together) > 1 and not together.any() and any(d.phi.any() for d in loose)
        interval = unanimous_interval(0.0, len(together), 1.0) if offset else task_interval(together)
    interval = _possible(interval)
    moved = None if interval is None else (scale * interval[0] + fixed, scale * interval[1] + fixed)
    return Pooled(scale * points + fixed, moved, len(loose) + len(correction_parts))


def _nothing(summary: LedgerPair, composition: Composition) -> Ledger:
    base_score, candidate_score = (
        None if s is None else summary.low + summary.scale * s for s in (composition.base, composition.candidate)
    )
    return Ledger(
        scores=(base_score, candidate_score),
        delta=None,
        delta_common=None,
        parts=(),
        tasks=(),
        phi=np.zeros((0, 0)),
        pooled=Pooled(0.0, None, 0),
        behaviour=None,
        migration=None,
        capability=Capability(0.0, 0.0, 0.0, 0.0),
        thetas={},
        common=0,
        common_shares=(0.0, 0.0),
        imputed_mass=0.0,
        imputed_share=0.0,
        rescored_shares=(0.0, 0.0),
    )

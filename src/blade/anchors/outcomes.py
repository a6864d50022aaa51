"""Passes against fails, and tasks that sometimes pass against those that never do."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from blade.anchors.candidate import MECHANISM, Candidate, about, cited, mark_entity, of
from blade.anchors.chance import SURE, Bools, Floats, dealt_outcomes, dice, draws, familywise, share
from blade.anchors.table import RolloutMark, RolloutTable
from blade.wording import percent

FEWEST = 5
TWICE = 2.0
BUCKET_TASKS = 3


def outcome_facts(table: RolloutTable, seed: int) -> Iterator[Candidate]:
    if table.judged and table.passed.any() and table.failed.any():
        yield from _by_outcome(table, seed)
        yield from _by_bucket(table, seed)


def _by_outcome(table: RolloutTable, seed: int) -> Iterator[Candidate]:
    """What failed rollouts do twice as often as passed ones, or the other way round.

    A rule that fires on no pass may be a part of the verdict itself; only what both sides could show is told.
    """
    marks = [mark for mark in table.of_sort("detector", "tool") if _on_both(mark, table)]
    if not marks:
        return
    rng = dice(seed, f"outcomes|{table.run}")
    rows = np.stack([mark.rows for mark in marks], axis=1).astype(np.float64)
    dealt = dealt_outcomes(rng, table.task, table.passed)
    passes, fails = int(table.passed.sum()), int(table.failed.sum())
    on_pass = dealt.astype(np.float32) @ rows.astype(np.float32)
    permuted = (rows.sum(axis=0) - on_pass) / fails - on_pass / passes
    observed = rows[table.failed].mean(axis=0) - rows[table.passed].mean(axis=0)
    two_sided = np.concatenate([observed, -observed]), np.concatenate([permuted, -permuted], axis=1)
    adjusted = familywise(*two_sided).reshape(2, -1).min(axis=0)
    weights = draws(rng, len(table.tasks))[:, table.task]
    for place, mark in enumerate(marks):
        if adjusted[place] > SURE:
            continue
        fact = _outcome_fact(table, mark)
        if fact is not None:
            sign = np.sign(observed[place])
            guess = share(sign * permuted[:, place] >= 0.9 * abs(observed[place]))
            yield from fact.tried(guess, _still(table, mark, weights, sign))


def _on_both(mark: RolloutMark, table: RolloutTable) -> bool:
    passes, fails = int((mark.rows & table.passed).sum()), int((mark.rows & table.failed).sum())
    everywhere = mark.rows.sum() > 0.95 * mark.rows.size
    return passes + fails >= FEWEST and passes > 0 and not everywhere


def _still(table: RolloutTable, mark: RolloutMark, weights: Floats, sign: float) -> Bools:
    def rate(side: Bools) -> Floats:
        return np.asarray((weights @ (mark.rows & side)) / np.maximum(weights @ side, 1e-9))

    return np.asarray(sign * (rate(table.failed) - rate(table.passed)) > 0)


def _outcome_fact(table: RolloutTable, mark: RolloutMark) -> Candidate | None:
    on_fail, on_pass = int((mark.rows & table.failed).sum()), int((mark.rows & table.passed).sum())
    fails, passes = int(table.failed.sum()), int(table.passed.sum())
    rates = on_fail / fails, on_pass / passes
    if max(rates) < TWICE * min(rates) or max(on_fail, on_pass) < FEWEST:
        return None
    rates_within = _within_tasks(table, mark)
    odd = mark.sort == "detector" and rates[1] > rates[0]
    comparison = (
        f"{of(on_fail, fails)} failed rollouts of `{table.run}` {mark.words}, against {of(on_pass, passes)} passed"
    )
    also = (
        f"; within tasks that sometimes pass it is {percent(rates_within[0])} against {percent(rates_within[1])}"
        if rates_within
        else ""
    )
    return Candidate(
        "contrast",
        MECHANISM,
        f"{comparison} ones{also}.",
        about(
            {"run": table.run, mark.sort: mark.id, "status": "failed", "count": on_fail, "of": fails},
            mark_entity(mark),
            topic=(mark.id,),
            share=float(mark.rows.mean()),
        ),
        "difference",
        ">=" if rates[0] > rates[1] else "<=",
        rates[0] - rates[1],
        0.02,
        contrary=odd,
        citations=cited(mark, table),
        causal=2 if rates_within else 1,
    )


def _within_tasks(table: RolloutTable, mark: RolloutMark) -> tuple[float, float] | None:
    """The mark's rates on fails and passes of mixed tasks, where both point the way that all rollouts do."""
    mixed = ((table.passes > 0) & (table.passes < table.attempts))[table.task]
    fails, passes = mixed & table.failed, mixed & table.passed
    if fails.sum() < FEWEST or passes.sum() < FEWEST:
        return None
    rates = float(mark.rows[fails].mean()), float(mark.rows[passes].mean())
    overall = mark.rows[table.failed].mean() - mark.rows[table.passed].mean()
    return rates if (rates[0] - rates[1]) * overall > 0 and max(rates) >= 1.5 * min(rates) else None


def _by_bucket(table: RolloutTable, seed: int) -> Iterator[Candidate]:
    """Ways of failing that are twice as common where the model sometimes succeeds, or where it never does."""
    failing = np.flatnonzero(table.passes < table.attempts)
    flaky = table.passes[failing] > 0
    marks = table.of_failures(FEWEST)
    if not marks or min(flaky.sum(), (~flaky).sum()) < BUCKET_TASKS:
        return
    rng = dice(seed, f"buckets|{table.run}")
    columns = [*(mark.rows & table.failed for mark in marks), table.failed]
    counts = np.stack([table.per_task(rows) for rows in columns], axis=1)[failing].astype(np.float64)
    shares = counts[:, :-1] / counts[:, -1:]
    dealt_flaky = np.argsort(rng.random((999, failing.size)), axis=1) < flaky.sum()
    means = (dealt_flaky @ shares) / flaky.sum(), (~dealt_flaky @ shares) / (~flaky).sum()
    permuted, observed = means[0] - means[1], shares[flaky].mean(axis=0) - shares[~flaky].mean(axis=0)
    two_sided = np.concatenate([observed, -observed]), np.concatenate([permuted, -permuted], axis=1)
    adjusted = familywise(*two_sided).reshape(2, -1).min(axis=0)
    weights = draws(rng, failing.size)
    for place, mark in enumerate(marks):
        sums = [int(counts[side, column].sum()) for side in (flaky, ~flaky) for column in (place, -1)]
        rates = sums[0] / sums[1], sums[2] / sums[3]
        if adjusted[place] > SURE or max(rates) < TWICE * min(rates) or max(sums[0], sums[2]) < FEWEST:
            continue
        sign = np.sign(rates[0] - rates[1])
        resampled = [weights @ (counts[:, column] * side) for side in (flaky, ~flaky) for column in (place, -1)]
        holds = sign * (resampled[0] * np.maximum(resampled[3], 1) - resampled[2] * np.maximum(resampled[1], 1)) > 0
        guess = share(np.sign(observed[place]) * permuted[:, place] >= 0.9 * abs(observed[place]))
        yield from _bucket_fact(table, mark, sums).tried(guess, holds)


def _bucket_fact(table: RolloutTable, mark: RolloutMark, sums: list[int]) -> Candidate:
    often, flaky_failures, never, never_failures = sums
    return Candidate(
        "contrast",
        MECHANISM,
        f"In `{table.run}`, {of(often, flaky_failures)} failures of tasks that sometimes pass {mark.words}, "
        f"against {of(never, never_failures)} failures of tasks that never pass.",
        about(
            {"run": table.run, mark.sort: mark.id, "bucket": "sometimes", "count": often, "of": flaky_failures},
            mark_entity(mark),
            ("sometimes", {"sometimes": ("flaky", "mixed", "inconsistent", "unstable")}),
            topic=(mark.id, "bucket"),
            share=(often + never) / table.passed.size,
        ),
        "difference",
        ">=" if often * never_failures > never * flaky_failures else "<=",
        often / flaky_failures - never / never_failures,
        0.02,
        citations=cited(mark, table),
        causal=1,
    )

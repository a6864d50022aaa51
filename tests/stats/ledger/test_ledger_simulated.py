"""Runs drawn from known rates: what was planted is found, and nothing where nothing was."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
import pytest

from blade.stats.ledger import Ledger, LedgerRow, LedgerRun, Settings, decompose

Floats = npt.NDArray[np.float64]

TASKS, REPEATS = 150, 5
HITS = (("infrastructure", 0.03), ("truncated", 0.04), ("malformed", 0.03))


def drawn(rng: np.random.Generator, rates: Floats, repeats: int = REPEATS) -> LedgerRun:
    """Rows that pass at their task's rate, some of them hit without regard to it; names in an order of their own."""
    passed = rng.random((len(rates), repeats)) < rates[:, None]
    luck = rng.random((len(rates), repeats))
    modes = rng.choice(["wrong", "tool", "plan"], (len(rates), repeats))
    rows = []
    for t in range(len(rates)):
        for i in range(repeats):
            status, floor = "ok", 0.0
            for name, share in HITS:
                if floor <= luck[t, i] < floor + share:
                    status = name
                floor += share
            ok = bool(passed[t, i]) and status == "ok"
            rows.append(LedgerRow(t, float(ok), status, None if ok or status != "ok" else str(modes[t, i])))
    return LedgerRun(rows)


def permutation_p(rng: np.random.Generator, base: LedgerRun, candidate: LedgerRun) -> float:
    """Fixed-task label permutation on clean rows."""
    counts = np.zeros((2, TASKS, 2))
    for side, run in enumerate((base, candidate)):
        for row in run.rows:
            if row.status == "ok":
                counts[side, int(str(row.task)), int(row.reward)] += 1
    n, passes = counts.sum(axis=2), counts[:, :, 1]
    use = (n > 0).all(axis=0)
    n, passes = n[:, use], passes[:, use]
    observed = abs(float((passes[1] / n[1] - passes[0] / n[0]).sum()))
    whole = passes.sum(axis=0)
    ours = rng.hypergeometric(
        whole.astype(int), (n.sum(axis=0) - whole).astype(int), n[1].astype(int), (499, len(whole))
    )
    other = np.abs((ours / n[1] - (whole - ours) / n[0]).sum(axis=1))
    return (1 + int((other >= observed - 1e-9).sum())) / 500


def told(rng: np.random.Generator, base: LedgerRun, candidate: LedgerRun) -> Ledger:
    found = decompose(base, candidate, Settings(behaviour_p=permutation_p(rng, base, candidate)))
    assert found.delta is not None
    assert math.fsum(p.points for p in found.parts) == pytest.approx(found.delta, abs=1e-9)
    return found


@pytest.mark.slow
def test_two_runs_alike_are_seldom_told_apart() -> None:
    rng = np.random.default_rng(20)
    alarms = 0
    for _ in range(100):
        rates = rng.beta(0.35, 0.6, TASKS)
        alarms += any(p.named for p in told(rng, drawn(rng, rates), drawn(rng, rates)).parts)
    assert alarms <= 11  # 5 % of 100, and two and a half standard errors


@pytest.mark.slow
def test_an_outage_is_found_at_its_size() -> None:
    rng = np.random.default_rng(21)
    errors, named, covered = [], 0, 0
    for _ in range(20):
        rates = rng.beta(0.35, 0.6, TASKS)
        base, spared = drawn(rng, rates), drawn(rng, rates)
        struck = rng.random(len(spared.rows)) < 0.25
        rows = [
            LedgerRow(r.task, 0.0, "infrastructure") if hit and int(str(r.task)) % 2 else r
            for r, hit in zip(spared.rows, struck, strict=True)
        ]
        truth = sum(r.reward for r in rows) / len(rows) - sum(r.reward for r in spared.rows) / len(rows)
        ledger = told(rng, base, LedgerRun(rows))
        part = next(p for p in ledger.parts if p.cause == "infrastructure")
        errors.append(part.points - truth)
        named += part.named
        assert part.interval is not None
        covered += part.interval[0] <= truth <= part.interval[1]
        assert not any(p.named for p in ledger.parts if p.cause not in {"infrastructure", "behaviour"})
    assert named == 20
    assert covered >= 18
    assert abs(np.mean(errors)) < 0.005


def test_a_missing_half_of_the_hard_tasks_is_coverage() -> None:
    rng = np.random.default_rng(22)
    rates = rng.beta(0.35, 0.6, TASKS)
    base, full = drawn(rng, rates), drawn(rng, rates)
    gone = set(np.argsort(rates)[:30].tolist())
    candidate = LedgerRun([r for r in full.rows if r.task not in gone], frozenset(range(TASKS)))
    ledger = told(rng, base, candidate)
    part = ledger.parts[0]
    assert (part.cause, part.sub, part.named, part.status) == ("coverage", "task_missing", True, "identified")
    assert part.points > 0.05
    assert set(part.tasks) == gone


def test_a_large_pair_is_taken_apart() -> None:
    rng = np.random.default_rng(23)
    rates = rng.beta(0.35, 0.6, 1000)
    base, candidate = drawn(rng, rates, 16), drawn(rng, rates * 0.9, 16)
    base = LedgerRun([r for r in base.rows if r.task not in range(30)])
    ledger = decompose(base, candidate)
    assert ledger.common == 970

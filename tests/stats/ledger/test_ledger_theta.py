from __future__ import annotations

import numpy as np
import pytest
from tests.stats.ledger.letters import points, run

from blade.stats.ledger import LedgerRow, LedgerRun, Settings, decompose
from blade.stats.ledger.rows import CLASSES, pair
from blade.stats.ledger.theta import estimate_theta, exogeneity_p

TRUNCATION = CLASSES.index("truncation")


def tasks(start: int, *letters: str, copies: int = 10) -> dict[str, str]:
    return {f"t{start + i}.{k}": text for i, text in enumerate(letters) for k in range(copies)}


def test_truncation_of_passing_rollouts_is_seen_as_blind() -> None:
    base, candidate = {**tasks(0, "1111", "1111")}, {**tasks(0, "11TT", "1111")}
    found = decompose(run(base), run(candidate)).thetas["truncation"]
    assert found.source == "differences"
    assert found.value == pytest.approx(1.0)


def test_failures_that_became_truncated_are_seen_as_lost_anyway() -> None:
    base, candidate = tasks(0, "11ww", "11ww"), tasks(0, "11TT", "11ww")
    ledger = decompose(run(base), run(candidate))
    assert ledger.thetas["truncation"].value == pytest.approx(0.0)
    assert all(abs(part.points) < 1e-12 for part in ledger.parts)
    assert not any(part.named for part in ledger.parts)


def test_theta_is_the_same_whichever_run_comes_first() -> None:
    both = pair(run(tasks(0, "1110", "1011", "1w0w")), run(tasks(0, "11T0", "1TTT", "1www")))
    there = estimate_theta(both.base, both.candidate, TRUNCATION)
    assert there is not None
    assert there == estimate_theta(both.candidate, both.base, TRUNCATION)
    assert 0 < (there.value or 0) < 1


def test_few_tasks_leave_theta_in_the_middle_and_the_part_within_bounds() -> None:
    base, candidate = tasks(0, "111w", "11ww", copies=3), tasks(0, "11wT", "11ww", copies=3)
    ledger = decompose(run(base), run(candidate))
    part = next(p for p in ledger.parts if p.cause == "truncation")
    assert (part.theta, part.theta_estimated, part.status, part.named) == (0.5, False, "bounds", False)
    assert part.bounds is not None
    assert part.bounds[0] == pytest.approx(-0.125 * 17 / 24)  # a quarter of the rows in half the tasks, at 3/4 and 2/3
    assert part.bounds[1] == 0
    assert part.interval is not None
    assert part.interval[0] < part.bounds[0] < part.points < part.bounds[1] <= part.interval[1]


def test_the_interval_always_reaches_no_blame() -> None:
    base, candidate = tasks(0, "1111", "1110", "1w1w"), tasks(0, "11TT", "1111", "ww11")
    part = next(p for p in decompose(run(base), run(candidate)).parts if p.cause == "truncation")
    assert part.theta_estimated
    assert part.interval is not None
    assert part.interval[0] < part.points < part.interval[1] == 0
    assert part.status == "bounds"


def test_tasks_that_never_pass_say_nothing_about_theta() -> None:
    both = pair(run(tasks(0, "wwww", "1w1w")), run(tasks(0, "wwTT", "1w1w")))
    assert estimate_theta(both.base, both.candidate, TRUNCATION) is None


def capped(cap: int, lengths: list[int], passing: int, count: int = 12) -> LedgerRun:
    """Tasks of rows of these lengths; those above `passing` fail, those above the cap are cut."""
    rows = []
    for task in range(count):
        for length in lengths:
            cut = length >= cap
            reward = 0.0 if cut else float(length < passing)
            status = "truncated" if cut else "ok"
            rows.append(LedgerRow(task, reward, status, out_tokens=min(length, cap), max_tokens=cap))
    return LedgerRun(rows)


@pytest.mark.parametrize(("passing", "lost"), [(999, -0.5), (100, 0.0), (250, -0.25)])
def test_a_lowered_cap_is_valued_by_the_rows_it_would_have_cut(passing: int, lost: float) -> None:
    lengths = [10, 20, 150, 300]  # the last two are cut at 100
    base, candidate = capped(1000, lengths, passing), capped(100, lengths, passing)
    ledger = decompose(base, candidate)
    part = next(p for p in ledger.parts if p.cause == "truncation")
    assert part.points == pytest.approx(lost, abs=1e-12)
    assert (part.status, part.theta, part.theta_estimated, part.bounds) == ("identified", None, True, None)
    assert part.named == (lost != 0)
    assert ledger.behaviour is None or abs(ledger.behaviour.points) < 1e-12
    assert ledger.thetas["truncation"].source == "control"


def test_a_control_leaves_what_it_cannot_explain_unresolved() -> None:
    base = LedgerRun(
        [*capped(1000, [10, 20, 300], 999).rows, *[LedgerRow("x", 1.0, out_tokens=9, max_tokens=1000)] * 3]
    )
    cut = capped(100, [10, 20, 300], 999)
    candidate = LedgerRun([*cut.rows, *[LedgerRow("x", 0.0, "truncated", out_tokens=100, max_tokens=100)] * 3])
    ledger = decompose(base, candidate, Settings(controls={"truncation": {**dict.fromkeys(range(12), 1.0), "x": 0.25}}))
    assert points(ledger)["unresolved"] == pytest.approx(-0.75 / 13)
    assert next(p for p in ledger.parts if p.cause == "unresolved").status == "not_identified"
    assert ledger.imputed_mass == pytest.approx(1 / 13)


def test_time_running_out_is_not_a_lowered_cap() -> None:
    base, candidate = capped(1000, [10, 20, 300], 999), capped(100, [10, 20, 300], 999)
    late = LedgerRun(
        [
            LedgerRow(r.task, r.reward, "timed_out" if r.status == "truncated" else "ok", max_tokens=100)
            for r in candidate.rows
        ]
    )
    assert decompose(base, late).thetas["truncation"].source == "assumed"


def test_a_rerun_can_say_what_malformed_rows_were_worth() -> None:
    base, candidate = run(tasks(0, "1111", "1w1w")), run(tasks(0, "111M", "1w1w"))
    known = {row.task: 0.5 for row in base.rows}
    ledger = decompose(base, candidate, Settings(controls={"malformed": known}))
    part = next(p for p in ledger.parts if p.cause == "malformed")
    assert part.points == pytest.approx(-0.25 * 0.5 / 2)
    assert part.status == "identified"
    assert points(ledger)["behaviour"] == pytest.approx(-0.25 * 0.5 / 2)


def test_hits_that_follow_difficulty_are_noticed() -> None:
    infra = CLASSES.index("infrastructure")
    blind = pair(run(tasks(0, "1111", "wwww", "1111", "wwww")), run(tasks(0, "111I", "wwwI", "1111", "wwww")))
    assert (exogeneity_p(blind.base, blind.candidate, infra) or 0) > 0.5
    hard = pair(run(tasks(0, "1111", "wwww")), run(tasks(0, "1111", "wwwI")))
    assert (exogeneity_p(hard.base, hard.candidate, infra) or 1) < 0.001
    few = pair(run(tasks(0, "11", "ww", copies=2)), run(tasks(0, "1I", "ww", copies=2)))
    assert exogeneity_p(few.base, few.candidate, infra) is None
    alike = pair(run(tasks(0, "1111", "1111")), run(tasks(0, "111I", "1111")))
    assert exogeneity_p(alike.base, alike.candidate, infra) == 1.0


def test_an_outage_is_identified_where_it_can_be_tested_and_assumed_where_not() -> None:
    blind = decompose(run(tasks(0, "1111", "wwww", "1111", "wwww")), run(tasks(0, "111I", "wwwI", "1111", "wwww")))
    assert next(p.status for p in blind.parts if p.cause == "infrastructure") == "identified"
    everywhere = decompose(run(tasks(0, "1111")), run(tasks(0, "111I")))
    part = next(p for p in everywhere.parts if p.cause == "infrastructure")
    assert (part.status, part.named) == ("assumed", True)
    assert part.points == pytest.approx(-0.25)


def test_rows_counted_as_missing_are_coverage_within_bounds() -> None:
    ledger = decompose(run(tasks(0, "1111", "1w1w")), run(tasks(0, "11xx", "1w1w")))
    part = next(p for p in ledger.parts if p.cause == "coverage")
    assert (part.sub, part.status, part.theta) == ("rows_missing", "bounds", 1.0)
    assert part.points == pytest.approx(-0.25)
    assert part.bounds == pytest.approx((-0.25, 0.0))


def test_the_mean_of_a_cut_normal_stays_inside_however_far_the_estimate() -> None:
    base, candidate = tasks(0, "1w1w", "11ww"), tasks(0, "111T", "ww11")  # hit tasks gain: less than no loss
    value = decompose(run(base), run(candidate)).thetas["truncation"].value
    assert value is not None
    assert 0 <= value < 0.2
    assert not np.isnan(value)


def test_one_attempt_a_task_leaves_open_what_cut_rows_would_have_scored() -> None:
    base = run({f"t{n}": "1" if n % 2 else "w" for n in range(40)})
    candidate = run({f"t{n}": "T" if n < 20 else "1" if n % 2 else "w" for n in range(40)})
    part = next(p for p in decompose(base, candidate).parts if p.cause == "truncation")
    assert part.bounds == pytest.approx((-0.25, 0.0))
    assert (part.status, part.named) == ("bounds", False)

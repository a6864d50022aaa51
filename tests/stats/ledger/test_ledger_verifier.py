from __future__ import annotations

import pytest
from tests.stats.ledger.letters import points, run

from blade.stats.ledger import LedgerRow, LedgerRun, Settings, decompose


def scored(own: int, other: int | None, agreed: int = 0) -> list[tuple[float, float | None]]:
    """A hundred rows: so many pass by their own verifier, so many by the other, and so many by both."""
    both = [(1.0, 1.0)] * agreed + [(1.0, 0.0)] * (own - agreed)
    rest: list[tuple[float, float | None]] = [*both, *[(0.0, 1.0)] * ((other or 0) - agreed)]
    rest += [(0.0, 0.0)] * (100 - len(rest))
    return [(y, None if other is None else z) for y, z in rest]


def runs(
    base: list[tuple[float, float | None]], candidate: list[tuple[float, float | None]]
) -> tuple[LedgerRun, LedgerRun]:
    """Eight tasks alike."""
    one, two = (
        LedgerRun([LedgerRow(task, y, rescored=z) for task in range(8) for y, z in rows]) for rows in (base, candidate)
    )
    return one, two


def test_rows_scored_by_both_verifiers_split_the_change() -> None:
    ledger = decompose(*runs(scored(60, 52, 52), scored(48, 58, 48)))
    assert ledger.delta == pytest.approx(-0.12)
    assert points(ledger) == pytest.approx({"verifier:change": -0.09, "behaviour": -0.03})
    part = next(p for p in ledger.parts if p.cause == "verifier")
    assert (part.status, part.named, part.bounds) == ("identified", True, None)
    assert part.rollouts == 8 * 18
    assert ledger.rescored_shares == (1.0, 1.0)


def test_one_run_scored_twice_takes_that_difference() -> None:
    ledger = decompose(*runs(scored(60, None), scored(48, 58, 48)))
    assert points(ledger) == pytest.approx({"verifier:change": -0.10, "behaviour": -0.02})
    assert next(p.status for p in ledger.parts if p.cause == "verifier") == "assumed"
    back = decompose(*runs(scored(60, 52, 52), scored(48, None)))
    assert points(back) == pytest.approx({"verifier:change": -0.08, "behaviour": -0.04})


def test_some_rows_scored_twice_give_a_lower_bound() -> None:
    half = [(y, z if i % 2 else None) for i, (y, z) in enumerate(scored(60, 52, 52))]
    ledger = decompose(*runs(half, scored(48, 58, 48)))
    part = next(p for p in ledger.parts if p.cause == "verifier")
    assert part.status == "bounds"
    assert part.bounds is not None
    assert part.bounds == pytest.approx((ledger.delta, part.points))
    assert ledger.rescored_shares == (0.5, 1.0)


def test_verifiers_that_agree_are_no_part() -> None:
    ledger = decompose(*runs(scored(60, 60, 60), scored(48, 48, 48)))
    assert points(ledger) == pytest.approx({"behaviour": -0.12})


def test_shared_outputs_with_other_rewards_are_all_verifier() -> None:
    ledger = decompose(*runs(scored(60, 40, 40), scored(40, 60, 40)))
    assert points(ledger) == pytest.approx({"verifier:change": -0.2})


def test_an_unseen_change_of_verifier_leaves_everything_inside_tasks_open() -> None:
    base = run({f"t{i}": "111w" for i in range(8)})
    candidate = run({f"t{i}": "1www" for i in range(8)})
    ledger = decompose(base, candidate, Settings(verifier_changed=True, behaviour_p=1e-6))
    part = next(p for p in ledger.parts if p.cause == "verifier")
    assert (part.sub, part.points, part.status) == ("change", 0, "not_identified")
    assert part.bounds == pytest.approx((-0.5, 0.0))
    assert ledger.behaviour is not None
    assert ledger.behaviour.status == "not_identified"
    assert not any(p.named for p in ledger.parts)


def test_a_test_of_the_rescored_rows_decides_the_name() -> None:
    sure = decompose(*runs(scored(60, 52, 52), scored(48, 58, 48)), Settings(verifier_p=0.4))
    assert not next(p.named for p in sure.parts if p.cause == "verifier")


def test_where_few_rows_were_re_scored_the_interval_reaches_to_all_that_the_verifier_may_have_done() -> None:
    base = LedgerRun([LedgerRow(task, 1.0) for task in range(6) for _ in range(10)])
    rows = [
        LedgerRow(task, float(place > 4), rescored=1.0 if place == 0 else None)
        for task in range(6)
        for place in range(10)
    ]
    ledger = decompose(base, LedgerRun(rows))
    part = next(p for p in ledger.parts if p.cause == "verifier")
    assert part.status == "bounds"
    assert part.bounds == pytest.approx((-0.5, -0.1))
    unseen = 1 - 0.05 ** (1 / 6)  # tasks are alike: what is open is how many others are not
    assert part.interval == pytest.approx((-0.5 - 0.5 * unseen, -0.1 + 1.1 * unseen))


def test_a_pass_that_the_other_verifier_denies_is_no_failed_rollout() -> None:
    ledger = decompose(run({"t1": "R", "t2": "1", "t3": "0"}), run({"t1": "r", "t2": "0", "t3": "0"}))
    part = next(p for p in ledger.parts if p.cause == "behaviour" and p.sub is None)
    assert part.rollouts == 4 - 1  # t1 fails in one run alone, and with a mode of its own

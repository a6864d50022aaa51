from __future__ import annotations

import math
from collections.abc import Hashable, Mapping
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.stats.ledger.letters import run

from blade.stats.ledger import Correction, corrections, decompose, shapley, shares


def test_a_duplicated_pass_is_taken_back() -> None:
    def base(_: frozenset[str]) -> Mapping[Hashable, float]:
        return shares({"t1": [1, 0], "t2": [1, 0]})

    def candidate(made: frozenset[str]) -> Mapping[Hashable, float]:
        return shares({"t1": [1, 0] if "duplicate_rows" in made else [1, 1, 0], "t2": [1, 0]})

    assert math.fsum(candidate(frozenset()).values()) == pytest.approx(0.583333, abs=1e-6)
    (found,) = corrections(base, candidate, ["duplicate_rows", "foreign_rows"], {"duplicate_rows": 1})
    assert found.cause == "duplicate_rows"
    assert found.points == pytest.approx(0.083333, abs=1e-6)
    assert found.by_task == pytest.approx({"t1": 1 / 12})
    assert found.rollouts == 1
    (back,) = corrections(candidate, base, ["duplicate_rows"])
    assert back.points == -found.points


@given(st.lists(st.floats(-1, 1), min_size=16, max_size=16), st.integers(1, 4))
def test_overlapping_corrections_share_by_all_orders(values: list[float], count: int) -> None:
    causes = list("abcd")[:count]

    def value(made: frozenset[str]) -> Mapping[Hashable, float]:
        return {"t": values[sum(1 << causes.index(c) for c in made)]}

    found = shapley(value, causes)
    by_hand = dict.fromkeys(causes, 0.0)
    for order in permutations(causes):
        done: frozenset[str] = frozenset()
        for cause in order:
            by_hand[cause] += (value(done)["t"] - value(done | {cause})["t"]) / math.factorial(count)
            done |= {cause}
    assert {c: f["t"] for c, f in found.items()} == pytest.approx(by_hand, abs=1e-12)
    whole = values[0] - values[(1 << count) - 1]
    assert math.fsum(f["t"] for f in found.values()) == pytest.approx(whole, abs=1e-12)


def test_a_foreign_task_is_taken_out_of_every_share() -> None:
    def score(made: frozenset[str]) -> Mapping[Hashable, float]:
        tasks = {"t1": [1.0], "t2": [0.0], "alien": [1.0]}
        return shares({t: ys for t, ys in tasks.items() if t != "alien" or "foreign_rows" not in made})

    found = shapley(score, ["foreign_rows"])["foreign_rows"]
    assert found == pytest.approx({"t1": 1 / 3 - 1 / 2, "t2": 0.0, "alien": 1 / 3})


def test_shares_add_up_to_either_score() -> None:
    rewards: dict[Hashable, list[float]] = {"t1": [1, 1, 1, 1], "t2": [0, 0], "t3": [1, 0, 0], "t4": [1], "t5": []}
    assert math.fsum(shares(rewards).values()) == pytest.approx(0.583333, abs=1e-6)
    assert math.fsum(shares(rewards, micro=True).values()) == pytest.approx(0.6)


def test_too_many_causes_are_refused() -> None:
    with pytest.raises(ValueError):
        shapley(lambda _: {}, list("abcde"))


def test_rows_that_stood_in_for_others_have_an_interval_and_other_corrections_have_none() -> None:
    base = run({f"t{n}": "1w" for n in range(10)})
    by_task: dict[Hashable, float] = {f"t{n}": -0.01 * n for n in range(4)}
    for displaced in (False, True):
        part = next(
            p
            for p in decompose(base, base, None, [Correction("foreign_rows", by_task, 4, displaced=displaced)]).parts
            if p.cause == "foreign_rows"
        )
        assert part.points == pytest.approx(-0.06)
        assert part.interval is not None
        low, high = part.interval
        assert (low < -0.06 < high) is displaced

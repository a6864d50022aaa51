"""Promises that hold for any two runs."""

from __future__ import annotations

import math
import random
from collections.abc import Hashable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.examples import examples
from tests.stats.ledger.letters import run

from blade.stats.ledger import Correction, Ledger, LedgerPart, LedgerRow, LedgerRun, Settings, decompose

TASKS = [f"t{i}" for i in range(9)]


SCALES = [(0.0, 1.0), (0.0, 1.0), (-1.0, 2.5), (0.0, 100.0)]


@st.composite
def pairs(draw: st.DrawFn) -> tuple[LedgerRun, LedgerRun, Settings]:
    """Two runs of letters, with or without re-scored rows, caps and manifests, on some scale of rewards."""
    low, high = draw(st.sampled_from(SCALES))
    both = []
    for _ in range(2):
        letters = draw(st.dictionaries(st.sampled_from(TASKS), st.text("111wws0hITVtPMxRrl", min_size=1, max_size=4)))
        cap = draw(st.sampled_from([None, 10, 100]))
        expected = draw(st.sampled_from([None, frozenset(TASKS), frozenset(TASKS[:4])]))
        rescored = draw(st.booleans())
        both.append(
            LedgerRun(
                [
                    replace(
                        row,
                        reward=low + (high - low) * row.reward,
                        rescored=None if row.rescored is None or not rescored else low + (high - low) * row.rescored,
                        max_tokens=cap,
                    )
                    for row in run(letters).rows
                ],
                expected,
            )
        )
    chosen = Settings(
        weighting=draw(st.sampled_from(["macro", "micro"])),
        theta=draw(st.sampled_from([{}, {"truncation": 0.3}, {"infrastructure": 0.5, "malformed": 0.0}])),
        controls=draw(st.sampled_from([{}, {"malformed": {"t1": 0.5, "t2": 0.25}}])),
        behaviour_p=draw(st.sampled_from([None, 0.001, 0.5])),
        verifier_changed=draw(st.booleans()),
        draws=20,
    )
    return both[0], both[1], chosen


def mirrored(part: LedgerPart) -> LedgerPart:
    turned = {"added": "removed", "removed": "added"}
    sub = turned.get(part.sub or "", part.sub) if part.cause == "composition" else part.sub
    spans = [None if s is None else (-s[1] + 0.0, -s[0] + 0.0) for s in (part.interval, part.bounds)]
    return replace(part, sub=sub, points=-part.points + 0.0, interval=spans[0], bounds=spans[1])


def by_name(ledger: Ledger) -> dict[tuple[str, str | None], LedgerPart]:
    return {(p.cause, p.sub): p for p in ledger.parts}


def assert_same(one: LedgerPart, other: LedgerPart, tolerance: float = 0.0) -> None:
    def near(a: float | tuple[float, float] | None) -> object:
        return a if a is None else pytest.approx(a, rel=tolerance, abs=tolerance)

    assert one.points == near(other.points)
    assert one.interval == near(other.interval)
    assert one.bounds == near(other.bounds)
    assert one.p == near(other.p)
    assert one.theta == near(other.theta)
    assert (one.status, one.named, one.theta_estimated) == (other.status, other.named, other.theta_estimated)
    assert (one.tasks, one.rollouts) == (other.tasks, other.rollouts)


@examples(60)
@given(pairs())
@example((run({}), run({}), Settings()))
@example((run({"t1": "1"}), run({}), Settings()))
@example((run({"t1": "1"}), run({"t1": "I"}), Settings()))
@example((run({"t1": "11", "t2": "0"}), run({"t3": "w"}), Settings("micro")))
@example((run({"t1": "IIT"}), run({"t1": "TMM"}), Settings()))
def test_the_parts_add_up(given_pair: tuple[LedgerRun, LedgerRun, Settings]) -> None:
    base, candidate, chosen = given_pair
    found = decompose(base, candidate, chosen)
    if not base.rows or not candidate.rows:
        assert found.delta is None
        assert found.parts == ()
        return
    assert found.delta is not None
    assert math.fsum(p.points for p in found.parts) == pytest.approx(found.delta, abs=1e-9)
    assert math.fsum(found.phi.ravel().tolist()) == pytest.approx(found.delta, abs=1e-9)
    assert found.phi.sum(axis=0) == pytest.approx(np.array([p.points for p in found.parts]), abs=1e-9)
    assert found.scores[0] is not None
    assert found.scores[1] is not None
    assert found.scores[1] - found.scores[0] == pytest.approx(found.delta, abs=1e-9)
    shown = math.fsum(p.points for p in found.parts if p.named) + found.pooled.points
    assert shown == pytest.approx(found.delta, abs=1e-9)
    if found.delta_common is not None:
        kinds = found.capability
        whole = kinds.gained + kinds.lost + kinds.reliability + kinds.partial
        assert whole == pytest.approx(found.delta_common, abs=1e-9)


@examples(60)
@given(pairs())
@example((run({"t0": "0", "t1": "1", "t2": "0"}), run({"t0": "0", "t1": "1", "t3": "0"}), Settings(draws=20)))
@example(
    (run({"t0": "0", "t1": "1", "t2": "w", "t4": "1"}), run({"t0": "1", "t1": "0", "t3": "w", "t5": "1"}), Settings())
)
def test_swapping_the_runs_mirrors_everything_to_the_last_digit(
    given_pair: tuple[LedgerRun, LedgerRun, Settings],
) -> None:
    base, candidate, chosen = given_pair
    there, back = decompose(base, candidate, chosen), decompose(candidate, base, chosen)
    assert there.thetas == back.thetas
    assert there.imputed_mass == back.imputed_mass
    expected = {(p.cause, p.sub): p for p in map(mirrored, back.parts)}
    assert by_name(there).keys() == expected.keys()
    for name, part in by_name(there).items():
        assert_same(part, expected[name], 0.0)


@examples(60)
@given(pairs(), st.randoms(use_true_random=False))
@example(
    (run({"t0": "0", "t1": "1", "t2": "0"}), run({"t0": "0", "t1": "1", "t3": "0"}), Settings(draws=20)),
    random.Random(1),
)
def test_neither_the_order_of_rows_nor_the_names_of_tasks_matter(
    given_pair: tuple[LedgerRun, LedgerRun, Settings], rng: random.Random
) -> None:
    base, candidate, chosen = given_pair
    names: dict[Hashable, Hashable] = dict(zip(TASKS, rng.sample([f"x{i}" for i in range(9)], 9), strict=True))
    controls = {c: {names[t]: v for t, v in known.items()} for c, known in chosen.controls.items()}

    def told_otherwise(one: LedgerRun) -> LedgerRun:
        shuffled = [replace(row, task=names[row.task]) for row in rng.sample(list(one.rows), len(one.rows))]
        return LedgerRun(shuffled, None if one.expected is None else {names[t] for t in one.expected})

    plain = decompose(base, candidate, chosen)
    other = decompose(told_otherwise(base), told_otherwise(candidate), replace(chosen, controls=controls))
    assert by_name(plain).keys() == by_name(other).keys()
    for name, part in by_name(plain).items():
        renamed = by_name(other)[name]
        assert {names[t] for t in part.tasks} == set(renamed.tasks)
        assert_same(replace(part, tasks=()), replace(renamed, tasks=()), 1e-13)


@examples(30)
@given(pairs())
def test_all_tasks_twice_leave_the_parts_as_they_are(given_pair: tuple[LedgerRun, LedgerRun, Settings]) -> None:
    base, candidate, chosen = given_pair
    chosen = replace(chosen, theta={"truncation": 0.3, "malformed": 0.6}, controls={})
    base, candidate = (
        LedgerRun([replace(r, max_tokens=None) for r in one.rows], one.expected) for one in (base, candidate)
    )

    def twice(one: LedgerRun) -> LedgerRun:
        again = [replace(row, task=("again", row.task)) for row in one.rows]
        expected = None if one.expected is None else {*one.expected, *(("again", t) for t in one.expected)}
        return LedgerRun([*one.rows, *again], expected)

    plain, doubled = decompose(base, candidate, chosen), decompose(twice(base), twice(candidate), chosen)
    assert by_name(plain).keys() == by_name(doubled).keys()
    for name, part in by_name(plain).items():
        assert by_name(doubled)[name].points == pytest.approx(part.points, abs=1e-9)


@examples(30)
@given(pairs())
def test_without_a_change_there_is_nothing_to_blame(given_pair: tuple[LedgerRun, LedgerRun, Settings]) -> None:
    base, _, chosen = given_pair
    same = LedgerRun([replace(row, rescored=None) for row in base.rows], base.expected)
    found = decompose(same, same, replace(chosen, verifier_changed=False))
    assert found.parts == ()
    assert found.pooled.points == 0


@examples(60)
@given(st.dictionaries(st.sampled_from(TASKS), st.text("1w0I", min_size=1, max_size=5), min_size=1))
def test_failures_that_only_change_their_label_cost_nothing_at_theta_0(tasks: dict[str, str]) -> None:
    for letter, status in (("T", "truncation"), ("M", "malformed")):
        kept = {t: letters + "1" for t, letters in tasks.items()}  # a task hit in every row has no clean row to tell by
        relabelled = {t: letters.replace("w", letter) for t, letters in kept.items()}
        found = decompose(run(kept), run(relabelled), Settings(theta={status: 0.0}))
        assert found.delta == 0
        assert all(abs(p.points) < 1e-12 for p in found.parts if p.cause != "behaviour")
        assert found.behaviour is None


def test_corrections_join_the_parts_and_the_matrix() -> None:
    fix = Correction("duplicate_rows", {"t1": 0.05, "gone": -0.01}, 3)
    found = decompose(run({"t1": "11", "t2": "00"}), run({"t1": "10", "t2": "00"}), corrections=[fix])
    assert found.delta == pytest.approx(-0.25 + 0.04)
    part = by_name(found)["duplicate_rows", None]
    assert part.points == pytest.approx(0.04)
    assert part.interval == (part.points, part.points)
    assert (part.status, part.named, part.tasks, part.rollouts) == ("identified", True, ("t1", "gone"), 3)
    assert found.phi[found.tasks.index("gone")].sum() == pytest.approx(-0.01)
    assert found.phi.sum() == pytest.approx(found.delta)


def test_a_correction_too_small_to_matter_is_not_named() -> None:
    fix = Correction("foreign_rows", {"t1": 0.0009})
    found = decompose(run({"t1": "10"}), run({"t1": "10"}), corrections=[fix])
    assert [p.named for p in found.parts] == [False]
    assert found.pooled.points == pytest.approx(0.0009)


def test_rewards_on_another_scale_give_parts_on_that_scale() -> None:
    def scaled(letters: dict[str, str], low: float, high: float) -> LedgerRun:
        return LedgerRun([replace(r, reward=low + (high - low) * r.reward) for r in run(letters).rows])

    base, candidate = {"t1": "111w", "t2": "11ww"}, {"t1": "11TI", "t2": "1wwM"}
    unit = by_name(decompose(run(base), run(candidate)))
    wide = by_name(decompose(scaled(base, -1, 3), scaled(candidate, -1, 3)))
    assert unit.keys() == wide.keys()
    for name, part in unit.items():
        assert wide[name].points == pytest.approx(4 * part.points)


def test_unknown_statuses_and_numbers_are_refused() -> None:
    with pytest.raises(ValueError):
        decompose(LedgerRun([LedgerRow("t", 1.0, "lost")]), run({"t": "1"}))
    with pytest.raises(ValueError):
        decompose(LedgerRun([LedgerRow("t", math.nan)]), run({"t": "1"}))
    with pytest.raises(ValueError):
        decompose(run({"t": "1"}), run({"t": "1"}), Settings(unit=(1.0, 1.0)))

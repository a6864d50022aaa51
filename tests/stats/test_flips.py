from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, stats
from tests.examples import examples

from blade.stats.betabinomial import fit
from blade.stats.flips import (
    Flip,
    Move,
    Moves,
    changed_by_chance,
    expected_moves,
    flips,
    jeffreys_above,
    observed_moves,
    tasks_tested,
)

Cell = tuple[int, int, int, int]
side = st.integers(1, 8).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n)))
cells = st.tuples(side, side).map(lambda pair: (*pair[0], *pair[1]))
repeated = cells.filter(lambda cell: min(cell[0], cell[2]) > 1)


def simulated(tasks: int, n: int, seed: int, changed: int = 0) -> tuple[list[Cell], npt.NDArray[np.bool_]]:
    """Tasks with rates like those of a published run, and which of them changed by more than .2."""
    generator = np.random.default_rng(seed)
    before = generator.beta(0.225, 0.598, tasks)
    after = before.copy()
    after[:changed] = np.where(before[:changed] < 0.5, 0.9, 0.1)
    a, b = generator.binomial(n, before).tolist(), generator.binomial(n, after).tolist()
    return [(n, x, n, y) for x, y in zip(a, b, strict=True)], np.abs(after - before) > 0.2


def known(tasks: tuple[Flip | None, ...]) -> list[Flip]:
    return [flip for flip in tasks if flip is not None]


def move(moves: Moves, before: str, after: str) -> Move:
    return next(m for m in moves.moves if (m.before, m.after) == (before, after))


@pytest.mark.parametrize(("cell", "published"), [((5, 5, 5, 2), 0.985), ((5, 5, 5, 1), 0.997), ((5, 4, 5, 1), 0.973)])
def test_a_single_task_has_its_published_chance_of_a_fall(cell: Cell, published: float) -> None:
    above, below = jeffreys_above(*cell)
    assert below == pytest.approx(published, abs=0.001)
    assert above + below == pytest.approx(1.0, abs=1e-12)


@examples(10)
@given(cells)
def test_the_chance_of_a_rise_is_the_integral_it_stands_for(cell: Cell) -> None:
    n_a, c_a, n_b, c_b = cell
    a, b = (stats.beta(c + 0.5, n - c + 0.5) for n, c in ((n_a, c_a), (n_b, c_b)))
    exact, _ = integrate.quad(lambda u: float(b.sf(a.ppf(u))), 0, 1, limit=200)
    assert jeffreys_above(*cell)[0] == pytest.approx(exact, abs=1e-6)


def test_long_runs_are_integrated_as_well() -> None:
    assert jeffreys_above(100_000, 50_000, 100_000, 50_200)[0] == pytest.approx(0.81445, abs=1e-4)
    assert jeffreys_above(100_000, 50_000, 3, 1)[0] == pytest.approx(stats.beta(1.5, 2.5).sf(0.5), abs=1e-4)


@examples(40)
@given(cells)
def test_a_mirrored_task_has_mirrored_chances(cell: Cell) -> None:
    n_a, c_a, n_b, c_b = cell
    assert jeffreys_above(n_b, c_b, n_a, c_a) == jeffreys_above(*cell)[::-1]


@pytest.mark.slow
@pytest.mark.parametrize("n", [2, 3, 5, 10, 20])
def test_where_nothing_changed_nothing_is_flagged(n: int) -> None:
    flagged = [any(flip.flagged for flip in known(flips(simulated(300, n, seed)[0]).tasks)) for seed in range(100, 110)]
    assert sum(flagged) <= 1  # one in ten is the target; fewer are found


def test_where_nothing_changed_and_rates_are_even_nothing_is_flagged() -> None:
    for seed in range(10):
        generator = np.random.default_rng(seed)
        rates = generator.random(200) if seed % 2 else np.full(200, 0.5)
        a, b = generator.binomial(8, rates).tolist(), generator.binomial(8, rates).tolist()
        assert not any(flip.flagged for flip in known(flips([(8, x, 8, y) for x, y in zip(a, b, strict=True)]).tasks))


@pytest.mark.parametrize(("n", "power"), [(3, 0.229), (5, 0.644), (10, 0.865), (20, 0.951)])
def test_changed_tasks_are_found_at_least_as_often_as_published(n: int, power: float) -> None:
    found, wrong = [], []
    for seed in range(10):
        tasks, real = simulated(300, n, seed, changed=30)
        flagged = np.array([flip.flagged for flip in known(flips(tasks).tasks)])
        found.append((flagged & real).sum() / real.sum())
        wrong.append((flagged & ~real).sum() / max(flagged.sum(), 1))
    assert float(np.mean(found)) >= power
    assert float(np.mean(wrong)) <= 0.20  # small changes count as wrong here, and .178 is published


def test_a_clear_flip_among_quiet_tasks_is_flagged() -> None:
    found = flips([(10, 0, 10, 0)] * 60 + [(10, 10, 10, 10)] * 30 + [(10, 10, 10, 0)] * 6)
    assert found.controlled
    assert found.unchanged == pytest.approx(0.93, abs=0.03)
    tasks = known(found.tasks)
    assert [flip.flagged for flip in tasks] == [False] * 90 + [True] * 6
    last = tasks[-1]
    assert last.lfdr is not None
    assert last.lfdr < 0.01
    assert last.below > 0.99
    assert last.shift < -0.8
    assert all(flip.lfdr is not None and flip.lfdr > 0.9 for flip in tasks[:90])


def test_flagged_tasks_have_a_mean_lfdr_within_the_target() -> None:
    tasks = known(flips(simulated(300, 5, 3, changed=40)[0]).tasks)
    inside = [flip.lfdr or 0.0 for flip in tasks if flip.flagged]
    outside = [flip.lfdr or 0.0 for flip in tasks if not flip.flagged]
    assert sum(inside) / len(inside) <= 0.10
    assert max(inside) < min(outside)


@examples(5)
@given(st.lists(repeated, min_size=50, max_size=60))
def test_swapping_the_runs_mirrors_every_flip(tasks: list[Cell]) -> None:
    there = flips(tasks)
    back = flips([(n_b, c_b, n_a, c_a) for n_a, c_a, n_b, c_b in tasks])
    assert there.controlled
    assert there.unchanged == back.unchanged
    for one, other in zip(known(there.tasks), known(back.tasks), strict=True):
        assert one == Flip(other.lfdr, other.below, other.above, -other.shift, other.flagged)
        assert one.lfdr is not None
        assert one.lfdr + one.above + one.below <= 1 + 1e-9


@examples(15)
@given(st.lists(cells, min_size=1, max_size=60))
def test_task_order_does_not_matter(tasks: list[Cell]) -> None:
    assert flips(tasks[::-1]).tasks == flips(tasks).tasks[::-1]


def test_fewer_than_fifty_tasks_stand_alone() -> None:
    found = flips([(5, 5, 5, 1), (5, 2, 5, 2), (5, 0, 0, 0)])
    assert (found.controlled, found.unchanged) == (False, None)
    first, second, third = found.tasks
    assert first is not None
    assert second is not None
    assert third is None
    assert (first.lfdr, first.flagged) == (None, False)
    assert first.below == pytest.approx(0.997, abs=0.001)
    assert first.shift == pytest.approx(-4 / 6)
    assert (second.above, second.below, second.shift) == (0.5, 0.5, 0.0)


def test_with_one_attempt_no_task_is_beyond_noise() -> None:
    """Passes and failures that swap are a rate of a half as well as a change: nothing in such data tells which."""
    tasks = [(1, 1, 1, 0)] * 157 + [(1, 0, 1, 1)] * 44 + [(1, 1, 1, 1)] * 350 + [(1, 0, 1, 0)] * 330
    found = flips(tasks)
    assert (found.controlled, found.unchanged, tasks_tested(tasks)) == (False, None, 0)
    assert {(flip.lfdr, flip.flagged) for flip in known(found.tasks)} == {(None, False)}
    assert changed_by_chance(tasks) is None


def test_tasks_with_one_attempt_are_left_out_of_the_test_of_the_others() -> None:
    quiet = [(10, 0, 10, 0)] * 60 + [(10, 10, 10, 10)] * 30 + [(10, 10, 10, 0)] * 6
    single = [(1, 1, 10, 0), (10, 10, 1, 0)] * 40
    found = flips(quiet + single)
    assert found.tasks[:96] == flips(quiet).tasks
    assert {(flip.lfdr, flip.flagged) for flip in known(found.tasks[96:])} == {(None, False)}
    assert tasks_tested(quiet + single) == 96


def test_what_chance_would_change_does_not_contain_the_change() -> None:
    """Half of the tasks break for good. Each run by itself wavers as little as before."""
    steady = [(4, 4, 4, 4)] * 40 + [(4, 0, 4, 0)] * 40 + [(4, 3, 4, 4)] * 4
    broken = [(4, 4, 4, 0)] * 40 + [(4, 0, 4, 0)] * 40 + [(4, 3, 4, 4)] * 4
    before, after = changed_by_chance(steady), changed_by_chance(broken)
    assert before is not None
    assert after is not None
    assert after == pytest.approx(before, abs=0.02)
    assert after < 0.1


def test_what_chance_would_change_is_what_a_second_run_changes() -> None:
    tasks, _ = simulated(20_000, 4, seed=1)
    seen, chance = observed_moves(tasks), changed_by_chance(tasks)
    assert seen is not None
    assert chance == pytest.approx(seen.changed, abs=0.01)


def test_the_run_with_repeats_alone_can_say_what_chance_would_change() -> None:
    wavering = [(4, c) for c in (0, 1, 2, 3, 4) for _ in range(20)]
    one_sided = [(1, 1, n, c) for n, c in wavering]
    rates = fit(wavering)
    assert rates is not None
    moves = expected_moves({(1, 4): 100}, rates.a, rates.b)
    assert moves is not None
    assert changed_by_chance(one_sided) == moves.changed
    assert changed_by_chance([(n_b, c_b, n_a, c_a) for n_a, c_a, n_b, c_b in one_sided]) == moves.changed
    assert changed_by_chance([(4, 4, 4, 0)] * 9) is None  # no run wavers: nothing to estimate it by


def test_odd_inputs_have_answers() -> None:
    assert flips([]).tasks == ()
    assert flips([(0, 0, 0, 0)] * 60).tasks == (None,) * 60
    for cell in ((1, 1, 1, 1), (1, 0, 1, 1), (5, 0, 5, 0), (2000, 0, 2000, 2000)):
        assert all(0 <= (flip.lfdr or 0) <= 1 for flip in known(flips([cell] * 60).tasks))
    with pytest.raises(ValueError):
        flips([(3, 4, 3, 0)])


def test_noise_alone_moves_as_many_tasks_as_published(cvdp: dict[tuple[int, int], int]) -> None:
    rates = fit(cvdp)
    assert rates is not None
    noise = expected_moves({(5, 5): 302}, rates.a, rates.b)
    assert noise is not None
    assert noise.changed == pytest.approx(0.377, abs=5e-4)
    up = [move(noise, "never", after) for after in ("sometimes", "always")]  # leaving never, for whatever bucket
    down = [move(noise, before, "never") for before in ("sometimes", "always")]
    assert sum(m.share for m in up) == pytest.approx(0.0738, abs=5e-5)
    assert sum(m.points for m in up) == pytest.approx(0.0203, abs=5e-5)
    assert [m.share for m in down] == [m.share for m in up]
    assert [m.points for m in down] == [-m.points for m in up]


def test_expected_moves_are_what_a_simulation_gives() -> None:
    generator = np.random.default_rng(0)
    rates = generator.beta(0.6, 0.9, 200_000)
    a, b = generator.binomial(2, rates).tolist(), generator.binomial(3, rates).tolist()
    seen = observed_moves([(2, x, 3, y) for x, y in zip(a, b, strict=True)])
    noise = expected_moves({(2, 3): 7}, 0.6, 0.9)
    assert seen is not None
    assert noise is not None
    assert seen.changed == pytest.approx(noise.changed, abs=0.005)
    for one, other in zip(seen.moves, noise.moves, strict=True):
        assert (one.before, one.after) == (other.before, other.after)
        assert one.share == pytest.approx(other.share, abs=0.005)
        assert one.points == pytest.approx(other.points, abs=0.005)


def test_observed_moves_by_hand() -> None:
    found = observed_moves([(2, 0, 2, 1), (2, 0, 4, 0), (2, 1, 4, 2), (1, 1, 1, 0), (3, 0, 0, 0)])
    assert found is not None
    assert found.changed == 0.5
    assert (move(found, "never", "sometimes").share, move(found, "never", "sometimes").points) == (0.25, 0.125)
    assert (move(found, "always", "never").share, move(found, "always", "never").points) == (0.25, -0.25)
    assert sum(m.share for m in found.moves) == 1.0


@examples(25)
@given(st.lists(cells, min_size=1, max_size=20), st.floats(0.1, 3), st.floats(0.1, 3))
def test_swapping_the_runs_mirrors_the_moves(tasks: list[Cell], a: float, b: float) -> None:
    back = [(n_b, c_b, n_a, c_a) for n_a, c_a, n_b, c_b in tasks]
    shapes = {(n_a, n_b): 3 for n_a, _, n_b, _ in tasks}
    turned = {(n_b, n_a): tasks for (n_a, n_b), tasks in shapes.items()}
    for one, other in (
        (observed_moves(tasks), observed_moves(back)),
        (expected_moves(shapes, a, b), expected_moves(turned, a, b)),
    ):
        assert one is not None
        assert other is not None
        assert one.changed == other.changed
        assert sum(m.share for m in one.moves) == pytest.approx(1.0, abs=1e-9)
        for m in one.moves:
            mirror = move(other, m.after, m.before)
            assert (mirror.share, mirror.points) == (m.share, -m.points)


def test_without_tasks_nothing_moves() -> None:
    assert observed_moves([]) is None
    assert observed_moves([(0, 0, 3, 1)]) is None
    assert expected_moves({}, 1.0, 1.0) is None
    assert expected_moves({(0, 3): 5, (2, 2): 0}, 1.0, 1.0) is None

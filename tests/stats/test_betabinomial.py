from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, special, stats
from tests.examples import examples

from blade.stats import betabinomial
from blade.stats.betabinomial import RHO_LIMITS, fit, posterior_interval, prob_rate_above

if TYPE_CHECKING:
    import random

Tally = dict[tuple[int, int], int]
Floats = npt.NDArray[np.float64]

pairs = st.integers(1, 8).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n)))
runs = st.lists(pairs, min_size=1, max_size=25)


def log_likelihood(tasks: Tally, mu: Floats, rho: Floats) -> Floats:
    """The textbook form, by beta functions."""
    a, b = mu * (1 - rho) / rho, (1 - mu) * (1 - rho) / rho
    cells = [many * (special.betaln(a + c, b + n - c) - special.betaln(a, b)) for (n, c), many in tasks.items()]
    return np.asarray(np.sum(cells, axis=0), dtype=np.float64)


def test_known_run_has_its_published_fit(cvdp: Tally) -> None:
    found = fit(cvdp)
    assert found is not None
    assert found.mu == pytest.approx(0.2734, abs=5e-5)
    assert found.rho == pytest.approx(0.5485, abs=5e-5)
    assert found.a == pytest.approx(0.2251, abs=5e-5)
    assert found.b == pytest.approx(0.5981, abs=5e-5)


def test_known_run_has_its_published_posterior(cvdp: Tally) -> None:
    assert posterior_interval(cvdp) == pytest.approx((0.2347, 0.3137), abs=2e-3)


def test_posterior_agrees_with_a_fine_grid_of_the_textbook_form(cvdp: Tally) -> None:
    mu, rho = np.linspace(0.1, 0.5, 1201), np.linspace(0.3, 0.8, 301)
    surface = log_likelihood(cvdp, mu[:, None], rho[None, :])
    mass = np.exp(surface - surface.max()).sum(axis=1)
    below = (np.cumsum(mass) - mass / 2) / mass.sum()
    assert posterior_interval(cvdp) == pytest.approx(np.interp([0.025, 0.975], below, mu), abs=3e-5)


def test_posterior_at_another_level_is_narrower(cvdp: Tally) -> None:
    wide, narrow = posterior_interval(cvdp), posterior_interval(cvdp, 0.5)
    assert wide is not None
    assert narrow is not None
    assert wide[0] < narrow[0] < narrow[1] < wide[1]


@pytest.mark.parametrize(("passes", "tasks"), [(10, 10), (0, 10), (3, 10), (1, 1), (600, 1000)])
def test_with_one_row_per_task_the_posterior_is_a_beta(passes: int, tasks: int) -> None:
    found = posterior_interval({(1, 1): passes, (1, 0): tasks - passes})
    assert found == pytest.approx(stats.beta(passes + 1, tasks - passes + 1).interval(0.95), abs=1e-4)


def test_a_single_task_has_a_wide_but_proper_posterior() -> None:
    one_row, five_rows = posterior_interval([(1, 1)]), posterior_interval([(5, 5)])
    assert one_row is not None
    assert five_rows is not None
    assert one_row[0] < five_rows[0] < 0.5  # five rows of one task say more than one, far less than five tasks
    five_tasks = posterior_interval([(1, 1)] * 5)
    assert five_tasks is not None
    assert five_rows[0] < five_tasks[0]


def test_posterior_of_a_million_tasks_is_still_resolved() -> None:
    tasks = {(4, 0): 500_000, (4, 4): 500_000}
    found = posterior_interval(tasks)
    half = 1.959964 * 0.5 / 1000
    assert found == pytest.approx((0.5 - half, 0.5 + half), abs=2e-6)


@pytest.mark.parametrize(
    "tasks",
    [
        pytest.param([], id="no task"),
        pytest.param([(0, 0), (0, 0)], id="no row"),
        pytest.param([(5, 5)] * 4, id="all passed"),
        pytest.param([(5, 0)] * 4, id="all failed"),
        pytest.param([(5, 3)], id="one task"),
        pytest.param([(5, 3), (0, 0)], id="one task with rows"),
        pytest.param([(1, 1), (1, 0)], id="one row each"),
    ],
)
def test_no_fit_where_the_spread_of_rates_is_unknown(tasks: list[tuple[int, int]]) -> None:
    assert fit(tasks) is None


def test_no_posterior_without_rows() -> None:
    assert posterior_interval([]) is None
    assert posterior_interval([(0, 0)]) is None


def test_tasks_alike_end_at_the_lower_limit_and_tasks_apart_at_the_upper() -> None:
    alike, apart = fit([(4, 2)] * 50), fit([(5, 5)] * 3 + [(5, 0)])
    assert alike is not None
    assert apart is not None
    assert (alike.rho, apart.rho) == pytest.approx(RHO_LIMITS)
    assert alike.mu == pytest.approx(0.5, abs=1e-6)
    assert apart.mu == pytest.approx(0.75, abs=1e-6)


def test_a_fit_has_the_digits_that_every_processor_gives(monkeypatch: pytest.MonkeyPatch) -> None:
    tasks = [(4, 1), (4, 2), (4, 4), (4, 0), (4, 3)] * 5 + [(3, 1)]
    plain = fit(tasks)
    exact, noise = betabinomial._log_likelihood, np.random.default_rng(1)

    def elsewhere(tails: betabinomial._Tails, mu: Floats, rho: Floats) -> Floats:
        found = exact(tails, mu, rho)
        return found * (1.0 + 4e-16 * noise.integers(-1, 2, size=found.shape))

    monkeypatch.setattr(betabinomial, "_log_likelihood", elsewhere)
    search = betabinomial._fit.__wrapped__
    assert [search(betabinomial._tally_items(tasks)) for _ in range(5)] == [plain] * 5


def test_fit_finds_the_rates_that_made_the_data() -> None:
    rng = np.random.default_rng(5)
    n = rng.integers(2, 9, size=20_000)
    c = rng.binomial(n, rng.beta(2.0, 3.0, size=20_000))
    found = fit(list(zip(n.tolist(), c.tolist(), strict=True)))
    assert found is not None
    assert (found.a, found.b) == pytest.approx((2.0, 3.0), rel=0.05)


@given(runs)
@examples(50)
def test_no_other_rates_explain_the_data_better(tasks: list[tuple[int, int]]) -> None:
    found = fit(tasks)
    if found is None:
        return
    tally = {pair: tasks.count(pair) for pair in tasks}
    best = float(log_likelihood(tally, np.array(found.mu), np.array(found.rho)))
    mu, rho = np.meshgrid(np.linspace(0.02, 0.98, 25), np.linspace(0.02, 0.98, 25))
    assert best >= float(log_likelihood(tally, mu, rho).max()) - 1e-6
    assert found.a / (found.a + found.b) == pytest.approx(found.mu, abs=1e-9)
    assert 1 / (found.a + found.b + 1) == pytest.approx(found.rho, rel=1e-9)


@given(runs, st.randoms(use_true_random=False))
@examples(50)
def test_the_order_of_tasks_does_not_matter(tasks: list[tuple[int, int]], rng: random.Random) -> None:
    shuffled = rng.sample(tasks, len(tasks))
    assert fit(tasks) == fit(shuffled) == fit({pair: tasks.count(pair) for pair in tasks})
    assert posterior_interval(tasks) == posterior_interval(shuffled)


@given(runs)
@examples(50)
def test_swapping_passes_and_failures_mirrors_the_posterior(tasks: list[tuple[int, int]]) -> None:
    found, mirrored = posterior_interval(tasks), posterior_interval([(n, n - c) for n, c in tasks])
    assert found is not None
    assert mirrored is not None
    assert 0 <= found[0] < found[1] <= 1
    assert (1 - mirrored[1], 1 - mirrored[0]) == pytest.approx(found, abs=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n", "tasks", "percent", "width"), [(1, 20, 96.2, 0.357), (4, 10, 95.4, 0.395), (4, 20, 94.3, 0.294)]
)
def test_posterior_covers_as_published(n: int, tasks: int, percent: float, width: float) -> None:
    rng = np.random.default_rng(1000 * n + tasks)
    intervals = []
    for _ in range(400):
        c = rng.binomial(n, rng.beta(0.225, 0.598, size=tasks))
        intervals.append(posterior_interval([(n, int(x)) for x in c]))
    low, high = np.array(intervals, dtype=float).T
    hits = (low <= 0.225 / 0.823) & (high >= 0.225 / 0.823)
    assert 100 * hits.mean() == pytest.approx(percent, abs=3.5)  # three standard errors of 400 runs
    assert (high - low).mean() == pytest.approx(width, abs=0.012)


def test_probability_of_a_rate_above_a_cut_is_the_integral_of_its_posterior() -> None:
    a, b = 0.2251, 0.5981
    for n, c, cut in [(5, 0, 0.05), (5, 2, 0.4), (20, 0, 0.1), (3, 3, 0.9)]:
        area, _ = integrate.quad(stats.beta(a + c, b + n - c).pdf, cut, 1, limit=200)
        assert prob_rate_above(n, c, cut, a, b) == pytest.approx(area, abs=1e-6)


def test_a_task_that_never_passed_is_less_likely_to_pass_the_more_rows_it_has() -> None:
    found = [prob_rate_above(n, 0, 0.1, 0.2251, 0.5981) for n in (0, 1, 5, 20, 100)]
    assert found == sorted(found, reverse=True)
    assert found[-1] < 1e-4 < found[0]


def test_a_rate_is_above_zero_and_never_above_one() -> None:
    assert prob_rate_above(5, 0, 0.0, 0.5, 0.5) == 1.0
    assert prob_rate_above(5, 0, -0.5, 0.5, 0.5) == 1.0
    assert prob_rate_above(5, 5, 1.0, 0.5, 0.5) == 0.0
    assert prob_rate_above(5, 5, 1.5, 0.5, 0.5) == 0.0


def test_fits_at_their_limits_still_give_probabilities() -> None:
    alike, apart = fit([(4, 2)] * 50), fit([(5, 5)] * 3 + [(5, 0)])
    assert alike is not None
    assert apart is not None
    assert prob_rate_above(4, 0, 0.4, alike.a, alike.b) == pytest.approx(1.0, abs=1e-9)
    assert prob_rate_above(5, 0, 0.01, apart.a, apart.b) == pytest.approx(0.0, abs=1e-5)


def test_impossible_requests_are_refused() -> None:
    with pytest.raises(ValueError):
        prob_rate_above(5, 6, 0.5, 1, 1)
    with pytest.raises(ValueError):
        prob_rate_above(5, 2, 0.5, 0, 1)
    with pytest.raises(ValueError):
        fit([(5, 6), (5, 1)])

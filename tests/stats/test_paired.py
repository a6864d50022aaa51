from __future__ import annotations

import math
import statistics

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from tests.examples import examples

from blade.stats.paired import (
    fixed_task_se,
    label_permutation,
    omega2,
    paired_t,
    task_changes,
    verdict,
    visible_change,
    welch,
)
from blade.stats.power import mde

Run = list[tuple[float, ...]]
scores = st.one_of(st.sampled_from([0.0, 1.0]), st.integers(0, 10).map(lambda k: k / 10))
rows = st.lists(scores, min_size=1, max_size=4).map(tuple)
changes = st.lists(st.floats(-1, 1), min_size=2, max_size=20)


@pytest.fixture
def known() -> tuple[Run, Run]:
    a = "1111 1110 1010 0000 1111 0010 1101 0000"
    b = "1111 1010 0000 0100 1111 0000 0000 0000"
    first, second = ([tuple(float(y) for y in task) for task in run.split()] for run in (a, b))
    return first, second


def test_known_runs_have_their_published_paired_interval(known: tuple[Run, Run]) -> None:
    found = paired_t(task_changes(*known))
    assert found is not None
    assert found.delta == pytest.approx(-0.1875, abs=1e-12)
    assert found.se == pytest.approx(0.11329, abs=5e-6)
    assert found.t == pytest.approx(-1.6550, abs=5e-5)
    assert found.p == pytest.approx(0.1419, abs=5e-5)
    assert found.interval == pytest.approx((-0.4554, 0.0804), abs=5e-5)
    assert found.df == 7
    assert found.share_changed_at_most is None


def test_known_runs_have_their_published_unpaired_error(known: tuple[Run, Run]) -> None:
    a, b = ([statistics.fmean(task) for task in run] for run in known)
    assert (statistics.fmean(a), statistics.fmean(b)) == (0.53125, 0.34375)
    found = welch(a, b)
    assert found is not None
    assert found.delta == pytest.approx(-0.1875, abs=1e-12)
    assert found.se == pytest.approx(0.21326, abs=5e-6)
    assert statistics.correlation(a, b) == pytest.approx(0.7197, abs=5e-5)  # what the pairing buys


def test_known_runs_have_their_published_fixed_task_error(known: tuple[Run, Run]) -> None:
    se = fixed_task_se(*known)
    assert se == pytest.approx(0.08069, abs=5e-6)
    assert se is not None
    assert 2 * statistics.NormalDist().cdf(-0.1875 / se) == pytest.approx(0.0201, abs=5e-5)
    assert omega2(*known) == pytest.approx(0.05060, abs=5e-6)


@given(changes)
def test_the_paired_t_is_that_of_scipy(d: list[float]) -> None:
    found = paired_t(d)
    assert found is not None
    if found.se is None or found.se < 1e-6:
        return
    theirs = stats.ttest_1samp(d, 0.0)
    assert found.t == pytest.approx(theirs.statistic, rel=1e-6, abs=1e-9)
    assert found.p == pytest.approx(theirs.pvalue, rel=1e-6, abs=1e-12)
    assert found.interval == pytest.approx(tuple(theirs.confidence_interval()), abs=1e-8)


def test_welch_is_that_of_scipy() -> None:
    a, b = [0.1, 0.4, 0.35, 0.8, 0.2], [0.5, 0.9, 0.55]
    found, theirs = welch(a, b), stats.ttest_ind(b, a, equal_var=False)
    assert found is not None
    assert found.t == pytest.approx(theirs.statistic)
    assert found.p == pytest.approx(theirs.pvalue)
    assert found.interval == pytest.approx(tuple(theirs.confidence_interval()))


def test_where_no_task_changed_the_interval_knows_their_number() -> None:
    found = paired_t([0.0] * 20)
    assert found is not None
    assert (found.delta, found.se, found.t, found.p, found.df) == (0, 0, None, None, 19)
    assert found.share_changed_at_most == pytest.approx(1 - 0.05 ** (1 / 20))
    assert found.interval == pytest.approx((-0.1391, 0.1391), abs=1e-4)  # the rule of three says 3 / 20


def test_where_all_tasks_changed_alike_others_may_not() -> None:
    found = paired_t([0.5] * 6)
    assert found is not None
    assert (found.se, found.t, found.p, found.share_changed_at_most) == (0.0, None, None, None)
    unseen = 1 - 0.05 ** (1 / 6)
    assert found.interval == pytest.approx((0.5 - 1.5 * unseen, 0.5 + 0.5 * unseen))
    back = paired_t([-0.5] * 6)
    assert back is not None
    assert back.interval is not None
    assert found.interval == (-back.interval[1], -back.interval[0])


def test_the_interval_of_unanimous_tasks_follows_the_range_of_the_scores() -> None:
    wide, unknown = paired_t([0.0] * 20, reach=100.0), paired_t([0.0] * 20, reach=0.0)
    assert wide is not None
    assert wide.interval == pytest.approx((-13.91, 13.91), abs=0.01)
    assert unknown is not None
    assert unknown.interval is None


@pytest.mark.parametrize("share", [0.01, 0.05, 0.12, 0.3])
def test_unanimous_tasks_leave_the_truth_out_at_most_once_in_twenty(share: float) -> None:
    """The worst case: a share of all tasks breaks, and none of them is drawn."""
    tasks = 20
    found = paired_t([0.0] * tasks)
    assert found is not None
    assert found.interval is not None
    missed = found.interval[0] > -share
    assert (1 - share) ** tasks * missed <= 0.05


@pytest.mark.parametrize(
    ("tasks", "word"), [(5, "inconclusive"), (50, "inconclusive"), (298, "inconclusive"), (299, "noise")]
)
def test_no_change_in_few_tasks_is_not_noise(tasks: int, word: str) -> None:
    found = paired_t([0.0] * tasks)
    assert found is not None
    told = verdict(1.0, found.interval, 0.0, tasks)
    assert told.verdict == word
    assert told.reason.startswith("The mean did not move (p = 1)")
    assert "hance" not in told.reason


def test_runs_that_are_the_same_need_no_explanation() -> None:
    told = verdict(1.0, (0.0, 0.0), None, 8, same_runs=True)
    assert told.verdict == "noise"
    assert told.reason == (
        "On every common task both runs have the same outputs with the same scores: nothing changed. "
        "There is nothing to explain."
    )
    few = verdict(1.0, (0.0, 0.0), None, 3, same_runs=True)
    assert few.verdict == "inconclusive"
    assert few.reason.endswith("nothing changed. The runs have 3 common tasks; a verdict needs 5.")


def test_too_few_tasks_leave_only_the_change() -> None:
    assert paired_t([]) is None
    assert welch([], [0.5]) is None
    assert welch([0.5], []) is None
    one, other = paired_t([0.25]), welch([0.5], [0.25, 0.75])
    assert one is not None
    assert other is not None
    assert (one.delta, one.se, one.interval) == (0.25, None, None)
    assert (other.delta, other.se, other.interval) == (0.0, None, None)
    flat = welch([0.5, 0.5], [0.75, 0.75])
    assert flat is not None
    assert (flat.se, flat.t, flat.interval, flat.df) == (0.0, None, (0.25, 0.25), 2)


def test_one_row_per_task_leaves_the_noise_unidentified() -> None:
    a: Run = [(1.0,), (0.0,), (1.0,)]
    b: Run = [(1.0, 0.0), (0.0, 0.0), (1.0, 1.0)]
    assert fixed_task_se(a, b) is None
    assert omega2(a, b) is None
    spread = paired_t(task_changes(a, b))
    assert spread is not None
    assert spread.se is not None
    assert visible_change(a, b) == pytest.approx(2.8016 * spread.se, rel=1e-4)


def test_a_task_with_one_row_takes_the_noise_of_the_others() -> None:
    a: Run = [(1.0, 0.0), (1.0,)]
    b: Run = [(1.0, 1.0), (0.0, 0.0)]
    assert fixed_task_se(a, b) == pytest.approx(math.sqrt(0.25 + 0.5) / 2)


def test_without_common_tasks_nothing_is_known() -> None:
    assert task_changes([(1.0,)], [()]) == []
    assert fixed_task_se([], []) is None
    assert omega2([(1.0, 0.0)], [()]) is None
    assert omega2([(1.0, 0.0)], [(1.0, 0.0)]) is None
    assert visible_change([], []) is None
    assert visible_change([(1.0,)], [(0.0,)]) is None


def test_the_smallest_visible_change_is_the_published_one(cvdp: dict[tuple[int, int], int]) -> None:
    run = [(1.0,) * c + (0.0,) * (n - c) for (n, c), tasks in cvdp.items() for _ in range(tasks)]
    assert visible_change(run, run) == pytest.approx(0.0308, abs=5e-5)
    assert visible_change(run, run) == pytest.approx(mde(302, (0.09105960264900662,) * 2, (5, 5)))


@examples(40)
@given(st.lists(st.tuples(rows, rows), max_size=9))
def test_swapping_the_runs_mirrors_everything_to_the_last_digit(pairs: list[tuple[tuple[float, ...], ...]]) -> None:
    a, b = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    there, back = paired_t(task_changes(a, b)), paired_t(task_changes(b, a))
    apart, joined = (welch(*[[statistics.fmean(x) for x in run] for run in order]) for order in ((a, b), (b, a)))
    for one, other in ((there, back), (apart, joined)):
        assert (one is None) == (other is None)
        if one is None or other is None:
            continue
        assert one.delta == -other.delta
        assert (one.se, one.p, one.df) == (other.se, other.p, other.df)
        assert one.interval == (None if other.interval is None else (-other.interval[1], -other.interval[0]))
    assert omega2(a, b) == omega2(b, a)
    assert fixed_task_se(a, b) == fixed_task_se(b, a)
    assert visible_change(a, b) == visible_change(b, a)
    verdicts = [
        verdict(label_permutation(x, y, seed=1)[0], interval, visible_change(x, y), len(pairs))
        for x, y, interval in (
            (a, b, None if there is None else there.interval),
            (b, a, None if back is None else back.interval),
        )
    ]
    assert verdicts[0] == verdicts[1]


@examples(40)
@given(st.lists(st.tuples(rows, rows), min_size=1, max_size=9))
def test_task_order_does_not_matter(pairs: list[tuple[tuple[float, ...], ...]]) -> None:
    a, b = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    assert paired_t(task_changes(a, b)) == paired_t(task_changes(a[::-1], b[::-1]))
    assert omega2(a, b) == omega2(a[::-1], b[::-1])
    assert fixed_task_se(a, b) == fixed_task_se(a[::-1], b[::-1])


def test_the_interval_covers_as_often_as_it_says() -> None:
    generator = np.random.default_rng(7)
    covered = 0
    for _ in range(1000):
        rates = generator.beta(0.225, 0.598, (2, 50))
        found = paired_t(((generator.binomial(4, rates[1]) - generator.binomial(4, rates[0])) / 4).tolist())
        assert found is not None
        assert found.interval is not None
        covered += found.interval[0] <= 0 <= found.interval[1]
    assert covered / 1000 == pytest.approx(0.953, abs=3 * math.sqrt(0.95 * 0.05 / 1000))


def test_a_small_p_value_is_a_real_change() -> None:
    found = verdict(0.003, (-0.08, -0.02), 0.03, 100)
    assert (found.verdict, found.disagree) == ("real", False)
    assert "p = 0.003" in found.reason
    assert verdict(0.0499999, (-0.08, -0.02), 0.03, 100).verdict == "real"
    assert "p < 0.0001" in verdict(1e-9, (0.1, 0.2), 0.03, 100).reason


def test_a_narrow_interval_about_no_change_is_noise() -> None:
    assert verdict(0.05, (-0.01, 0.01), 0.0, 100).verdict == "noise"
    assert verdict(0.4, (-0.012, 0.015), 0.03, 100).verdict == "noise"
    assert "± 1.5 pp" in verdict(0.4, (-0.012, 0.015), 0.03, 100).reason


def test_a_wide_interval_is_inconclusive() -> None:
    assert verdict(0.4, (-0.012, 0.016), 0.03, 100).verdict == "inconclusive"
    assert verdict(0.4, (-0.016, 0.012), 0.03, 100).verdict == "inconclusive"
    assert verdict(0.4, (-0.02, 0.02), None, 100).verdict == "inconclusive"
    assert verdict(0.4, (-0.02, 0.02), math.inf, 100).verdict == "inconclusive"


@pytest.mark.parametrize(
    ("tasks", "words"), [(0, "No task is counted in both runs;"), (1, "1 common task;"), (4, "4 common tasks")]
)
def test_fewer_than_five_common_tasks_are_inconclusive(tasks: int, words: str) -> None:
    found = verdict(0.001, (0.1, 0.2), 0.01, tasks)
    assert found.verdict == "inconclusive"
    assert words in found.reason


def test_a_verdict_needs_something_to_judge_by() -> None:
    assert verdict(None, (0.1, 0.2), 0.01, 9).verdict == "inconclusive"
    assert verdict(0.01, None, 0.01, 9).verdict == "inconclusive"


def test_p_and_interval_may_disagree_and_that_is_said() -> None:
    real, open_ = verdict(0.02, (-0.01, 0.09), 0.03, 100), verdict(0.07, (0.01, 0.09), 0.03, 100)
    assert (real.verdict, real.disagree) == ("real", True)
    assert "includes 0" in real.reason
    assert (open_.verdict, open_.disagree) == ("inconclusive", True)
    assert "excludes 0" in open_.reason
    assert not verdict(0.06, (0.5, 0.5), 0.0, 5).disagree  # a collapsed interval has no say


def test_runs_that_cannot_be_matched_are_not_comparable() -> None:
    assert verdict(0.001, (0.1, 0.2), 0.01, 9, comparable=False).verdict == "not_comparable"


def test_rescored_outputs_leave_nothing_to_chance() -> None:
    assert verdict(0.9, (-0.5, 0.2), 0.01, 3, same_outputs=True).verdict == "real"


def test_the_margin_follows_the_scale_of_the_scores() -> None:
    assert verdict(0.4, (-0.8, 0.9), None, 100, span=100.0).verdict == "noise"
    assert "pp" not in verdict(0.4, (-0.8, 0.9), None, 100, span=100.0).reason

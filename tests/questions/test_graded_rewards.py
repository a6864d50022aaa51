"""What failures are given where rewards are graded."""

from __future__ import annotations

from collections.abc import Sequence

from tests.questions.made_cases import case, run_of, words

from blade.diagnosis.cases import Case, RunCases
from blade.questions import graded_rewards


def rewarded(name: str, rewards: Sequence[float]) -> RunCases:
    cases = [case(task, passed=reward == 1) for task, reward in enumerate(rewards)]
    for one, reward in zip(cases, rewards, strict=True):
        one.reward = reward
    return run_of(name, cases)


def test_the_share_of_passes_the_mean_of_failures_and_their_heap_are_told() -> None:
    runs = [rewarded("one", [1.0] * 8 + [0.6] * 9 + [0.8, 0.8, 0.0]), rewarded("two", [1.0] * 5 + [0.6] * 10)]
    answer = graded_rewards.ask(runs)
    assert answer is not None
    told = words(graded_rewards.tell(answer))
    assert "one passes 8 of 20 (40.0%), and its 12 failures are given 0.5833 on average, 9 of them exactly 0.6" in told
    assert ", 1 nothing." in told
    assert "The most common reward of failures is 0.6 in all of them" in told


def test_failures_of_zero_are_no_graded_reward() -> None:
    assert graded_rewards.ask([rewarded("one", [1.0] * 8 + [0.0] * 20)]) is None


def test_the_first_screen_says_how_few_pass_behind_the_mean() -> None:
    answer = graded_rewards.ask([rewarded("one", [1.0] * 8 + [0.6] * 12)])
    assert answer is not None
    (head,) = graded_rewards.brief(answer)
    assert head.text == (
        "Scores are means of graded rewards: one passes 8 of 20 and its failures are given 0.6 on average."
    )


def test_passes_that_are_paid_by_their_length_are_told() -> None:
    """A game that pays a little for every turn: who wins late scores more than who wins at once."""

    def played(calls: int, reward: float) -> Case:
        rollout = case(calls, passed=reward > 1, observed={"calls": [calls, calls]})
        rollout.reward = reward
        return rollout

    won = [played(calls, 1 + 0.01 * calls) for calls in (5, 6, 9, 11, 14)]
    lost = [played(20 + calls, 0.01 * calls) for calls in range(4)]
    answer = graded_rewards.ask([run_of("one", [*won, *lost])])
    assert answer is not None
    assert words(graded_rewards.tell(answer)) == (
        "Passes of one are paid by their length: each call more adds 0.01, exactly so in all 5 (1.05 for 5 calls, 1.14 "
        "for 14), so that of two passes the longer scores more."
    )
    assert len(list(graded_rewards.brief(answer))) == 1
    (step,) = graded_rewards.advise(answer)
    assert step.change == (
        "Settle whether the longer of two passes is to earn more; if not, pay every pass the same, and compare pass "
        "rates until then"
    )
    assert (step.because.text, step.rollouts) == ("Each call more adds 0.01 in all 5 passes of one.", 0)
    assert graded_rewards.ask([run_of("one", [*won, *lost, played(30, 1.02)])]) is None

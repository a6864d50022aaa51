"""What failures are given where rewards are graded."""

from __future__ import annotations

from collections.abc import Sequence

from tests.questions.made_cases import case, run_of, words

from blade.diagnosis.cases import RunCases
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
    assert "The commonest reward of failures is 0.6 in all of them" in told


def test_failures_of_zero_are_no_graded_reward() -> None:
    assert graded_rewards.ask([rewarded("one", [1.0] * 8 + [0.0] * 20)]) is None


def test_the_first_screen_says_how_few_pass_behind_the_mean() -> None:
    answer = graded_rewards.ask([rewarded("one", [1.0] * 8 + [0.6] * 12)])
    assert answer is not None
    (head,) = graded_rewards.brief(answer)
    assert head.text == (
        "Scores are means of graded rewards: one passes 8 of 20 and its failures are given 0.6 on average."
    )

"""Tasks that no rollout passes although several runs come close to the full score."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tests.questions.made_cases import case, run_of, words

from blade.diagnosis.cases import RunCases
from blade.questions import near_misses


def graded(name: str, rewards: Mapping[int, Sequence[float]]) -> RunCases:
    """A run with these rewards of each task; only a full score passes."""
    cases = []
    for task, some in rewards.items():
        for reward in some:
            cases.append(case(task, passed=reward == 1))
            cases[-1].reward = reward
    return run_of(name, cases)


def easy(passing: int, near: int = 0) -> dict[int, list[float]]:
    """Tasks of which each is passed, or nearly so."""
    return {100 + task: [1.0 if task < passing else 0.95, 0.4] for task in range(passing + near)}


def test_tasks_that_come_near_in_several_runs_are_told_best_first() -> None:
    runs = [
        graded("red", {1: [0.93, 0.9], 2: [0.99, 0.99], 3: [0.2], **easy(20, 1)}),
        graded("blue", {1: [0.92, 0.5], 2: [0.99, 0.3], 3: [0.97], **easy(20)}),
    ]
    answer = near_misses.ask(runs)
    assert answer is not None
    assert words(near_misses.tell(answer)) == (
        "2 tasks are passed by no rollout although several come within 0.1 of the full score; at the other tasks 40 of "
        "42 rollouts that come so near pass: the key or the comparison may hold something that changes from one "
        "container or moment to the next, or that the task does not ask for. Their scores, the best first: 2 0.99 in 3 "
        "of 4 rollouts (2 of 2 runs); 1 0.9 to 0.93 in 3 of 4 rollouts (2 of 2 runs)."
    )
    (head,) = near_misses.brief(answer)
    assert head.text == (
        "No rollout passes 2 tasks although several runs come within 0.1 of the full score (best scores: 2 0.99 and "
        "1 0.93): look at what the key compares."
    )
    (advice,) = near_misses.advise(answer)
    assert advice.change == (
        "Look at what the verifier compares in 1 and 2: leave out what differs between containers or moments and what "
        "the task does not ask for, and judge these again"
    )
    assert advice.because.text == (
        "No rollout passes, and 6 rollouts of several runs come within 0.1 of the full score."
    )
    assert advice.rollouts == 6


def test_near_rollouts_of_one_run_are_ordinary_failures() -> None:
    runs = [graded("red", {1: [0.99] * 6, **easy(20)}), graded("blue", {1: [0.3] * 6, **easy(20)})]
    assert near_misses.ask(runs) is None
    assert near_misses.ask(runs[:1]) is None


def test_two_near_rollouts_are_too_few() -> None:
    assert near_misses.ask([graded(name, {1: [0.99], **easy(20)}) for name in ("red", "blue")]) is None


def test_a_task_with_a_pass_is_none() -> None:
    runs = [graded("red", {1: [0.99] * 3, **easy(20)}), graded("blue", {1: [0.99, 1.0], **easy(20)})]
    assert near_misses.ask(runs) is None


def test_near_scores_that_are_common_tell_nothing() -> None:
    assert near_misses.ask([graded(name, {1: [0.95, 0.99], **easy(5, 15)}) for name in ("red", "blue")]) is None
    assert near_misses.ask([graded(name, {1: [0.95, 0.99], **easy(0, 15)}) for name in ("red", "blue")]) is None


def test_rewards_of_nothing_and_one_or_of_another_scale_are_silent() -> None:
    binary = {task: [float(task % 2)] * 3 for task in range(20)}
    assert near_misses.ask([graded(name, binary) for name in ("red", "blue")]) is None
    assert near_misses.ask([graded(name, {1: [0.99] * 3, 2: [7.0], **easy(20)}) for name in ("red", "blue")]) is None

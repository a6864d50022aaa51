"""Tasks that far fewer checks judge than others, and that nearly every rollout passes, may pass without the work."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from tests.gym_rows import Json, analysed, row, write
from tests.questions.made_cases import case, run_of, words

from blade.diagnosis.cases import Case
from blade.questions import weakly_checked

ATTEMPTS = 10
RULES = ("shelf", "lid", "label", "weight", "colour", "date")


class Task(NamedTuple):
    """How many checks judge a task, and how many of its rollouts pass."""

    checks: int
    passes: int


WEAK, USUAL = Task(2, ATTEMPTS), Task(4, 4)
SHAPE = [WEAK] * 2 + [USUAL] * 5


def rollouts(tasks: Iterable[Task], attempts: int = ATTEMPTS) -> list[Case]:
    made: list[Case] = []
    for number, task in enumerate(tasks):
        for attempt in range(attempts):
            rollout = case(number, passed=attempt < task.passes, attempt=attempt)
            rollout.checks_json = json.dumps(dict.fromkeys(RULES[: task.checks], True)) if task.checks else None
            made.append(rollout)
    return made


def answer_to(tasks: Iterable[Task], attempts: int = ATTEMPTS) -> dict[str, Any] | None:
    return weakly_checked.ask([run_of("jars", rollouts(tasks, attempts))])


def test_they_are_told_with_their_passes_and_those_of_the_other_tasks() -> None:
    answer = answer_to(SHAPE)
    assert answer is not None
    p = answer.pop("p")
    assert answer == {
        "tasks": ["0", "1"],
        "most_checks": 2,
        "usual_checks": 4,
        "rollouts": 20,
        "passes": 20,
        "others": 50,
        "other_passes": 20,
    }
    assert 1e-7 < p < 1e-5
    answer["p"] = p
    sentence = (
        "2 tasks (0 and 1) are judged by 2 checks at most, where 4 are usual: 20 of 20 rollouts pass, of the other "
        f"tasks 20 of 50 (p = {p:.2g}). They may pass without the work."
    )
    assert words(weakly_checked.tell(answer)) == sentence
    assert [line.text for line in weakly_checked.brief(answer)] == [sentence]


def test_the_step_is_for_the_verifier_and_comes_before_any_score() -> None:
    answer = answer_to([Task(2, 10), Task(2, 9), *[USUAL] * 5])
    assert answer is not None
    (step,) = weakly_checked.advise(answer)
    assert step.kind == "verifier"
    assert step.change == "Add the checks that these tasks lack, and judge their passes again before they are counted"
    assert step.because.text == "19 of 20 rollouts pass (95.0%) with 2 checks at most."
    assert (step.rollouts, step.sure, step.before_scores) == (19, 0.5, True)


@pytest.mark.parametrize(
    ("tasks", "names"),
    [
        (SHAPE, "01"),
        (SHAPE[1:], None),  # one such task alone
        (SHAPE[:-1], None),  # four other tasks
        ([WEAK] * 3 + [USUAL] * 4, None),  # four of seven
        ([WEAK] * 4 + [USUAL] * 5, "0123"),
        ([*SHAPE, Task(0, 10), Task(0, 10)], "01"),  # tasks without any check are neither
        ([Task(3, 10)] * 2 + [Task(5, 4)] * 5, None),  # more than half of the usual number
        ([Task(3, 10)] * 2 + [Task(6, 4)] * 5, "01"),  # half of it
        ([Task(1, 10)] * 2 + [Task(3, 4)] * 5, "01"),
        ([Task(1, 10)] * 2 + [Task(2, 4)] * 5, None),  # two checks are few, and usual
        ([Task(2, 9)] * 2 + [USUAL] * 5, "01"),
        ([WEAK, Task(2, 8), *[USUAL] * 5], None),  # the second is passed by fewer than nine tenths
        ([WEAK] * 2 + [Task(2, 5)] * 2 + [Task(4, 1)] * 5, "0123"),  # half of them are passed by all
        ([WEAK] * 2 + [Task(2, 5)] * 3 + [Task(4, 1)] * 6, None),
        ([WEAK] * 2 + [Task(4, 10)] * 5, None),  # the other tasks pass as often
        ([WEAK] * 2 + [Task(4, 6)] * 5, "01"),
        ([WEAK] * 2 + [Task(4, 7)] * 5, None),  # p = 0.003
    ],
)
def test_only_a_set_of_far_fewer_checks_that_goes_with_passing(tasks: Sequence[Task], names: str | None) -> None:
    answer = answer_to(tasks)
    assert (None if answer is None else "".join(answer["tasks"])) == names


def test_few_rollouts_do_not_show_that_such_tasks_pass_more_often() -> None:
    tasks = [Task(2, 2)] * 2 + [Task(4, 0)] * 5
    assert answer_to(tasks, attempts=2) is not None
    assert answer_to([task._replace(passes=min(task.passes, 1)) for task in tasks], attempts=1) is None, "p = 0.048"


def test_half_a_check_more_is_usual_where_tasks_differ_evenly() -> None:
    answer = answer_to([WEAK] * 2 + [Task(4, 4)] * 2 + [Task(5, 4)] * 4)
    assert answer is not None
    assert answer["usual_checks"] == 4.5
    assert "where 4.5 are usual" in words(weakly_checked.tell(answer))


def test_the_most_checks_are_those_of_the_task_that_has_most_of_them() -> None:
    answer = answer_to([Task(1, 10), WEAK, *[USUAL] * 5])
    assert answer is not None
    assert answer["most_checks"] == 2


def test_a_rollout_with_more_checks_tells_how_many_the_task_has() -> None:
    made = rollouts(SHAPE)
    made[3].checks_json = json.dumps(dict.fromkeys(RULES[:3], True))
    assert weakly_checked.ask([run_of("jars", made)]) is None


def test_checks_of_which_only_the_number_is_known_count() -> None:
    by_number = [
        case(
            int(rollout.key),
            passed=bool(rollout.passed),
            attempt=rollout.attempt,
            observed={"check_sets": {"hidden": [1, len(rollout.checks)], "shown": [1, 1]}},
        )
        for rollout in rollouts(SHAPE)
    ]
    answer = weakly_checked.ask([run_of("jars", by_number)])
    assert answer is not None
    assert (answer["tasks"], answer["most_checks"], answer["usual_checks"]) == (["0", "1"], 2, 4)


def test_the_larger_of_both_numbers_counts() -> None:
    made = rollouts(SHAPE)
    for rollout in made[:ATTEMPTS]:
        rollout.observed_json = json.dumps({"check_sets": {"hidden": [4, 4]}})
    assert weakly_checked.ask([run_of("jars", made)]) is None


def test_void_rollouts_are_neither_passes_nor_failures() -> None:
    made = rollouts(SHAPE)
    for rollout in made[:5]:
        rollout.state = "infrastructure"
    answer = weakly_checked.ask([run_of("jars", made)])
    assert answer is not None
    assert (answer["passes"], answer["rollouts"]) == (15, 15)


def test_the_rollouts_of_several_runs_count_together() -> None:
    runs = [run_of(name, rollouts(SHAPE)) for name in ("jars", "tins")]
    answer = weakly_checked.ask(runs)
    assert answer is not None
    assert (answer["tasks"], answer["rollouts"], answer["others"]) == (["0", "1"], 40, 100)


def packed(task: int, attempt: int, checks: int, reward: float) -> Json:
    results = dict.fromkeys(RULES[:checks], "passed")
    return row(task, attempt, reward, checks=results if reward else results | {"shelf": "failed"})


def test_rows_of_a_file_are_asked_and_the_report_says_so(tmp_path: Path) -> None:
    rows = [packed(task, attempt, 2, 1.0) for task in (3, 5) for attempt in range(6)]
    rows += [packed(task, attempt, 5, float(attempt < 2)) for task in range(6, 12) for attempt in range(6)]
    analysis = analysed(write(tmp_path / "jars.jsonl", rows))
    answer = analysis.investigation["weakly_checked"]
    assert words(weakly_checked.tell(answer)).startswith(
        "2 tasks (3 and 5) are judged by 2 checks at most, where 5 are usual: 12 of 12 rollouts pass, of the other "
        "tasks 12 of 36 (p = "
    )

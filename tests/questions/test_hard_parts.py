"""Parts of the tasks that are passed less often, by a field that the data carries; silent where chance is enough."""

from __future__ import annotations

import random

from tests.questions.made_cases import case, run_of, words

from blade.diagnosis.cases import RunCases
from blade.questions import hard_parts


def made(name: str, levels: list[str], passed: list[bool]) -> RunCases:
    run = run_of(name, [case(task, passed=good) for task, good in enumerate(passed)])
    run.known["task levels"] = {str(task): {"topic": level, "id family": level} for task, level in enumerate(levels)}
    return run


TOPICS = ["organic"] * 20 + ["physics"] * 40


def test_the_part_with_the_most_lost_passes_is_told_with_both_rates() -> None:
    answer = hard_parts.ask([made("a", TOPICS, [task % 5 == 0 if task < 20 else task % 4 > 0 for task in range(60)])])
    assert answer is not None
    (entry,) = answer["parts"]
    assert (entry["inside_passes"], entry["inside"], entry["outside_passes"], entry["outside"]) == (4, 20, 30, 40)
    told = words(hard_parts.tell(answer))
    assert told.startswith(
        "Where topic is organic (20 tasks), 4 of 20 rollouts pass (20.0%), elsewhere 30 of 40 (75.0%; rank test over "
        "tasks p = "
    )
    assert [sentence.text for sentence in hard_parts.brief(answer)] == [told]


def test_of_several_runs_it_says_in_how_many_it_is_so() -> None:
    low = [task % 5 == 0 if task < 20 else task % 4 > 0 for task in range(60)]
    even = [task % 2 == 0 for task in range(60)]
    answer = hard_parts.ask([made("a", TOPICS, low), made("b", TOPICS, low), made("c", TOPICS, even)])
    assert answer is not None
    assert "It is lower there in 2 of 3 runs: a 20.0% and 75.0%, b 20.0% and 75.0% and c 50.0% and 50.0%." in words(
        hard_parts.tell(answer)
    )


def test_attempts_at_one_task_are_no_independent_draws() -> None:
    """Twelve tasks with ten attempts each: what three tasks do is no finding about their part."""
    cases = [case(task, passed=task > 2) for task in range(24) for _ in range(10)]
    run = run_of("a", cases)
    run.known["task levels"] = {str(task): {"topic": "left" if task < 11 else "right"} for task in range(24)}
    assert hard_parts.ask([run]) is None


def test_few_tasks_and_small_differences_say_nothing() -> None:
    few = [task >= 9 for task in range(60)]
    assert hard_parts.ask([made("a", ["rare"] * 9 + ["rest"] * 51, few)]) is None
    near = [task % 10 < 6 if task < 1000 else task % 10 < 7 for task in range(2000)]
    assert hard_parts.ask([made("a", ["one"] * 1000 + ["two"] * 1000, near)]) is None


def test_names_of_tasks_alone_are_left_to_the_families() -> None:
    run = made("a", TOPICS, [task >= 20 for task in range(60)])
    run.known["task levels"] = {str(task): {"id family": level} for task, level in enumerate(TOPICS)}
    assert hard_parts.ask([run]) is None


def test_outcomes_by_chance_make_no_part_hard() -> None:
    claims = 0
    for seed in range(100):
        generator = random.Random(seed)
        run = run_of("a", [case(task, passed=generator.random() < 0.5) for task in range(80)])
        run.known["task levels"] = {
            str(task): {f"field {number}": str(generator.randrange(4)) for number in range(10)} for task in range(80)
        }
        claims += hard_parts.ask([run]) is not None
    assert claims <= 3

"""What makes a score doubtful leads to a step that goes before all that mends failures."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.gym_rows import Json, analysed, row, write

from blade.document import Advice
from blade.extract.recorded_results import LETTERS, NOTHING, TIME
from blade.questions import (
    absent_parts,
    changed_tasks,
    fewer_checks,
    mistaken_ids,
    other_answers,
    own_judge,
    recorded_results,
    silent_runs,
    unearned_passes,
)


def only(steps: Any) -> Advice:
    (step,) = steps
    assert isinstance(step, Advice)
    return step


def ended(kind: str, failures: int, **more: Any) -> Json:
    runs = [{"run": "a", "failures": failures, "of": 20}, {"run": "b", "failures": 0, "of": 0}]
    return {"kind": kind, "failures": failures, "runs": runs, "phrase": None, **more}


def test_programs_that_print_nothing_are_to_be_run_by_hand_before_their_model_is_blamed() -> None:
    phrase = {"words": "Thread(target", "failures": 6, "of": 7, "passes": 1, "of_passes": 30}
    step = only(recorded_results.advise({"kinds": [ended(NOTHING, 8, phrase=phrase)]}))
    assert step.change.startswith("Run some programs that gave no result by hand on the test that failed them")
    assert step.because.text == "8 failures end so; 6 of them write “Thread(target”, as does 1 of 30 passes."
    assert (step.kind, step.rollouts, step.before_scores) == ("verifier", 8, True)


def test_results_that_differ_in_writing_alone_are_to_be_compared_by_value() -> None:
    step = only(recorded_results.advise({"kinds": [ended(LETTERS, 5)]}))
    assert step.change.startswith("Have the verifier compare results by value")
    assert step.because.text == "5 failures end so."


@pytest.mark.parametrize("entry", [ended(NOTHING, 4), ended(TIME, 20)], ids=["few", "time is its own matter"])
def test_other_ends_of_tests_lead_to_no_step(entry: Json) -> None:
    assert list(recorded_results.advise({"kinds": [entry]})) == []


def test_passes_without_their_checks_are_to_be_judged_again() -> None:
    step = only(fewer_checks.advise({"tasks": [{"task": "4", "passes": 2}, {"task": "7", "passes": 3}]}))
    assert step.because.text == "5 passes lack most of the checks that others of their task were judged by (4 and 7)."
    assert (step.rollouts, step.before_scores) == (5, True)
    assert list(fewer_checks.advise({"tasks": [{"task": "4", "passes": 1}]})) == []


def test_an_environment_of_its_own_is_to_be_made_like_the_others() -> None:
    entry = {"tool": "look", "run": "c", "others": ["a", "b"], "calls": 6, "of": 8, "tasks": 5}
    step = only(other_answers.advise({"tools": [entry]}))
    assert step.change == "Give c the same look as the other runs, and run it again before it is compared"
    assert step.because.text == "It answers 6 of 8 equal calls differently there, in 5 tasks."


def test_another_judge_is_asked_for_where_a_model_judges_most_of_its_own_answers() -> None:
    runs = [{"run": "own", "own": 8, "named": 8}, {"run": "other", "own": 1, "named": 8}]
    step = only(own_judge.advise({"runs": runs}))
    assert step.because.text == "The model that answers judges itself: own 8 of 8."
    assert list(own_judge.advise({"runs": runs[1:]})) == []


def test_passes_that_may_be_unearned_are_to_be_read() -> None:
    step = only(unearned_passes.advise({"runs": [{"run": "a", "doubtful": 5}], "forbidding": []}))
    assert (step.because.text, step.before_scores) == ("Passes in doubt: a 5.", True)
    assert list(unearned_passes.advise({"runs": [], "forbidding": [{"run": "a"}]})) == []


def test_a_part_that_a_run_lacks_is_to_be_run_or_left_out(tmp_path: Path) -> None:
    def rows(families: str) -> list[Json]:
        return [
            row(
                100 * "ab".index(family) + n,
                task_id=f"{family}_{n}",
                responses_create_params={"input": [{"role": "user", "content": f"Do {family} {n}."}]},
            )
            for family in families
            for n in range(12)
        ]

    analysis = analysed(write(tmp_path / "full.jsonl", rows("ab")), write(tmp_path / "part.jsonl", rows("a")))
    step = only(absent_parts.advise(analysis.investigation["absent_parts"]))
    assert step.change == "Run part on the tasks where the task family is b, or compare the runs without them"
    assert step.because.text == "It has no rollout of 12 tasks there."
    assert not step.before_scores, "the comparison is of common tasks as it is"


def test_mixed_up_ids_are_to_be_repaired_first() -> None:
    step = only(mistaken_ids.advise({"runs": [{"run": "a", "rows": 3, "of": 9}]}))
    assert step.change == "Repair the task ids of a before its tasks are read or compared"
    assert step.because.text == "3 rows were checked as another task than the one that they name."


def test_a_silent_run_is_to_be_looked_at_before_its_score_is_used() -> None:
    step = only(silent_runs.advise({"runs": [{"run": "mute", "rollouts": 4}]}))
    assert step.change == "Find out whether the agent of mute worked at all, and run it again before its score is used"
    assert step.because.text == "All 4 rollouts show no word and no call of the model."


def test_tasks_with_another_instruction_matter_where_the_outcome_differs() -> None:
    pair = {"one": "a", "other": "b", "of_tasks": 2, "tasks": ["3", "5"], "changed": 1}
    step = only(changed_tasks.advise({"pairs": [pair]}))
    assert step.because.text == "2 tasks differ (3 and 5), 1 of them in the outcome."
    assert list(changed_tasks.advise({"pairs": [pair | {"changed": 0}]})) == []

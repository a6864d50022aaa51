"""Rollouts that take a version out of the history of a repository."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.gym_rows import Json, analysed, write
from tests.questions.made_cases import called, said, task_row, words

from blade.extract.attempt import Attempt
from blade.extract.history_looks import history_look
from blade.questions import history_looks

LOG = "9fa31c2 (origin/next) mend the count\n77aa120 (HEAD -> main) begin"


def rollout(task: int, *commands: tuple[str, str], passed: bool, attempt: int = 0) -> Json:
    calls = [called("bash", {"command": command}, output) for command, output in commands]
    return task_row(task, *calls, said("Done."), passed=passed, _ng_rollout_index=attempt)


@pytest.mark.parametrize(
    ("commands", "looks"),
    [
        ([("git log --all --oneline", LOG), ("git show origin/next", "diff")], True),
        ([("git log --all --oneline", LOG), ("git checkout 9fa31c2 -- count.py", "")], True),
        ([("git log --all --oneline", LOG), ("cd app && git --no-pager diff HEAD origin/next", "")], False),
        ([("git show origin/next", "diff")], False),
        ([("git log --oneline", LOG), ("git diff", "")], False),
        ([("git commit -m x", "[main 9fa31c2] x"), ("git show 9fa31c2", "diff")], False),
    ],
)
def test_a_version_that_an_output_named_is_taken(commands: list[tuple[str, str]], *, looks: bool) -> None:
    assert bool(history_look(Attempt(rollout(0, *commands, passed=True)))) is looks


def rows(taking_passes: bool) -> list[Json]:
    look = (("git log --all --oneline", LOG), ("git show origin/next", "diff"))
    made = [rollout(task, *look, passed=taking_passes or task == 0) for task in range(3)]
    made += [rollout(task, ("ls", "count.py"), passed=task == 0, attempt=1) for task in range(3)]
    return made + [rollout(task, ("ls", "count.py"), passed=True) for task in range(5, 9)]


def test_they_are_told_with_the_others_at_these_tasks(tmp_path: Path) -> None:
    answer = analysed(f"run={write(tmp_path / 'run.jsonl', rows(taking_passes=True))}").investigation["history_looks"]
    assert words(history_looks.tell(answer)) == (
        "3 judged rollouts of 3 tasks (run 3) take a version out of the repository's history that is not its present "
        "state, and 3 of them pass; of the 3 others at these tasks 1 passes (0, 1 and 2). For instance “git show "
        "origin/next” (run, task 0, attempt 0, item 2)."
    )
    (advice,) = history_looks.advise(answer)
    assert advice.because.text == "3 of the 3 rollouts that take another version pass."


def test_where_they_fail_nothing_is_said(tmp_path: Path) -> None:
    answer = analysed(write(tmp_path / "run.jsonl", rows(taking_passes=False))).investigation
    assert "history_looks" not in answer

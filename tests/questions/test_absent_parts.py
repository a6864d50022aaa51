"""A whole part of the tasks that one run has no rollout of."""

from __future__ import annotations

from pathlib import Path

from tests.gym_rows import Json, analysed, row, write
from tests.questions.made_cases import words

from blade.questions import absent_parts


def rows(families: str, number: int = 12) -> list[Json]:
    return [
        row(
            100 * "abc".index(family) + n,
            reward=float(n % 2),
            task_id=f"{family}_{n}",
            responses_create_params={"input": [{"role": "user", "content": f"Do {family} {n}."}]},
        )
        for family in families
        for n in range(number)
    ]


def test_a_family_of_tasks_without_a_rollout_is_named(tmp_path: Path) -> None:
    found = analysed(write(tmp_path / "full.jsonl", rows("abc")), write(tmp_path / "part.jsonl", rows("ac")))
    answer = found.investigation["absent_parts"]
    assert words(absent_parts.tell(answer)) == (
        "part has no rollout of 12 tasks where the task family is b (b_0, b_1, b_10, b_11 and 8 more), which is all "
        "that it lacks: its score covers other tasks than the scores of the runs that have them."
    )


def test_runs_with_the_same_tasks_lack_none(tmp_path: Path) -> None:
    found = analysed(write(tmp_path / "one.jsonl", rows("abc")), write(tmp_path / "two.jsonl", rows("abc")))
    assert "absent_parts" not in found.investigation


def test_a_run_of_other_tasks_lacks_no_part(tmp_path: Path) -> None:
    found = analysed(write(tmp_path / "one.jsonl", rows("ab")), write(tmp_path / "two.jsonl", rows("c")))
    assert "absent_parts" not in found.investigation


def test_a_run_with_hardly_any_task_lacks_everything_and_no_part(tmp_path: Path) -> None:
    full = write(tmp_path / "full.jsonl", rows("abc"))
    few = write(tmp_path / "few.jsonl", rows("a")[:8])
    assert "absent_parts" not in analysed(full, few).investigation
    some = write(tmp_path / "some.jsonl", rows("a")[:9])
    (entry,) = analysed(full, some).investigation["absent_parts"]["runs"]
    assert (entry["run"], entry["part"], entry["lacking"]) == ("some", 12, 27)


def numbered(*absent: int, name: str = "task_") -> list[Json]:
    return [row(n, reward=float(n % 2), task_id=f"{name}{n}") for n in range(60) if n not in absent]


def test_a_number_that_no_run_has_is_named(tmp_path: Path) -> None:
    paths = write(tmp_path / "one.jsonl", numbered(31)), write(tmp_path / "two.jsonl", numbered(31, 40))
    answer = analysed(*paths).investigation["absent_parts"]
    assert words(absent_parts.tell(answer)) == (
        "Tasks are numbered from task_0 to task_59, and no run has task_31: nothing says why."
    )


def test_many_gaps_are_another_numbering_and_a_row_without_a_verdict_is_a_row(tmp_path: Path) -> None:
    sparse = write(tmp_path / "sparse.jsonl", numbered(*range(3, 60, 5)))
    assert "absent_parts" not in analysed(sparse).investigation
    unjudged = [row(31, reward=None, task_id="task_31"), *numbered(31)]
    assert "absent_parts" not in analysed(write(tmp_path / "whole.jsonl", unjudged)).investigation

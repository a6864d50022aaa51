"""Runs of different benchmarks in one call are refused, with the way to split them; parts of one benchmark are not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.command_line import Done, blade
from tests.gym_rows import ABSENT, Json, request, row, write


def arithmetic(first: int, **fields: Any) -> list[Json]:
    return [row(task, task_id=f"sum-{task}", level="easy", **fields) for task in range(first, first + 6)]


def booking(**fields: Any) -> list[Json]:
    return [
        row(
            task,
            responses_create_params=request(f"Book seat {task} of the train to the coast.", temperature=0.1),
            task_id=f"book-{task}", airline="a", seats_left=task, expected_answer=ABSENT, extracted_answer=ABSENT,
            db_state=f"s{task}", **fields,
        )
        for task in range(6)
    ]  # fmt: skip


def analyze(folder: Path, *options: str, **runs: list[Json]) -> Done:
    paths = [f"{name}={write(folder / f'{name}.jsonl', rows)}" for name, rows in runs.items()]
    return blade("analyze", *paths, "--no-cache", "-o", folder / "out", *options)


def test_runs_of_two_benchmarks_are_refused_with_the_groups(tmp_path: Path) -> None:
    done = analyze(tmp_path, one=arithmetic(0), two=booking(), three=arithmetic(0))
    assert done.returncode == 2
    words = " ".join(done.stderr.split())
    assert "These runs are of 2 different benchmarks, with no task in common" in words
    assert "the benchmark of one: one and three; the benchmark of two: two." in words
    assert "Give each group to a `blade analyze` of its own. --allow-unrelated counts them side by side" in words
    assert not (tmp_path / "out").exists()


def test_who_wants_them_side_by_side_gets_them(tmp_path: Path) -> None:
    done = analyze(tmp_path, "--allow-unrelated", one=arithmetic(0), two=booking())
    assert done.returncode == 0, done.stderr
    assert "one" in done.stdout


def test_two_parts_of_one_benchmark_are_taken(tmp_path: Path) -> None:
    assert analyze(tmp_path, one=arithmetic(0), two=arithmetic(6)).returncode == 0


def test_another_name_of_the_benchmark_is_another_benchmark_where_no_task_is_shared(tmp_path: Path) -> None:
    apart = analyze(tmp_path, one=arithmetic(0, benchmark="Sums"), two=arithmetic(6, benchmark="Products"))
    assert "Sums: one; Products: two." in " ".join(apart.stderr.split())
    shared = analyze(tmp_path, one=arithmetic(0, benchmark="Sums"), two=arithmetic(0, benchmark="Sums, second print"))
    assert shared.returncode == 0, "the tasks are the same"


def test_tasks_of_the_same_number_are_not_the_same_in_benchmarks_of_other_names(tmp_path: Path) -> None:
    def answers(letter: str) -> list[Json]:
        return [{"predicted_answer": letter, "symbolic_correct": task > 1} for task in range(4)]

    for benchmark, letter in (("chemistry", "C"), ("history", "B")):
        folder = tmp_path / "night" / "eval-results" / benchmark
        folder.mkdir(parents=True)
        write(folder / "output-rs0.jsonl", answers(letter))
    done = blade("analyze", tmp_path / "night" / "eval-results", "--no-cache", "-o", tmp_path / "out")
    assert done.returncode == 2
    assert "chemistry: chemistry; history: history." in " ".join(done.stderr.split())

"""What belongs to the attempt, and what names nearly every task by itself, is no slice."""

from __future__ import annotations

from pathlib import Path

from tests.gym_rows import analysed, row, write

TASKS = 24


def fields_of(path: Path, *others: Path) -> set[str]:
    runs = analysed(*(f"run{place}={one}" for place, one in enumerate((path, *others)))).runs
    return {line["field"] for run in runs for line in run.slices}


def test_a_field_that_differs_between_runs_is_no_slice(tmp_path: Path) -> None:
    def rows(shift: int) -> list[dict[str, object]]:
        kept = {"shelf": "", "mood": ""}
        return [
            row(task, metadata=kept | {"shelf": "high" if task % 2 else "low", "mood": "abc"[(task + shift) % 3]})
            for task in range(TASKS)
        ]

    one, two = write(tmp_path / "one.jsonl", rows(0)), write(tmp_path / "two.jsonl", rows(1))
    assert {"metadata.shelf", "metadata.mood"} <= fields_of(one)
    both = fields_of(one, two)
    assert "metadata.shelf" in both
    assert "metadata.mood" not in both


def test_a_field_that_one_run_lost_is_no_slice(tmp_path: Path) -> None:
    full = [row(task, metadata={"owner": f"o{task % 6}"}) for task in range(TASKS)]
    lost = [row(task, metadata={"owner": f"o{task % 6}" if task < TASKS // 2 else None}) for task in range(TASKS)]
    one, two = write(tmp_path / "one.jsonl", full), write(tmp_path / "two.jsonl", lost)
    assert "metadata.owner" in fields_of(one)
    assert "metadata.owner" not in fields_of(one, two)


def test_an_id_with_mostly_single_members_and_a_count_of_messages_are_no_slices(tmp_path: Path) -> None:
    rows = [
        row(task, metadata={"owner": f"o{min(task, 11)}", "n_messages": task % 4, "wing": "ab"[task % 2]})
        for task in range(TASKS)
    ]
    assert fields_of(write(tmp_path / "one.jsonl", rows)) == {"metadata.wing"}


def test_a_count_of_the_tasks_within_another_field_is_no_slice(tmp_path: Path) -> None:
    rows = [
        row(task, metadata={"source": "abcd"[task // 6], "source_index": task % 6, "steps_index": "xy"[task % 2]})
        for task in range(TASKS)
    ]
    assert fields_of(write(tmp_path / "one.jsonl", rows)) == {"metadata.source", "metadata.steps_index"}


def test_of_two_fields_that_part_the_tasks_alike_the_shorter_name_stays(tmp_path: Path) -> None:
    rows = [
        row(task, metadata={"wing": "ab"[task % 2], "wing_of_the_house": "AB"[task % 2], "floor": task % 3})
        for task in range(TASKS)
    ]
    one = write(tmp_path / "one.jsonl", rows)
    assert fields_of(one) == {"metadata.wing", "metadata.floor"}
    short = write(tmp_path / "two.jsonl", [each | {"metadata": {"wing": each["metadata"]["wing"]}} for each in rows])
    assert fields_of(short, one) == {"metadata.wing", "metadata.floor", "metadata.wing_of_the_house"}


def test_what_stands_among_the_scores_of_a_verifier_is_no_slice(tmp_path: Path) -> None:
    rows = [
        row(task, attempt, verifier={"scores": {"loose": task % 2}, "kind": "ab"[task % 2]})
        for task in range(TASKS)
        for attempt in range(2)
    ]
    assert fields_of(write(tmp_path / "one.jsonl", rows)) == {"verifier.kind"}


def test_levels_that_a_program_drew_are_no_slices_unless_they_are_asked_for(tmp_path: Path) -> None:
    """The hashed names of the people who wrote the tasks part the tasks and say nothing."""
    writers = ["q7Rz0bXk3LmT9vWc2Hs5Ud", "Zr8pKd1xWq4NbT6mYc0Lf3", "a2Vn9hQe5RtB7xKs1Jw6Gp"]
    rows = [row(task, metadata={"writer": writers[task % 3], "topic": "abc"[task % 3]}) for task in range(TASKS)]
    path = write(tmp_path / "one.jsonl", rows)
    assert "metadata.topic" in fields_of(path)
    assert "metadata.writer" not in fields_of(path)
    (run,) = analysed(path, slices=("metadata.writer",)).runs
    assert {line["field"] for line in run.slices} == {"metadata.writer"}


def test_what_a_verifier_notes_of_attempts_is_no_slice_though_it_is_the_same_in_all_of_a_task(tmp_path: Path) -> None:
    def noted(task: int, attempt: int) -> dict[str, object]:
        return {"span": f"{task} {attempt}", "seen": attempt % 2 == 0, "asked": "yes" if task % 2 else "no"} | {
            "mode": "exact" if task % 4 else "number"
        }

    rows = [
        row(task, attempt, shelf={"row": "ab"[task % 2], "side": "lr"[task % 3 > 0]}, marking=noted(task, attempt))
        for task in range(TASKS)
        for attempt in range(2)
    ]
    fields = fields_of(write(tmp_path / "one.jsonl", rows))
    assert {"shelf.row", "shelf.side"} <= fields
    assert "marking.mode" in fields
    assert "marking.asked" not in fields
    assert "marking.seen" not in fields

"""Runs that share most of their outputs: what was made anew, and what came of it."""

from __future__ import annotations

from pathlib import Path

from tests.gym_rows import Json, analysed, message, response, row, write
from tests.questions.made_cases import words

from blade.questions import kept_outputs


def rows(anew: set[int], failed: set[int]) -> list[Json]:
    return [
        row(
            task,
            reward=float(task not in failed),
            response=response(message(f"Answer {task}{' anew' if task in anew else ''}.")),
            metadata={"language": "latin" if task < 4 else "greek", "name": f"task {task}"},
        )
        for task in range(12)
    ]


def asked(tmp_path: Path, *runs: list[Json]) -> Json:
    names = ("june", "july", "august")
    paths = [write(tmp_path / name / f"{name}.jsonl", made) for name, made in zip(names, runs, strict=False)]
    return dict(analysed(*paths).investigation)


def test_what_was_made_anew_is_told_by_its_slice_and_its_verdicts(tmp_path: Path) -> None:
    answer = asked(tmp_path, rows(set(), {1, 9}), rows({0, 1, 2}, {0, 2, 9}))["kept_outputs"]
    assert words(kept_outputs.tell(answer)) == (
        "9 of 12 outputs that june and july both have are identical; 3 differ, all of them in metadata.language "
        "latin (3 of 4). Where they differ, 1 task has outputs that came to pass (1) and 2 tasks have outputs that "
        "came to fail (0 and 2); of the identical ones none is judged differently."
    )
    assert not list(kept_outputs.advise(answer))


def test_runs_that_hold_the_same_rollouts_are_no_repeats(tmp_path: Path) -> None:
    investigation = asked(tmp_path, rows(set(), {1})[:11], rows(set(), {2}))
    assert words(kept_outputs.tell(investigation["kept_outputs"])) == (
        "june and july are the same rollouts: all 11 outputs that both have are identical, and 2 are judged "
        "otherwise; july has 1 judged rollout more. They are no independent repeats, and "
        "comparing them does not measure the model."
    )
    assert "repeats" not in investigation
    (advice,) = kept_outputs.advise(investigation["kept_outputs"])
    assert (advice.kind, advice.rollouts) == ("verifier", 2)
    assert "judges the same output in two ways" in advice.change


def test_equal_answers_out_of_few_and_runs_made_anew_are_no_matter(tmp_path: Path) -> None:
    said = [row(task, reward=1.0, response=response(message("Yes." if task % 2 else "No."))) for task in range(12)]
    assert "kept_outputs" not in asked(tmp_path, said, said)
    assert "kept_outputs" not in asked(tmp_path / "other", rows(set(), {1}), rows(set(range(9)), {1}))


def test_an_output_of_three_runs_with_two_verdicts_counts_once(tmp_path: Path) -> None:
    runs = [rows({number}, failed) for number, failed in enumerate((set(), {5, 6}, {5}))]
    answer = asked(tmp_path, *runs)["kept_outputs"]
    assert [pair["same_judged_otherwise"] for pair in answer["pairs"]] == [2, 1, 1]
    (advice,) = kept_outputs.advise(answer)
    assert advice.because.text == "2 outputs stand in several runs with two verdicts."


def attempts_at(order: tuple[int, ...], tasks: int = 8) -> list[Json]:
    """Three attempts at each task, of which the first two outputs are as before, in the order that is given."""
    return [
        row(task, attempt, float(number > 0), response=response(message(f"Answer {number} to {task}.")))
        for task in range(tasks)
        for attempt, number in enumerate(order)
    ]


def test_a_replay_that_numbers_its_attempts_otherwise_holds_the_same_rollouts(tmp_path: Path) -> None:
    text = words(kept_outputs.tell(asked(tmp_path, attempts_at((0, 1, 2)), attempts_at((2, 0, 1)))["kept_outputs"]))
    assert text.startswith(
        "june and july are the same rollouts: all 24 outputs that both have are identical once attempts at a task are "
        "put in one order, and none is judged otherwise."
    )


def test_other_outputs_in_another_order_are_made_anew(tmp_path: Path) -> None:
    assert "kept_outputs" not in asked(tmp_path, attempts_at((0, 1, 2)), attempts_at((3, 0, 1)))
    assert "kept_outputs" not in asked(tmp_path / "few", attempts_at((0, 1, 2), 7), attempts_at((2, 0, 1), 7))

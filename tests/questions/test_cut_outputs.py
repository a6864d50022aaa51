"""Answers of tools that end at one length in one run, while those of other runs go on."""

from __future__ import annotations

from pathlib import Path

from tests.gym_rows import Json, analysed, row, write
from tests.questions.made_cases import called, said, words

from blade.questions import cut_outputs

TASKS = 24


def page(task: int, longest: int | None) -> str:
    text = f"Page {task}: " + "a link to a jar on a shelf; " * (20 + 5 * task)
    return text if longest is None else text[:longest]


def run_of(path: Path, longest: int | None, *, passing: int) -> Path:
    def rollout(task: int, attempt: int) -> Json:
        items = called("look", {"page": task}, page(task, longest))
        items += called("look", {"page": task, "scroll": 1}, page(task, longest))
        return row(
            task,
            attempt,
            float(task < passing),
            task_id=f"t{task:02}",
            response={"id": "r", "model": "m", "output": [*items, *said("So it is.")]},
            expected_answer=None,
            extracted_answer=None,
        )

    return write(path, [rollout(task, attempt) for task in range(TASKS) for attempt in range(2)])


def told(*paths: Path) -> str:
    answer = analysed(*paths).investigation.get("cut_outputs")
    return words(cut_outputs.tell(answer)) if answer else ""


def test_the_length_the_answers_and_the_lost_tasks_are_told(tmp_path: Path) -> None:
    cut = run_of(tmp_path / "cut.jsonl", 1000, passing=16)
    whole = run_of(tmp_path / "whole.jsonl", None, passing=22)
    assert told(cut, whole) == (
        "Answers of tools in cut end at 1,000 characters: 84 in 42 rollouts come within 5% of that, and hardly any is "
        "longer; in 38 rollouts of the other runs some are, up to 3,789. Of the rollouts that meet such an answer 26 "
        "pass, of its 6 others 6; the other runs pass 38 of 42 (90.5%) at these tasks. It never passes 6 tasks with "
        "such an answer that the other runs mostly pass (t16, t17, t18, t19, t20 and t21): read whether what is needed "
        "there lies beyond the cut."
    )


def test_the_first_screen_and_the_steps_name_the_run(tmp_path: Path) -> None:
    paths = run_of(tmp_path / "cut.jsonl", 1000, passing=16), run_of(tmp_path / "whole.jsonl", None, passing=22)
    answer = analysed(*paths).investigation["cut_outputs"]
    (head,) = cut_outputs.brief(answer)
    assert head.text.startswith("Answers of tools in cut end at 1,000 characters")
    (advice,) = cut_outputs.advise(answer)
    assert advice.change == "Let cut see whole answers of its tools, or page through them, and run these tasks again"


def test_answers_of_all_lengths_or_one_run_alone_say_nothing(tmp_path: Path) -> None:
    whole = run_of(tmp_path / "whole.jsonl", None, passing=22)
    assert told(run_of(tmp_path / "same.jsonl", None, passing=10), whole) == ""
    assert told(run_of(tmp_path / "cut.jsonl", 1000, passing=16)) == ""


def test_answers_of_one_length_in_every_rollout_are_the_tools_usual_ones(tmp_path: Path) -> None:
    usual = run_of(tmp_path / "usual.jsonl", 500, passing=16)
    assert not told(usual, run_of(tmp_path / "whole.jsonl", None, passing=22))

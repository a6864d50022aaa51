"""Runs that lack what their tasks name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from tests.gym_rows import Json, analysed, request, write
from tests.questions.made_cases import called, said, task_row, words

from blade.questions import missing_paths

GONE = "ls: cannot access '/orchard': No such file or directory"
Answer = Callable[[int], str]


ASKED = "Count the trees in /orchard/field{}."


def rollout(task: int, answer: str, *, passed: bool, asked: str = ASKED, words: str = "Done.") -> Json:
    look = called("bash", {"command": f"ls /orchard/field{task}"}, answer)
    return task_row(task, look, said(words), passed=passed, responses_create_params=request(asked.format(task)))


def told(folder: Path, asked: str = ASKED, **runs: Answer) -> Mapping[str, Any] | None:
    files = [
        write(
            folder / f"{name}.jsonl",
            [rollout(task, answer(task), passed=task % 3 == 0, asked=asked, words=name) for task in range(12)],
        )
        for name, answer in runs.items()
    ]
    return analysed(*files).investigation.get("missing_paths")


def there(task: int) -> str:
    return f"oak {task}"


def test_a_run_that_lacks_what_the_tasks_name_is_told_with_the_other_runs(tmp_path: Path) -> None:
    answer = told(tmp_path, bad=lambda task: GONE if task < 7 else there(task), fine=there, good=there)
    assert answer is not None
    assert words(missing_paths.tell(answer)) == (
        "/orchard is missing in bad at 7 tasks that name it (0, 1, 2, 3, 4, 5 and 6): the environment says so in 7 "
        "rollouts, such as “ls: cannot access '/orchard': No such file or directory” (0, attempt 0, item 1), "
        "before the agent removed anything. Of them 3 pass and 4 fail. At the same tasks 0 of 14 rollouts of runs "
        "that have it meet that, and 14 find it (exact test within tasks p = 0.00046): the environment of bad "
        "lacks it, not the task. In the order of its rows, 7 of 7 rollouts from 0 to 6 meet it, and none of the 5 "
        "others whose tasks name something in it does. 3 of its passes there (0, 3 and 6) got nothing but that error "
        "in the answer that counts, the last or the best-scored: they may be unearned, as the key's own command may "
        "fail in the same way there."
    )
    (sentence,) = missing_paths.brief(answer)
    assert sentence.text == (
        "/orchard is missing in bad at tasks that name it, and not in other runs at the same tasks: of 7 rollouts that "
        "meet it 3 pass and 4 fail; 3 passes with nothing but that error in the answer that counts may be unearned."
    )
    (advice,) = missing_paths.advise(answer)
    assert (advice.kind, advice.rollouts, advice.before_scores) == ("harness", 7, True)
    assert advice.change == (
        "Check before each task that what it names exists; give bad /orchard, and run these tasks again"
    )
    assert advice.because.text == "The environment says in 7 rollouts that it is missing: 3 pass and 4 fail."


def test_two_runs_that_lack_it_are_both_held_against_those_that_have_it(tmp_path: Path) -> None:
    answer = told(tmp_path, one=lambda _: GONE, two=lambda _: GONE, three=there, four=there)
    assert answer is not None
    assert [(entry["run"], entry["rollouts"], entry["others"], entry["stretch"]) for entry in answer["runs"]] == [
        ("one", 12, 24, None),
        ("two", 12, 24, None),
    ]
    (sentence,) = missing_paths.brief(answer)
    assert sentence.text.startswith("/orchard is missing in one and two at tasks that name it, and not in other runs")


def test_a_file_in_a_folder_is_not_called_the_folder(tmp_path: Path) -> None:
    def lost(task: int) -> str:
        return f"ls: cannot access '/orchard/field{task}': No such file or directory"

    answer = told(tmp_path, bad=lost, fine=there)
    assert answer is not None
    assert words(missing_paths.tell(answer)).startswith("Something in /orchard is missing in bad at 12 tasks that name")


def test_what_every_run_meets_is_the_task(tmp_path: Path) -> None:
    assert told(tmp_path, one=lambda _: GONE, two=lambda _: GONE) is None


def test_few_tasks_are_not_told(tmp_path: Path) -> None:
    assert told(tmp_path, one=lambda task: GONE if task < 4 else there(task), two=there, three=there) is None


def test_a_path_that_the_task_asks_to_make_is_not_told(tmp_path: Path) -> None:
    asked = "Count all trees and write them to /orchard/field{}."
    assert told(tmp_path, asked, one=lambda _: GONE, two=there, three=there) is None


def test_other_runs_that_never_look_do_not_show_that_it_is_there(tmp_path: Path) -> None:
    bad = [rollout(task, GONE, passed=False) for task in range(12)]
    others = [
        task_row(
            task,
            called("bash", {"command": f"echo oak > /orchard/field{task}"}, ""),
            passed=True,
            responses_create_params=request(f"Count the trees in /orchard/field{task}."),
        )
        for task in range(12)
    ]
    files = (write(tmp_path / "bad.jsonl", bad), write(tmp_path / "other.jsonl", others))
    assert "missing_paths" not in analysed(*files).investigation


def test_what_the_agent_makes_itself_afterwards_is_not_told(tmp_path: Path) -> None:
    def made(task: int) -> Json:
        path = f"/orchard/field{task}"
        steps = [("ls", GONE), ("mkdir -p", ""), ("ls", "oak")]
        calls = [called("bash", {"command": f"{command} {path}"}, answer) for command, answer in steps]
        return task_row(task, *calls, passed=True, responses_create_params=request(f"Fill {path} with trees."))

    rows = [made(task) for task in range(12)]
    files = (
        write(tmp_path / "one.jsonl", rows),
        write(tmp_path / "two.jsonl", [rollout(task, there(task), passed=True) for task in range(12)]),
    )
    assert "missing_paths" not in analysed(*files).investigation


def test_a_single_run_is_told_where_nearly_all_its_rollouts_lack_a_folder(tmp_path: Path) -> None:
    answer = told(tmp_path / "most", only=lambda task: GONE if task < 10 else there(task))
    assert answer is not None
    assert words(missing_paths.tell(answer)).endswith(
        "Of them 4 pass and 6 fail. No other run has these tasks; of the 12 rollouts of its tasks that name something "
        "there 83.3% meet it. 4 of its passes there (0, 3, 6 and 9) got nothing but that error in the answer that "
        "counts, the last or the best-scored: they may be unearned, as the key's own command may fail in the same way "
        "there."
    )
    assert told(tmp_path / "half", only=lambda task: GONE if task < 6 else there(task)) is None

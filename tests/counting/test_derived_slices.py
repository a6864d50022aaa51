"""Task properties that no field names: kind of the key, prompt length, families in ids, values of lists."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.gym_rows import analysed, request, row, write

from blade.counting.derived_slices import _values, useless
from blade.model import Analysis

TASKS = 48


def made(path: Path, passes: Callable[[int], bool], of_task: Callable[[int], dict[str, Any]]) -> Path:
    return write(path, [row(task, reward=float(passes(task)), **of_task(task)) for task in range(TASKS)])


def scores(analysis: Analysis, field: str) -> dict[str, tuple[int, float]]:
    (run,) = analysis.runs
    return {line["level"]: (line["tasks"], line["score"]) for line in run.slices if line["field"] == field}


def test_the_kind_of_the_expected_answer(tmp_path: Path) -> None:
    path = made(
        tmp_path / "one.jsonl",
        lambda task: task % 3 > 0,
        lambda task: {"expected_answer": f"{task}" if task % 3 else "None"},
    )
    assert scores(analysed(path), "expected answer") == {"none": (16, 0.0), "number": (32, 1.0)}


def test_a_prompt_that_was_not_recorded_is_not_the_shortest(tmp_path: Path) -> None:
    def asked(task: int) -> dict[str, Any]:
        text = "" if task < 8 else "word " * task
        return {"responses_create_params": request(text), "task_id": f"t{task}"}

    found = scores(analysed(made(tmp_path / "one.jsonl", lambda task: task >= 28, asked)), "prompt length")
    assert {level: tasks for level, (tasks, _) in found.items()} == {
        "1st quarter (shortest)": 10,
        "2nd quarter": 10,
        "3rd quarter": 10,
        "4th quarter (longest)": 10,
    }
    assert found["1st quarter (shortest)"] == (10, 0.0)


def test_the_writing_system_of_prompts_and_of_expected_answers(tmp_path: Path) -> None:
    def written(task: int) -> dict[str, Any]:
        prompt = "雨についての文を書いてください。" if task < 12 else "Write about rain."
        text = f"{prompt} Use {'seven' if task % 2 else 'ten'} words."
        return {"responses_create_params": request(text), "expected_answer": "дождь" if task > 40 else f"rain {task}"}

    analysis = analysed(made(tmp_path / "one.jsonl", lambda task: 12 <= task <= 40, written))
    assert scores(analysis, "script of the prompt") == {"Chinese or Japanese": (12, 0.0), "Latin": (36, 29 / 36)}
    assert scores(analysis, "script of the expected answer") == {"Cyrillic": (7, 0.0), "Latin": (41, 29 / 41)}


def test_one_writing_system_is_no_slice(tmp_path: Path) -> None:
    path = made(tmp_path / "one.jsonl", lambda task: task < 24, lambda task: {"expected_answer": f"rain {task}"})
    assert scores(analysed(path), "script of the prompt") == {}


def test_families_and_variants_of_ids(tmp_path: Path) -> None:
    def named(task: int) -> dict[str, Any]:
        return {"task_id": f"{'sort' if task % 2 else 'graph'}{task // 4}.{('easy', 'hard')[task // 2 % 2]}"}

    path = made(tmp_path / "one.jsonl", lambda task: task // 2 % 2 == 0, named)
    assert scores(analysed(path), "id variant") == {"easy": (24, 1.0), "hard": (24, 0.0)}
    numbered = made(
        tmp_path / "two.jsonl",
        lambda task: task < 24,
        lambda task: {"task_id": f"{'low' if task < 24 else 'high'}_{task}"},
    )
    assert scores(analysed(numbered), "id family") == {"high": (24, 0.0), "low": (24, 1.0)}
    assert not scores(analysed(numbered), "id variant"), "a number is no variant"


def test_a_task_that_variants_are_named_after_is_of_their_family(tmp_path: Path) -> None:
    def named(task: int) -> dict[str, Any]:
        return {"task_id": f"maze-{'dark' if task < 24 else 'lit'}{task % 8}" + ("", ".easy", ".hard")[task // 8 % 3]}

    found = scores(analysed(made(tmp_path / "one.jsonl", lambda task: task < 24, named)), "id family")
    assert found == {
        f"maze-{name}{number}": (3, float(name == "dark")) for name in ("dark", "lit") for number in range(8)
    }


def test_prompts_in_quarters_by_length(tmp_path: Path) -> None:
    def long(task: int) -> dict[str, Any]:
        return {"responses_create_params": request(f"Task {task:02}: " + "word " * task)}

    found = scores(analysed(made(tmp_path / "one.jsonl", lambda task: task < 24, long)), "prompt length")
    assert found == {
        "1st quarter (shortest)": (12, 1.0),
        "2nd quarter": (12, 1.0),
        "3rd quarter": (12, 0.0),
        "4th quarter (longest)": (12, 0.0),
    }


def test_every_value_of_a_list_is_a_slice_and_a_task_may_have_several(tmp_path: Path) -> None:
    def tagged(task: int) -> dict[str, Any]:
        return {"metadata": {"tags": ["geometry"] * (task % 2) + ["proof"] * (task % 3 == 0) + ["all"]}}

    analysis = analysed(made(tmp_path / "one.jsonl", lambda task: task % 2 == 0, tagged))
    assert scores(analysis, "metadata.tags includes geometry") == {"no": (24, 1.0), "yes": (24, 0.0)}
    assert not scores(analysis, "metadata.tags includes all")
    assert not scores(analysis, "metadata.tags includes proof"), "it does not tell passes from failures"


def test_values_of_lists_stand_in_one_order_whatever_the_hashes() -> None:
    """The commonest first, then by name: `analysis.json` is the same bytes for the same rows."""
    names = [f"tag{number}" for number in range(9)]
    tasks = {str(task): {"lists": {"tags": [*names, "rest"] if task < 20 else ["rest"]}} for task in range(30)}
    tasks |= {str(task): {"lists": {"tags": ["none"]}} for task in range(30, 48)}
    assert _values([tasks]) == (("tags", "rest"), *(("tags", name) for name in names), ("tags", "none"))


def test_a_derived_slice_that_separates_two_runs_is_found(tmp_path: Path) -> None:
    def keyed(task: int) -> dict[str, Any]:
        return {"expected_answer": f"{task}" if task % 3 else "None"}

    one = made(tmp_path / "one.jsonl", lambda task: task % 11 > 0, keyed)
    two = made(tmp_path / "two.jsonl", lambda task: task % 11 > 0 and task % 3 > 0, keyed)
    (change,) = analysed(one, two).changes
    assert [found["where"] for found in change.slices if found["named"]] == [["expected answer=none"]]


def test_chance_shows_hardly_any_derived_slice() -> None:
    shown = 0
    for seed in range(200):
        dice = random.Random(seed)
        tasks = [str(task) for task in range(60)]
        levels = {
            task: {
                "expected answer": dice.choice(["number", "text"]),
                "prompt length": dice.choice("abcd"),
                "id family": dice.choice("xyz"),
            }
            for task in tasks
        }
        means = [{task: dice.randrange(5) / 4 for task in tasks} for _ in range(2)]
        shown += len(useless(means, [levels, levels])) < 3
    assert shown <= 10


def test_dates_of_the_tasks_in_quarters(tmp_path: Path) -> None:
    def dated(task: int) -> dict[str, Any]:
        return {
            "metadata": {
                "contest_date": f"2024-{1 + task // 4:02}-05T00:00:00",
                "start_date": f"2024-01-{1 + task % 28:02}",
            }
        }

    path = made(tmp_path / "one.jsonl", lambda task: task < 24, dated)
    assert scores(analysed(path), "metadata.contest_date (by date)") == {
        "2024-01-05 until 2024-04-05": (12, 1.0),
        "2024-04-05 until 2024-07-05": (12, 1.0),
        "2024-07-05 until 2024-10-05": (12, 0.0),
        "from 2024-10-05": (12, 0.0),
    }
    assert not scores(analysed(path), "metadata.start_date (by date)"), "a time of the run"


def test_dates_within_a_few_weeks_are_no_slices(tmp_path: Path) -> None:
    path = made(
        tmp_path / "one.jsonl",
        lambda task: task < 24,
        lambda task: {"metadata": {"date": f"2024-02-{1 + task // 2:02}"}},
    )
    assert not scores(analysed(path), "metadata.date (by date)")

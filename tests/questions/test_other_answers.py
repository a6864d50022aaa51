"""Tools that answer one run otherwise than the others."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

from tests.gym_rows import Json, analysed, write
from tests.questions.made_cases import called, said, task_row, words

from blade.questions import other_answers


def rows(agent: str, stock: str = "7 jars", *, dice: Random | None = None) -> list[Json]:
    """Every task looks at its shelf, puts a jar there and looks again."""
    made = []
    for task in range(8):
        seen = f"Shelf {task} holds {stock if task < 6 else '7 jars'}." + (f" {dice.random()}" if dice else "")
        parts = [
            called("look_at_shelf", {"shelf": task}, seen),
            called("update_shelf", {"shelf": task, "by": agent}, "done"),
            called("look_at_shelf", {"shelf": task + 100}, f"after {agent}"),
            said(f"{agent} is done with {task}."),
        ]
        made.append(task_row(task, *parts, passed=task % 2 == 0) | {"agent_ref": {"name": agent}})
    return made


def told(folder: Path, **runs: list[Json]) -> str:
    paths = [write(folder / f"{name}.jsonl", made) for name, made in runs.items()]
    answer = analysed(*paths).investigation.get("other_answers")
    return words(other_answers.tell(answer)) if answer else ""


def test_a_run_whose_tool_answers_otherwise_is_named_with_both_answers(tmp_path: Path) -> None:
    assert told(tmp_path, one=rows("one"), two=rows("two"), three=rows("three", "9 jars")) == (
        "look_at_shelf answers differently in three: before anything is changed, 6 of 8 equal calls in the same tasks "
        "get an answer there that one and two never get (0, 1, 2, 3, 4 and 5), while elsewhere the same call gets the "
        "same answer. The environment is not the same, so that a difference between the runs is not the model's alone. "
        "For instance in task 0: three “Shelf 0 holds 9 jars.”; one “Shelf 0 holds 7 jars.”."
    )


def test_two_single_runs_and_answers_that_always_vary_say_nothing(tmp_path: Path) -> None:
    assert told(tmp_path / "two", one=rows("one"), two=rows("two", "9 jars")) == ""
    dice = Random(3)
    varying = {name: rows(name, dice=dice) for name in ("one", "two", "three")}
    assert told(tmp_path / "varying", **varying) == ""
    worded = [json.loads(json.dumps(made).replace("Shelf ", "OUTPUT: Shelf ")) for made in rows("three", "7 jars")]
    assert told(tmp_path / "worded", one=rows("one"), two=rows("two"), three=worded) == ""
    assert told(tmp_path / "alike", **{name: rows(name) for name in ("one", "two", "three")}) == ""

"""A model that only the settings of a run name is told as the model, and in the table of all runs as its own."""

from __future__ import annotations

from pathlib import Path

from tests.gym_rows import write
from tests.questions.made_cases import said, task_row, words

from blade import api
from blade.options import Options
from blade.sections import executive_summary


def _submission(folder: Path, tags: str) -> Path:
    (folder / "results").mkdir(parents=True)
    (folder / "results" / "results.json").write_text('{"resolved": ["l__l-1", "l__l-2"], "no_generation": ["l__l-3"]}')
    (folder / "metadata.yaml").write_text(tags)
    return folder


def test_each_run_has_its_own_model_and_one_that_tells_none_has_none(tmp_path: Path) -> None:
    board = tmp_path / "lite"
    paths = [
        _submission(board / "first", "tags: {model: [lamp-1]}\ninfo: {name: Wick}"),
        _submission(board / "second", "tags: {model: [oil-2]}\ninfo: {name: Tank}"),
        _submission(board / "third", "tags: {}\ninfo: {name: Globe}"),
    ]
    analysis = api.analyze(*paths, options=Options(cache=False))
    second, third = ({item["field"]: item["candidate"] for item in change.passport} for change in analysis.changes)
    assert (second["model"], second["agent"]) == ("oil-2", "Tank")
    assert (third["model"], third["agent"]) == ("not recorded", "Globe")
    table = words(executive_summary.build(analysis))
    assert "first | lamp-1 |" in table
    assert "second | oil-2 |" in table
    assert "third | not recorded |" in table


def test_how_many_tasks_were_taken_is_no_second_cause(tmp_path: Path) -> None:
    """The tasks that both runs have are compared: a limit on their number moves no score by itself."""
    runs = []
    for name, model, tasks in (("first", "lamp-1", 6), ("second", "oil-2", 9)):
        rows = [task_row(task, said(f"{model} {task}"), passed=task % 2 == 0) for task in range(tasks)]
        rows = [one | {"response": one["response"] | {"model": model}} for one in rows]
        folder = tmp_path / name
        write(folder / "rollouts.jsonl", rows)
        (folder / "config.yaml").write_text(f"limit: {tasks}\n")
        runs.append(folder)
    (change,) = api.analyze(*runs, options=Options(cache=False)).changes
    assert {item["field"] for item in change.passport if item["role"] != "unknown"} >= {"model"}
    assert (change.separable, change.confounded_with) == (True, ())

"""Rollouts whose commands arrive damaged: no behaviour of the model is blamed, and no loop is to be stopped."""

from __future__ import annotations

from pathlib import Path

from tests.gym_rows import Json, analysed, write
from tests.questions.made_cases import called, task_row

from blade.model import Analysis

LIMIT = {"turns_taken": 8, "turns_max": 8}


def _row(task: int, *commands: str, passed: bool, cut: bool = False) -> Json:
    calls = [called("bash", {"command": text}, "" if text.startswith("#") else "a jar") for text in commands]
    return task_row(task, *calls, passed=passed) | ({"metadata": LIMIT} if cut else {})


def _analysis(folder: Path, *, broken: bool) -> Analysis:
    """Eight rollouts make the same call until a limit; whether line breaks are lost decides what that call is."""
    again = "# Look into it. cat jar" if broken else "cat jar"
    rows = [_row(task, *[f"ls {task}"] * 2, *[again] * 6, passed=False, cut=True) for task in range(8)]
    rows += [_row(task, f"ls {task}", "cat Lid", "wc -l Jar", "ls", passed=True) for task in range(10, 34)]
    return analysed(write(folder / "one.jsonl", rows))


def _labels(analysis: Analysis) -> set[str]:
    return {code for label in analysis.labels for code in label.labels}


def test_the_harness_is_named_where_it_breaks_the_commands(tmp_path: Path) -> None:
    analysis = _analysis(tmp_path, broken=True)
    assert _labels(analysis) == {"TI"}
    assert {label.why for label in analysis.labels} == {
        "at least a third of its calls seem to arrive without their line breaks"
    }
    assert not any("stop a repeated step" in item.change for item in analysis.interventions)


def test_the_same_loop_is_the_models_where_commands_arrive_whole(tmp_path: Path) -> None:
    analysis = _analysis(tmp_path, broken=False)
    assert _labels(analysis) == {"BI"}
    assert any("stop a repeated step" in item.change for item in analysis.interventions)


def test_the_harness_is_named_where_it_runs_fences(tmp_path: Path) -> None:
    def fenced(task: int, *, well: bool) -> Json:
        answer = "a jar" if well else {"error": "```bash: command not found"}
        calls = [called("bash", {"command": f"```bash\ncat jar {part}\n```"}, answer) for part in range(5)]
        return task_row(task, *calls, passed=False)

    passes = [_row(task, f"ls {task}", "cat Lid", passed=True) for task in range(10, 34)]
    broken = analysed(write(tmp_path / "one.jsonl", [*(fenced(task, well=False) for task in range(8)), *passes]))
    assert _labels(broken) == {"TI"}
    assert {label.why for label in broken.labels} == {
        "at least half of its calls are run with the fence of a code block around them, and fail"
    }
    taken_off = analysed(write(tmp_path / "two.jsonl", [*(fenced(task, well=True) for task in range(8)), *passes]))
    assert "TI" not in _labels(taken_off)

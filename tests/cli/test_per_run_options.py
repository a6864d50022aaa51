"""Config, notes and checkpoint of every run, or of one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.command_line import blade
from tests.gym_rows import row, write

from blade.errors import UsageError
from blade.per_run import by_run, check_names, value_of


@pytest.fixture
def place(tmp_path: Path) -> Path:
    for name in ("old", "new"):
        write(tmp_path / name / f"{name}.jsonl", [row(number, reward=number % 2) for number in range(4)])
    (tmp_path / "new.yaml").write_text("agent:\n  max_steps: 40\n", encoding="utf-8")
    (tmp_path / "old.yaml").write_text("agent:\n  max_steps: 20\n", encoding="utf-8")
    (tmp_path / "outage.md").write_text("The sandbox was down on Monday.", encoding="utf-8")
    return tmp_path


def test_each_run_has_its_own(place: Path) -> None:
    words = ("--config", "old=old.yaml", "--config", "new=new.yaml", "--notes", "new=outage.md")
    more = ("--checkpoint", "old=step-100", "--checkpoint", "new=step-200", "--no-cache")
    done = blade("analyze", "old", "new", "-o", "out", *words, *more, folder=place)
    assert done.returncode == 0, done.stderr
    told = json.loads((place / "out" / "analysis.json").read_text(encoding="utf-8"))
    assert [run["checkpoint"] for run in told["runs"]] == ["step-100", "step-200"]
    assert [run["notes"] for run in told["runs"]] == [None, "The sandbox was down on Monday."]
    moved = {item["field"]: (item["base"], item["candidate"]) for item in told["changes"][0]["passport"]}
    assert moved["config.agent.max_steps"] == (20, 40)
    assert moved["checkpoint"] == ("step-100", "step-200")


def test_a_run_that_is_not_there_is_an_error_with_the_nearest_name(place: Path) -> None:
    done = blade("analyze", "old", "new", "--checkpoint", "nwe=step-2", folder=place)
    assert done.returncode == 2
    assert "--checkpoint nwe=…: there is no run of this name." in done.stderr
    assert "Did you mean new?" in done.stderr


def test_a_value_without_a_run_is_for_all(tmp_path: Path) -> None:
    odd = tmp_path / "a=b.yaml"
    odd.write_text("", encoding="utf-8")
    given = by_run(["all.yaml", "new=own.yaml"])
    assert [value_of(given, run) for run in ("old", "new")] == ["all.yaml", "own.yaml"]
    assert by_run([str(odd)]) == {"": str(odd)}
    assert value_of("x.yaml", "any") == "x.yaml"
    assert value_of(None, "any") is None
    with pytest.raises(UsageError, match="The runs are: new, old"):
        check_names("--notes", {"zzz": "x"}, ["old", "new"])

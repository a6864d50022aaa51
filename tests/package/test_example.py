"""The example package is built by the commands themselves, the same each time."""

from __future__ import annotations

import importlib.util
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest

from blade.cli import COMMANDS

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def builder() -> ModuleType:
    spec = importlib.util.spec_from_file_location("build", ROOT / "examples" / "build.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    runs = {name: replace(scenario, tasks=10, repeats=3) for name, scenario in vars(module)["RUNS"].items()}
    vars(module)["RUNS"] = runs
    return module


def bytes_of(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_two_builds_give_the_same_bytes(
    builder: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1924992000")
    one, two = tmp_path / "one", tmp_path / "two"
    builder.build(one)
    builder.build(two)
    made = bytes_of(one)
    assert made == bytes_of(two)
    assert {"rollouts/model_a_rollouts.jsonl", "golden_reports/model_a_golden_report.md"} <= set(made)
    assert not any(str(tmp_path).encode() in content for content in made.values())


def test_a_build_runs_only_commands_that_there_are(builder: ModuleType) -> None:
    planned = {line.split()[0] for line in builder.commands("x")}
    assert planned & set(COMMANDS) >= {"init", "analyze", "make-shallow", "review", "validate", "ready"}

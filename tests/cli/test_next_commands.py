"""After an analysis the screen says what to type next, and typing it works."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
from tests.command_line import blade

from blade.simulate import demo_pair


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("next")
    demo_pair(place / "two runs")
    return place


def next_of(stdout: str) -> list[list[str]]:
    lines = [line.removeprefix("next: ") for line in stdout.splitlines() if line.startswith("next: ")]
    return [shlex.split(line)[1:] for line in lines]


@pytest.mark.parametrize("paths", [("two runs",), ("two runs/baseline", "new=two runs/candidate")])
def test_lost_attempts_are_listed_to_run_again_and_the_failure_quoted_first_is_shown(
    folder: Path, paths: tuple[str, ...]
) -> None:
    done = blade("analyze", *paths, "-o", "out", folder=folder)
    name = "candidate" if len(paths) == 1 else "new"
    rerun, show = next_of(done.stdout)
    assert rerun == ["rerun-list", *paths, "--run", name, "-o", "rerun.jsonl"]
    assert show[:2] == ["show", paths[-1]]
    assert blade(*rerun, folder=folder).returncode == 0
    assert len((folder / "rerun.jsonl").read_text(encoding="utf-8").splitlines()) == 23
    shown = blade(*show, folder=folder)
    assert shown.returncode == 0, shown.stderr
    task, attempt = show[-3], show[-1]
    assert f"e.g. {name}, task {task}, attempt {attempt}:" in " ".join(done.stdout.split())
    assert f"{name} · task {task} · attempt {attempt}" in shown.stdout


def test_what_says_how_to_count_is_said_again(folder: Path) -> None:
    done = blade(
        *("analyze", "two runs/baseline", "--pass-threshold", "0.5", "--reward-field", "reward", "-o", "out"),
        folder=folder,
    )
    (show,) = next_of(done.stdout)
    assert show[-4:] == ["--pass-threshold", "0.5", "--reward-field", "reward"]
    assert blade(*show, folder=folder).returncode == 0


def test_quiet_says_nothing(folder: Path) -> None:
    done = blade("analyze", "two runs", "-o", "out", "--quiet", folder=folder)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")

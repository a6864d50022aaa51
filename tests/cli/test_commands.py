"""The command line as a user types it."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from tests.command_line import blade
from tests.made_demo import Demo

from blade.cli.change_list import change_lines


def test_analyze_writes_everything_and_prints_a_summary(front_desk: Path, tmp_path: Path) -> None:
    """In a process of its own, with its pictures: the other tests of this file spare both."""
    command = [sys.executable, "-m", "blade", "analyze", str(front_desk.parent), "-o", str(tmp_path / "out")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert f"report: {tmp_path / 'out' / 'report.md'}" in done.stdout
    written = {path.name for path in (tmp_path / "out").rglob("*") if path.is_file()}
    name = json.loads((tmp_path / "out" / "analysis.json").read_bytes())["runs"][0]["name"]
    pictures = {file for file in written if file.endswith(".svg")}
    data = {"analysis.json", "facts.parquet", "findings.parquet", "features.parquet", f"{name}.json"}
    assert written - pictures == {*data, "report.md", "report.html"}
    assert {"scores.svg", "task_matrix.svg"} <= pictures


def test_the_seeds_layout_gives_one_run_named_after_its_benchmark(front_desk: Path, tmp_path: Path) -> None:
    results = tmp_path / "results"
    results.mkdir()
    for file in front_desk.parent.iterdir():
        (results / f"workplace_assistant_{file.name}").write_bytes(file.read_bytes())
    assert blade("analyze", "results/", "-o", "out", folder=tmp_path).returncode == 0
    (run,) = json.loads((tmp_path / "out" / "analysis.json").read_bytes())["runs"]
    assert run["name"] == "workplace_assistant"
    assert {file["kind"] for file in run["files"]} >= {"gym_rollouts", "gym_inputs", "gym_failures", "gym_aggregate"}
    assert run["denominator"]["expected_source"] == "manifest"


def test_two_runs_and_two_row_orders_give_the_same_bytes(front_desk: Path, tmp_path: Path) -> None:
    lines = front_desk.read_bytes().splitlines(keepends=True)
    for name, order in (("a", lines), ("b", lines), ("c", lines[::-1])):
        folder = tmp_path / name / "results"
        folder.mkdir(parents=True)
        for beside in front_desk.parent.iterdir():
            (folder / beside.name).write_bytes(beside.read_bytes())
        (folder / front_desk.name).write_bytes(b"".join(order))
        assert blade("analyze", "results", "-o", "out", folder=tmp_path / name).returncode == 0
    for file in ("report.md", "analysis.json"):
        texts = {name: (tmp_path / name / "out" / file).read_bytes() for name in ("a", "b", "c")}
        assert texts["a"] == texts["b"], file
        assert without_places(texts["a"]) == without_places(texts["c"]), file


def without_places(written: bytes) -> bytes:
    """Everything but the lines of rows and what stands first in the file: all that row order may change."""
    return re.sub(rb'"(line|offset)": \d+|"first": \{[^}]*\}', b"", written)


def test_show_prints_a_trajectory_and_raw_prints_the_row(front_desk: Path) -> None:
    task = json.loads(front_desk.read_bytes().splitlines()[0])["task_id"]
    done = blade("show", front_desk, task, "--attempt", "0")
    assert done.returncode == 0, done.stderr
    assert "prompt: user" in done.stdout
    raw = blade("show", front_desk, task, "--attempt", "0", "--raw")
    row = json.loads(raw.stdout)
    assert (row["task_id"], row["_ng_rollout_index"]) == (task, 0)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["show", "{run}", "no-such-task"], "No rollout of a task 'no-such-task'"),
        (["show", "{run}", "{task}", "--attempt", "99"], "has no attempt 99"),
        (["show", "{run}", "{task}", "--run", "other"], "No run is named 'other'"),
        (["analyze", "{run}", "--baseline", "other"], "No run is named 'other'"),
        (["analyze", "no/such/path"], "there is nothing at this path"),
        (["analyse", "{run}"], "Nearest: 'analyze'"),
        (["list", "nonsense"], "nonsense"),
    ],
)
def test_mistakes_end_in_two_lines_and_exit_code_2(
    arguments: list[str], said: str, front_desk: Path, tmp_path: Path
) -> None:
    task = json.loads(front_desk.read_bytes().splitlines()[0])["task_id"]
    done = blade(*(text.format(run=front_desk, task=task) for text in arguments), folder=tmp_path)
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_list_names_every_plug_in_with_one_line() -> None:
    lines = blade("list", "readers").stdout.splitlines()
    assert any(line.startswith("gym_rollouts ") for line in lines)
    assert all(len(line.split(maxsplit=1)) == 2 for line in lines)


def test_the_cache_is_shown_and_cleared(front_desk: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    (tmp_path / "x.jsonl").write_bytes(front_desk.read_bytes())
    blade("analyze", tmp_path / "x.jsonl", "-o", tmp_path / "out", "--cache-dir", cache)
    assert "1 entry, " in blade("cache", "info", "--cache-dir", cache).stdout
    assert "1 entry removed" in blade("cache", "clear", "--cache-dir", cache).stdout
    assert "0 entries" in blade("cache", "info", "--cache-dir", cache).stdout


def test_the_demo_leaves_runs_and_a_report(tmp_path: Path) -> None:
    done = blade("demo", "-o", "demo", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "report: demo/report/report.md" in done.stdout
    assert (tmp_path / "demo" / "runs" / "candidate" / "rollouts.jsonl").exists()


def test_help_is_light() -> None:
    heavy = "('polars', 'scipy', 'rich', 'numpy')"
    code = f"import sys; import blade.cli; sys.exit(any(name in sys.modules for name in {heavy}))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_check_says_what_is_wrong_and_exits_with_1(front_desk: Path, tmp_path: Path) -> None:
    assert blade("analyze", front_desk, "-o", tmp_path).returncode == 0
    page = tmp_path / "report.md"
    done = blade("check", page, "--runs", front_desk)
    assert (done.returncode, done.stderr) == (0, "")
    assert " right, 0 wrong, 0 unverifiable" in done.stdout
    page.write_text(page.read_text(encoding="utf-8").replace("of 12 tasks", "of 13 tasks", 1), encoding="utf-8")
    done = blade("check", page, "--runs", front_desk, "-v")
    assert done.returncode == 1
    assert f"{page}:5: number '13' is wrong; right is '12' [runs." in done.stdout
    done = blade("check", page, "--runs", front_desk, "--json")
    (wrong,) = json.loads(done.stdout)["wrong"]
    assert (wrong["kind"], wrong["line"], wrong["said"], wrong["wanted"]) == ("number", 5, "13", "12")
    assert wrong["proof"]["args"]["path"][-1] == "tasks"


@pytest.mark.slow
def test_check_takes_many_runs_after_one_option_or_several(front_desk: Path, broken: Path, tmp_path: Path) -> None:
    one, two = f"a={front_desk}", f"b={broken}"
    assert blade("analyze", one, two, "-o", tmp_path).returncode == 0
    page = tmp_path / "report.md"
    assert blade("check", page, "--runs", one, two).returncode == 0
    assert blade("check", "--runs", one, "--runs", two, "--json", page).returncode == 0


@pytest.mark.parametrize(
    ("content", "code", "said"),
    [
        (b"", 0, "nothing in this report can be checked"),
        (b"\x00\xff\xfe", 2, "not a text in UTF-8"),
        (None, 2, "nothing"),
    ],
)
def test_check_takes_any_file(content: bytes | None, code: int, said: str, front_desk: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    if content is not None:
        page.write_bytes(content)
    done = blade("check", page, "--runs", front_desk)
    assert (done.returncode, "Traceback" in done.stderr) == (code, False)
    assert said in done.stderr


def test_check_needs_runs(tmp_path: Path) -> None:
    for words in ([], ["--runs"]):
        assert blade("check", tmp_path / "page.md", *words).returncode == 2


def test_the_end_of_a_transcript_and_the_changes_against_those_expected(demo: Demo) -> None:
    place = demo.paths[1]
    tail = blade("show", place, "desk-2-00027", "--tail", "1", "--no-cache").stdout
    assert "parts before" in tail
    assert "row: fields beside the transcript" in tail
    assert "message: assistant" not in tail
    changes = blade("show", place, "desk-2-00027", "--writes", "--no-cache").stdout.splitlines()
    assert changes[0] == "expected: 3 changes"
    assert changes[1].startswith("  not made: shift_assign ")
    assert changes[4] == "made: 0 changes"


def test_changes_that_are_refused_and_answers_that_are_expected_are_told() -> None:
    record = {
        "expected": [["book", 1], ["pay", 2]],
        "expected_arguments": ["{}", "{}"],
        "changes": [["book", 1, 0, 1, 4, "{}"], ["cancel", 3, 1, 0, 6, "{}"]],
        "answers": 1,
    }
    assert list(change_lines(json.dumps(record))) == [
        "expected: 2 changes",
        "  tried and refused: book {}",
        "  not made: pay {}",
        "made: 2 changes",
        "  [4] refused, expected: book {}",
        "  [6] accepted, not expected: cancel {}",
        "answers expected beside: 1",
    ]
    assert list(change_lines(None)) == ["Nothing tells which changes are expected."]

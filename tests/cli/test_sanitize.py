"""Sanitizing as a user types it, and a report that still checks afterwards."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.command_line import blade


def test_check_exits_with_1_until_a_package_is_clean(tmp_path: Path) -> None:
    folder = tmp_path / "package"
    folder.mkdir()
    (folder / "a.txt").write_text("ada@mill-works.com and BigBench\n")
    assert blade("sanitize", folder).returncode == 0
    done = blade("sanitize", folder, "--check", "--json", "--private-name", "BigBench")
    assert done.returncode == 1
    told = json.loads(done.stdout)
    assert not told["clean"]
    assert {name: rule["count"] for name, rule in told["rules"].items()} == {"private_name": 1, "email": 1}
    assert "mill-works" not in done.stdout
    assert blade("sanitize", folder, "--in-place", "--check", "--private-name", "BigBench").returncode == 0
    assert (folder / "a.txt").read_text() == "<EMAIL_1> and <NAME_1>\n"


def test_benchmark_toml_says_what_may_stay_and_what_must_go(tmp_path: Path) -> None:
    (tmp_path / "benchmark.toml").write_text('sanitize_keep = ["emails"]\nprivate_fields = ["gold"]\n')
    (tmp_path / "a.jsonl").write_text('{"to": "ada@mill-works.com", "gold": 3}\n')
    told = json.loads(blade("sanitize", tmp_path, "--json").stdout)
    assert list(told["rules"]) == ["private_field"]


def test_usage_errors_exit_with_2_and_no_traceback(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("x\n")
    for wrong in (
        ("-o", tmp_path / "out", "--in-place"),
        ("--keep", "nonsense"),
        ("--allow", "("),
        ("--private-field", "reward"),
        ("--in-place", "--mapping", tmp_path / "map.json"),
    ):
        done = blade("sanitize", tmp_path, *wrong)
        assert done.returncode == 2, wrong
        assert "Traceback" not in done.stderr
    assert blade("sanitize", tmp_path / "nowhere").returncode == 2


@pytest.mark.slow
def test_a_report_that_was_sanitized_with_its_runs_still_checks(front_desk: Path, tmp_path: Path) -> None:
    package = tmp_path / "package"
    (package / "rollouts").mkdir(parents=True)
    rows = [json.loads(line) for line in front_desk.read_bytes().splitlines()]
    for row in rows:
        row["task_id"] = f"{row['task_id']}@tasks-mill.com"
        for item in row["response"]["output"]:
            if item["type"] == "function_call_output":
                item["output"] = f"cd ~mlovelace/runs: {item['output']}"
    path = package / "rollouts" / "desk.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert blade("analyze", path, "-o", tmp_path / "out", "--no-cache", "--full").returncode == 0
    (package / "report.md").write_bytes((tmp_path / "out" / "report.md").read_bytes())
    assert blade("check", package / "report.md", "--runs", path, "--no-cache").returncode == 0
    assert blade("sanitize", package, "-o", tmp_path / "clean", "--check").returncode == 0
    clean = tmp_path / "clean"
    assert "<EMAIL_" in (clean / "report.md").read_text()
    runs = ("--runs", clean / "rollouts" / "desk.jsonl", "--no-cache")
    told = json.loads(blade("check", clean / "report.md", *runs, "--json").stdout)
    line = next(n for n, text in enumerate((clean / "report.md").read_text().splitlines(), 1) if "| rollouts |" in text)
    assert told["counts"]["right"] > 100
    assert [item["line"] for item in told["wrong"]] == [line, line]  # the size and the fingerprint of the file itself
    assert blade("analyze", clean / "rollouts", "-o", tmp_path / "new", "--no-cache").returncode == 0
    assert blade("check", tmp_path / "new" / "report.md", *runs).returncode == 0

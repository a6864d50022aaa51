"""A package comes from others: whatever stands in its files, validation ends in lines, never in a traceback."""

from __future__ import annotations

import json
import os
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from tests.command_line import blade
from tests.package.made_package import contents_of

from blade.package.ready import ready
from blade.package.validate import CheckState, validate

BOMB = "\n".join(["a0: &a0 x", *(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 12))])
FILES = (
    "skill/SKILL.md",
    "golden_reports/model_a_golden_report.md",
    "golden_reports/model_a_golden_report_metrics.json",
    "golden_reports/model_a_anchor_facts.json",
    "golden_reports/model_a_shallow.md",
    "rollouts/model_b_rollouts.jsonl",
)
PHASES = {"skill": "skill", "rollouts": "rollouts", "golden_reports": "golden"}
CONTENTS = {
    "nothing": b"",
    "binary": bytes(range(256)) * 40,
    "zeros": b"\0" * 5000,
    "deep": b"[" * 100_000,
    "numbers": b"[1, 2, 3]",
    "facts": b'{"anchor_facts": {"B1": 3}, "pass_at_1": "high", "model": [], "benchmark": null}',
    "infinite": b'{"model": "a", "benchmark": "b", "pass_at_1": NaN, "total_tasks": 1e999, "x": -Infinity}',
    "bomb": f"---\n{BOMB}\n---\n# x\n".encode(),
    "escapes": b"# \x1b[31mred\x1b[0m \xe2\x80\xae\n" + b"text\n" * 60,
}


@pytest.mark.slow
@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("content", CONTENTS)
def test_any_content_of_any_file_ends_in_lines(package: Path, name: str, content: str) -> None:
    (package / name).write_bytes(CONTENTS[content])
    results = validate(contents_of(package), PHASES[name.split("/", maxsplit=1)[0]])
    looks_shallow = name.endswith("shallow.md") and content in {"bomb", "escapes"}
    assert any(result.state is CheckState.FAIL for result in results) != looks_shallow
    assert not any("\x1b" in result.line or "\n" in result.line for result in results)


@pytest.mark.parametrize("name", FILES)
def test_a_folder_or_a_dead_link_in_the_place_of_a_file(package: Path, name: str) -> None:
    (package / name).unlink()
    (package / name).mkdir()
    bad = {CheckState.FAIL, CheckState.WARN}
    assert any(result.state in bad for result in validate(contents_of(package), PHASES[name.split("/", maxsplit=1)[0]]))
    (package / name).rmdir()
    (package / name).symlink_to("nowhere")
    assert any(result.state in bad for result in validate(contents_of(package), PHASES[name.split("/", maxsplit=1)[0]]))


def test_a_link_that_leads_to_itself_is_listed_as_unreadable(package: Path) -> None:
    (package / "artifacts" / "round.jsonl").symlink_to("round.jsonl")
    lines = [result.line for result in validate(contents_of(package))]
    assert any("artifacts/round.jsonl" in line for line in lines), lines
    done = blade("sanitize", package)
    assert "round.jsonl" in done.stdout
    assert done.returncode in {0, 1}


@pytest.mark.parametrize("part", ["skill", "rollouts", "golden_reports", "artifacts"])
def test_missing_folders(package: Path, part: str) -> None:
    shutil.rmtree(package / part)
    results = validate(contents_of(package))
    assert any(result.state is CheckState.FAIL for result in results)
    assert [point.item for point in ready(contents_of(package))] == [
        "skill", "rollouts", "evidence", "sidecars", "anchors", "shallow", "sharing",
    ]  # fmt: skip


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
@pytest.mark.parametrize("name", FILES)
def test_a_file_that_may_not_be_read(package: Path, name: str) -> None:
    (package / name).chmod(0)
    assert any(result.state is CheckState.FAIL for result in validate(contents_of(package)))


def test_a_fact_with_every_type_in_every_key(package: Path) -> None:
    values: list[Any] = [None, 3, 2.5, True, [], {}, "x"]
    contents = contents_of(package)
    for value in values:
        facts = [{"id": value, "fact": value, "difficulty": value, "guessability": value}, value]
        path = package / "golden_reports" / "model_a_anchor_facts.json"
        path.write_text(json.dumps({"anchor_facts": facts}), encoding="utf-8")
        assert any(result.state is CheckState.FAIL for result in validate(contents, "golden"))


def test_a_sidecar_with_a_number_beyond_all_floats_is_wrong_and_no_traceback(package: Path) -> None:
    path = package / "golden_reports" / "model_a_golden_report_metrics.json"
    sidecar = json.loads(path.read_bytes())
    path.write_text(json.dumps({**sidecar, "pass_at_1": 10**400, "total_tasks": -(10**400)}), encoding="utf-8")
    lines = [result.line for result in validate(contents_of(package), "golden") if result.state is CheckState.FAIL]
    assert any(f"pass_at_1 is 1{'0' * 29}…, the rollouts give" in line for line in lines)


def test_a_fact_with_a_lone_surrogate_is_reviewed(package: Path) -> None:
    path = package / "golden_reports" / "model_a_anchor_facts.json"
    document = json.loads(path.read_bytes())
    document["anchor_facts"][0]["fact"] += " \ud83d"
    path.write_text(json.dumps(document), encoding="utf-8")
    done = blade("review", package, "model_a", "--accept-fact", "all", "--by", "\ud83d me")
    assert done.returncode == 0, done.stderr
    review = package / "golden_reports" / "model_a_review.json"
    kept = json.loads(review.read_bytes())
    for acceptance in kept["facts"].values():
        acceptance.pop("by", None)
    review.write_text(json.dumps(kept), encoding="utf-8")
    assert blade("review", package, "model_a").returncode == 0


HUGE = "1" + 400 * "0"
"""More than a float holds, and no number that a row may lack."""


@pytest.mark.parametrize(
    ("old", "new"),
    [(r'"reward":[\d.]+', '"reward":null'), (r'"reward":[\d.]+', f'"reward":{HUGE}'), (r"^\{", f'{{"seed":{HUGE},')],
    ids=["no rewards", "huge rewards", "huge numbers"],
)
def test_rows_without_usable_numbers_are_drafted_and_calibrated(package: Path, old: str, new: str) -> None:
    """What commands compute with may be missing or beyond all floats: they answer, or say what is wrong."""
    path = package / "rollouts" / "model_a_rollouts.jsonl"
    lines = path.read_text(encoding="utf-8").splitlines()
    damaged = [re.sub(old, new, line) for line in lines]
    assert all(line != other for line, other in zip(lines, damaged, strict=True))
    path.write_text("".join(f"{line}\n" for line in damaged), encoding="utf-8")
    golden = package / "golden_reports"
    asked = {
        "draft": ("skill", "draft", path),
        "calibrate": (
            *("calibrate", "--golden-report", golden / "model_a_golden_report.md"),
            *("--anchor-facts", golden / "model_a_anchor_facts.json"),
            *("--shallow-report", golden / "model_a_shallow.md"),
        ),
    }
    for name, words in asked.items():
        done = blade(*words)
        assert done.returncode in {0, 1, 2}, (name, done.stderr)
        assert "Traceback" not in done.stderr, name
        assert done.returncode != 2 or done.stderr.startswith("Error: "), (name, done.stderr)


def test_an_empty_folder_is_no_traceback(tmp_path: Path) -> None:
    process = blade("validate", "--benchmark-dir", tmp_path)
    assert process.returncode == 1
    assert "Traceback" not in process.stderr
    assert "D1 skill missing" in process.stdout
    assert "D2 rollouts missing" in process.stdout
    assert "D3 golden report missing" in process.stdout

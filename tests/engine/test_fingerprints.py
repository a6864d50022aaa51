"""Every file of the inventory can be told from a changed one."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.gym_rows import row, write

import blade
from blade.engine import runs

OPTIONS = blade.Options(cache=False)


def fingerprints(folder: Path) -> dict[str, str | None]:
    (run,) = blade.read(folder, options=OPTIONS)
    return {file.path.name: file.fingerprint for file in (*run.files, *run.raw.listed)}


def test_a_file_without_rows_has_the_fingerprint_of_its_bytes(tmp_path: Path) -> None:
    write(tmp_path / "rollouts.jsonl", [row(0), row(1)])
    config = tmp_path / "config.yaml"
    config.write_text("temperature: 0.7\n")
    before = fingerprints(tmp_path)
    assert all(before.values())
    config.write_text("temperature: 0.8\n")
    after = fingerprints(tmp_path)
    assert before["config.yaml"] != after["config.yaml"]
    assert before["rollouts.jsonl"] == after["rollouts.jsonl"]


def test_what_is_very_large_and_not_read_has_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runs, "LARGEST_LISTED", 4)
    write(tmp_path / "rollouts.jsonl", [row(0)])
    (tmp_path / "config.yaml").write_text("temperature: 0.7\n")
    told = fingerprints(tmp_path)
    assert told["config.yaml"] is None
    assert told["rollouts.jsonl"]

"""A package is made from runs: rollouts under the seeds' names, what goes with them beside, nothing overwritten."""

from __future__ import annotations

import gzip
import json
import shutil
from pathlib import Path

import pytest

from blade import api
from blade.errors import UsageError
from blade.options import Options
from blade.package.init import init, safe_name
from blade.simulate import Scenario, write_run


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return write_run(Scenario(tasks=4, repeats=2, seed=1), tmp_path / "results" / "model_a")


def test_rollouts_are_copied_and_sidecars_kept_beside(run: Path, tmp_path: Path) -> None:
    package = init(tmp_path / "bench", [str(run)])
    assert [path.name for path in (tmp_path / "bench" / "rollouts").iterdir()] == ["model_a_rollouts.jsonl"]
    sidecars = {path.name for path in (tmp_path / "bench" / "artifacts").iterdir()}
    assert "model_a_rollouts_aggregate_metrics.json" in sidecars
    assert "model_a_rollouts_materialized_inputs.jsonl" in sidecars
    assert sorted(path.name for path in (tmp_path / "bench").iterdir() if path.is_dir()) == [
        "artifacts",
        "golden_reports",
        "rollouts",
        "skill",
    ]
    assert package.runs == ("model_a",)
    assert list((tmp_path / "bench" / "skill").iterdir()) == []
    assert package.next[0].startswith("blade skill draft ")


def test_the_sidecars_of_a_package_are_found_from_its_rollouts(run: Path, tmp_path: Path) -> None:
    init(tmp_path / "bench", [str(run)])
    for place in (tmp_path / "bench", tmp_path / "bench" / "rollouts" / "model_a_rollouts.jsonl"):
        (read_run,) = api.read(place, options=Options(cache=False))
        assert read_run.name == "model_a"
        assert read_run.expected.source == "manifest"
        kinds = {file.kind for file in read_run.files}
        assert kinds >= {"gym_inputs", "gym_aggregate", "gym_profile"}


def test_notes_and_configs_go_with_their_run(run: Path, tmp_path: Path) -> None:
    (run.parent / "notes.md").write_text("One node was lost.", encoding="utf-8")
    (run.parent / "config.yaml").write_text("policy_model_name: x\n", encoding="utf-8")
    (run.parent / "benchmark.toml").write_text('name = "desk"\n', encoding="utf-8")
    init(tmp_path / "bench", [str(run.parent)])
    sidecars = {path.name for path in (tmp_path / "bench" / "artifacts").iterdir()}
    assert sidecars >= {"model_a_rollouts_notes.md", "model_a_rollouts_config.yaml"}
    assert (tmp_path / "bench" / "benchmark.toml").is_file()
    (read_run,) = api.read(tmp_path / "bench", options=Options(cache=False))
    assert read_run.raw.notes == "One node was lost."
    assert read_run.raw.config == {"policy_model_name": "x"}


def test_compressed_rollouts_stay_compressed(run: Path, tmp_path: Path) -> None:
    packed = tmp_path / "packed" / "model_z_rollouts.jsonl.gz"
    packed.parent.mkdir()
    packed.write_bytes(gzip.compress(run.read_bytes()))
    init(tmp_path / "bench", [str(packed)])
    copy = tmp_path / "bench" / "rollouts" / "model_z_rollouts.jsonl.gz"
    assert copy.read_bytes() == packed.read_bytes()


def test_shards_stay_one_run(run: Path, tmp_path: Path) -> None:
    lines = run.read_bytes().splitlines(keepends=True)
    folder = tmp_path / "sharded"
    folder.mkdir()
    for number in range(2):
        (folder / f"sharded-rs{number}.jsonl").write_bytes(b"".join(lines[number::2]))
    package = init(tmp_path / "bench", [str(folder)])
    assert package.runs == ("sharded",)
    assert sorted(path.name for path in (tmp_path / "bench" / "rollouts").iterdir()) == [
        "sharded_rollouts-rs0.jsonl",
        "sharded_rollouts-rs1.jsonl",
    ]
    (sharded,) = api.read(tmp_path / "bench", options=Options(cache=False))
    assert sharded.facts.height == len(lines)


def test_an_existing_directory_is_completed_and_nothing_overwritten(run: Path, tmp_path: Path) -> None:
    bench = tmp_path / "bench"
    (bench / "skill").mkdir(parents=True)
    (bench / "skill" / "SKILL.md").write_text("mine", encoding="utf-8")
    (bench / "config.yaml").write_text("mine: 1", encoding="utf-8")
    assert not any("skill draft" in line for line in init(bench, [str(run)]).next)
    again = init(bench, [str(run)])
    assert again.written == ()
    assert len(again.kept) > 3
    assert (bench / "skill" / "SKILL.md").read_text(encoding="utf-8") == "mine"
    before = (bench / "rollouts" / "model_a_rollouts.jsonl").read_bytes()
    rows = [json.loads(line) for line in run.read_bytes().splitlines()]
    run.write_text("".join(json.dumps(row | {"reward": 0.5}) + "\n" for row in rows), encoding="utf-8")
    with pytest.raises(UsageError, match="another file is there already"):
        init(bench, [str(run)])
    assert (bench / "rollouts" / "model_a_rollouts.jsonl").read_bytes() == before


def test_a_run_that_lies_in_the_package_stays_where_it_is(run: Path, tmp_path: Path) -> None:
    bench = tmp_path / "bench"
    init(bench, [str(run)])
    again = init(bench, [str(bench / "rollouts")])
    assert again.written == ()


def test_runs_of_one_name_are_told_apart(run: Path, tmp_path: Path) -> None:
    second_run = tmp_path / "other" / "model_a"
    shutil.copytree(run.parent, second_run)
    package = init(tmp_path / "bench", [f"first={run}", f"second={second_run / run.name}"])
    assert package.runs == ("first", "second")


@pytest.mark.parametrize("name", ["", ".", "..", "a/b", "../x"])
def test_a_name_is_the_name_of_one_folder(name: str) -> None:
    with pytest.raises(UsageError, match="cannot be the name"):
        safe_name(name)

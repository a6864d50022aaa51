from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.gym_rows import given, message, request, response, row, write

from blade.engine.discover import discover
from blade.engine.plan import RunPlan
from blade.errors import InputError, NoRuns, NotFound

ROWS = [row(0), row(1)]
AGGREGATE = [{"agent_ref": {"name": "a"}, "agent_metrics": {"mean/reward": 1.0}, "group_level_metrics": []}]


def found(*paths: Path | str) -> dict[str, RunPlan]:
    return {plan.name: plan for plan in discover(list(paths))}


def files(plan: RunPlan) -> dict[str, list[str]]:
    return {role: [item.path.name for item in items] for role, items in plan.sidecars.items()}


def test_a_folder_is_one_run_per_stem(tmp_path: Path) -> None:
    for name in ("weak", "strong"):
        write(tmp_path / f"{name}.jsonl", ROWS)
        write(tmp_path / f"{name}_failures.jsonl", [])
        write(tmp_path / f"{name}_materialized_inputs.jsonl", [given(0)])
        (tmp_path / f"{name}_aggregate_metrics.json").write_text(json.dumps(AGGREGATE, indent=2))
    runs = found(tmp_path)
    assert set(runs) == {"weak", "strong"}
    assert files(runs["weak"]) == {
        "aggregate": ["weak_aggregate_metrics.json"],
        "failures": ["weak_failures.jsonl"],
        "inputs": ["weak_materialized_inputs.jsonl"],
    }


def test_a_file_takes_its_own_sidecars_only(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", ROWS)
    write(tmp_path / "a_b.jsonl", ROWS)
    write(tmp_path / "a_materialized_inputs.jsonl", [given(0)])
    write(tmp_path / "a_b_materialized_inputs.jsonl", [given(0)])
    assert files(found(path)["a"]) == {"inputs": ["a_materialized_inputs.jsonl"]}


def test_a_folder_with_one_run_gives_it_what_nobody_claims(tmp_path: Path) -> None:
    write(tmp_path / "rollouts.jsonl", ROWS)
    (tmp_path / "other_aggregate_metrics.json").write_text(json.dumps(AGGREGATE))
    (plan,) = found(tmp_path).values()
    assert files(plan) == {"aggregate": ["other_aggregate_metrics.json"]}


def test_words_of_the_owner_go_to_the_run_they_are_named_after(tmp_path: Path) -> None:
    for name in ("weak", "strong"):
        write(tmp_path / f"{name}.jsonl", ROWS)
    (tmp_path / "weak_config.yaml").write_text("a: 1")
    (tmp_path / "NOTES.md").write_text("The cluster was slow.")
    runs = found(tmp_path)
    assert files(runs["weak"]) == {"notes": ["NOTES.md"], "settings": ["weak_config.yaml"]}
    assert files(runs["strong"]) == {"notes": ["NOTES.md"]}


def test_runs_one_folder_down_are_found_and_hidden_ones_are_not(tmp_path: Path) -> None:
    for name in ("weak", "strong", ".cache", "__pycache__"):
        write(tmp_path / name / "rollouts.jsonl", ROWS)
    assert set(found(tmp_path)) == {"weak", "strong"}


def test_a_link_back_up_does_not_go_round_for_ever(tmp_path: Path) -> None:
    write(tmp_path / "a" / "b" / "x.jsonl", ROWS)
    for place in (tmp_path, tmp_path / "a"):
        (place / "up").symlink_to(tmp_path, target_is_directory=True)
        (place / "again").symlink_to(tmp_path / "a", target_is_directory=True)
    assert len(discover([tmp_path])) <= 2


def test_a_subfolder_that_cannot_be_listed_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "good" / "x.jsonl", ROWS)
    (tmp_path / "closed").mkdir()
    listing = Path.iterdir

    def closed(self: Path) -> object:
        if self.name == "closed":
            raise PermissionError(13, "Permission denied")
        return listing(self)

    monkeypatch.setattr(Path, "iterdir", closed)
    (plan,) = discover([tmp_path])
    assert [(item.path.name, item.kind) for item in plan.listed] == [("closed", "unreadable")]


def test_a_glob_is_one_run_and_folders_are_no_files(tmp_path: Path) -> None:
    for shard in range(3):
        write(tmp_path / "x" / f"part-{shard}.jsonl", ROWS)
    (plan,) = discover([str(tmp_path / "x" / "*.jsonl")])
    assert len(plan.rollouts) == 3
    with pytest.raises(NoRuns, match="this matches folders only"):
        discover([str(tmp_path / "*")])


def test_a_name_can_be_given(tmp_path: Path) -> None:
    path = write(tmp_path / "x.jsonl", ROWS)
    odd = write(tmp_path / "a=b.jsonl", ROWS)
    write(tmp_path / "two" / "p.jsonl", ROWS)
    write(tmp_path / "two" / "q.jsonl", ROWS)
    assert set(found(f"base={path}")) == {"base"}
    assert set(found(odd)) == {"a=b"}
    assert set(found(f"n={tmp_path / 'two'}")) == {"n/p", "n/q"}
    with pytest.raises(NotFound):
        discover([f"n={tmp_path / 'nowhere'}"])


def test_own_reports_are_not_read_back(tmp_path: Path) -> None:
    write(tmp_path / "a.jsonl", ROWS)
    for name in ("analysis.json", "report.md", "report.html"):
        (tmp_path / name).write_text("{}")
    (plan,) = discover([tmp_path])
    assert (plan.listed, plan.sidecars) == ([], {})


def test_a_file_of_scored_and_failed_rows_is_a_run(tmp_path: Path) -> None:
    failed = row(0, 0, 0.0, _ng_failure_class="transient")
    assert set(found(write(tmp_path / "a.jsonl", [failed, row(1)]))) == {"a"}
    with pytest.raises(NoRuns, match="failed attempts"):
        discover([write(tmp_path / "b.jsonl", [failed, failed])])


@pytest.mark.parametrize("indent", [None, 2])
def test_a_document_is_one_however_it_is_laid_out(tmp_path: Path, indent: int | None) -> None:
    write(tmp_path / "a.jsonl", ROWS)
    filled = [{**AGGREGATE[0], "group_level_metrics": [{}, {"mean/reward": 1.0}]}]
    (tmp_path / "a_aggregate_metrics.json").write_text(json.dumps(filled, indent=indent))
    (plan,) = discover([tmp_path])
    assert files(plan) == {"aggregate": ["a_aggregate_metrics.json"]}


def test_a_plan_does_not_hold_the_rows_it_was_made_from(tmp_path: Path) -> None:
    (plan,) = discover([write(tmp_path / "a.jsonl", ROWS)])
    assert plan.rollouts[0].head.rows == ()


def by_model(model: str, task: int = 0, **settings: object) -> dict[str, object]:
    return row(
        task, response=response(message("Well."), model=model), responses_create_params=request(f"{task}?", **settings)
    )


def test_a_glob_over_three_models_is_three_runs_named_by_them(tmp_path: Path) -> None:
    for name, model in (("a", "org/model-a"), ("b", "model-b-2024-05-01"), ("c", "model-c"), ("d", "model-c")):
        write(tmp_path / f"{name}.jsonl", [by_model(model, task) for task in range(3)])
        (tmp_path / f"{name}_aggregate_metrics.json").write_text(json.dumps(AGGREGATE))
    runs = found(str(tmp_path / "*.jsonl"))
    assert {name: [item.path.name for item in plan.rollouts] for name, plan in runs.items()} == {
        "model-a": ["a.jsonl"],
        "model-b": ["b.jsonl"],
        "model-c": ["c.jsonl", "d.jsonl"],
    }
    assert files(runs["model-b"]) == {"aggregate": ["b_aggregate_metrics.json"]}
    (flaw,) = [flaw for plan in runs.values() for flaw in plan.flaws]
    assert flaw.slug == "several-runs"
    assert "they are 3 runs: model-a, model-b, model-c" in flaw.statement
    assert set(found(f"x={tmp_path / '*.jsonl'}")) == {"x/model-a", "x/model-b", "x/model-c"}


@pytest.mark.parametrize(
    ("fields", "names"),
    [
        ([{"agent_ref": {"name": "one"}}, {"agent_ref": {"name": "two"}}], {"one", "two"}),
        ([{"agent_ref": None, "metadata": {"agent": name}} for name in ("one", "two")], {"one", "two"}),
        ([{"skills_ref": {"hash": name}} for name in ("h1", "h2")], {"h1", "h2"}),
        ([{"responses_create_params": request("?", temperature=heat)} for heat in (0.2, 0.8)],
         {"temperature=0.2", "temperature=0.8"}),
    ],
)  # fmt: skip
def test_agents_skills_and_settings_part_the_files_of_a_glob(
    tmp_path: Path, fields: list[dict[str, object]], names: set[str]
) -> None:
    for number, given_fields in enumerate(fields):
        write(tmp_path / f"x{number}.jsonl", [row(0) | given_fields, row(1) | given_fields])
    assert set(found(str(tmp_path / "*.jsonl"))) == names


def test_shards_of_one_configuration_stay_one_run_and_those_of_two_models_do_not(tmp_path: Path) -> None:
    for seed in range(2):
        for chunk in range(2):
            one = tmp_path / "one" / f"x-rs{seed}-chunk{chunk}.jsonl"
            write(one, [by_model("model-a", chunk, max_output_tokens=100 + chunk)])
            write(tmp_path / "two" / one.name, [by_model(f"model-{seed}", chunk)])
    assert {name: len(plan.rollouts) for name, plan in found(tmp_path / "one").items()} == {"x": 4}
    assert {name: len(plan.rollouts) for name, plan in found(tmp_path / "two").items()} == {
        "x@model-0": 2,
        "x@model-1": 2,
    }


def test_parts_of_a_benchmark_may_have_settings_of_their_own(tmp_path: Path) -> None:
    for name, most in (("easy", 100), ("hard", 900)):
        asked = request(f"An {name} question?", max_output_tokens=most)
        write(tmp_path / f"{name}.jsonl", [row(0, responses_create_params=asked)])
    assert len(discover([str(tmp_path / "*.jsonl")])) == 1


def test_a_file_of_no_known_model_among_two_is_refused_with_a_way_to_split(tmp_path: Path) -> None:
    write(tmp_path / "a.jsonl", [by_model("model-a")])
    write(tmp_path / "b.jsonl", [by_model("model-b")])
    write(tmp_path / "c.jsonl", [row(0, response=response(message("?"), model=None))])
    with pytest.raises(
        InputError, match=r"model-a, model-b; the first rows of c\.jsonl do not name one model"
    ) as error:
        discover([str(tmp_path / "*.jsonl")])
    assert "NAME='GLOB'" in error.value.hint

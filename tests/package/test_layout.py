"""The paths of the seeds and the variants of upstream lead to the same parts."""

from __future__ import annotations

from pathlib import Path

import pytest

from blade.errors import NotFound
from blade.package.layout import Layout, file_name, open_layout, package_of, same_name


def touch(folder: Path, *names: str) -> Layout:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("x", encoding="utf-8")
    return Layout(folder)


def test_the_skill_may_stand_at_the_root(tmp_path: Path) -> None:
    assert touch(tmp_path).skill is None
    assert touch(tmp_path, "SKILL.md").skill == tmp_path / "SKILL.md"
    assert touch(tmp_path, "skill/SKILL.md").skill == tmp_path / "skill" / "SKILL.md"


def test_rollouts_come_from_their_folder_plain_or_compressed(tmp_path: Path) -> None:
    layout = touch(tmp_path, "rollouts/b.jsonl.gz", "rollouts/a.jsonl", "rollouts/c.jsonl.zst", "rollouts/notes.md")
    assert [file.name for file in layout.rollouts] == ["a.jsonl", "b.jsonl.gz", "c.jsonl.zst"]


def test_rollouts_may_stand_in_data_without_what_goes_with_them(tmp_path: Path) -> None:
    names = ("x_rollouts.jsonl", "x_rollouts_materialized_inputs.jsonl", "x_rollouts_reward_profiling.jsonl")
    layout = touch(tmp_path, *(f"data/{name}" for name in names), "data/train.jsonl")
    assert [file.name for file in layout.rollouts] == ["x_rollouts.jsonl"]
    assert [file.name for file in touch(tmp_path, "rollouts/y.jsonl").rollouts] == ["y.jsonl"]


@pytest.mark.parametrize(
    ("report", "sidecar", "anchors", "shallow"),
    [
        (
            "model_a_golden_report.md",
            "model_a_golden_report_metrics.json",
            "model_a_anchor_facts.json",
            "model_a_shallow.md",
        ),
        (
            "nano-3-super-golden-report.md",
            "nano_3_super_golden_report_metrics.json",
            "nano_3_super_anchor_facts.json",
            "nano_3_super_shallow.md",
        ),
        ("m-4.1-golden-report.md", "m-4.1-golden-report.metrics.json", "m-4.1-anchor-facts.json", "m-4.1-shallow.md"),
        ("m_golden_report.md", "m_golden_report.metrics.json", "m_anchor_facts.json", "m_shallow_report.md"),
    ],
)
def test_what_stands_beside_a_report_is_found(
    tmp_path: Path, report: str, sidecar: str, anchors: str, shallow: str
) -> None:
    names = (report, sidecar, anchors, shallow, "other_anchor_facts.json")
    (golden,) = touch(tmp_path, *(f"golden_reports/{name}" for name in names)).goldens
    paths = (golden.report, golden.sidecar, golden.anchors, golden.shallow)
    assert [path and path.name for path in paths] == [report, sidecar, anchors, shallow]


def test_a_comparison_is_told_by_its_name(tmp_path: Path) -> None:
    names = ("a_vs_b_golden_report.md", "a-vs-b-golden-report.md", "a_golden_report.md", "avsb_golden_report.md")
    goldens = touch(tmp_path, *(f"golden_reports/{name}" for name in names)).goldens
    assert {golden.report.name: golden.comparison for golden in goldens} == {
        "a_vs_b_golden_report.md": True,
        "a-vs-b-golden-report.md": True,
        "a_golden_report.md": False,
        "avsb_golden_report.md": False,
    }


def test_a_golden_report_is_found_however_its_model_is_spelled(tmp_path: Path) -> None:
    layout = touch(tmp_path, "golden_reports/nano-3-golden-report.md")
    assert layout.golden_of("Nano_3").model == "nano-3"
    with pytest.raises(NotFound, match="Golden reports here: nano-3"):
        layout.golden_of("other")


def test_a_package_is_found_from_any_path_in_it(tmp_path: Path) -> None:
    touch(tmp_path / "p", "rollouts/a.jsonl", "golden_reports/x.md")
    for place in ("p", "p/rollouts", "p/rollouts/a.jsonl"):
        assert package_of(tmp_path / place) == Layout(tmp_path / "p")
    assert package_of(tmp_path / "elsewhere" / "rollouts" / "a.jsonl") is None


def test_names_of_models_become_names_of_files() -> None:
    assert file_name("org/Model 4.1:free") == "org_Model_4.1_free"
    assert file_name("../../etc") == "_.._etc"
    assert file_name("") == "model"
    assert same_name("org/Model-4", "ORG_model_4")


def test_a_package_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="blade init NAME"):
        open_layout(tmp_path / "nowhere")

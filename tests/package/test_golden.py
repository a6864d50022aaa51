"""The draft of a golden report speaks of one model's run, and stays a draft until it is reviewed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.package.made_package import DATE, contents_of

from blade import toolkit
from blade.errors import BladeError, InputError, UsageError
from blade.options import Options
from blade.package.contents import read_contents
from blade.package.golden import DRAFT, find_package, write_draft
from blade.package.layout import Layout
from blade.package.ready import ready
from blade.package.review import ALL, accept, is_draft, look

SEEDS = ("model_name", "benchmark", "pass_at_1", "pass_at_k", "total_tasks", "total_rollouts")
OURS = ("consistency", "coverage", "pipeline", "per_category", "tokens")
SECTIONS = (
    "Executive Summary",
    "Artifact Inventory",
    "Aggregate Results",
    "Workflow Funnel",
    "Task Outcome Buckets",
    "Dominant Failure Modes",
    "Cross-Model Comparison",
    "Recommendations",
    "Reproducibility Notes",
)


def text_of(package: Path, model: str = "model_a") -> str:
    return (package / "golden_reports" / f"{model}_golden_report.md").read_text(encoding="utf-8")


def sidecar_of(package: Path, model: str = "model_a") -> dict[str, object]:
    sidecar = json.loads((package / "golden_reports" / f"{model}_golden_report_metrics.json").read_bytes())
    assert isinstance(sidecar, dict)
    return sidecar


def test_the_draft_has_the_sections_of_the_seeds_in_their_order(drafted: Path) -> None:
    titles = [line.removeprefix("## ") for line in text_of(drafted).splitlines() if line.startswith("## ")]
    assert [title for title in titles if title in SECTIONS] == list(SECTIONS)


def test_the_draft_is_marked_under_its_title_and_in_its_sidecar(drafted: Path) -> None:
    lines = text_of(drafted).splitlines()
    assert lines[0].startswith("# front_desk: golden report of model_a")
    assert lines[2] == DRAFT
    assert sidecar_of(drafted)["draft"] is True


def test_the_sidecar_has_the_keys_of_the_seeds_and_ours(drafted: Path) -> None:
    sidecar = sidecar_of(drafted)
    assert [key for key in (*SEEDS, *OURS) if not sidecar.get(key)] == []
    assert sidecar["model_name"] == "model_a"
    assert sidecar["model"] == "sim-a"


def test_other_runs_are_spoken_of_in_the_cross_model_section_only(drafted: Path) -> None:
    parts = text_of(drafted).split("\n## ")
    speaking = [part.splitlines()[0] for part in parts if "model_b" in part]
    assert speaking == ["Cross-Model Comparison"]


def test_the_draft_names_no_place_outside_the_package(drafted: Path) -> None:
    assert str(drafted) not in text_of(drafted)
    assert "`rollouts/model_a_rollouts.jsonl`" in text_of(drafted)


def test_the_same_package_gives_the_same_bytes_wherever_it_stands(drafted: Path, draft: Path) -> None:
    reports = []
    for model in ("model_a", "model_b"):
        for path in (draft / "golden_reports").glob(f"{model}_golden*"):
            path.unlink()
        write_draft(contents_of(draft), model)
        reports.append(text_of(draft, model))
    assert reports[0] == text_of(drafted)
    assert reports[1] != reports[0]


def test_nothing_is_overwritten(draft: Path) -> None:
    with pytest.raises(UsageError, match="there is a file already"):
        write_draft(contents_of(draft), "model_a")


def test_one_run_is_enough_for_a_draft(draft: Path) -> None:
    (draft / "rollouts" / "model_a_rollouts.jsonl").unlink()
    write_draft(contents_of(draft), "model_b")
    assert "Cross-Model" not in text_of(draft, "model_b")


def test_a_model_goes_by_its_own_name_too(draft: Path) -> None:
    write_draft(contents_of(draft), "sim-a")
    assert sidecar_of(draft, "sim-a")["run"] == "model_a"
    with pytest.raises(UsageError, match=r"Runs here: model_a \(sim-a\), model_b \(sim-b\)"):
        write_draft(contents_of(draft), "sim-c")


def test_the_package_is_the_one_that_the_paths_lie_in(draft: Path, tmp_path: Path) -> None:
    file = draft / "rollouts" / "model_b_rollouts.jsonl"
    assert find_package(None, [str(file)]) == Layout(draft)
    assert find_package(None, [f"b={file}"]) == Layout(draft)
    assert find_package(tmp_path, [str(file)]) == Layout(tmp_path)
    with pytest.raises(UsageError, match="--benchmark-dir"):
        find_package(None, ["results"])
    contents = read_contents(Layout(draft), [f"b={file}"], toolkit.stages(), Options(cache=False))
    write_draft(contents, "b")
    assert "`rollouts/model_b_rollouts.jsonl`" in text_of(draft, "b")


def test_a_review_lifts_the_mark_once_everything_is_accepted(draft: Path) -> None:
    layout = Layout(draft)
    golden = layout.golden_of("model_a")
    state = accept(layout, golden, ("Executive Summary", "artifact-inventory"), ("B2",), "somebody", DATE)
    assert [item.name for item in state.items if item.accepted] == ["Executive Summary", "Artifact Inventory", "B2"]
    assert state.draft
    state = accept(layout, layout.golden_of("model_a"), (ALL,), (), "somebody", DATE)
    assert state.draft
    assert {item.kind for item in state.open} == {"fact"}
    state = accept(layout, layout.golden_of("model_a"), (), (ALL,), "another", "2031-02-02")
    assert state.done
    assert not state.draft
    assert DRAFT not in text_of(draft)
    assert "draft" not in sidecar_of(draft)
    anchors = json.loads((draft / "golden_reports" / "model_a_anchor_facts.json").read_bytes())
    assert anchors["review_required"] is False
    record = json.loads((draft / "golden_reports" / "model_a_review.json").read_bytes())
    assert record["sections"]["Executive Summary"]["date"] == DATE
    assert record["facts"]["B1"]["by"] == "another"


def test_without_anchor_facts_it_stays_a_draft(draft: Path) -> None:
    layout = Layout(draft)
    (draft / "golden_reports" / "model_a_anchor_facts.json").unlink()
    state = accept(layout, layout.golden_of("model_a"), (ALL,), (ALL,), "somebody", DATE)
    assert state.facts_missing
    assert is_draft(layout.golden_of("model_a"))


@pytest.mark.slow
def test_a_section_that_is_changed_after_its_acceptance_is_open_again(package: Path) -> None:
    path = package / "golden_reports" / "model_a_golden_report.md"
    path.write_text(path.read_text(encoding="utf-8").replace("## Recommendations", "## Recommendations\n\nMore."))
    state = look(Layout(package).golden_of("model_a"))
    assert [item.name for item in state.open] == ["Recommendations"]
    evidence = next(point for point in ready(contents_of(package)) if point.item == "evidence")
    assert any("1 sections are not accepted yet" in item.what for item in evidence.open)


def test_an_unknown_section_or_fact_is_told(draft: Path) -> None:
    layout = Layout(draft)
    for sections, facts in ((("Nonsense",), ()), ((), ("B99",))):
        with pytest.raises(UsageError, match="is named"):
            accept(layout, layout.golden_of("model_a"), sections, facts, "", DATE)


def test_a_record_that_cannot_be_read_is_told(package: Path) -> None:
    (package / "golden_reports" / "model_a_review.json").write_text("[", encoding="utf-8")
    with pytest.raises(InputError, match="Mend it or remove it"):
        look(Layout(package).golden_of("model_a"))
    points = ready(contents_of(package))
    assert any("the record" in item.what for point in points for item in point.open)


def test_ready_names_every_open_point_and_what_mends_it(draft: Path) -> None:
    (draft / "golden_reports" / "model_a_shallow.md").unlink()
    points = {point.item: point for point in ready(contents_of(draft))}
    assert points["skill"].met
    assert points["rollouts"].met
    assert points["sidecars"].met
    assert "blade make-shallow" in points["shallow"].open[0].mend
    assert any("--accept all" in item.mend for item in points["evidence"].open)
    assert any("--accept-fact all" in item.mend for item in points["anchors"].open)


def test_a_reviewed_package_has_nothing_open_but_what_cannot_be_checked(whole: Path) -> None:
    assert [point.item for point in ready(contents_of(whole)) if not point.met] in ([], ["sharing"])


def test_a_package_that_cannot_be_written_is_told(draft: Path) -> None:
    (draft / "golden_reports").rename(draft / "kept")
    (draft / "golden_reports").write_text("a file", encoding="utf-8")
    with pytest.raises(BladeError, match="cannot be written"):
        write_draft(contents_of(draft), "model_a")


def test_a_golden_report_is_checked_as_the_report_of_its_own_run(whole: Path) -> None:
    """It tells of one run where the package has two: figures of the other run are no corrections of it."""
    report = whole / "golden_reports" / "model_a_golden_report.md"
    for runs in (whole / "rollouts", whole):
        result = toolkit.check(report, runs, options=Options(cache=False))
        assert result.wrong == []
        assert result.counts["right"] > 300


def test_accepting_all_leaves_what_others_accepted(draft: Path) -> None:
    layout = Layout(draft)
    accept(layout, layout.golden_of("model_a"), ("Executive Summary",), (), "first", "2030-12-31")
    review = accept(layout, layout.golden_of("model_a"), (ALL,), (ALL,), "second", DATE)
    acceptances = {item.name: dict(item.accepted or {}) for item in review.items}
    assert (acceptances["Executive Summary"]["by"], acceptances["Executive Summary"]["date"]) == ("first", "2030-12-31")
    assert acceptances["Recommendations"]["by"] == "second"
    assert not review.open

"""`blade extract-anchor-facts`: upstream's flags, from runs, from the package around a report, or from the text."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.anchors.made_runs import planted
from tests.command_line import Done, blade

REPORT = """# Golden

## Failure modes

All failures that are cut off at the output-token limit lie in bravo, because its answers are long.
Task `1` passes 4 of 4 times in run.
"""


def run(folder: Path, *options: str) -> tuple[Done, Any]:
    output = folder / "out" / "m_anchor_facts.json"
    golden = folder / "golden_reports" / "m_golden_report.md"
    golden.parent.mkdir(parents=True, exist_ok=True)
    golden.write_text(REPORT)
    result = blade(
        *f"extract-anchor-facts --golden {golden} --output {output} --benchmark b --model-name run".split(),
        *("--generated-at", "2026-01-02", "--no-cache", *options),
    )
    return result, json.loads(output.read_text()) if output.exists() else None


def test_without_runs_the_draft_is_marked_as_weaker(tmp_path: Path) -> None:
    result, anchors = run(tmp_path, "--min-facts", "1")
    assert result.returncode == 0, result.stderr
    assert anchors["extraction_method"] == "text-only"
    assert anchors["review_required"] is True
    assert anchors["generated_at"] == "2026-01-02"
    assert anchors["notes"]
    assert "weaker" in result.stderr
    assert result.stdout == ""


def test_too_few_facts_end_with_one_and_still_write(tmp_path: Path) -> None:
    result, anchors = run(tmp_path)
    assert result.returncode == 1
    assert anchors is not None
    assert "--min-facts 8" in result.stderr


def test_the_rollouts_of_the_package_are_found(tmp_path: Path) -> None:
    planted(tmp_path / "rollouts" / "run.jsonl")
    result, anchors = run(tmp_path)
    assert result.returncode == 0, result.stderr
    assert anchors["extraction_method"] == "from-runs"
    first = anchors["anchor_facts"][0]
    assert {"id", "fact", "difficulty", "mean_score", "kind", "predicate", "entities", "aliases", "polarity"} <= set(
        first
    )
    assert {"citations", "guessability", "stability", "cluster", "weight", "review"} <= set(first)
    assert "stated in the report" in result.stderr


def test_what_the_report_says_wrongly_is_a_package_error(tmp_path: Path) -> None:
    place = planted(tmp_path / "elsewhere" / "run.jsonl")
    result, _ = run(tmp_path, "--runs", str(place))
    assert result.returncode == 0
    assert "package error" in result.stderr
    assert "'4 of 4' is wrong" in result.stderr


def test_the_number_of_facts_is_an_upper_bound(tmp_path: Path) -> None:
    planted(tmp_path / "rollouts" / "run.jsonl")
    _, anchors = run(tmp_path, "--num-facts", "3")
    assert len([fact for fact in anchors["anchor_facts"] if fact["kind"] != "manual"]) <= 3


def test_a_report_that_is_not_there_is_said(tmp_path: Path) -> None:
    words = "extract-anchor-facts --golden no.md --output o.json --benchmark b --model-name m".split()
    result = blade(*words, folder=tmp_path)
    assert result.returncode == 2
    assert "no.md" in result.stderr
    assert not (tmp_path / "o.json").exists()

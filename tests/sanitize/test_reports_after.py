"""A package with every key shape planted, sanitized: none is left, no score changes, and its report still checks."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from tests.package.made_package import NAMES, SKILL, anchor_facts, contents_of, make_package
from tests.sanitize.shapes import shapes

import blade
from blade import toolkit
from blade.checking.redaction import same_before_redaction
from blade.judge.grade import Grade
from blade.package.golden import write_draft
from blade.package.init import init
from blade.package.review import ALL, accept
from blade.package.shallow import shallow
from blade.package.validate import CheckState, validate
from blade.sanitize import is_clean, sanitize
from blade.simulate import write_run

OPTIONS = blade.Options(cache=False)
REPORT = "golden_reports/model_a_golden_report.md"


def plant(value: Any, secret: str) -> None:
    """Into what the model and the tools said, where a report takes its quotes from, and into a field of its own."""
    value["debug_note"] = f"log: {secret}"
    for item in value["response"]["output"]:
        if item.get("type") == "function_call_output":
            item["output"] = f"{item['output']} [{secret}]"
        for part in item.get("content") or ():
            if isinstance(part, dict) and isinstance(part.get("text"), str):
                part["text"] = f"{secret} {part['text']}"


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, list[str]]:
    """The package as it was written, the same sanitized, and the secrets that were planted."""
    folder = tmp_path_factory.mktemp("planted")
    planted = [item for seed in range(2) for item in shapes(seed)]
    runs = []
    for name, scenario in NAMES.items():
        file = write_run(scenario, folder / "runs" / name)
        rollouts = next(file.glob("*rollouts.jsonl")) if file.is_dir() else file
        rows = [json.loads(line) for line in rollouts.read_bytes().splitlines()]
        for number, row in enumerate(rows):
            plant(row, planted[number % len(planted)].text)
        rollouts.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        runs.append(str(file))
    place = folder / "raw"
    layout = init(place, runs).layout
    (place / "skill" / "SKILL.md").write_text(SKILL + "\n" + "\n".join(item.text for item in planted), encoding="utf-8")
    report, _ = write_draft(contents_of(place), "model_a")
    layout.anchors_path("model_a").write_text(json.dumps(anchor_facts(place)), encoding="utf-8")
    layout.shallow_path("model_a").write_text(shallow(report.read_text(encoding="utf-8")), encoding="utf-8")
    accept(layout, layout.golden_of("model_a"), (ALL,), (ALL,), "a reviewer", "2031-01-01")
    sanitize([place], folder / "clean")
    return place, folder / "clean", [item.secret for item in planted]


def test_no_planted_key_is_left(packages: tuple[Path, Path, list[str]]) -> None:
    raw, clean, secrets = packages
    assert not is_clean([raw])
    assert is_clean([clean])
    left = "\n".join(path.read_text(encoding="utf-8") for path in sorted(clean.rglob("*")) if path.is_file())
    assert [secret for secret in secrets if secret in left or json.dumps(secret)[1:-1] in left] == []


def test_no_score_changes(packages: tuple[Path, Path, list[str]]) -> None:
    raw, clean, _ = packages
    before, after = (blade.analyze(folder / "rollouts", options=OPTIONS) for folder in (raw, clean))
    assert [run.metrics for run in before.runs] == [run.metrics for run in after.runs]
    assert [run.buckets for run in before.runs] == [run.buckets for run in after.runs]
    assert [(change.verdict, change.delta, change.p) for change in before.changes] == [
        (change.verdict, change.delta, change.p) for change in after.changes
    ]


def test_the_report_still_checks_and_the_package_is_valid(packages: tuple[Path, Path, list[str]]) -> None:
    """Sizes and fingerprints of redacted files are called unverifiable, with the reason; all else is right."""
    raw, clean, _ = packages
    before, after = (toolkit.check(folder / REPORT, folder / "rollouts", options=OPTIONS) for folder in (raw, clean))
    assert before.counts["unverifiable"] == before.counts["wrong"] == after.counts["wrong"] == 0
    open_ones = [checked for checked in after.things if checked.outcome.value == "unverifiable"]
    assert [checked.note for checked in open_ones] == ["the file was redacted since"] * 2
    assert {result.line for result in validate(contents_of(clean)) if result.state is CheckState.FAIL} == set()


@pytest.mark.slow
def test_the_golden_report_is_worth_as_much_as_before(packages: tuple[Path, Path, list[str]]) -> None:
    """What the report says of a file's bytes was true once: the judge takes nothing off for it.

    Facts that are known again by their words alone are left out: how near two texts are changes with every quote.
    """
    before, after = (grade_of(folder) for folder in packages[:2])
    assert after.parts["diagnosis"] == before.parts["diagnosis"]
    assert after.parts["grounding"] == pytest.approx(before.parts["grounding"], abs=0.005)
    assert (after.failing, after.golden_faults) == ((), ())
    assert after.integrity.factor == before.integrity.factor == 1.0


@pytest.mark.slow
def test_the_judge_still_sees_a_wrong_row_count_of_a_redacted_file(packages: tuple[Path, Path, list[str]]) -> None:
    clean = packages[1]
    text = (clean / REPORT).read_text(encoding="utf-8")
    row = "`rollouts/model_a_rollouts.jsonl` | rollouts | 30 |"
    assert row in text
    forged = clean.parent / "forged.md"
    forged.write_text(text.replace(row, row.replace("30", "31")), encoding="utf-8")
    assert [(fault["said"], fault["wanted"]) for fault in grade_of(clean, forged).failing] == [("31", "30")]


def grade_of(folder: Path, report: Path | None = None) -> Grade:
    golden = folder / REPORT
    anchors = folder / "golden_reports" / "model_a_anchor_facts.json"
    return toolkit.score(report or golden, golden, anchors, options=OPTIONS)


def test_a_wrong_row_count_of_a_redacted_file_is_still_wrong(packages: tuple[Path, Path, list[str]]) -> None:
    _, clean, _ = packages
    report = clean / REPORT
    text = report.read_text(encoding="utf-8")
    line = next(line for line in text.splitlines() if "`rollouts/model_a_rollouts.jsonl` | rollouts | 30 |" in line)
    try:
        report.write_text(text.replace(line, line.replace("| 30 |", "| 31 |")), encoding="utf-8")
        result = toolkit.check(report, clean / "rollouts", options=OPTIONS)
    finally:
        report.write_text(text, encoding="utf-8")
    assert [(checked.said, checked.wanted) for checked in result.wrong] == [("31", "30")]


def test_a_size_is_wrong_where_nothing_was_redacted(tmp_path: Path) -> None:
    place = make_package(tmp_path)
    report = place / REPORT
    text = report.read_text(encoding="utf-8")
    size = re.search(r"rollouts \| 30 \| ([\d.]+) KB", text)
    assert size is not None
    report.write_text(text.replace(f"{size[1]} KB", "17.5 KB"), encoding="utf-8")
    result = toolkit.check(report, place / "rollouts", options=OPTIONS)
    assert [(checked.said, checked.wanted) for checked in result.wrong] == [("17.5", size[1])]


def test_redacted_evidence_is_marked_in_reports(packages: tuple[Path, Path, list[str]]) -> None:
    raw, clean, _ = packages
    before, after = (blade.analyze(folder / "rollouts", options=OPTIONS) for folder in (raw, clean))
    assert "redacted-evidence" not in {flaw.slug for flaw in before.flaws}
    assert [flaw.rows for flaw in after.flaws if flaw.slug == "redacted-evidence"] == [30, 30]
    report_text = blade.render(blade.report(after))
    assert "in 30 rows evidence was redacted: marks such as" in report_text
    quotes = [line for line in (clean / REPORT).read_text(encoding="utf-8").splitlines() if line.startswith("> ")]
    assert any("<KEY_" in line for line in quotes)


def test_a_key_that_a_quote_cut_off_has_the_token_of_the_whole(tmp_path: Path) -> None:
    secret = next(item.secret for item in shapes(1) if item.rule == "openai" and len(item.secret) > 100)
    (tmp_path / "p").mkdir()
    (tmp_path / "p" / "a.md").write_text(f"> using {secret[:90]}\n\nand {secret[:60]}\n")
    (tmp_path / "p" / "b.txt").write_text(f"using {secret} now")
    sanitize([tmp_path / "p"], tmp_path / "out")
    token = (tmp_path / "out" / "b.txt").read_text().split()[1]
    assert (tmp_path / "out" / "a.md").read_text() == f"> using {token}\n\nand {token}\n"


@pytest.mark.parametrize(
    ("stated", "printed", "same"),
    [
        ("ends: “using <KEY_GITHUB_1> now…”", "ends: “using <KEY_GITHUB_1> now that all…”", True),
        ("ends: “using <KEY_GITHUB_1> now…”", "ends: “using <KEY_GITHUB_1> then that…”", False),
        ("ends: “using <KEY_GITHUB_1> now…”", "begins: “using <KEY_GITHUB_1> now…”", False),
        ("ends: “using nothing now…”", "ends: “using nothing now that all…”", False),
        ("ends: “using <KEY_GITHUB_1> now”", "ends: “using <KEY_GITHUB_1> now that all…”", False),
    ],
    ids=["cut elsewhere", "other words", "another sentence", "no mark", "not cut"],
)
def test_a_quote_that_redaction_made_shorter_is_cut_elsewhere(stated: str, printed: str, same: bool) -> None:
    assert same_before_redaction(stated, printed) is same

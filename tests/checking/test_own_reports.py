"""A report by BLADE is right as it stands; one thing altered in it is caught, with the right value beside it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from tests.made_demo import Demo

import blade
import blade.checking
from blade import api
from blade.checking import ClaimKind, ReportCheck, check_text
from blade.counting.run import Run
from blade.document import Report
from blade.model import Analysis
from blade.simulate import Scenario, cause, write_run


@dataclass(frozen=True)
class CheckedRun:
    """Runs with their report, ready to be checked."""

    runs: list[Run]
    analysis: Analysis
    report: Report
    text: str

    def check(self, text: str) -> ReportCheck:
        return check_text(text, self.report, self.analysis, self.runs)

    def altered(self, old: str, new: str) -> ReportCheck:
        assert self.text.count(old) >= 1, old
        return self.check(self.text.replace(old, new, 1))


def checked_run(*paths: Path) -> CheckedRun:
    options = blade.Options(cache=False)
    runs = api.read(*paths, options=options)
    analysis = api.analyze_runs(runs, options)
    report = api.report(analysis)
    return CheckedRun(runs, analysis, report, api.render(report))


@pytest.fixture(scope="module")
def pair(demo: Demo) -> CheckedRun:
    report = api.report(demo.analysis)
    return CheckedRun(demo.runs, demo.analysis, report, api.render(report))


def three_runs(folder: Path) -> list[Path]:
    base = Scenario(tasks=10, repeats=3, seed=2)
    causes = {"a": (), "b": (cause("missing_rows", share=0.2),), "c": (cause("lost_format", share=0.5),)}
    return [write_run(replace(base, causes=run_causes), folder / name) for name, run_causes in causes.items()]


def once(folder: Path) -> list[Path]:
    return [write_run(Scenario(benchmark="field_notes", tasks=8, repeats=1, seed=1), folder)]


@pytest.mark.parametrize("make", [three_runs, once])
def test_an_untouched_report_is_right(make: Callable[[Path], list[Path]], tmp_path: Path) -> None:
    checked_report = checked_run(*make(tmp_path))
    result = checked_report.check(checked_report.text)
    assert result.wrong == []
    assert result.unverifiable == []
    assert result.counts["right"] > 50


@pytest.mark.slow
def test_an_untouched_report_of_a_broken_run_is_right(broken: Path, front_desk: Path, pair: CheckedRun) -> None:
    for checked_report in (checked_run(broken), checked_run(front_desk), pair):
        assert dict(checked_report.check(checked_report.text).counts) | {"right": 0} == {
            "right": 0,
            "wrong": 0,
            "unverifiable": 0,
        }


def test_an_altered_number_is_caught_with_the_right_one_and_its_proof(pair: CheckedRun) -> None:
    (wrong,) = pair.altered("`baseline` scores 60.6%", "`baseline` scores 66.6%").wrong
    assert (wrong.kind, wrong.said, wrong.wanted) == (ClaimKind.NUMBER, "66.6%", "60.6%")
    assert wrong.path == ("runs", "baseline", "metrics", "score")
    assert pair.text.splitlines()[wrong.line - 1].startswith("- `baseline` scores")


def test_an_altered_number_in_a_table_is_caught(pair: CheckedRun) -> None:
    (wrong,) = pair.altered("| always | 17 | 12 |", "| always | 17 | 13 |").wrong
    assert (wrong.kind, wrong.said, wrong.wanted) == (ClaimKind.NUMBER, "13", "12")
    assert wrong.path == ("runs", "candidate", "buckets", "always")


@pytest.mark.parametrize("new", ["desk-2-99999", "desk-2-00001", "front-7"])
def test_a_wrong_task_is_caught(pair: CheckedRun, new: str) -> None:
    row = re.search(r"^\| `(desk-2-\d+)` \| \d of \d \| Ticket", pair.text, re.MULTILINE)
    assert row is not None
    (wrong,) = pair.altered(row[0], row[0].replace(row[1], new)).wrong
    assert (wrong.kind, wrong.said, wrong.wanted) == (ClaimKind.ID, new, row[1])
    assert wrong.path == ("tasks", row[1], "task")


def test_an_altered_quote_is_caught(pair: CheckedRun) -> None:
    (wrong,) = pair.altered("on the part plan from now on.", "on the whole plan from now on.").wrong
    assert wrong.kind is ClaimKind.QUOTE
    assert wrong.wanted is not None
    assert "on the part plan" in wrong.wanted


def test_a_shorter_quote_is_as_true(pair: CheckedRun) -> None:
    quote = re.search(r"^- Broken: .*“(\\?[^”]{60,})”", pair.text, re.MULTILINE)
    assert quote is not None
    assert not pair.altered(quote[1], quote[1][:40]).wrong


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (
            "- Difference: `candidate` (model sim-medium-2) scores 11.2 pp below `baseline` (model sim-medium-1)",
            "- Difference: `baseline` (model sim-medium-2) scores 11.2 pp below `candidate` (model sim-medium-1)",
        ),
        ("- `candidate` scores", "- `baseline` scores"),
        ("### baseline: never", "### candidate: never"),
        ("| baseline | output |", "| candidate | output |"),
    ],
)
def test_a_swapped_run_is_caught(pair: CheckedRun, old: str, new: str) -> None:
    wrong = pair.altered(old, new).wrong
    assert wrong
    assert {checked.kind for checked in wrong} == {ClaimKind.RUN}


def test_cells_under_the_title_of_another_run_are_caught(pair: CheckedRun) -> None:
    """A header claims nothing; what stands below it does."""
    wrong = pair.altered("| Bucket | baseline | candidate |", "| Bucket | candidate | baseline |").wrong
    assert [(checked.said, checked.wanted) for checked in wrong[:2]] == [("17", "12"), ("12", "17")]


@pytest.mark.parametrize(
    "header", ["| Kind of task | baseline | candidate |", "| Bucket | old, 160 rollouts | new, 50% |", "| 1 | 2 | 3 |"]
)
def test_a_header_in_somebodys_own_words_is_no_error(pair: CheckedRun, header: str) -> None:
    assert pair.altered("| Bucket | baseline | candidate |", header).wrong == []


def test_columns_that_were_moved_are_no_error(pair: CheckedRun) -> None:
    text = pair.text.replace("| Bucket | baseline | candidate |", "| candidate | Bucket | baseline |")
    for row in ("always | 17 | 12", "sometimes | 13 | 15", "never | 10 | 13", "missing | 0 | 0"):
        name, first_cell, second_cell = row.split(" | ")
        assert f"| {row} |" in text
        text = text.replace(f"| {row} |", f"| {second_cell} | {name} | {first_cell} |")
    assert pair.check(text).wrong == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("17 tasks always pass, 13 sometimes do", "17 tasks sometimes pass, 13 always do"),
        ("scores 11.2 pp below", "scores 11.2 pp above"),
        ("| infrastructure | −12.0 pp |", "| truncation | −12.0 pp |"),
    ],
)
def test_a_turned_word_a_lost_sign_and_a_changed_cell_are_caught(pair: CheckedRun, old: str, new: str) -> None:
    assert pair.altered(old, new).wrong


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Minimum detectable effect against a second such run:", "If run once more, this design could show"),
        ("60.6% (95% interval", "61% (95% interval"),
        ("## Slices\n", "## Slices\n\nWe looked at these by hand and found nothing odd.\n"),
        ("| always | 17 | 12 |", "| always | 17 (most of them easy) | 12 |"),
        ("Score (mean over tasks) | 60.6%", "Score (mean over tasks) | 60.6 %"),
        ("# BLADE report", "# Weekly report"),
    ],
)
def test_other_words_and_coarser_numbers_are_no_error(pair: CheckedRun, old: str, new: str) -> None:
    assert pair.altered(old, new).wrong == []


def test_sections_and_rows_may_be_left_out_and_moved(pair: CheckedRun) -> None:
    head, *sections = re.split(r"^(?=## )", pair.text, flags=re.MULTILINE)
    assert pair.check(head + "".join(reversed(sections[2:]))).wrong == []
    lines = pair.text.splitlines()
    first = lines.index("|---|---:|---|") + 1
    lines[first], lines[first + 1] = lines[first + 1], lines[first]
    del lines[first + 3]
    assert pair.check("\n".join(lines)).wrong == []


@pytest.mark.slow
def test_a_report_pasted_without_its_headings_is_right(pair: CheckedRun) -> None:
    text = "\n".join(line for line in pair.text.splitlines() if not line.startswith("#"))
    assert pair.check(text).wrong == []
    assert pair.check(text.replace("`baseline` scores 60.6%", "`baseline` scores 66.6%", 1)).wrong


def test_a_report_read_as_if_by_somebody_else_is_not_wrong(pair: CheckedRun, monkeypatch: pytest.MonkeyPatch) -> None:
    """BLADE's own sentences are a hard case of free prose: every number in them is true."""
    monkeypatch.setattr(blade.checking, "align", lambda _given, _made: {})
    result = pair.check(pair.text)
    assert result.wrong == []
    assert result.counts["right"] > 400


@pytest.mark.slow
def test_files_may_be_named_from_another_folder_but_not_swapped(pair: CheckedRun) -> None:
    path = str(next(file.path for file in pair.analysis.runs[0].files))
    other_path = str(next(file.path for file in pair.analysis.runs[1].files))
    assert pair.altered(path, "/".join(Path(path).parts[-2:])).wrong == []
    (moved,) = pair.altered(path, f"elsewhere/{Path(path).name}").unverifiable
    assert moved.note == "the file stands elsewhere now"
    assert pair.altered(path, other_path).wrong[0].wanted == path


@pytest.mark.slow
def test_the_same_report_gives_the_same_check(pair: CheckedRun) -> None:
    text = pair.text.replace("60.6%", "66.6%")
    assert pair.check(text) == pair.check(text)

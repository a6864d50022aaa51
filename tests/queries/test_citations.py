"""Counts cited by id: `blade check` asks again, lets true sentences pass and finds false ones."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.command_line import blade

from blade import api
from blade.checking import ReportCheck, check_text
from blade.counting.run import Run
from blade.document import Report
from blade.model import Analysis
from blade.options import Options
from blade.queries.proving import files_beside, prove
from blade.queries.question_file import FILE


@dataclass(frozen=True)
class Held:
    """The runs, and two questions that were asked of them."""

    runs: list[Run]
    analysis: Analysis
    report: Report
    kept: Path
    ids: dict[str, str]

    def check(self, sentence: str) -> ReportCheck:
        text = f"# Ours\n\n{sentence.format(**self.ids)}\n"
        cited = prove(text, [self.kept], self.runs, self.analysis)
        return check_text(text, self.report, self.analysis, self.runs, cited)


@pytest.fixture(scope="module")
def held(pair: tuple[Path, Path], kept_index: Path, tmp_path_factory: pytest.TempPathFactory) -> Held:
    folder = tmp_path_factory.mktemp("held")

    def ask(*words: str) -> str:
        return blade(*words, *pair, "--cache-dir", kept_index, folder=folder).stdout.split("[q:")[1][:8]

    ids = {"words": ask("grep", "no such room"), "never": ask("tasks", "--never")}
    ids |= {"passing": ask("count", "passed", "--of", "not void"), "table": ask("tasks")}
    ids |= {"groups": ask("contrast", "run = 'early'", "run = 'late'")}
    runs = api.read(*pair, options=Options(cache=False))
    analysis = api.analyze_runs(runs)
    return Held(runs, analysis, api.report(analysis), folder / "queries.jsonl", ids)


@pytest.mark.parametrize(
    "sentence",
    [
        "In `late` 3 rollouts meet a room that is not there [q:{words}].",
        "7 of 16 rollouts meet a room that is not there. [q:{words}]",
        "In `early`, 4 rollouts on 2 tasks meet it [q:{words}]; 1 of 4 tasks passes in no run [q:{never}].",
        "Of the 8 rollouts of `late`, 37.5 % meet it [q:{words}].",
        "After 12 minutes, 7 rollouts meet it [q:{words}].",
        "Nobody passes 1 of 4 tasks; 7 rollouts meet a room that is not there [q:{words}].",
        "In 7 rollouts the model tries 16 to 30 times [q:{words}].",
        "All 7 rollouts fail [q:{words}], most of them in `early`.",
        "In 4 rollouts of `early` and, word for word, in 3 failed rollouts of `late` it shows [q:{words}].",
        "Without these 2 tasks, 7 rollouts meet it [q:{words}].",
        "Only 10 of 12 rooms are free, and 7 rollouts meet one that is not there [q:{words}].",
        "In 2 of 2 attempts at `desk-2`, `early` meets a room that is not there [q:{words}].",
        "`late` meets it in 1 of 2 attempts at `desk-3` [q:{words}].",
        "`late` meets it nearly always: 3 failures in 8 rollouts [q:{words}].",
        "Three of four attempts at desk-3 meet it [q:{words}].",
        "`late` says 11, 11 or 12 where the rooms are 10 [q:{words}].",
        "`late` answers 12 for the second room [q:{words}].",
        "7 of 15 judged rollouts fail, 3 of 7 in `late` [q:{passing}].",
        "Two tasks are half lost, `desk-1` and `desk-2`: 7 of 15 judged rollouts fail [q:{passing}].",
        "7 rollouts, 3 of them of `late`, 7 fail [q:{words}].",
        "2 of 2 judged rollouts of `late` fail `desk-1` [q:{table}].",
        "The model (in all but one of these, `late`) meets it in 7 rollouts [q:{words}].",
        "In 9 of the 16 the room is never missing [q:{words}].",
        "In 9 of 16 rollouts no room is missing [q:{words}].",
        "Against it: 8 such rollouts pass [q:{words}].",
        "7 rollouts meet it (`desk-2` and 2 more [q:{words}]).",
        "The first run meets it in 4 of 8, and the second, `late`, 3 of 8 [q:{words}].",
        "4 of 8 rollouts of `early` meet it; the other run has 3 such rollouts [q:{words}].",
        "Task `desk-3` has one room too few. In 3 of 4 judged rollouts it shows [q:{words}].",
    ],
)
def test_true_sentences_pass(sentence: str, held: Held) -> None:
    assert held.check(sentence).wrong == []


@pytest.mark.parametrize(
    ("sentence", "wrong"),
    [
        ("In `late` 4 rollouts meet a room that is not there [q:{words}].", "4"),
        ("In `early` 3 rollouts meet it [q:{words}].", "3"),
        ("5 meet it [q:{words}].", "5"),
        ("`late` meets it in 2 of 2 attempts at `desk-3` [q:{words}].", "2 of 2"),
        ("`late` found 13 [q:{words}].", "13"),
        ("In 4 rollouts of `early` and in 5 failed rollouts of `late` it shows [q:{words}].", "5"),
        ("Without these 2 tasks, 6 rollouts meet it [q:{words}].", "6"),
        ("6 of 16 rollouts meet it [q:{words}].", "6 of 16"),
        ("2 of 4 tasks pass in no run [q:{never}].", "2 of 4"),
        ("7 rollouts meet it [q:0123abcd].", "q:0123abcd"),
        ("8 of 15 judged rollouts fail [q:{passing}].", "8 of 15"),
        ("7 of 15 judged rollouts pass [q:{passing}].", "7 of 15"),
        ("7 rollouts, 3 of them of `late`, 6 fail [q:{words}].", "6"),
        ("1 of 2 judged rollouts of `late` fails `desk-1` [q:{table}].", "1 of 2"),
        ("The model (in all but one of these, `late`) meets it in 5 rollouts [q:{words}].", "5"),
        ("In 6 of 16 rollouts no room is missing [q:{words}].", "6 of 16"),
        ("The first run meets it in 5 of 8, and the second, `late`, 3 of 8 [q:{words}].", "5 of 8"),
        ("4 of 8 rollouts of `early` meet it; the other run has 4 such rollouts [q:{words}].", "4"),
        ("Task `desk-3` has one room too few. In 2 of 4 judged rollouts it shows [q:{words}].", "2 of 4"),
    ],
)
def test_false_sentences_are_found(sentence: str, wrong: str, held: Held) -> None:
    assert [one.said for one in held.check(sentence).wrong] == [wrong]


def test_the_command_finds_the_questions_beside_the_report(held: Held, pair: tuple[Path, Path]) -> None:
    report = held.kept.parent / "report.md"
    report.write_text(f"# Ours\n\n5 rollouts meet it [q:{held.ids['words']}].\n", encoding="utf-8")
    done = blade("check", report, "--runs", *pair, "--no-cache")
    assert done.returncode == 1
    assert "number '5' is wrong (the question counts rollouts 7, tasks 3," in done.stdout
    alone = blade("check", report, "--runs", pair[0], "--no-cache")
    assert "the question was asked of other runs, or other names of them" in alone.stdout


@pytest.mark.parametrize(
    "sentence",
    [
        "`late` says 11, 11 or 12 where the rooms are 10 in all [q:{words}].",
        "`late` answers 12 for the room [q:{words}].",
    ],
)
def test_bare_numbers_that_are_none_of_the_questions_are_listed(sentence: str, held: Held) -> None:
    result = held.check(sentence)
    assert result.wrong == []
    assert any("the question counts" in check.note for check in result.unverifiable)


def test_numbers_before_a_semicolon_are_right_where_the_citation_counts_them(held: Held) -> None:
    result = held.check("In `early` 4 of its 8 rollouts meet it; `late` does so in 3 [q:{words}].")
    assert result.counts["unverifiable"] == result.counts["wrong"] == 0
    other = held.check("In `early` 5 of its 8 rollouts meet it; `late` does so in 3 [q:{words}].")
    assert [check.said for check in other.wrong + other.unverifiable] == ["5 of its 8"]


def test_points_and_p_of_a_contrast_are_its_own(held: Held, pair: tuple[Path, Path], kept_index: Path) -> None:
    told = blade("contrast", "run = 'early'", "run = 'late'", *pair, "--cache-dir", kept_index, "--no-keep").stdout
    line = next(line for line in told.splitlines() if line.startswith("A passes "))
    p = line.rpartition("p = ")[2].removesuffix(")")
    counts = next(iter(prove(f"[q:{held.ids['groups']}]", [held.kept], held.runs, held.analysis).values())).counts[""]
    points = f"{100 * abs(counts['passed: points']):.1f}"
    sentence = f"`late` is −{points} pp behind `early` within tasks, p = {p} [q:{{groups}}]."
    assert held.check(sentence).counts["wrong"] == 0
    assert "p" not in [check.said for check in held.check(sentence).unverifiable]
    for false in (sentence.replace(points, "61.3"), sentence.replace(f"p = {p}", "p = 0.0031")):
        result = held.check(false)
        assert {check.said.strip("−") for check in result.wrong + result.unverifiable} & {"61.3 pp", "0.0031"}


def test_questions_that_are_a_link_to_themselves_are_no_file(tmp_path: Path) -> None:
    (tmp_path / FILE).symlink_to(FILE)
    assert files_beside(tmp_path / "report.md", None) == []

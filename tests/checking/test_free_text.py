"""Somebody's own report: what is bound to a run, a task or a measure is checked; the rest is left in peace."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.made_demo import Demo

import blade
from blade import api
from blade.checking import ClaimKind, ReportCheck, check_text

ERROR = "503 Service Unavailable: the sandbox gateway closed the connection before an answer arrived"
ASKED = "Move the booking of Amber Lantern Studio on 2031-03-26 to 2031-05-08, afternoon."
REPORT = f"""# What happened to our front desk agent

The candidate scores 49.4%, down from 60.6% for the baseline: a loss of 11.2 points (p = 0.0114).
Most of it, 12.0 pp, comes from an outage: 23 rollouts of candidate failed with
"{ERROR}".
Baseline and candidate reach pass@4 of 75 % and 67.5 %. In baseline, pass^4 is 42.5%.
The baseline scores 0.606 over 160 rollouts of 40 tasks; 17 tasks always pass, 13 sometimes do and 10 never do.
Billing went from 59.6% to 51.9%.

## Tasks

- `desk-2-00016` passed 4 of 4 in baseline and 0 of 4 in candidate. It asks "Move the booking of … afternoon".
- desk-2-00005 passes 2/4 times in both runs (50 %).
- In baseline desk-2-00006 fails 3 of 4 attempts; task 39 never passes.
- We think the model calls `bookings_search` too late; 7 of 9 such rollouts end early.

> {ASKED}
>
> — task desk-2-00016

| Task | baseline | candidate |
|---|---|---|
| desk-2-00018 | 4/4 | 1/4 |
| desk-2-00036 | 50% | 100% |

| | score | pass@2 |
|---|---|---|
| baseline | 60.6% | 69.6% |
| candidate | 49.4 % | 60% |

The cost was 12.5% higher than last year, at 3.20 dollars; see version 1.2.3 of 2031-01-02.
"""

Checker = Callable[[str], ReportCheck]


@pytest.fixture(scope="module")
def check(demo: Demo) -> Checker:
    report = api.report(demo.analysis)
    return lambda text: check_text(text, report, demo.analysis, demo.runs)


def test_a_rewritten_report_that_is_right_has_no_error(check: Checker) -> None:
    result = check(REPORT)
    assert result.wrong == []
    assert result.counts["right"] > 50
    assert [checked.said for checked in result.unverifiable] == ["7 of 9", "12.5%", "3.20"]


@pytest.mark.parametrize(
    ("old", "new", "wanted"),
    [
        ("scores 49.4%", "scores 48.4%", "49.4%"),
        ("from 60.6%", "from 61.6%", "60.6%"),
        ("11.2 points", "13.2 points", "−11.2 pp"),
        ("12.0 pp", "12.9 pp", None),
        ("of 75 %", "of 76 %", "75.0%"),
        ("42.5%", "45.2%", "42.5%"),
        ("0.606", "0.616", "0.606"),
        ("160 rollouts of", "171 rollouts of", "160"),
        ("17 tasks", "18 tasks", "17"),
        ("59.6%", "58.6%", "59.6%"),
        ("passed 4 of 4", "passed 3 of 4", "4 of 4"),
        ("2/4", "3/4", "2 of 4 (baseline); 2 of 4 (candidate)"),
        ("(50 %)", "(75 %)", "50.0%"),
        ("fails 3 of 4", "fails 1 of 4", "3 of 4"),
        ("| 4/4 |", "| 3/4 |", "4 of 4"),
        ("| 50% |", "| 25% |", "50.0%"),
        ("69.6%", "68.6%", "69.6%"),
    ],
)
def test_a_wrong_number_is_caught(check: Checker, old: str, new: str, wanted: str | None) -> None:
    (wrong,) = check(REPORT.replace(old, new, 1)).wrong
    assert (wrong.kind, wrong.wanted) == (ClaimKind.NUMBER, wanted)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The candidate scores", "The baseline scores"),
        ("In baseline, pass^4", "In candidate, pass^4"),
        ("in baseline and 0 of 4 in candidate", "in candidate and 0 of 4 in baseline"),
        ("| candidate | 49.4 %", "| baseline | 49.4 %"),
    ],
)
def test_a_number_under_the_wrong_run_is_caught(check: Checker, old: str, new: str) -> None:
    assert check(REPORT.replace(old, new, 1)).wrong


def test_a_run_that_is_not_there_is_caught(check: Checker) -> None:
    (wrong,) = check("The run `candidat` is worse.").wrong
    assert (wrong.wanted, wrong.note) == ("candidate", "no run has this name")
    assert check("Then run `pytest` or run `blade`.").wrong == []


@pytest.mark.parametrize(
    ("old", "new"), [("`desk-2-00016`", "`desk-2-00061`"), ("task desk-2-00016", "task desk-2-99"), ("k 39", "k 93")]
)
def test_a_wrong_task_is_caught(check: Checker, old: str, new: str) -> None:
    (wrong,) = check(REPORT.replace(old, new, 1)).wrong
    assert (wrong.kind, wrong.note) == (ClaimKind.ID, "the runs have no such task")


@pytest.mark.parametrize(
    ("old", "new", "wanted"),
    [(ERROR, ERROR.replace("gateway", "doorway"), ERROR), (ASKED, ASKED.replace("03-26", "03-27"), ASKED)],
)
def test_an_altered_quote_is_caught_with_the_passage_that_is_most_like_it(
    check: Checker, old: str, new: str, wanted: str
) -> None:
    (wrong,) = check(REPORT.replace(old, new, 1)).wrong
    assert (wrong.kind, wrong.said, wrong.wanted) == (ClaimKind.QUOTE, new, wanted)


def test_a_quote_from_another_task_is_caught(check: Checker) -> None:
    (wrong,) = check(f'`desk-2-00005` asks "{ASKED}"').wrong
    assert wrong.note == "these words stand in a rollout of desk-2-00016"


def test_the_parts_of_a_quote_must_follow_one_another(check: Checker) -> None:
    assert check('desk-2-00016: "Move the booking … Amber Lantern Studio … afternoon"').wrong == []
    assert check('desk-2-00016: "afternoon … Move the booking of Amber"').wrong


@pytest.mark.parametrize(
    "text",
    [
        "Our 12 engineers spent 37.5% of the week on this.",
        "In 2031 the candidate cost 14.2 dollars a task, 3 of 7 times more than planned.",
        "Run `blade show PATH TASK --attempt N` and read `notes/todo.md`.",
        "The candidate fails since 83.1% of its tool errors are timeouts.",
        'He called it a "flop".',
        "Use `some_helper_name` in v2.10.3, as of 2031-02-03, page 12-14.",
        "The candidate's prompt is 1,250 characters long.",
    ],
)
def test_what_the_runs_do_not_know_is_no_error(check: Checker, text: str) -> None:
    assert check(text).wrong == []


HEADERS = """### desk-2-00016

| Attempts that pass | 4/4 | 3/4 | 1 of 4 | score 50 % |
|---|---|---|---|---|
| tasks | some | more | none | few |

| # | Task | baseline (score, 95%) | candidate at 50% |
|---|---|---|---|
| 1 | desk-2-00018 | 4/4 | 1/4 |
| 2 | desk-2-00036 | 50% | 100% |
"""


@pytest.mark.parametrize(
    "text",
    [
        HEADERS,
        "## 11 Never-pass tasks\n\n### 3.2 Sometimes\n\n## 4 Always",
        "In baseline, step 1 never fails, Llama 3 always answers and attempt 2 sometimes repeats itself.",
        "For the baseline, Table 4 always counts tasks.",
        "(2) never mind the baseline\n\n1.2. always look at the baseline",
    ],
    ids=["headers", "headings", "names", "table", "lists"],
)
def test_headers_list_numbers_and_names_with_digits_claim_nothing(check: Checker, text: str) -> None:
    assert check(text).wrong == []


def test_counts_that_look_like_them_are_still_claims(check: Checker) -> None:
    (wrong,) = check("In baseline 3 always pass.").wrong
    assert (wrong.said, wrong.wanted) == ("3", "17")
    assert [checked.said for checked in check("| Task | baseline |\n|---|---|\n| desk-2-00018 | 3/4 |").wrong] == [
        "3/4"
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("The candidate does not score 49.4%.", "49.4%"),
        ("Nobody can show that the candidate scores 49.4%.", "49.4%"),
        ("In candidate, pass@4 isn't 67.5%.", "67.5%"),
        ("In baseline desk-2-00006 does not pass 1 of 4 times.", "1 of 4"),
        ("The baseline fails to pass 97 of 160 rollouts.", "97 of 160"),
    ],
)
def test_a_right_number_that_is_denied_is_wrong(check: Checker, text: str, said: str) -> None:
    assert [checked.said for checked in check(text).wrong] == [said]


@pytest.mark.parametrize(
    "text",
    [
        "In baseline desk-2-00006 does not pass 3 of 4 times.",
        "The baseline does not pass 63 of 160 rollouts.",
        "The candidate does not score above 49.4%.",
        "The candidate does not only score 49.4%.",
        "The baseline never fails: it scores 60.6%.",
        "In baseline, desk-2-00016 does not stop early; it passed 4 of 4.",
    ],
)
def test_a_right_number_beside_a_negation_is_no_error(check: Checker, text: str) -> None:
    assert check(text).wrong == []


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n\n\n",
        "no headings, no end",
        "|||\n|-|\n|a|b|c|\n||",
        "# \n## \n> \n>\n- \n```\nunclosed 60.6%",
        "`" * 5000,
        '"' * 4999,
        "“" * 5000,
        "9" * 5000 + "%",
        pytest.param("1 of " * 2000, marks=pytest.mark.slow),
        "𝟙𝟚% ٣ of ٤ ½ ²",
        "task " + "9" * 400,
    ],
)
def test_no_text_is_too_odd(check: Checker, text: str) -> None:
    assert check(text).things == check(text).things


@pytest.mark.slow
def test_a_line_of_five_megabytes_is_checked(check: Checker) -> None:
    text = "The baseline scores 60.6% and `desk-2-00005` passes. " * 4_000 + "x" * 4_900_000
    assert len(text) > 5_000_000
    result = check(text)
    assert result.wrong == []
    assert result.counts["right"] == 12_000


@pytest.mark.slow
def test_a_report_by_nobody_in_particular_can_be_checked_from_python(demo: Demo, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("baseline scores 60.6%, candidate scores 60.6%.\n", encoding="utf-8")
    (wrong,) = blade.check(page, *demo.paths, options=blade.Options(cache=False)).wrong
    assert (wrong.line, wrong.wanted, wrong.path) == (1, "49.4%", ("runs", "candidate", "metrics", "score"))


@pytest.mark.parametrize(
    ("sentence", "wrong"),
    [
        ("In baseline 68 never ran.", []),
        ("In baseline 23 tasks never reached the sandbox.", []),
        ("In baseline 10 tasks always fail.", []),
        ("In baseline 17 tasks always fail.", ["17"]),
        ("In baseline 11 never pass, 13 sometimes do.", ["11"]),
        ("`desk-2-00016`: 3 of 4 logs end with the same line.", []),
        ("`desk-2-00016` repeats 3 of 4 failing commands.", []),
        ("`desk-2-00016` passes in 1 of 2 runs.", []),
        ("`desk-2-00016` passes in 2 of 2 runs.", ["2 of 2"]),
        ("`desk-2-00016` fails in 1 of 2 runs.", []),
        ("`desk-2-00016` passes 3 of 4 attempts in baseline.", ["3 of 4"]),
        ("`desk-2-00016` passed 3 of 4 in baseline.", ["3 of 4"]),
    ],
)
def test_counts_of_other_things_are_left_in_peace(check: Checker, sentence: str, wrong: list[str]) -> None:
    """Rows that never ran are no bucket, logs are no attempts, and runs are counted as runs."""
    assert [checked.said for checked in check(f"# Ours\n\n{sentence}\n").wrong] == wrong


@pytest.mark.parametrize(
    ("sentence", "wrong"),
    [
        ("The tasks 3, 14 and 15 fail alike.", []),
        ("The tasks 3, 14 and 95 fail alike.", ["95"]),
        ("In tasks 3 and 99, nobody looks.", ["99"]),
        ("In tasks 3 and 4, 95 calls fail.", []),
        ("In tasks 3, 95 calls fail.", []),
        ("It fails in tasks 3, 95.", ["95"]),
    ],
)
def test_numbers_in_a_list_of_tasks_are_their_names(check: Checker, sentence: str, wrong: list[str]) -> None:
    assert [one.said for one in check(f"# Ours\n\n{sentence}\n").wrong] == wrong

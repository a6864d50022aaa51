"""What sentences say in words: outcomes of tasks, better and worse, real and noise, models, counts over runs."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from tests.made_demo import Demo

from blade import api
from blade.checking import ReportCheck, check_text

Checker = Callable[[str], ReportCheck]
ERROR = "503 Service Unavailable: the sandbox gateway closed the connection before an answer arrived"


@pytest.fixture(scope="module")
def check(demo: Demo) -> Checker:
    report = api.report(demo.analysis)
    return lambda text: check_text(text, report, demo.analysis, demo.runs)


def outcome(result: ReportCheck) -> str:
    return "wrong" if result.wrong else "listed" if result.unverifiable else "right"


@pytest.mark.parametrize(
    ("true", "false"),
    [
        ("`desk-2-00016` passes in baseline.", "`desk-2-00016` fails in baseline."),
        ("desk-2-00027 always fails in candidate.", "desk-2-00027 always fails in baseline."),
        ("desk-2-00027 fails in all 4 attempts of candidate.", "desk-2-00027 fails in all 4 attempts of baseline."),
        ("Baseline solves desk-2-00027, candidate does not.", "Candidate solves desk-2-00027, baseline does not."),
        ("desk-2-00027 is solved by baseline but not by candidate.", "desk-2-00027 is solved by candidate alone."),
        ("Only baseline solves desk-2-00027.", "No run solves desk-2-00027."),
        ("desk-2-00007 fails in every run.", "desk-2-00016 fails in every run."),
        ("desk-2-00005 sometimes passes in baseline.", "desk-2-00005 always passes in baseline."),
        ("desk-2-00016 and desk-2-00027 pass in baseline.", "desk-2-00016 and desk-2-00007 pass in baseline."),
        ("Baseline scores higher than candidate.", "Baseline scores lower than candidate."),
        ("Candidate does worse than baseline.", "Candidate beats baseline."),
        ("Candidate lies 11.2 pp below baseline.", "Candidate lies 14.9 pp below baseline."),
        ("The best run is baseline.", "The best run is candidate."),
        ("Candidate has the lowest score.", "No run scores lower than baseline."),
        ("The difference between baseline and candidate is real.", "The change is within noise."),
        ("The gap cannot be explained by chance.", "The change from baseline to candidate is not proven."),
        ("Baseline passes 97 of 160 rollouts.", "Baseline passes 99 of 160 rollouts."),
        ("Baseline fails 63 of its 160 rollouts.", "Baseline fails 79 of its 160 rollouts."),
        ("Baseline always passes 17 tasks.", "Baseline always passes 18 tasks."),
        ("10 tasks never pass in baseline.", "13 tasks never pass in baseline."),
        ("6 of 40 tasks pass in no run.", "9 of 40 tasks pass in no run."),
        ("34 tasks pass in at least one run.", "No run solves 7 tasks."),
        ("Baseline reaches 60.6 %.", "Baseline reaches 75 %."),
        (f"In desk-2-00014, candidate ends with “{ERROR}”.", f"In desk-2-00014, baseline ends with “{ERROR}”."),
    ],
)
def test_a_true_sentence_is_right_and_a_false_one_wrong(check: Checker, true: str, false: str) -> None:
    assert outcome(check(true)) == "right"
    assert outcome(check(false)) == "wrong"


@pytest.mark.parametrize(
    "sentence",
    [
        "desk-2-00005 passes in baseline.",  # two of four attempts do
        "Candidate has no trouble with desk-2-00027.",
        "Baseline stumbles where candidate shines.",
        "29 rollouts of candidate were broken by infrastructure.",
        "8 of 40 tasks are never solved by anyone.",
    ],
)
def test_what_cannot_be_judged_is_listed(check: Checker, sentence: str) -> None:
    assert outcome(check(sentence)) == "listed"


@pytest.mark.parametrize(
    "sentence",
    [
        "Intervals are 95 % intervals.",
        "23 rollouts of candidate were broken by infrastructure.",
        "desk-2-00027 fails in candidate because its search names a lost column.",
        "If desk-2-00027 passes in candidate, the tool was mended.",
    ],
)
def test_what_is_true_or_no_claim_is_not_wrong(check: Checker, sentence: str) -> None:
    assert not check(sentence).wrong


def test_sentences_inside_a_quote_belong_to_it(check: Checker) -> None:
    quote = "The records could not be read, so I have changed nothing. I am sorry."
    assert outcome(check(f"In desk-2-00027 candidate says “{quote}”.")) == "right"
    assert outcome(check(f"In desk-2-00027 candidate says “{quote.replace('changed', 'deleted')}”.")) == "wrong"


def test_what_is_open_is_told_once_with_the_way_to_settle_it(check: Checker) -> None:
    text = "7 of 9 such rollouts end early.\n\n3 of 8 others do not.\n\nCandidate has no trouble with desk-2-00027.\n"
    questions = check(text).open_claims()
    assert [list(lines) for lines in questions.values()] == [[1, 3], [5]]
    assert next(iter(questions.values())) == {1: ["7 of 9"], 3: ["3 of 8"]}
    assert all("blade " in question for question in questions)


def test_passes_are_not_proved_by_as_many_failures(check: Checker) -> None:
    assert outcome(check("desk-2-00003 passes 3 times in candidate.")) == "right"
    assert outcome(check("desk-2-00003 passes 1 times in candidate.")) == "listed"

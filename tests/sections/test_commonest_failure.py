"""The failure of the first screen is the commonest, also where only a value shows it, and what to read is advised."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests.gym_rows import Json, analysed, message, response, row, write
from tests.questions.made_cases import words

from blade.findings import Mode
from blade.model import Analysis
from blade.sections import executive_summary
from blade.summary.change_words import attributed_to
from blade.summary.failure_words import _cut, commonest_words

NOUNS = ("lamp", "door", "boat", "tree", "stone", "river", "cloud")


def refused(task: int, error: str) -> Json:
    answer = response(message(f"{NOUNS[task % 7]} of the {NOUNS[task // 7 % 7]} and the {NOUNS[task // 49]}"))
    return row(task, reward=0.0, response=answer, error_type=error, expected_answer=None, extracted_answer=None)


def analysis(folder: Path, *, messages: int, unparsed: int) -> Analysis:
    """Failures by one message of a single word, and failures whose output could not be read."""
    rows = [refused(task, "wrong_count") for task in range(messages)]
    rows += [refused(task, "decoder_failed: invalid syntax") for task in range(messages, messages + unparsed)]
    rows += [row(task, expected_answer=None, extracted_answer=None) for task in range(60, 100)]
    return analysed(f"run={write(folder / 'run.jsonl', rows)}")


def test_the_commonest_is_named_though_its_quote_is_one_word(tmp_path: Path) -> None:
    summary = words(executive_summary.build(analysis(tmp_path, messages=40, unparsed=5)))
    assert "Failures: verifier message: wrong_count in 40 of 45 failed rollouts of run" in summary, summary
    assert "“wrong_count” (see" not in summary.replace("says “wrong_count”", "")


def test_a_commoner_shape_is_named_beside_a_failure_that_is_explained(tmp_path: Path) -> None:
    summary = words(executive_summary.build(analysis(tmp_path, messages=20, unparsed=15)))
    assert "Failures: output that cannot be parsed in 15 of 35 failed rollouts of run" in summary, summary
    assert "More common, but only the shape of a failure: verifier message: wrong_count (20)." in summary


def test_lost_rollouts_are_told_as_broken_and_not_again_as_the_failure(tmp_path: Path) -> None:
    rows = [refused(task, "wrong_count") for task in range(12)]
    rows += [row(task, expected_answer=None, extracted_answer=None) for task in range(60, 100)]
    for task in range(20, 50):
        lost = row(task, reward=0.0, expected_answer=None, extracted_answer=None)
        lost["response"] = {"output": [], "error": "503 Service Unavailable: the gateway closed the connection"}
        rows.append(lost)
    summary = words(executive_summary.build(analysed(f"run={write(tmp_path / 'run.jsonl', rows)}")))
    assert "Broken: run lost 30 of 82 rollouts" in summary, summary
    assert "Failures: verifier message: wrong_count in 12 of 12 judged failures of run" in summary


def test_failures_that_only_a_message_tells_are_to_be_read_and_go_before_a_few_others(tmp_path: Path) -> None:
    first, *others = analysis(tmp_path, messages=40, unparsed=5).interventions
    assert (first.kind, first.rollouts) == ("data", 40)
    assert first.change.startswith("Read some of these failures before anything is changed")
    assert first.points is None, "reading changes no score"
    assert [item.rollouts for item in others] == [5]


def test_two_rollouts_with_a_message_are_no_step(tmp_path: Path) -> None:
    steps = analysis(tmp_path, messages=2, unparsed=5).interventions
    assert not [item for item in steps if item.change.startswith("Read some")]


def test_a_quote_that_breaks_off_bears_the_mark_of_it() -> None:
    call = '{"id": "' + "x" * 112
    assert _cut(call) == f"{call}…"
    assert _cut(call[:40]) == call[:40]
    assert _cut(call[:118] + '"}') == call[:118] + '"}'


def test_failing_calls_are_attributed_to_the_same_party_everywhere() -> None:
    mode = Mode(
        "a", "failing calls of a tool: find", "tool", "behaviour", "tool_keeps_failing", {}, {}, (), None, blame="tool"
    )
    assert attributed_to(mode) == "a tool or its calls"


@pytest.mark.parametrize(("passes", "failures", "is_told"), [(0, 12, True), (1, 12, False), (0, 5, False)])
def test_where_no_mode_is_known_the_class_of_the_rows_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, passes: int, failures: int, is_told: bool
) -> None:
    monkeypatch.setattr("blade.summary.failure_words.commonest_failure", lambda _: None)
    most = {"field": "verifier.end", "class": "gallows", "failures": failures, "passes": passes}
    answers = {"verifier_classes": {"failed": [10, 2], "classes": [most]}}
    made = replace(analysis(tmp_path, messages=12, unparsed=0), investigation=answers)
    assert [sentence.text for sentence in commonest_words(made)] == is_told * [
        "no failure mode is known; the rows call 12 of 12 judged failures “gallows” (verifier.end), and no pass"
    ]

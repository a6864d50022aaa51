"""What really ran, in words: what was lost, at which attempt, and what the score is without it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests.counting.audit.test_attempts import VOCABULARIES, acted, half_void, timed, told
from tests.gym_rows import analysed, response, row, write
from tests.questions.made_cases import words

from blade.document import Table
from blade.model import Analysis
from blade.sections import (
    attempt_audit,
    benchmark_health,
    denominator,
    executive_summary,
    task_outcome_buckets,
)


def said(analysis: Analysis) -> str:
    return words(attempt_audit.build(analysis))


def test_rows_that_never_started_are_counted_with_the_scores_without_them(tmp_path: Path) -> None:
    text = said(analysed(f"run={write(tmp_path / 'rollouts.jsonl', half_void(VOCABULARIES['shell']))}"))
    assert "12 rollouts of run (6 tasks) never started the agent" in text
    assert (
        "Of the 18 failures of run, only 6 are judged failures of an agent that ran; 12 never started. Only the "
        "judged ones measure the model." in text
    )
    assert (
        "Of 24 rollouts, 12 launched and 12 were judged: the score is 50.0% (6 of 12) of those launched, 50.0% (6 "
        "of 12) of those judged, and at most 50.0% if every launched rollout without a verdict had passed. The "
        "reported 25.0% (6 of 24) does not measure the model." in text
    )
    assert "In 6 of 12 tasks of run the agent never started in any attempt" in text
    assert "So at most 6 tasks can be passed; the others do not measure the model" in text


def test_rollouts_that_infrastructure_broke_are_told_here_and_are_not_found_clean(tmp_path: Path) -> None:
    lost = {"error": "APIConnectionError: [Errno 54] Connection reset by peer", "test_results": None}
    rows = [acted(task, 0, float(task % 2)) for task in range(8)]
    rows += [row(task, 0, 0.0, response=response(), extracted_answer=None, verifier=lost) for task in range(8, 12)]
    analysis = analysed(f"run={write(tmp_path / 'rollouts.jsonl', rows)}")
    text = said(analysis)
    assert "4 rollouts of run (4 tasks) were broken off by infrastructure: the rows record" in text
    assert (
        "Of the 8 failures of run, only 4 are judged failures of an agent that ran; 4 were broken off by "
        "infrastructure." in text
    )
    assert "rollouts not ended by infrastructure or by another party's message | 4 of 8 (50.0%)" in text
    assert "rollouts that were judged | 4 of 8 (50.0%)" in text
    assert "ended by themselves" not in text  # a limit of turns may have cut some of the eight
    assert "never started" not in text
    health = words(benchmark_health.build(analysis))
    assert "4 rollouts of run were broken off by infrastructure." in health
    assert "void attempts" not in health.partition("Looked for and not found")[2].partition(".")[0]


def test_failures_without_results_are_named_so_that_the_parts_add_up(tmp_path: Path) -> None:
    """Seven failures: three are judged, two were broken off, two hold no result of the verifier and do not say why."""
    lost = {"error": "APIConnectionError: [Errno 54] Connection reset by peer", "test_results": None}
    rows = [acted(task, 0, 1.0) for task in range(8)] + [acted(task, 0, 0.0) for task in range(8, 11)]
    silent = [acted(task, 0, 0.0) | {"verifier": {"test_results": None}} for task in (11, 12)]
    broken = [row(task, 0, 0.0, response=response(), extracted_answer=None, verifier=lost) for task in (13, 14)]
    text = said(analysed(f"run={write(tmp_path / 'rollouts.jsonl', rows + silent + broken)}"))
    assert (
        "Of the 7 failures of run, only 3 are judged failures of an agent that ran; 2 were broken off by "
        "infrastructure and 2 have no verifier result for unknown reasons (11 and 12)." in text
    )
    text = said(analysed(f"run={write(tmp_path / 'rollouts.jsonl', rows + silent[:1])}"))
    assert (
        "1 failed rollout of run (11) has no verifier result, unlike other rows, for unknown reasons: whether it "
        "was judged is unknown." in text
    )


@pytest.mark.parametrize(("lost", "told_lost"), [(8, True), (4, False)])
def test_an_attempt_that_was_mostly_lost_is_named(lost: int, told_lost: bool, tmp_path: Path) -> None:
    rows = [timed(acted(task, 0, 1.0), f"2026-03-01T10:00:0{task % 10}Z") for task in range(12)]
    rows += [timed(row(task, 1, 0.0, **told(tests={})), None) for task in range(lost)]
    rows += [timed(acted(task, 1, 1.0), "2026-03-02T11:00:00Z") for task in range(lost, 12)]
    text = said(analysed(f"run={write(tmp_path / 'rollouts.jsonl', rows)}"))
    assert (f"Attempt 1 of run was mostly lost: {lost} of its 12 rollouts never ran" in text) is told_lost
    assert ("and none starts after 2026-03-02T11:00:00." in text) is told_lost


def test_attempts_that_were_lost_alike_are_not_one_lost_attempt(tmp_path: Path) -> None:
    rows = [timed(acted(task, attempt, 1.0), "2026-03-01T10:00:00Z") for task in range(4) for attempt in range(2)]
    rows += [timed(row(task, attempt, 0.0, **told(tests={})), None) for task in range(4, 8) for attempt in range(2)]
    assert "was mostly lost" not in said(analysed(write(tmp_path / "rollouts.jsonl", rows)))


def test_the_run_that_lost_most_comes_first_and_the_tables_keep_their_order(tmp_path: Path) -> None:
    little, much = (
        [timed(acted(task, 0, 1.0), "2026-03-01T10:00:00Z") for task in range(lost, 12)]
        + [timed(row(task, 0, 0.0, **told(tests={})), None) for task in range(lost)]
        for lost in (2, 4)
    )
    text = said(analysed(f"little={write(tmp_path / 'a.jsonl', little)}", f"much={write(tmp_path / 'b.jsonl', much)}"))
    assert "| >little | >much" in text
    assert text.index("4 rollouts of much") < text.index("2 rollouts of little")
    assert text.count("Only the judged ones measure the model.") == 1


def test_a_run_that_lost_nothing_has_no_such_section(tmp_path: Path) -> None:
    rows = [acted(task, attempt, float(task % 2)) for task in range(6) for attempt in range(2)]
    assert attempt_audit.build(analysed(write(tmp_path / "rollouts.jsonl", rows))) == []


def test_the_denominator_says_which_rows_are_no_attempts(tmp_path: Path) -> None:
    rows = [row(task, 0, float(task % 2)) for task in range(6)]
    run = analysed(write(tmp_path / "rollouts.jsonl", rows)).runs[0]
    lost = replace(run, audit={**run.audit, "no_trial": 2, "not_started": 1})
    assert denominator._never_ran(run) == []
    (sentence,) = denominator._never_ran(lost)
    assert sentence.text == (
        "These counts are of rows; as attempts of the model 2 never ran and 1 never started the agent (see What "
        "Really Ran)."
    )
    assert "started | 6\nfinished | 6\ngraded | 6" in words([denominator._chain([run])])
    assert "rows and recorded failures | 6\nrows | 6\nrows with a score | 6" in words([denominator._chain([lost])])


def test_the_buckets_over_judged_attempts_stand_beside_those_as_reported(tmp_path: Path) -> None:
    """Tasks 0 to 5 pass or fail in both attempts; task 0 lost its second one, so that it is sure and not unsure."""
    rows = half_void(VOCABULARIES["queue"])
    rows[3] = rows[3] | {"verifier": {"test_results": None, "error": "evaluation timed out"}, "reward": 0.0}
    analysis = analysed(f"run={write(tmp_path / 'rollouts.jsonl', rows)}")
    text = words(task_outcome_buckets.build(analysis))
    assert "always | 2\nsometimes | 1\nnever | 9\nmissing | 0" in text
    assert (
        "Counting only attempts that ran and were judged; “missing” are tasks without any:\nBucket | >run\nalways | 3\n"
        "sometimes | 0\nnever | 3\nmissing | 6"
    ) in text


def test_a_verifier_that_left_no_results_did_not_finish(tmp_path: Path) -> None:
    rows = [acted(task, 0, 1.0) for task in range(10)]
    for task in range(10, 14):
        log = "unpacking wheels\nfetching part 3 of 9 from mirror"
        late = {"test_results": None, "log": log, "error": "evaluation timed out"}
        rows.append(acted(task, 0, 0.0) | {"verifier": late})
    assert (
        "The verifier came to no verdict: its log stops at “fetching part 3 of 9 from mirror” in 4 rollouts of 4"
        in said(analysed(f"run={write(tmp_path / 'rollouts.jsonl', rows)}"))
    )


def test_lines_that_differ_in_a_figure_are_not_told_as_one_line(tmp_path: Path) -> None:
    rows = [acted(task, 0, 1.0) for task in range(10)]
    for task in range(10, 14):
        log = f"unpacking wheels\nfetching part {task} of 19 from mirror"
        late = {"test_results": None, "log": log, "error": "evaluation timed out"}
        rows.append(acted(task, 0, 0.0) | {"verifier": late})
    analysis = analysed(f"run={write(tmp_path / 'rollouts.jsonl', rows)}")
    line = "“fetching part … of 19 from mirror” in 4 rollouts of 4"
    assert f"its log stops at {line}" in said(analysis)


def test_a_run_that_lost_little_is_still_a_measure(tmp_path: Path) -> None:
    rows = [timed(acted(task, 0, float(task % 2)), f"2026-03-01T10:00:{task:02}Z") for task in range(38)]
    rows += [timed(row(task, 0, 0.0, **told(tests={})), None) for task in range(38, 40)]
    text = said(analysed(f"run={write(tmp_path / 'rollouts.jsonl', rows)}"))
    assert "Of 40 rollouts, 38 launched and 38 were judged" in text
    assert "had passed. The reported score is 47.5% (19 of 40)." in text


def test_rollouts_without_a_score_count_0_among_all(tmp_path: Path) -> None:
    rows = [acted(task, 0, float(task < 6)) for task in range(8)]
    rows += [acted(task, 0, 0.0) | {"reward": None, "verifier": {"test_results": None}} for task in (8, 9)]
    analysis = analysed(f"run={write(tmp_path / 'rollouts.jsonl', rows)}")
    text = said(analysis)
    assert "all rollouts | 6 of 10 (60.0%)" in text, text
    assert "rollouts that were judged | 6 of 8 (75.0%)" in text
    assert "The mean reward is 60.0% with the 2 void rollouts of this run, 75.0% without." in words(
        benchmark_health.build(analysis)
    )
    others = [acted(task, 0, float(task < 5)) for task in range(10)]
    both = analysed(f"run={tmp_path / 'rollouts.jsonl'}", f"other={write(tmp_path / 'other.jsonl', others)}")
    (board,) = (block for block in executive_summary.build(both) if isinstance(block, Table))
    cells = [[cell if isinstance(cell, str) else cell.text for cell in line] for line in board.rows]
    shown = {line[0]: line for line in cells}
    assert (shown["run"][1], shown["run"][-1]) == ("75.0%", "60.0%")
    assert (shown["other"][1], shown["other"][-1]) == ("50.0%", "50.0%")


def test_a_run_of_which_few_rows_keep_a_transcript_is_not_said_to_keep_none(tmp_path: Path) -> None:
    """Two of thirty rows show turns: what the model did there can be read."""
    rows = [row(task, 0, float(task % 2), **told()) for task in range(28)]
    rows += [acted(task, 0, float(task % 2)) for task in (28, 29)]
    text = said(analysed(f"run={write(tmp_path / 'rollouts.jsonl', rows)}"))
    assert "Only 2 of 30 rows of run record what the model did: of the others no step is known" in text


@pytest.mark.parametrize(
    ("fails", "told"),
    [
        (0, "Of the 1 failure of run, none is a judged failure of an agent that ran; 1 was broken off by"),
        (1, "Of the 2 failures of run, only 1 is a judged failure of an agent that ran; 1 was broken off by"),
    ],
)
def test_one_and_none_are_told_in_the_singular(tmp_path: Path, fails: int, told: str) -> None:
    rows = [row(task, 0, float(task >= fails)) for task in range(8)]
    rows.append(row(8, 0, 0.0, error="HTTP 503: service unavailable"))
    assert told in words(attempt_audit.build(analysed(f"run={write(tmp_path / 'a.jsonl', rows)}")))


def test_of_a_line_that_is_nearly_all_figures_one_row_is_quoted(tmp_path: Path) -> None:
    rows = [acted(task, 0, 1.0) for task in range(10)]
    for task in range(10, 14):
        late = {"test_results": None, "log": f"start\n{task}% [{task} kB/19 kB]", "error": "evaluation timed out"}
        rows.append(acted(task, 0, 0.0) | {"verifier": late})
    words = said(analysed(f"run={write(tmp_path / 'rollouts.jsonl', rows)}"))
    assert "“10% [10 kB/19 kB]” in 4 rollouts" in words

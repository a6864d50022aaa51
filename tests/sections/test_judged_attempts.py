"""Attempts that did not run or were not judged are not told as failures of the run, in any table of tasks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.counting.audit.test_attempts import VOCABULARIES, acted, half_void
from tests.gym_rows import Json, analysed, message, response, row, write
from tests.questions.made_cases import words

import blade
from blade.document import Heading
from blade.model import Analysis
from blade.sections import (
    attempt_audit,
    cross_model_comparison,
    dominant_failure_modes,
    recommendations,
    task_outcome_buckets,
)

LOST = {"error": "Connection refused: the sandbox could not be reached", "response": None, "expected_answer": None}


def _judged(task: int, attempt: int, reward: float) -> Json:
    return row(task, attempt, reward, verifier={"results": {"total": bool(reward)}})


def _rows(lost: bool) -> Iterator[Json]:
    """Task 0 passes but for a lost attempt, 1 wavers, 2 never passes, 3 is lost; 4 to 9 pass."""
    for attempt in range(4):
        gone = lost and attempt == 3
        yield row(0, attempt, 0.0, **LOST) if gone else _judged(0, attempt, 1.0)
        yield _judged(1, attempt, float(attempt == 0))
        yield _judged(2, attempt, 0.0)
        yield row(3, attempt, 0.0, **LOST) if lost else _judged(3, attempt, 1.0)
        yield from (_judged(task, attempt, 1.0) for task in range(4, 10))


@pytest.fixture(scope="module")
def analysis(tmp_path_factory: pytest.TempPathFactory) -> Analysis:
    folder = tmp_path_factory.mktemp("judged")
    names = ("whole", "again", "lossy")
    paths = [write(folder / f"{name}.jsonl", _rows(name == "lossy")) for name in names]
    return analysed(*paths)


def test_tasks_that_waver_only_by_loss_and_tasks_without_a_verdict_are_told_apart(analysis: Analysis) -> None:
    text = words(task_outcome_buckets.build(analysis))
    assert "1 more task of lossy passes in every judged attempt" in text
    assert "Never passed by lossy: 2." in text
    assert "No attempt of lossy was judged on 1 task, which does not measure the model: 3." in text
    assert "1 | 1 of 4" in text


def test_runs_are_held_against_each_other_by_judged_attempts(analysis: Analysis) -> None:
    text = words(cross_model_comparison.build(analysis))
    assert "0 of 4" not in text
    assert "3 | 4 of 4" not in text  # lost in one run, passed in the others: they do not differ there


def test_tasks_that_ran_and_were_never_judged_are_told_with_what_others_make_of_them(analysis: Analysis) -> None:
    text = words(attempt_audit.build(analysis))
    assert "no attempt was judged (none of 4 rollouts has a verdict)" in text
    assert "; whole passes 4 of 4 judged there" in text
    assert text.count("no attempt was judged") == 1
    assert not any(line in {"", "-"} for line in text.splitlines())
    assert "Its zero does not measure the agent; " in text


def test_a_task_with_one_attempt_is_not_told_twice(tmp_path: Path) -> None:
    rows = [_judged(task, 0, float(task % 2)) for task in range(8)] + [row(8, 0, 0.0, **LOST)]
    text = words(attempt_audit.build(analysed(f"run={write(tmp_path / 'run.jsonl', rows)}")))
    assert "1 rollout of run (1 task)" in text
    assert "no attempt was judged" not in text


def test_a_way_of_failing_that_the_status_tells_is_shown_by_what_its_rows_say(tmp_path: Path) -> None:
    """One rollout's field would speak for all of them; what most say, with its count, does not."""
    path = write(tmp_path / "rollouts.jsonl", half_void(VOCABULARIES["shell"]))
    text = words(dominant_failure_modes.build(analysed(path)))
    assert "The rows say “the agent never started: " in text
    assert "” in 12. Most affected tasks" in text


def test_a_deep_dive_says_what_its_label_rests_on(analysis: Analysis) -> None:
    story = next(story for story in analysis.stories if story["task"] == "1")
    assert story["why"]
    assert f"Label: {story['label'][0]} (" in blade.render(blade.report(analysis))


@pytest.fixture(scope="module")
def half_lost(tmp_path_factory: pytest.TempPathFactory) -> Analysis:
    """Two whole runs, and one of which half of the rollouts never started."""
    folder = tmp_path_factory.mktemp("half")
    whole = [acted(task, attempt, float(task % 3 > 0)) for task in range(12) for attempt in range(2)]
    lossy = [acted(task, attempt, float(task < 9)) for task in range(12) for attempt in range(2)]
    lossy[:4] = [row(task, attempt, 0.0, **LOST) for task in range(2) for attempt in range(2)]
    rows = {"whole": whole, "lossy": lossy, "void": half_void(VOCABULARIES["shell"])}
    return analysed(*(f"{name}={write(folder / f'{name}.jsonl', lines)}" for name, lines in rows.items()))


def test_a_run_whose_score_is_no_measure_has_no_rank(half_lost: Analysis) -> None:
    text = words(cross_model_comparison.build(half_lost))
    assert ">Judged rollouts only, on all its tasks" in text
    (line,) = [line for line in text.splitlines() if line.startswith("void | ")]
    assert line.startswith("void | 25.0% | 50.0% | not ranked | ")
    assert "lost too many rollouts to be ranked" in text


def test_what_to_change_is_told_for_the_runs_before_the_last(half_lost: Analysis) -> None:
    assert {item.run for item in half_lost.interventions} == {"void"}
    assert {item.run for item in half_lost.other_interventions} >= {"lossy"}
    told = words(recommendations.build(half_lost))
    assert "Fix or retry the infrastructure, and run these rollouts again. Rollouts of this mode: " in told
    assert "lossy 4" in told
    assert "What to change in void" not in told


def test_failures_of_a_way_that_another_change_counts_are_told_beside_it(half_lost: Analysis) -> None:
    beside = "Other such rollouts are counted under another change or have to be read first: "
    assert beside not in words(recommendations.build(half_lost))
    others = tuple(replace(item, elsewhere=3 * (item.run == "lossy")) for item in half_lost.other_interventions)
    assert f"{beside}lossy 3." in words(recommendations.build(replace(half_lost, other_interventions=others)))


def test_attempts_that_fail_the_same_checks_in_another_way_are_told(tmp_path: Path) -> None:
    """Two are cut off, the third answers: all three fail the one check."""

    def checked(attempt: int, *, passed: bool = False, **fields: Any) -> Json:
        checks = {"test_one": "passed", "test_two": "passed" if passed else "failed"}
        return row(0, attempt, float(passed), verifier={"results": checks}, expected_answer=None, **fields)

    cut = response(message("It is"), status="incomplete", incomplete_details={"reason": "max_output_tokens"})
    rows = [checked(0, passed=True), checked(1, response=cut), checked(2, response=cut), checked(3)]
    rows += [_judged(task, attempt, 1.0) for task in range(1, 5) for attempt in range(4)]
    analysis = analysed(write(tmp_path / "run.jsonl", rows))
    (story,) = analysis.stories
    assert (story["agree"], story["failed"], story["others_same_checks"]) == (2, 3, True)
    told = blade.render(blade.report(analysis))
    assert "2 of 3 failing attempts go wrong this way; the other fails the same checks." in told


LATE = "agent_timeout"


def limited(error: str, folder: Path) -> Analysis:
    """Task 0 sometimes passes; its failures bear the word for a time limit and end their tests with this error."""

    def one(attempt: int) -> Json:
        log = f"session starts\nTraceback (most recent call last):\nE   {error}\n1 failed"
        verifier = {"results": {"test_kiln": "failed"}, "failure_mode": LATE, "log": log}
        return row(0, attempt, 0.0, verifier=verifier, expected_answer=None, extracted_answer=None)

    good = {"results": {"test_kiln": "passed"}, "failure_mode": "unset", "log": "session starts\n1 passed"}
    fine = [
        row(task, attempt, 1.0, verifier=good, expected_answer=None)
        for task in range(6)
        for attempt in range(2 + 2 * bool(task))
    ]
    return analysed(write(folder / "run.jsonl", [*fine, one(2), one(3)]))


@pytest.mark.parametrize("error", ["RuntimeError: the glaze of pot 4 does not fit", "AssertionError: pot 4 is cracked"])
def test_a_story_of_a_time_limit_begins_with_the_error_of_the_work(error: str, tmp_path: Path) -> None:
    analysis = limited(error, tmp_path)
    (story,) = analysis.stories
    assert (story["mode"], story["agree"], story["fix"]) == (LATE, 2, None)
    assert story["wrong"]["quote"].endswith(error)
    assert LATE in story["limit"]
    told = blade.render(blade.report(analysis))
    assert "so that more time alone may not help; besides, the agent's time ran out" in told
    assert "Raise the limit" not in told


@pytest.mark.parametrize(
    "error", ["FileNotFoundError: no such file: 'pot.txt'", "AssertionError: pot.txt does not exist"]
)
def test_what_is_not_there_yet_may_come_of_the_limit(error: str, tmp_path: Path) -> None:
    (story,) = limited(error, tmp_path).stories
    assert story["limit"] is None
    assert story["wrong"]["detector"] == LATE
    assert (story["fix"] or "").startswith("Raise the limit")


def test_failures_of_one_shape_at_different_checks_are_not_told_as_one(tmp_path: Path) -> None:
    def checked(attempt: int, *failed: str) -> Json:
        checks = {name: "failed" if name in failed else "passed" for name in ("test_one", "test_two", "test_three")}
        return row(0, attempt, float(not failed), verifier={"results": checks}, expected_answer=None)

    rows = [checked(0), checked(1, "test_one"), checked(2, "test_two", "test_three")]
    rows += [_judged(task, attempt, 1.0) for task in range(1, 5) for attempt in range(3)]
    analysis = analysed(write(tmp_path / "run.jsonl", rows))
    (story,) = analysis.stories
    assert (story["agree"], story["failed"], story["same_checks"]) == (2, 2, False)
    assert "Both failing attempts go wrong this way, though not all fail the same checks." in blade.render(
        blade.report(analysis)
    )


def test_of_many_runs_what_never_passes_stands_before_the_tasks_that_sometimes_do(tmp_path: Path) -> None:
    """Under a heading "sometimes" nothing else may stand."""
    rows = [row(task, attempt, float(task > 2 and attempt < task % 3)) for task in range(9) for attempt in range(2)]
    runs = [f"{name}={write(tmp_path / f'{name}.jsonl', rows)}" for name in ("one", "two", "three")]
    blocks = task_outcome_buckets.build(analysed(*runs))
    first = next(place for place, block in enumerate(blocks) if isinstance(block, Heading))
    assert words(blocks[:first]).count("Never passed by ") == 3
    assert "Never passed by " not in words(blocks[first:])


def test_runs_without_a_transcript_share_one_sentence(tmp_path: Path) -> None:
    rows = [row(task, 0, float(task % 2), response=response()) for task in range(12)]
    spoken = [row(task, 0, float(task % 2)) for task in range(12)]
    mute = [f"{name}={write(tmp_path / f'{name}.jsonl', rows)}" for name in ("one", "two")]
    text = words(attempt_audit.build(analysed(*mute)))
    assert text.count("No row of any run records what the model did") == 1
    text = words(attempt_audit.build(analysed(*mute, f"three={write(tmp_path / 'three.jsonl', spoken)}")))
    assert "The rows of one and two do not record what the model did: " in text

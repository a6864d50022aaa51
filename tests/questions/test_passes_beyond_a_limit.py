"""Other runs that pass the cut tasks beyond the limit show that a higher one helps."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.gym_rows import Json, analysed, message, response, row, write
from tests.questions.made_cases import called, words

from blade.model import Analysis
from blade.questions import more_room
from blade.summary.limit_advice import limit_advice

LIMIT = 10


def rollout(task: int, turns: int, agent: str, *, passed: bool, cut: bool = False) -> Json:
    parts = [item for place in range(turns - 1) for item in called("look", {"at": f"door {place}"}, "a door")]
    reason = {"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}} if cut else {}
    output = response(*parts, message(f"Seen {task} in {turns}."), **reason)
    plain: Json = {"expected_answer": None, "extracted_answer": None, "agent_ref": {"name": agent}}
    return row(task, reward=float(passed), response=output, **plain)


def short_rows(cut_passes: int = 0) -> list[Json]:
    rows = [rollout(task, 2 + task % 3, "short", passed=True) for task in range(24)]
    cut = [rollout(task, LIMIT, "short", passed=task < 24 + cut_passes, cut=True) for task in range(24, 34)]
    return rows + cut


def with_other_run(folder: Path, beyond: int, within: int, *, turns: int = 14, cut_passes: int = 0) -> Analysis:
    """A run that ten tasks cut, and one that passes some of these in more turns and some in fewer."""
    rows = [rollout(task, 2 + task % 4, "long", passed=True) for task in range(24)]
    for place in range(10):
        passed, longer = place < beyond + within, place < beyond
        rows.append(rollout(24 + place, turns if longer else 6, "long", passed=passed))
    return analysed(write(folder / "short.jsonl", short_rows(cut_passes)), write(folder / "long.jsonl", rows))


def of_short(analysis: Analysis) -> dict[str, Any]:
    answer = analysis.investigation["more_room"]
    (entry,) = [entry for entry in answer["runs"] if entry["run"] == "short"]
    assert (entry["measure"], entry["limit"]["value"]) == ("acts", LIMIT)
    elsewhere: dict[str, Any] = entry["limit"]["elsewhere"]
    return elsewhere


HELPS = "there a higher limit helps."
ESTIMATE = "so a higher limit would hardly help."


@pytest.mark.parametrize(
    ("beyond", "within", "helps"),
    [(6, 0, True), (3, 0, True), (2, 0, False), (3, 3, True), (3, 4, False), (4, 4, True), (0, 6, False)],
)
def test_several_passes_mostly_beyond_the_limit_show_it(
    tmp_path: Path, beyond: int, within: int, *, helps: bool
) -> None:
    analysis = with_other_run(tmp_path, beyond, within)
    passes = beyond + within
    assert of_short(analysis) == {"rollouts": 10, "passes": passes, "beyond": beyond}
    answer = analysis.investigation["more_room"]
    text = words(more_room.tell(answer))
    sentence = (
        f"At the tasks in which it cut failures the other runs pass {passes} of 10 rollouts, {beyond} of them with "
        f"more than 10 turns of the model: {HELPS}"
    )
    assert (sentence in text) is helps
    assert (HELPS in text) is helps
    assert (ESTIMATE in text) is not helps
    assert ("short" in more_room.room(answer)) is not helps


def test_who_passes_at_the_limit_does_not_go_beyond_it(tmp_path: Path) -> None:
    assert of_short(with_other_run(tmp_path / "at", 6, 0, turns=LIMIT))["beyond"] == 0
    assert of_short(with_other_run(tmp_path / "beyond", 6, 0, turns=LIMIT + 1))["beyond"] == 6


def test_tasks_in_which_a_cut_rollout_passes_are_not_asked_about(tmp_path: Path) -> None:
    analysis = with_other_run(tmp_path, 6, 0, cut_passes=2)
    assert of_short(analysis) == {"rollouts": 8, "passes": 4, "beyond": 4}


def test_one_run_alone_has_no_others(tmp_path: Path) -> None:
    analysis = analysed(write(tmp_path / "short.jsonl", short_rows()))
    assert of_short(analysis) == {"rollouts": 0, "passes": 0, "beyond": 0}
    assert ESTIMATE in words(more_room.tell(analysis.investigation["more_room"]))


@pytest.mark.parametrize(("beyond", "hardly"), [(0, True), (1, False)])
def test_one_pass_beyond_it_takes_back_that_more_would_hardly_help(
    tmp_path: Path, beyond: int, *, hardly: bool
) -> None:
    """Half of the failures end by themselves, so that the limit is not how nearly all of them end."""
    rows = short_rows() + [rollout(task, 3, "short", passed=False) for task in range(34, 44)]
    longer = [rollout(24 + place, 14 if place < beyond else 6, "long", passed=place < beyond) for place in range(10)]
    longer += [rollout(task, 2 + task % 4, "long", passed=True) for task in range(24)]
    analysis = analysed(write(tmp_path / "short.jsonl", rows), write(tmp_path / "long.jsonl", longer))
    (run,) = [run for run in analysis.runs if run.name == "short"]
    text = " ".join(sentence.text for sentence in limit_advice(run, analysis))
    assert ("A higher limit would hardly help short: 10 rollouts" in text) is hardly
    assert ("Check whether the limit is too low for short: 10 rollouts" in text) is not hardly

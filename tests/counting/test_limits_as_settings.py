"""What a run is allowed is a setting, whatever it counts; what came of it is none."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.gym_rows import Json, analysed, message, read, request, response, row, write
from tests.questions.made_cases import case, words

from blade.counting.row_settings import row_settings
from blade.diagnosis.cases import RunCases
from blade.questions import same_configuration
from blade.sections import score_change

TASKS = 24
SYSTEM = {"role": "system", "type": "message", "content": "Answer with a number."}


def _rows(passes: int, **fields: Any) -> list[Json]:
    made = []
    for task in range(TASKS):
        asked = request(f"What is {task} and {task}?")
        asked["input"].insert(0, SYSTEM)
        spoken = response(message(f"After {passes} I say {task}."))
        made.append(row(task, 0, float(task < passes), response=spoken, responses_create_params=asked, **fields))
    return made


def _settings(folder: Path, fields: Json, last: Json | None = None) -> Json:
    """The settings of a run whose rows all have these fields; the last one may have others."""
    rows = _rows(12, **fields)
    rows[-1] |= last or {}
    (run,) = read(write(folder / "rollouts.jsonl", rows))
    return {
        name: value for name, value in row_settings(run.columns, run.facts.height).items() if "agent_ref" not in name
    }


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("max_turns", 30),
        ("maxTurns", 30),
        ("turn_limit", 30),
        ("cost_budget", 2.5),
        ("token_quota", 4000),
        ("retries_allowed", 0),
        ("attempt_cap", 2),
    ],
)
def test_a_number_that_is_allowed_is_a_setting(tmp_path: Path, name: str, value: float) -> None:
    assert _settings(tmp_path, {"steps": {name: value}}) == {f"steps.{name}": value}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("turns", 3),
        ("turn_limit_reached", 1),
        ("turn_limit_hit", 0),
        ("limit_hit", 1),
        ("max_tokens_used", 900),
        ("token_budget_left", 90),
        ("cost_over_limit", 0.5),
        ("max_turns_taken", 7),
        ("retries_remaining", 1),
        ("max_turns", "thirty"),
        ("max_turns", True),
    ],
)
def test_what_came_of_a_limit_and_what_is_no_number_is_none(tmp_path: Path, name: str, value: Any) -> None:
    assert _settings(tmp_path, {"steps": {name: value, "mode": "plain"}}) == {"steps.mode": "plain"}


@pytest.mark.parametrize(("name", "value"), [("limit_reached", True), ("budget_exceeded", False)])
def test_a_flag_that_a_limit_was_reached_is_none(tmp_path: Path, name: str, value: Any) -> None:
    assert _settings(tmp_path, {"steps": {name: value, "mode": "plain"}}) == {"steps.mode": "plain"}


def test_a_limit_of_the_verdict_or_beside_all_fields_or_of_some_rows_is_none(tmp_path: Path) -> None:
    assert _settings(tmp_path, {"verifier": {"max_turns": 30}, "max_turns": 30}) == {}
    again = tmp_path / "again"
    assert _settings(again, {"steps": {"max_turns": 30}}, {"steps": {"max_turns": 60}}) == {}


def test_runs_with_other_limits_differ_in_that_setting(tmp_path: Path) -> None:
    short = write(tmp_path / "short.jsonl", _rows(6, steps={"max_turns": 30, "turns": 4}))
    long = write(tmp_path / "long.jsonl", _rows(18, steps={"max_turns": 60, "turns": 5}))
    told = words(score_change.build(analysed(short, long)))
    assert "steps.max_turns | 30 | 60 | the treatment" in told
    assert "steps.turns" not in told
    assert not same_configuration(*(RunCases(run, ()) for run in read(short, long)))


def test_runs_with_the_same_limits_are_repeats_whatever_came_of_them(tmp_path: Path) -> None:
    paths = [
        write(tmp_path / f"{name}.jsonl", _rows(passes, steps={"max_turns": 30, "turns": passes}))
        for name, passes in (("one", 6), ("two", 18))
    ]
    assert same_configuration(*(RunCases(run, ()) for run in read(*paths)))
    assert "steps." not in words(score_change.build(analysed(*paths)))


@pytest.mark.parametrize(
    ("cut", "whole", "alike"),
    [
        ([1500] * 10, [900] * 30 + [2000] * 9, False),
        ([1500] * 10, [900] * 30 + [2000] * 3, True),  # hardly anything goes beyond
        ([100 * place for place in range(1, 16)], [900] * 30 + [2000] * 9, True),  # no length at which they end
    ],
)
def test_a_run_whose_tools_are_cut_at_a_length_is_no_repeat_of_one_that_goes_beyond(
    tmp_path: Path, cut: list[int], whole: list[int], alike: bool
) -> None:
    runs = read(*(write(tmp_path / f"{name}.jsonl", _rows(passes)) for name, passes in (("one", 6), ("two", 18))))
    cases = [
        tuple(case(task, passed=True, observed={"longest_output": [length, 1]}) for task, length in enumerate(lengths))
        for lengths in (cut, whole)
    ]
    both = [RunCases(run, own) for run, own in zip(runs, cases, strict=True)]
    assert same_configuration(*both) is alike
    assert same_configuration(*reversed(both)) is alike

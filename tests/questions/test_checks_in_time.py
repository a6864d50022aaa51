"""A check that fails in one stretch of time alone, at tasks whose other attempts meet it, follows no work."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from tests.gym_rows import Json, analysed, row, write
from tests.questions.made_cases import case, run_of, words

from blade.diagnosis.cases import Case, RunCases
from blade.questions import checks_in_time

FIRST, STEP = 1_700_000_000.0, 600.0
"""2023-11-14 22:13 in universal time, and ten minutes."""
SHAPE = "........FFFFFF.........."
TASKS = 12
DATE, LID = "date_is_today", "lid_fits"


def attempts_at(pattern: str, tasks: int = TASKS, check: str = DATE) -> list[Case]:
    """A rollout per letter, the tasks in turn; with F the check fails, with - the rollout has no such check."""
    made: list[Case] = []
    for place, letter in enumerate(pattern):
        attempt, task = divmod(place, tasks)
        rollout = case(task, passed=letter != "F", attempt=attempt)
        rollout.checks_json = json.dumps({LID: True} if letter == "-" else {LID: True, check: letter != "F"})
        made.append(rollout)
    return made


def timed(name: str, rollouts: Sequence[Case], times: Sequence[float | None] | None = None) -> RunCases:
    run = run_of(name, rollouts)
    seconds = [FIRST + STEP * place for place in range(len(rollouts))] if times is None else times
    run.run.graded = run.run.graded.with_columns(pl.Series("created_at", seconds, dtype=pl.Float64))
    return run


def answer_to(pattern: str, tasks: int = TASKS) -> list[Json] | None:
    answer = checks_in_time.ask([timed("jars", attempts_at(pattern, tasks))])
    return None if answer is None else answer["checks"]


def test_the_stretch_is_told_with_its_times_and_tasks_and_what_lies_outside() -> None:
    answer = checks_in_time.ask([timed("jars", attempts_at(SHAPE))])
    assert answer == {
        "checks": [
            {
                "run": "jars",
                "check": DATE,
                "from": FIRST + 8 * STEP,
                "to": FIRST + 13 * STEP,
                "failures": 6,
                "rollouts": 6,
                "other_failures": 0,
                "others": 18,
                "alone": 6,
                "tasks": ["0", "1", "8", "9", "10", "11"],
                "p": 0.001,
            }
        ]
    }
    sentence = (
        "“date_is_today” fails in 6 of the 6 rollouts of jars between 2023-11-14 23:33 and 2023-11-15 00:23 "
        "(0, 1, 8, 9, 10 and 11), in 6 of them as the only check, and in 0 of its 18 others: what else happened then "
        "decides it."
    )
    assert words(checks_in_time.tell(answer)) == sentence
    assert [line.text for line in checks_in_time.brief(answer)] == [sentence]


def test_the_step_names_the_check_and_the_time() -> None:
    answer = checks_in_time.ask([timed("jars", attempts_at(SHAPE))])
    assert answer is not None
    (step,) = checks_in_time.advise(answer)
    assert step.kind == "verifier"
    assert step.change == (
        "Find out what changed for “date_is_today” at that time (a clock, a date, a service), take it out of the "
        "check, and judge these again"
    )
    assert step.because.text == "6 rollouts fail it between 2023-11-14 23:33 and 2023-11-15 00:23."
    assert (step.rollouts, step.sure, step.before_scores) == (6, 0.6, True)


def test_what_passes_inside_and_fails_outside_is_counted_apart() -> None:
    pattern = "...F......FFFF.FFFF....................F"
    entries = answer_to(pattern, tasks=20)
    assert entries is not None
    (entry,) = entries
    assert (entry["failures"], entry["rollouts"], entry["other_failures"], entry["others"]) == (8, 9, 2, 31)
    assert entry["tasks"] == ["10", "11", "12", "13", "15", "16", "17", "18"]
    text = words(checks_in_time.tell({"checks": entries}))
    assert "fails in 8 of the 9 rollouts of jars" in text
    assert "and in 2 of its 31 others" in text


@pytest.mark.parametrize(
    ("pattern", "tasks", "is_told"),
    [
        (SHAPE.replace("F", "."), 12, False),
        ("." * 12 + "FFFF.FFFF" + "." * 17, 19, True),  # 8 of 9 inside
        ("." * 12 + "FFF.FF.FF.FFF" + "." * 17, 21, False),  # 10 of 13 inside
        ("F.........F...." + "FFFFFFFF" + ".....F.........F.........", 24, True),  # 4 of 40 outside
        ("F.........F...." + "FFFFFFFF" + ".....F....F....F.........", 24, False),  # 5 of 40 outside
        ("....FFFFFF..", 6, True),
        (".....FFF....", 6, False),  # p = 0.03
        ("...FFFFFF..", 6, False),  # eleven rollouts
        ("....FFFFFF.-", 6, False),  # eleven that have the check
        ("....FFFFFF..-", 6, True),
        (SHAPE, 3, True),
        (SHAPE, 2, False),  # two tasks
    ],
)
def test_only_a_stretch_of_several_tasks_that_stands_out(pattern: str, tasks: int, *, is_told: bool) -> None:
    assert (answer_to(pattern, tasks) is not None) is is_told


@pytest.mark.parametrize(("met", "is_told"), [(3, True), (2, False)])
def test_at_least_half_of_the_tasks_meet_the_check_at_another_time(met: int, *, is_told: bool) -> None:
    rollouts = attempts_at("." * 8 + "FFFFFF" + "." * 10, tasks=24)
    rollouts += attempts_at("-" * 8 + "." * met + "-" * 10, tasks=24)
    assert (checks_in_time.ask([timed("jars", rollouts)]) is not None) is is_told


def test_attempts_of_another_run_meet_it_as_well() -> None:
    alone = attempts_at(SHAPE, tasks=24)
    assert checks_in_time.ask([timed("jars", alone)]) is None, "each task was tried once"
    both = [timed("jars", attempts_at(SHAPE, tasks=24)), timed("tins", attempts_at("." * 24, tasks=24))]
    answer = checks_in_time.ask(both)
    assert answer is not None
    assert [entry["run"] for entry in answer["checks"]] == ["jars"]


def test_the_order_is_that_of_time_and_not_of_the_file() -> None:
    rollouts = attempts_at(SHAPE)
    times: list[float | None] = [FIRST + STEP * place for place in range(len(rollouts))]
    shuffled = [(7 * place) % len(rollouts) for place in range(len(rollouts))]
    by_time = timed("jars", [rollouts[place] for place in shuffled], [times[place] for place in shuffled])
    answer = checks_in_time.ask([by_time])
    assert answer is not None
    assert (answer["checks"][0]["from"], answer["checks"][0]["failures"]) == (FIRST + 8 * STEP, 6)
    scattered = timed("jars", [rollouts[place] for place in shuffled], times)
    assert checks_in_time.ask([scattered]) is None


def test_without_a_time_on_every_row_nothing_is_told() -> None:
    rollouts = attempts_at(SHAPE)
    times: list[float | None] = [FIRST + STEP * place for place in range(len(rollouts))]
    assert checks_in_time.ask([timed("jars", rollouts, [*times[:-1], None])]) is None
    eleven = [FIRST + STEP * min(place, 10) for place in range(len(rollouts))]
    assert checks_in_time.ask([timed("jars", rollouts, eleven)]) is None
    twelve = [FIRST + STEP * max(place - 12, 0) for place in range(len(rollouts))]
    assert len(set(twelve)) == 12
    assert checks_in_time.ask([timed("jars", rollouts, twelve)]) is not None


def test_void_rollouts_are_left_out() -> None:
    rollouts = attempts_at(SHAPE)
    for rollout in rollouts[8:14]:
        rollout.stage_lost = "broken"
    assert checks_in_time.ask([timed("jars", rollouts)]) is None
    rollouts = attempts_at(SHAPE)
    rollouts[9].stage_lost = "broken"
    answer = checks_in_time.ask([timed("jars", rollouts)])
    assert answer is not None
    assert (answer["checks"][0]["failures"], answer["checks"][0]["rollouts"], answer["checks"][0]["others"]) == (
        5,
        5,
        18,
    )


def test_failures_with_another_failed_check_are_not_its_alone() -> None:
    rollouts = attempts_at(SHAPE)
    for place in (8, 10):
        rollouts[place].checks_json = json.dumps({LID: False, DATE: False})
    answer = checks_in_time.ask([timed("jars", rollouts)])
    assert answer is not None
    (entry,) = answer["checks"]
    assert (entry["failures"], entry["alone"]) == (6, 4)
    assert "in 4 of them as the only check" in words(checks_in_time.tell(answer))


def test_the_surest_check_stands_first_and_of_equals_the_one_with_more_failures() -> None:
    patterns = {
        "few": "." * 6 + "FFFF" + "." * 26,
        "noisy": "." * 18 + "FFFFF...F...F...F.",
        "many": "FFFFFFFFFF" + "." * 26,
    }
    rollouts = attempts_at("." * 36, tasks=18)
    for place, rollout in enumerate(rollouts):
        rollout.checks_json = json.dumps({name: pattern[place] == "." for name, pattern in patterns.items()})
    answer = checks_in_time.ask([timed("jars", rollouts)])
    assert answer is not None
    assert [(entry["check"], entry["failures"]) for entry in answer["checks"]] == [
        ("many", 10),
        ("few", 4),
        ("noisy", 5),
    ]
    assert answer["checks"][0]["p"] == answer["checks"][1]["p"] < answer["checks"][2]["p"]
    (first,) = checks_in_time.brief(answer)
    assert first.text.startswith("“many” fails in 10 of the 10")
    paths = [fact.proof["args"]["path"] for fact in first.facts]
    assert {tuple(path[:-1]) for path in paths} == {("investigation", "checks_in_time", "checks", 0)}
    assert len(words(checks_in_time.tell(answer)).splitlines()) == 3
    assert [step.rollouts for step in checks_in_time.advise(answer)] == [10, 4, 5]


@pytest.mark.parametrize(("steady", "is_told"), [(39, True), (40, False)])
def test_of_very_many_checks_the_first_forty_are_looked_at(steady: int, *, is_told: bool) -> None:
    rollouts = attempts_at(SHAPE)
    for rollout in rollouts:
        rollout.checks_json = json.dumps(
            {f"steady {number}": True for number in range(steady)} | {DATE: rollout.checks[DATE]}
        )
    assert (checks_in_time.ask([timed("jars", rollouts)]) is not None) is is_told


def packed(place: int, letter: str) -> Json:
    attempt, task = divmod(place, TASKS)
    rollout = row(
        task, attempt, float(letter == "."), checks={LID: "passed", DATE: "passed" if letter == "." else "failed"}
    )
    rollout["response"] |= {"created_at": FIRST + STEP * place}
    return rollout


def test_rows_of_a_file_are_asked_in_any_order(tmp_path: Path) -> None:
    rows = [packed(place, letter) for place, letter in enumerate(SHAPE)]
    path = write(tmp_path / "jars.jsonl", [rows[(7 * place) % len(rows)] for place in range(len(rows))])
    answer: Mapping[str, Any] = analysed(path).investigation["checks_in_time"]
    assert words(checks_in_time.tell(answer)).startswith(
        "“date_is_today” fails in 6 of the 6 rollouts of jars between 2023-11-14 23:33 and 2023-11-15 00:23 "
    )
    steady = [packed(place, letter) for place, letter in enumerate("." * len(SHAPE))]
    assert "checks_in_time" not in analysed(write(tmp_path / "steady.jsonl", steady)).investigation

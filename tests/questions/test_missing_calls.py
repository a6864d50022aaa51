"""Keys that list more calls than any rollout makes, and rollouts that pass by doing nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.detectors.attempts import attempt, call
from tests.gym_rows import Json, analysed, message, write
from tests.questions.made_cases import called, said, task_row, words

from blade.extract.wanted_calls import wanted_calls
from blade.questions import missing_calls

TWO: list[Json] = [{"kiln.fire": {"heat": [900, 950]}}, {"kiln.cool": {"hours": [2], "fan": ["", False]}}]


def test_a_call_agrees_with_a_key_that_lists_what_is_right() -> None:
    def record(*calls: Any, key: Any = None) -> Any:
        return wanted_calls(attempt(*calls, verifier={"accepted_answer": TWO if key is None else key}))

    assert record(call("kiln_fire", {"heat": 950})) == {"wanted_calls": [2, 1, 1]}
    assert record(call("kiln_cool", {"hours": 2})) == {"wanted_calls": [2, 1, 1]}
    assert record(call("kiln_fire", {"heat": 100})) == {"wanted_calls": [2, 1, 0]}
    assert record(call("kiln_fire", {"heat": 900, "lid": "on"})) == {"wanted_calls": [2, 1, 0]}
    assert record(call("kiln_cool", {})) == {"wanted_calls": [2, 1, 0]}
    assert record() == {"wanted_calls": [2, 0, 0]}
    assert record(call("kiln_fire", {"heat": 1}), call("kiln_cool", {})) == {}
    assert record(key=["red", "blue"]) == {}
    assert record(key=[{"colour": "red"}]) == {}


def _rows(*, calls: int, right: bool = True) -> list[Json]:
    """Ten tasks list two calls and twenty one; eight more want nothing done."""
    fire = called("kiln_fire", {"heat": 900 if right else 7}, "hot")
    both = [*fire, *called("kiln_cool", {"hours": 2}, "cold")]
    rows = [
        task_row(task, fire if calls == 1 else both, passed=calls > 1, verifier={"accepted_answer": TWO}, kind="both")
        for task in range(10)
    ]
    one = called("kiln_fire", {"heat": 900}, "hot")
    rows += [
        task_row(task, one, passed=task < 26, verifier={"accepted_answer": TWO[:1]}, kind="one")
        for task in range(10, 30)
    ]
    return rows + [task_row(task, [message("")], passed=task < 36, kind="rest") for task in range(30, 38)]


def _told(folder: Path, rows: list[Json]) -> str:
    answer = analysed(write(folder / "pots.jsonl", rows)).investigation.get("missing_calls")
    return words(missing_calls.tell(answer)) if answer else ""


def test_keys_that_list_more_calls_than_any_rollout_makes_are_told(tmp_path: Path) -> None:
    answer = analysed(write(tmp_path / "pots.jsonl", _rows(calls=1))).investigation["missing_calls"]
    told = words(missing_calls.tell(answer))
    assert (
        "No rollout of pots makes more than 1 call, and the keys of 10 tasks list 2 (0, 1, 2, 3, 4, 5, 6, 7 and 2 "
        "more): 0 of their 10 rollouts pass; in 10 of them all that is called agrees with the key. Calls are missing"
        in told
    )
    assert "On its other tasks pots passes 22 of 28 rollouts." in told
    (advice,) = missing_calls.advise(answer)
    assert (advice.kind, advice.rollouts, advice.sure) == ("harness", 10, missing_calls.SURE_OF_IT)
    (brief,) = missing_calls.brief(answer)
    assert brief.text == (
        "Many keys list more calls than any rollout makes: pots at most 1 call, 0 of 10 rollouts on 10 tasks pass, "
        "elsewhere 22 of 28."
    )


def test_wrong_calls_are_not_said_to_be_missing_ones(tmp_path: Path) -> None:
    told = _told(tmp_path, _rows(calls=1, right=False))
    assert "in 0 of them all that is called agrees with the key." in told
    assert "Calls are missing" not in told


def test_a_run_that_makes_as_many_calls_as_the_keys_list_has_no_ceiling(tmp_path: Path) -> None:
    assert "No rollout" not in _told(tmp_path, _rows(calls=2))


def test_passes_of_rollouts_that_do_nothing_are_told_with_where_they_lie(tmp_path: Path) -> None:
    told = _told(tmp_path, _rows(calls=2))
    assert "of 8 rollouts of pots without a call or a message 6 pass, all of them in kind = rest." in told
    screens = [task_row(task, [message("$ kiln", "user")], passed=True, kind="rest") for task in range(30, 38)]
    assert not _told(tmp_path, _rows(calls=2)[:30] + screens)
    spoken = _rows(calls=2)[:30] + [task_row(task, said("No."), passed=True, kind="rest") for task in range(30, 38)]
    assert not _told(tmp_path, spoken)

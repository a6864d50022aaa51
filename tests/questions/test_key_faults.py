"""Faults of the key: what the environment refuses, what doing nothing scores, what all runs do alike against it."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

from tests.gym_rows import Json, analysed, write
from tests.questions.made_cases import called, case, run_of, said, task_row, user, words

from blade.questions import key_faults


def _key(*actions: tuple[str, Json], answers: list[str] | None = None) -> Json:
    listed = [{"name": name, "arguments": arguments} for name, arguments in actions]
    return {"verifier": {"expected_actions": listed, "expected_outputs": answers or []}}


def _cancel(number: str, answer: Any = "ok") -> list[Json]:
    return called("cancel_order", {"order_id": number}, answer)


def _run(folder: Path, name: str, refused_passes: bool) -> Path:
    """Task 0: the key is refused; 1: nothing expected; 2: nothing but an answer; 3: all cancel another; 4: ordinary."""
    refused = _cancel("N1000", "Error: paid already") if refused_passes else _cancel("N1001")
    rows = [
        task_row(0, refused, said("So."), passed=refused_passes, **_key(("cancel_order", {"order_id": "N1000"}))),
        task_row(1, said("Nothing to do."), passed=True, **_key()),
        task_row(2, said("It is 7."), passed=True, **_key(answers=["7"])),
        task_row(3, _cancel("N3001"), said("Done."), passed=False, **_key(("cancel_order", {"order_id": "N3000"}))),
        task_row(4, _cancel("N4000"), said("Done."), passed=True, **_key(("cancel_order", {"order_id": "N4000"}))),
        task_row(5, _cancel("N5001"), said("Done."), passed=False, **_key(("cancel_order", {"order_id": "N5000"}))),
    ]
    if name == "c":
        rows[5] = task_row(5, _cancel("N5000"), passed=True, **_key(("cancel_order", {"order_id": "N5000"})))
    return write(folder / f"{name}.jsonl", rows)


def _answer(tmp_path: Path) -> Any:
    paths = [_run(tmp_path, name, refused) for name, refused in (("a", True), ("b", False), ("c", True))]
    return analysed(*paths).investigation["key_faults"]


def test_an_expected_change_that_is_refused_is_the_keys_fault(tmp_path: Path) -> None:
    answer = _answer(tmp_path)
    (one,) = answer["refused"]
    assert (one["task"], one["passes"], one["rollouts"], one["passes_unchanged"]) == ("0", 2, 3, 2)
    assert (one["changed"], one["changed_fail"], one["changed_runs"]) == (1, 1, ["b"])
    told = words(key_faults.tell(answer))
    assert 'cancel_order {"order_id":"N1000"} was tried word for word (a and c), was rejected (“Error: paid' in told
    assert "2 of 3 rollouts pass, 2 of them without any accepted change" in told
    assert "of the 1 rollout with an accepted change 1 fails (b). The task rewards doing nothing." in told


def test_a_refusal_after_an_own_change_is_no_fault_of_the_key(tmp_path: Path) -> None:
    parts = (_cancel("N1001"), _cancel("N1000", "Error: too late"))
    row = task_row(0, *parts, passed=False, **_key(("cancel_order", {"order_id": "N1000"})))
    assert "key_faults" not in analysed(write(tmp_path / "a.jsonl", [row])).investigation


def test_what_an_agent_scores_that_does_nothing(tmp_path: Path) -> None:
    answer = _answer(tmp_path)
    nothing = answer["nothing"]
    assert (nothing["tasks"], nothing["unchanged_tasks"], nothing["silent_tasks"]) == (6, ["0", "1", "2"], ["0", "1"])
    assert nothing["runs"]["a"] == {"passes": 4, "unchanged": 3}
    told = words(key_faults.tell(answer))
    assert "In 3 of 6 tasks the expected end state equals the start state (0, 1 and 2)." in told
    assert "2 of them expect no answer either (0 and 1): an agent that does nothing scores 2 of 6." in told
    assert "Passes without any accepted change: a 3 of 4" in told


def test_a_task_that_all_runs_fail_with_one_change_is_told_with_what_was_expected(tmp_path: Path) -> None:
    answer = _answer(tmp_path)
    assert [(one["task"], one["with"], one["runs"], one["passes"]) for one in answer["alike"]] == [("3", 3, 3, 0)]
    told = words(key_faults.tell(answer))
    assert (
        'Task 3: 3 of 3 runs make the same change that the key does not hold, cancel_order {"order_id": "N3001"}, and '
        "none of 3 rollouts pass. The task says: “What is 3 and 3?”. Expected and made by no run: cancel_order "
        '{"order_id":"N3000"}. It stands in place of what the key expects' in told
    )
    assert "Task 5" not in told


def test_changes_that_passes_hold_as_well_are_not_told() -> None:
    """Every rollout logs a note that no key names; outcomes are chance, so that some tasks are passed by nobody."""
    chance = random.Random(3)
    shown = 0
    for _ in range(100):
        seen = {"expected": [["book", 1]], "expected_arguments": ['{"id":"N100"}'], "shape": "extra"}
        seen["changes"] = [["note", 5, 1, 0, 1, '{"id":"X999"}'], ["book", 1, 1, 1, 2, '{"id":"N100"}']]
        runs = [
            run_of(name, [case(task, passed=chance.random() < 0.4, observed=seen) for task in range(20)])
            for name in ("a", "b", "c")
        ]
        shown += key_faults.ask(runs) is not None
    assert shown <= 5


def _user_run(folder: Path, name: str, *, placeholder: bool = False) -> Path:
    """Task 0: the user has another order cancelled than the key; 1: it wants one more; 2: an unfilled value."""
    street = "[street]" if placeholder else "1 High Street"
    more = (_cancel("N1000"), _cancel("N1001"))
    move = called("move_order", {"order_id": "N2001", "street": street}, "ok")
    rows = [
        task_row(
            0, said("Cancel N9001?"), user("Yes, that one."), _cancel("N9001"), passed=False, **_key(_one("N9000"))
        ),
        task_row(1, said("Both?"), user("Yes."), *more, passed=False, **_key(_one("N1000"))),
        task_row(
            2, said("So?"), move, passed=False, **_key(("move_order", {"order_id": "N2000", "street": "2 Low Road"}))
        ),
    ]
    return write(folder / f"{name}.jsonl", rows)


def _one(number: str) -> tuple[str, Json]:
    return "cancel_order", {"order_id": number}


def test_what_the_simulated_user_leads_to_is_no_fault_of_the_key(tmp_path: Path) -> None:
    runs = analysed(*(_user_run(tmp_path, name) for name in "abc"))
    answer = runs.investigation["key_faults"]
    faults = key_faults.faults(answer)
    assert {task: fault.source for task, fault in faults.items()} == {"0": "simulated user", "1": "key", "2": "key"}
    assert faults["0"].reason.startswith("the simulated user leads most runs to the same change")
    told = words(key_faults.tell(answer))
    assert "In 3 of the 3 rollouts that make it the simulated user names it or agrees to it right before" in told
    assert "It comes on top of the changes that the key expects of this tool: see whether the key left it out." in told
    (head,) = key_faults.brief(answer)
    assert "1 task in which the simulated user leads most runs to the same change against the key (0)" in head.text
    assert "2 tasks in which most runs make the same change against the key (1 and 2)" in head.text


def test_a_value_that_agents_never_filled_in_is_no_fault_of_the_key(tmp_path: Path) -> None:
    answer = analysed(*(_user_run(tmp_path, name, placeholder=True) for name in "abc")).investigation["key_faults"]
    assert "2" not in key_faults.faults(answer)


def test_only_runs_that_make_the_change_are_excused(tmp_path: Path) -> None:
    """Two of three runs cancel what the user wants; the third does nothing of the kind."""
    paths = [_user_run(tmp_path, name) for name in "ab"]
    row = task_row(0, said("Cancel?"), user("Yes."), said("Done."), passed=False, **_key(_one("N9000")))
    found = analysed(*paths, write(tmp_path / "c.jsonl", [row]))
    rules = {(label.run, label.task): label.rule for label in found.labels}
    assert (rules["a", "0"], rules["b", "0"]) == ("task_fault", "task_fault")
    assert rules["c", "0"] != "task_fault"

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
        'Task 3: 3 of 3 runs make the same change that the key does not contain, cancel_order {"order_id": "N3001"}, '
        "and none of 3 rollouts pass. The task says: “What is 3 and 3?”. Expected and made by no run: cancel_order "
        '{"order_id":"N3000"}. It replaces what the key expects' in told
    )
    assert "Task 5" not in told


def test_one_output_that_was_scored_again_is_one_witness(tmp_path: Path) -> None:
    """Three files hold the same long rollout; a fourth, of another text, makes the same change: two witnesses."""

    def rollout(name: str, note: str) -> Path:
        words = said(f"I looked at the order, and {note} it has to be cancelled as the customer wishes. " * 3)
        key = _key(("cancel_order", {"order_id": "N3000"}))
        return write(tmp_path / f"{name}.jsonl", [task_row(3, words, _cancel("N3001"), passed=False, **key)])

    copies = [rollout(name, "so") for name in "abc"]
    assert "alike" not in analysed(*copies).investigation.get("key_faults", {})
    (one,) = analysed(*copies, rollout("d", "thus")).investigation["key_faults"]["alike"]
    assert (one["with"], one["runs"], one["rollouts"]) == (2, 2, 2)


def test_other_instructions_in_other_runs_are_told_beside_what_all_do_alike(tmp_path: Path) -> None:
    def rows(told: str) -> list[Json]:
        instruction = {"metadata": {"user_instruction": f"You want your order gone{told}."}}
        return [
            task_row(3, _cancel("N3001"), said("Done."), passed=False, **_key(_one("N3000")), **instruction),
            task_row(4, _cancel("N4000"), said("Done."), passed=True, **_key(_one("N4000")), **instruction),
        ]

    named, unnamed = (
        write(tmp_path / f"{name}.jsonl", rows(told)) for name, told in (("a", ", the blue one"), ("b", ""))
    )
    told = words(key_faults.tell(analysed(named, unnamed).investigation["key_faults"]))
    assert "Its rollouts had 2 different instructions: compare these first" in told
    again = write(tmp_path / "c.jsonl", rows(", the blue one"))
    assert "different instructions" not in words(key_faults.tell(analysed(named, again).investigation["key_faults"]))


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


def _user_run(folder: Path, name: str, *, placeholder: bool = False, first: bool = True) -> Path:
    """Task 0: the user has another order cancelled than the key, and names it `first`; 1: one more; 2: unfilled."""
    street = "[street]" if placeholder else "1 High Street"
    opening = user("Cancel N9001." if first else "Cancel my order.")
    more = (_cancel("N1000"), _cancel("N1001"))
    move = called("move_order", {"order_id": "N2001", "street": street}, "ok")
    rows = [
        task_row(
            0,
            opening,
            said("Cancel N9001?"),
            user("Yes, that one."),
            _cancel("N9001"),
            passed=False,
            **_key(_one("N9000")),
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
    assert faults["0"].reason == (
        "3 of 3 runs make the same change that the key does not contain (cancel_order), and none of 3 rollouts pass; "
        "the simulated user names it first in 3 of the 3 rollouts that make it"
    )
    told = words(key_faults.tell(answer))
    assert (
        "In 3 of the 3 rollouts that make it the simulated user names what it concerns before the model does, instead "
        "of what the key expects: compare what the user says with its instruction" in told
    )
    assert (
        "It comes on top of the changes that the key expects of this tool: check whether the key left it out." in told
    )
    (head,) = key_faults.brief(answer)
    assert "1 task in which the simulated user leads to one kind of change against the key (0)" in head.text
    assert "2 tasks in which at least half of the runs make one kind of change against the key (1 and 2)" in head.text


def test_only_rollouts_that_the_user_leads_are_said_to_be_led(tmp_path: Path) -> None:
    """Four runs cancel another order, in one of them nobody asks for it; a fifth cancels nothing."""
    paths = [_user_run(tmp_path, name) for name in "abc"]
    alone = task_row(0, said("So?"), user("Hm."), _cancel("N9001"), passed=False, **_key(_one("N9000")))
    none = task_row(0, said("So?"), user("Hm."), said("Done."), passed=False, **_key(_one("N9000")))
    paths += [write(tmp_path / f"{name}.jsonl", [row]) for name, row in (("d", alone), ("e", none))]
    reason = key_faults.faults(analysed(*paths).investigation["key_faults"])["0"].reason
    assert reason.startswith("4 of 5 runs make the same change")
    assert reason.endswith("; the simulated user names it first in 3 of the 4 rollouts that make it")


def test_a_user_that_only_agrees_to_what_the_model_proposes_does_not_lead(tmp_path: Path) -> None:
    agreeing = [_user_run(tmp_path, name, first=False) for name in "abc"]
    answer = analysed(*agreeing).investigation["key_faults"]
    assert key_faults.faults(answer)["0"].source == "key"
    assert (
        "It replaces what the key expects. In 3 of the 3 rollouts that make it the simulated user agrees, right "
        "before, to what the model proposes: check the task, its key and what the user says before blaming any of them."
        in words(key_faults.tell(answer))
    )
    (head,) = key_faults.brief(answer)
    assert "leads to" not in head.text
    mixed = analysed(*agreeing[:2], _user_run(tmp_path, "d")).investigation["key_faults"]
    assert key_faults.faults(mixed)["0"].source == "simulated user"
    assert (
        "the simulated user names what it concerns before the model does (1) or agrees when the model proposes it (2), "
        "instead of what the key expects" in words(key_faults.tell(mixed))
    )


def _paying_run(folder: Path, name: str, proposal: str) -> Path:
    """All pay an order by another card than the key has, after a user agreed to something."""
    card = {"order_id": "N3000", "payment_method_id": "card_7001"}
    paid = called("change_order", card, "ok")
    key = _key(("change_order", card | {"payment_method_id": "card_9002"}))
    return write(folder / f"{name}.jsonl", [task_row(0, said(proposal), user("Yes."), paid, passed=False, **key)])


def test_only_a_proposal_that_names_what_differs_is_agreed_to(tmp_path: Path) -> None:
    named, open_words = "Shall I use the first payment method for N3000?", "Shall I change N3000 now?"
    answer = analysed(_paying_run(tmp_path, "a", named), _paying_run(tmp_path, "b", open_words))
    entry = answer.investigation["key_faults"]["alike"][0]
    assert (entry["led"], entry["making"]) == (1, 2)
    silent = analysed(*(_paying_run(tmp_path, name, open_words) for name in "cd")).investigation["key_faults"]
    assert "the simulated user agrees" not in words(key_faults.tell(silent))
    assert "It replaces what the key expects: check the task and its key" in words(key_faults.tell(silent))


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


def _items(*numbers: str) -> list[Json]:
    return called("return_items", {"order_id": "N7001", "items": list(numbers)}, "ok")


def test_only_runs_that_share_all_ids_make_the_same_change(tmp_path: Path) -> None:
    """Five of six return from another order than the key, four of them the same item, two besides what is expected."""
    expected = called("return_items", {"order_id": "N7000", "items": ["11110"]}, "ok")
    made = {
        "a": [_items("11111"), expected],
        "b": [_items("11111"), expected],
        "c": [_items("11111", "22222")],
        "d": [_items("11111", "33333")],
        "e": [_items("44444")],
        "f": [expected],
    }
    key = _key(("return_items", {"order_id": "N7000", "items": ["11110"]}))
    rows = {name: task_row(0, *parts, said("Done."), passed=False, **key) for name, parts in made.items()}
    answer = analysed(*(write(tmp_path / f"{name}.jsonl", [row]) for name, row in rows.items())).investigation
    (one,) = answer["key_faults"]["alike"]
    assert (one["with"], one["run_names"], one["on_top"], one["making"]) == (4, ["a", "b", "c", "d"], 2, 4)
    told = words(key_faults.tell(answer["key_faults"]))
    assert "Task 0: 4 of 6 runs make a change of the same kind that the key does not contain" in told
    assert "(alike in N7001 and 11111, else the arguments differ)" in told
    assert "In 2 of the 4 rollouts that make it, it comes on top of the changes that the key expects" in told
    (item,) = (item for item in key_faults.health(answer["key_faults"]) if "Task 0" in item["statement"])
    assert item["statement"] == (
        "Task 0: 4 of 6 runs make a change of the same kind that the key does not contain (return_items), and none "
        "of 6 rollouts pass."
    )


def test_a_refused_first_try_of_the_key_is_no_fault(tmp_path: Path) -> None:
    """Task 0: the key hands over then; 1: it pays otherwise then; 2: it has no other way and doing nothing passes."""

    def paid(order: str, way: str) -> tuple[str, Json]:
        return "refund_order", {"order_id": order, "way": way}

    refused = {order: called(*paid(order, "way1"), "Error: not that way") for order in ("N1000", "N2000", "N3000")}
    keys = (
        _key(paid("N1000", "way1"), ("transfer_to_human_agents", {"summary": "so"})),
        _key(paid("N2000", "way1"), paid("N2000", "way2")),
        _key(paid("N3000", "way1")),
    )
    rows = [
        task_row(
            0, refused["N1000"], called("transfer_to_human_agents", {"summary": "so"}, "ok"), passed=True, **keys[0]
        ),
        task_row(1, refused["N2000"], called(*paid("N2000", "way2"), "ok"), passed=False, **keys[1]),
        task_row(2, refused["N3000"], said("Sorry."), passed=True, **keys[2]),
    ]
    answer = analysed(write(tmp_path / "one.jsonl", rows)).investigation["key_faults"]
    found = {item["task"]: (item["other_way"], item["fault"]) for item in answer["refused"]}
    assert found == {
        "0": ("transfer_to_human_agents", False),
        "1": ("refund_order", False),
        "2": ("", True),
    }
    assert list(key_faults.faults(answer)) == ["2"]
    assert [item["statement"] for item in key_faults.health(answer)] == [
        "Task 2: the key contains a change that the environment refuses (refund_order)."
    ]
    told = words(key_faults.tell(answer))
    assert "The key then goes on with transfer_to_human_agents: the refused change is a first try" in told
    assert [advice.change for advice in key_faults.advise(answer)] == [
        "Repair the key of task 2, and report the score without it until then"
    ]

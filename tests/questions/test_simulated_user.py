"""The simulated user: ends before the agreed change, invents identifiers, names wrong ones."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.gym_rows import Json, analysed, write
from tests.questions.made_cases import called, case, run_of, said, task_row, user, words

from blade.extract.agreed_changes import other_action
from blade.extract.attempt import Attempt
from blade.extract.observed import observed
from blade.extract.user_ids import user_ids
from blade.extract.user_turns import nearest_turn
from blade.questions import simulated_user

STOP = "Yes, please proceed.\n\n###END###"


def _key(task: int) -> Json:
    action = {"name": "cancel_order", "arguments": {"order_id": f"#W{task}55555"}}
    return {"verifier": {"expected_actions": [action], "expected_outputs": []}}


def _run(folder: Path, name: str, cut: set[int]) -> Path:
    """Ten tasks: some end with an acceptance, the others are done and pass."""
    rows = []
    for task in range(10):
        number = f"#W{task}55555"
        read = called("get_order", {"order_id": number}, {"order_id": number, "status": "open"})
        ask = said("Shall I cancel it? Please confirm, and tell me if you have any other wish.")
        done = called("cancel_order", {"order_id": number}, "ok")
        end = (read, ask, user(STOP)) if task in cut else (read, ask, user("Yes."), done, said("Done."))
        rows.append(task_row(task, *end, passed=task not in cut, **_key(task)))
    return write(folder / f"{name}.jsonl", rows)


def test_failures_that_end_with_an_acceptance_are_told_by_run_and_task(tmp_path: Path) -> None:
    paths = [_run(tmp_path, "old", {0, 1, 2, 3, 4, 5}), _run(tmp_path, "new", {9})]
    answer = analysed(*paths).investigation["simulated_user"]
    assert (answer["ended"], answer["ended_failures"]) == (7, 7)
    told = words(simulated_user.tell(answer))
    assert (
        "in 7 of 7 judged failures (old 6: 0, 1, 2, 3, 4 and 5; new 1: 9), e.g. “Yes, please proceed. ###END###”"
        in told
    )
    assert (
        "Of the 6 tasks that new passes and old does not, old loses 6 where its user accepts and ends (0, 1, 2, "
        "3, 4 and 5); new writes more messages, 19 against 14 in as many rollouts." in told
    )


def test_a_single_such_end_is_told_and_is_no_clean_bill_of_health(tmp_path: Path) -> None:
    analysis = analysed(_run(tmp_path, "one", {9}))
    answer = analysis.investigation["simulated_user"]
    told = words(simulated_user.tell(answer))
    assert "in 1 of 1 judged failure (one 1: 9), e.g. “Yes, please proceed. ###END###”. A change that the key" in told
    assert "is missing there. Nothing else is known to be wrong in it: it might have passed." in told, told
    assert [*simulated_user.brief(answer)] == [], "one is no headline"
    (item,) = simulated_user.health(answer)
    assert "1 of 1 judged failure of one ends with a message of the simulated user that accepts" in str(item)


def test_where_nothing_else_is_wrong_and_where_more_is(tmp_path: Path) -> None:
    """Of two such failures one had cancelled another order before, which nobody wanted."""
    number = "#W155555"
    read = called("get_order", {"order_id": number}, {"order_id": number, "status": "open"})
    ask = said("Shall I cancel it? Please confirm.")
    other = called("cancel_order", {"order_id": "#W999999"}, "ok")
    rows = [
        task_row(1, read, ask, user(STOP), passed=False, **_key(1)),
        task_row(2, read, other, ask, user(STOP), passed=False, **_key(1)),
    ]
    answer = analysed(write(tmp_path / "one.jsonl", rows)).investigation["simulated_user"]
    assert (answer["ended"], answer["ended_alone"], answer["ends"][0]["alone_tasks"]) == (2, 1, ["1"])
    told = words(simulated_user.tell(answer))
    assert "In 1 of them nothing else is known to be wrong (one 1): at most these would have passed." in told
    (head,) = simulated_user.brief(answer)
    assert head.text.endswith("in 1 of them nothing else is known to be wrong.")


def _agreed(proposal: str, *calls: list[Json], tools: tuple[str, ...] = ("cancel_order",), accepts: str = STOP) -> Any:
    """How a proposal that a user accepts differs from the missing changes of the key, one for each tool."""
    actions = [{"name": name, "arguments": {"order_id": f"#W{n}55555"}} for n, name in enumerate(tools)]
    key = {"verifier": {"expected_actions": actions, "expected_outputs": []}}
    made = observed(Attempt(task_row(1, *calls, said(proposal), user(accepts), passed=False, **key)))
    assert made is not None
    return json.loads(made).get("agreed_otherwise")


def test_what_is_agreed_on_is_held_against_what_is_missing() -> None:
    assert _agreed("Shall I cancel it?") is None
    assert _agreed("Of #W777777 and #W055555: cancel #W055555?") is not None
    assert _agreed("There are #W777777 and #W055555.\nShall I cancel #W055555?") is None
    assert _agreed("Shall I cancel #W777777?") == "names 777777"
    refused = called("cancel_order", {"order_id": "#W055555"}, "Error: too late")
    assert _agreed("Shall I cancel it?", refused) == "cancel_order was refused"
    two = ("cancel_order", "return_order")
    assert _agreed("Shall I cancel #W055555 and return it?", tools=two) == "leaves out return_order"
    assert _agreed("Shall I cancel #W055555 and return #W155555?", tools=two) is None


def test_a_user_who_accepts_a_part_alone_leaves_the_rest_undone() -> None:
    two = ("cancel_order", "return_order")
    accepts = "Yes, cancel #W055555. ###STOP###"
    assert _agreed("I can do the first, not the second.", tools=two, accepts=accepts) == "leaves out return_order"
    both = "Yes, cancel #W055555 and return #W155555. ###STOP###"
    assert _agreed("Shall I do both?", tools=two, accepts=both) is None
    person = "Yes, cancel it. For the other one transfer me to a human agent. ###STOP###"
    assert _agreed("I can cancel one of them.", tools=two, accepts=person) == "a person is to take over"


def test_another_action_than_the_missing_one_is_told_from_words() -> None:
    def other(text: str) -> str:
        return other_action(text, ("cancel_order", "move_order"), ("cancel_order",), ("cancel_order",))

    assert other("i would move it. go ahead?") == "move"
    assert other("i cancel it and tell you how to move. go ahead?") == ""
    assert other("1. cancel the lamp.\n2. move the table.\nis that right?") == "move"
    assert other("shall i go ahead?") == ""


def test_a_user_who_agrees_to_another_order_is_not_the_only_fault(tmp_path: Path) -> None:
    read = called("get_order", {"order_id": "#W155555"}, {"order_id": "#W155555", "status": "open"})
    rows = [
        task_row(1, read, said(f"Shall I cancel {number}?"), user(STOP), passed=False, **_key(1))
        for number in ("#W155555", "#W166666")
    ]
    rows[1]["_ng_task_index"] = 2
    answer = analysed(write(tmp_path / "one.jsonl", rows)).investigation["simulated_user"]
    assert (answer["ended"], answer["ended_alone"]) == (2, 1)


def test_a_user_who_agrees_where_it_is_to_be_handed_over() -> None:
    key = {"verifier": {"expected_actions": [{"name": "transfer_to_human_agents", "arguments": {"summary": "x"}}]}}
    parts = (said("Cancel it?"), user("Yes."), called("cancel_order", {"order_id": "#W155555"}, "ok"))
    made = observed(Attempt(task_row(1, *parts, passed=False, **key)))
    assert made is not None
    assert json.loads(made)["accepted_instead"] == 1
    refused = (said("Cancel it?"), user("No, a person."), called("cancel_order", {"order_id": "#W155555"}, "ok"))
    made = observed(Attempt(task_row(1, *refused, passed=False, **key)))
    assert made is not None
    assert "accepted_instead" not in json.loads(made)


def _answering(task: int, words_of_user: str, *, passed: bool) -> Json:
    found = called("get_user", {"name": "Ann"}, {"orders": [f"#W{task}55555", f"#W{task}66666"]})
    ask = said("Please provide the order ID.")
    done = called("cancel_order", {"order_id": "x"}, "ok")
    return task_row(task, found, ask, user(words_of_user), done, said("Done."), passed=passed, **_key(task))


def test_an_identifier_that_stands_nowhere_is_invented(tmp_path: Path) -> None:
    rows = [
        _answering(1, "It is #W987654, I think.", passed=False),
        _answering(2, "Then #W123987.", passed=False),
        _answering(3, "It is #W355555.", passed=True),
        _answering(4, "My number at home is 030 1234567, the zip 12345.", passed=True),
    ]
    answer = analysed(write(tmp_path / "one.jsonl", rows)).investigation["simulated_user"]
    (entry,) = answer["invented"]
    assert (entry["rollouts"], entry["passes"], entry["tasks"]) == (2, 0, ["1", "2"])
    told = words(simulated_user.tell(answer))
    assert "one in 2 of 4 rollouts, none of which pass (1 and 2)" in told
    assert "For instance task 1 of one: #W987654." in told


def test_failures_with_invented_identifiers_are_counted_without_passes(tmp_path: Path) -> None:
    rows = [_answering(task, f"It is #W98765{task}.", passed=task == 1) for task in (1, 2, 3)]
    answer = analysed(write(tmp_path / "one.jsonl", rows)).investigation["simulated_user"]
    because = [advice.because.text for advice in simulated_user.advise(answer)]
    assert because == ["It invents identifiers in 2 failures: one 2."]


def test_naming_an_identifier_that_the_key_does_not_hold_goes_with_failing(tmp_path: Path) -> None:
    rows = [_answering(task, f"#W{task}55555", passed=True) for task in range(1, 9)]
    rows += [_answering(task, f"#W{task}66666", passed=False) for task in range(9, 17)]
    answer = analysed(write(tmp_path / "one.jsonl", rows)).investigation["simulated_user"]
    told = words(simulated_user.tell(answer))
    assert "the user names an order id that it was not told" in told
    assert "one | 16 | 16 | 16 | 8 of 8 | 0 of 8" in told
    assert "not in the key, fewer rollouts pass than where it is (p = 0.00016)." in told


def test_an_identifier_that_the_user_was_told_or_of_another_kind_is_not_counted(tmp_path: Path) -> None:
    rows = [_answering(task, f"#W{task}66666", passed=False) for task in range(1, 13)]
    rows += [_answering(task, f"#W{task}55555", passed=True) for task in range(13, 25)]
    for one in rows[:2]:
        one["metadata"] = {"user_instruction": f"Cancel order #W{one['_ng_task_index']}66666 and nothing else."}
    answer = analysed(write(tmp_path / "one.jsonl", rows)).investigation["simulated_user"]
    (one,) = answer["named"]["runs"]
    assert (answer["named"]["kind"], one["rollouts"], one["outside"], one["in_key"]) == ("order_id", 22, 10, 12)


def test_a_user_who_is_left_to_say_which_one_is_meant_is_counted_as_asked() -> None:
    found = called("get_user", {"name": "Ann"}, {"orders": ["#W155555", "#W166666"]})
    asks = said("I see the orders #W155555 and #W166666. Which one holds the lamp?")
    tells = said("I see the orders #W155555 and #W166666.")
    rows = [task_row(1, found, words_of, user("#W155555"), passed=True, **_key(1)) for words_of in (asks, tells)]
    assert [user_ids(Attempt(row))["user_ids"][0][4:6] for row in rows] == [[1, "order_id"], [0, "order_id"]]


def test_the_turn_that_comes_nearest_to_the_instruction_is_what_the_user_says() -> None:
    told = {"user_instruction": "If the cheapest lamp costs less than 200, exchange your current lamp, else return it."}
    turns = (user("Hello there."), user("Oh, more than 200. I keep my current lamp. ###STOP###"))
    row = task_row(1, said("The cheapest lamp is 230."), *turns, passed=False, metadata=told, **_key(1))
    assert nearest_turn(row) == "Oh, more than 200. I keep my current lamp."
    assert nearest_turn(task_row(1, user("Hello there."), passed=False, metadata=told, **_key(1))) == ""


def _asking(task: int, *, said: int, passed: bool) -> Any:
    record: dict[str, Any] = {"requests": [["close", 1, said]], "expected": []}
    record |= {"changes": [["close_record", 1, 1, 1, 0, ""]]} if passed else {"left_out": [["close_record", []]]}
    return case(task, passed=passed, observed=record)


def test_a_task_whose_users_never_ask_for_what_they_were_told_to_ask_for() -> None:
    passes = [_asking(task, said=1, passed=True) for task in range(5)]
    runs = [run_of(name, [*passes, _asking(9, said=0, passed=False)]) for name in ("one", "two", "three")]
    answer = simulated_user.ask(runs)
    assert answer is not None
    assert words(simulated_user.tell(answer)) == (
        "Task 9: in 3 of 3 judged rollouts of all runs the simulated user never asks for close_record, though its "
        "instruction asks for it, and the users of nearly all passes with such a change name it; none of the "
        "task's rollouts pass."
    )
    assert simulated_user.ask(runs[:1]) is None

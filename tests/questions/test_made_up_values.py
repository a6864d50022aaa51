"""Values that a simulated user makes up and the model writes."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.gym_rows import Json, analysed, write
from tests.questions.made_cases import called, case, run_of, said, task_row, user, words

from blade.extract.attempt import Attempt
from blade.extract.made_up import made_up
from blade.questions import made_up_values

KEY = {"expected_actions": [{"name": "set_address", "arguments": {"street": "9 Quay Road"}}], "expected_outputs": []}
TOLD = {"user_instruction": "You moved to your new home. Do not reveal the address; it stands in your last order."}
STREET = "123 Main Street"


def rollout(task: int, *parts: list[Json], street: str = STREET, passed: bool = False) -> Json:
    done = called("set_address", {"street": street, "city": "Rome"}, "ok")
    return task_row(task, *parts, done, said("Done."), passed=passed, verifier=KEY, metadata=TOLD)


ASKED = said("What is the new address?")
SAYS = user(f"It is {STREET}, Rome.")


@pytest.mark.parametrize(
    ("row", "found"),
    [
        (rollout(0, ASKED, SAYS), [["set_address", "street", STREET]]),
        (rollout(0, ASKED, user("It is 9 Quay Road."), street="9 Quay Road"), []),  # stands in the key
        (rollout(0, called("get_order", {"id": "A1"}, {"street": STREET}), ASKED, SAYS), []),  # a tool shows it
        (rollout(0, said(f"Is it {STREET}?"), SAYS), []),  # the model said it first
        (rollout(0, ASKED, user("You can look it up.")), []),  # the model made it up
        (rollout(0, ASKED, SAYS) | {"metadata": {}}, []),  # nobody knows what the user was told
    ],
)
def test_a_value_is_made_up_where_only_the_user_says_it(row: Json, found: list[list[str]]) -> None:
    assert [one[:3] for one in made_up(Attempt(row)).get("made_up", ())] == found


def test_tasks_are_told_with_what_was_invented_in_each_run(tmp_path: Path) -> None:
    failing = [rollout(task, ASKED, SAYS) for task in range(6)]
    passing = [rollout(task, ASKED, user("Look."), street="9 Quay Road", passed=True) for task in range(6, 14)]
    paths = [write(tmp_path / f"{name}.jsonl", [*failing, *passing]) for name in ("a", "b")]
    answer = analysed(*paths).investigation["made_up_values"]
    assert (answer["rollouts"], answer["passes"], answer["runs"]) == (12, 0, {"a": 6, "b": 6})
    told = words(made_up_values.tell(answer))
    assert "In 12 rollouts the model writes what its simulated user made up" in told
    assert "none of them pass (p = 1.1e-07). By run: a 6 and b 6. Tasks: 0, 1, 2, 3, 4 and 5." in told
    assert "Task 0 (2 rollouts, passes: none): street “123 Main Street” (a and b)." in told


def test_what_passes_hold_as_often_is_not_told() -> None:
    seen = {"made_up": [["set_address", "street", STREET, 4]]}
    cases = [case(task, passed=task % 2 == 0, observed=seen if task < 20 else {}) for task in range(40)]
    assert made_up_values.ask([run_of("one", cases)]) is None

"""Expected changes that were left out although the closing words speak of them as made."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.gym_rows import Json, analysed, write
from tests.questions.made_cases import called, said, task_row, user, words

from blade.extract.attempt import Attempt
from blade.extract.claimed_omissions import claimed_omission
from blade.questions import claimed_changes

KEY = {
    "expected_actions": [
        {"name": "set_name", "arguments": {"id": "M-1001", "name": "Ann Ortega"}},
        {"name": "set_street", "arguments": {"id": "M-1001", "street": "5 Mill Lane"}},
    ]
}
NAMED = called("set_name", {"id": "M-1001", "name": "Ann Ortega"}, {"ok": True})
CLAIM = "I changed the name, and the street is now set to 5 Mill Lane."


def rollout(task: int, *parts: list[Json], passed: bool = False) -> Json:
    return task_row(task, *parts, passed=passed, verifier=KEY)


@pytest.mark.parametrize(
    ("closing", "value"),
    [
        (CLAIM, "5 mill lane"),
        ("We updated your street to 5 Mill Lane.", "5 mill lane"),
        ("I will change the street to 5 Mill Lane.", None),
        ("I have not changed the street to 5 Mill Lane.", None),
        ("Shall the street be set to 5 Mill Lane?", None),
        ("I checked that 5 Mill Lane is a street.", None),
        ("The name is Ann Ortega now.", None),  # that change was made
    ],
)
def test_what_is_told_as_made_is_known_by_the_value_that_the_key_lists(closing: str, value: str | None) -> None:
    claimed = claimed_omission(Attempt(rollout(0, NAMED, user("And 5 Mill Lane?"), said(closing))))
    assert claimed.get("claimed_omission", [None] * 4)[3] == value


def test_what_a_tool_told_counts_only_where_the_model_says_that_it_did_it() -> None:
    shown = called("get_member", {"id": "M-1001"}, {"street": "5 Mill Lane"})
    assert not claimed_omission(Attempt(rollout(0, shown, NAMED, said("The street has been set to 5 Mill Lane."))))
    assert claimed_omission(Attempt(rollout(0, shown, NAMED, said("I set the street to 5 Mill Lane."))))


def test_a_rollout_that_makes_both_changes_or_calls_afterwards_claims_nothing() -> None:
    both = called("set_street", {"id": "M-1001", "street": "5 Mill Lane"}, {"ok": True})
    assert not claimed_omission(Attempt(rollout(0, NAMED, both, said(CLAIM))))
    assert not claimed_omission(Attempt(rollout(0, said(CLAIM), NAMED)))


def test_such_failures_are_told_by_run_with_a_quote(tmp_path: Path) -> None:
    weak = [rollout(task, NAMED, said(CLAIM if task < 3 else "That is all.")) for task in range(5)]
    both = called("set_street", {"id": "M-1001", "street": "5 Mill Lane"}, {"ok": True})
    strong = [rollout(task, NAMED, both, said(CLAIM), passed=True) for task in range(4)]
    strong += [rollout(4, NAMED, said("That is all."))]
    paths = [write(tmp_path / f"{name}.jsonl", rows) for name, rows in (("strong", strong), ("weak", weak))]
    answer = analysed(*paths).investigation["claimed_changes"]
    assert words(claimed_changes.tell(answer)) == (
        "3 of 6 failures that leave out an expected change and make no wrong one close as if it were made (strong 0 of "
        "1 and weak 3 of 5): “I changed the name, and the street is now set to 5 Mill Lane.” (weak, task 0, attempt 0, "
        "item 2; no accepted call of set_street does so). Left out: set_street in 3; tasks 0, 1 and 2."
    )
    (claim,) = claimed_changes.brief(answer)
    assert claim.text.startswith("3 of 6 failures that leave out an expected change")
    (advice,) = claimed_changes.advise(answer)
    assert (advice.rollouts, advice.because.text) == (
        3,
        "3 of 6 failures that leave out an expected change close as if it were made.",
    )

"""Work that is claimed to be done and is not there, as the verifier's own log tells."""

from __future__ import annotations

from typing import Any

import pytest
from tests.gym_rows import Json, message, request, response, row
from tests.questions.made_cases import called

from blade.extract.absent_work import absent_work
from blade.extract.attempt import Attempt

DONE = "I have successfully created the bucket. The task is complete."
TASK = "Create a bucket named 'jars', and write the list to /srv/list.txt with fill.py."


def rollout(log: str, final: str = DONE, *, reward: float = 0.0, handed_in: bool = True, task: str = TASK) -> Attempt:
    items: list[Any] = [*called("bash", {"command": "vim fill.py"}, "ok"), message(final)]
    items += called("bash", {"command": "echo TASK_COMPLETE_SUBMIT" if handed_in else "ls"}, "done")
    made: Json = row(0, 0, reward, response=response(*items), responses_create_params=request(task))
    return Attempt(made | {"verifier": {"log": f"collected 2 items\n{log}\n2 failed"}})


@pytest.mark.parametrize(
    ("log", "said"),
    [
        ("E   AssertionError: Bucket 'jars' does not exist", "Bucket 'jars' does not exist"),
        ("E   FileNotFoundError: [Errno 2] No such file or directory: '/srv/list.txt'", "[Errno 2] No such file or"),
        ("E   AssertionError: Jar 'jars' not found in '/srv/list.txt'", "Jar 'jars' not found in '/srv/list.txt'"),
        ("E   Failed: the bucket service is not responding", "the bucket service is not responding"),
        (
            'E     File "/srv/fill.py", line 3\nE       x)for\nE     SyntaxError: invalid syntax',
            "fill.py does not parse",
        ),
    ],
)
def test_a_claim_of_success_against_a_verifier_that_finds_nothing(log: str, said: str) -> None:
    assert absent_work(rollout(log))["absent"].startswith(said)


@pytest.mark.parametrize(
    ("log", "why"),
    [
        ("E   AssertionError: File /srv/other.txt does not exist", "the task never names that file"),
        ("E   AssertionError: 'lid' not found in 'jar, cork'", "the thing is there, and something in it is wrong"),
        ("E   AssertionError: 'lid' not found in '/srv/list.txt'", "the task never names what is missed there"),
        ("E   AssertionError: a cork not found in '/srv/list.txt'", "what is missed has no name"),
        ("E   ValueError: column bucket not found", "the program runs, and says so of its data"),
        ('E     File "/usr/lib/other.py", line 3\nE     SyntaxError: invalid syntax', "somebody else's file"),
        ("E   AssertionError: 3 != 4", "a wrong value"),
    ],
)
def test_other_complaints_are_no_absence(log: str, why: str) -> None:
    assert absent_work(rollout(log)) == {}, why


def test_without_a_claim_a_hand_in_or_a_loss_nothing_is_told() -> None:
    log = "E   AssertionError: Bucket 'jars' does not exist"
    assert absent_work(rollout(log, "Next I will look at the bucket.")) == {}
    assert absent_work(rollout(log, handed_in=False)) == {}, "cut while it worked"
    assert absent_work(rollout(log, reward=1.0)) == {}

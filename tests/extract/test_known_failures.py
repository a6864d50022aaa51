"""Work that is handed in although the agent's own last test of it fails."""

from __future__ import annotations

from typing import Any

import pytest
from tests.gym_rows import Json, message, request, response, row
from tests.questions.made_cases import called

from blade.extract.attempt import Attempt
from blade.extract.known_failures import known_failure

BAD = "checking the lids\nE   AssertionError: lid 4 is loose\n===== 1 failed, 3 passed ====="
GOOD = "checking the lids\n===== 4 passed ====="


def rollout(*calls: tuple[str, str], closing: str = "That is as good as it gets; I hand it in.") -> Attempt:
    items: list[Any] = [item for command, answer in calls for item in called("bash", {"command": command}, answer)]
    made: Json = row(0, 0, 0.0, response=response(*items, message(closing)), responses_create_params=request("Lids!"))
    return Attempt(made)


def test_a_failed_test_before_the_end_is_told_with_its_error() -> None:
    attempt = rollout(("cat > lids.py <<'EOF'\nprint(4)\nEOF", ""), ("python -m pytest tests", BAD), ("ls", "lids.py"))
    assert known_failure(attempt) == {"known_failure": "AssertionError: lid 4 is loose"}


def test_a_later_test_that_goes_well_or_a_later_edit_says_otherwise() -> None:
    failed = ("python -m pytest tests", BAD)
    assert known_failure(rollout(failed, ("python -m pytest tests", GOOD))) == {}
    assert known_failure(rollout(failed, ("cat > lids.py <<'EOF'\nprint(5)\nEOF", ""))) == {}
    assert known_failure(rollout(("ls", "lids.py"))) == {}


@pytest.mark.parametrize(
    ("printed", "says_otherwise"),
    [
        ("lid 1 ok\nTotal: 18 passed, 0 failed", True),
        ("All 4 lids pass", True),
        ("no errors", True),
        ("10 failed", False),
        ("lids.py", False),
    ],
)
def test_a_later_run_of_another_kind_that_names_no_failure_says_otherwise(printed: str, says_otherwise: bool) -> None:
    made = rollout(("python -m pytest tests", BAD), ("python -c 'import lids; lids.look()'", printed))
    assert (known_failure(made) == {}) is says_otherwise


def test_work_that_was_cut_was_not_handed_in() -> None:
    attempt = rollout(("python -m pytest tests", BAD))
    attempt.row["response"]["output"].pop()
    assert known_failure(Attempt(attempt.row)) == {}

"""Paths that the task names as given and the environment says are not there."""

from __future__ import annotations

from typing import Any

import pytest
from tests.gym_rows import request, response, row
from tests.questions.made_cases import called

from blade.extract.attempt import Attempt
from blade.extract.missing_paths import missing_paths

GONE = "ls: cannot access '/orchard': No such file or directory"
ASKED = "Count the trees in /orchard/north and print them."


def rollout(*calls: tuple[str, str], asked: str = ASKED, **fields: Any) -> dict[str, Any]:
    items: list[Any] = [item for command, answer in calls for item in called("bash", {"command": command}, answer)]
    return missing_paths(Attempt(row(0, response=response(*items), responses_create_params=request(asked), **fields)))


def missing(*calls: tuple[str, str], asked: str = ASKED, **fields: Any) -> Any:
    return rollout(*calls, asked=asked, **fields).get("missing_paths")


def test_a_missing_path_is_kept_with_the_part_that_is_absent_and_the_words() -> None:
    assert missing(("ls /orchard/north", GONE), ("pwd", "/")) == [["/orchard/north", "/orchard", 1, GONE, 0, 0]]
    assert rollout(("ls /orchard/north", "oak")) == {"present_paths": ["/orchard/north"]}
    assert rollout(("ls", "oak")) == {}
    assert rollout(("ls /orchard/north", GONE), asked="Count the trees.") == {}


@pytest.mark.parametrize(
    ("answer", "absent"),
    [
        ("find: '/orchard/north': No such file or directory", "/orchard/north"),
        ("cat: /orchard/north/: No such file or directory", "/orchard/north"),
        ("FileNotFoundError: [Errno 2] No such file or directory: '/orchard/north'", "/orchard/north"),
        ("/orchard  [error opening dir]\n\n0 directories", "/orchard"),
        ("Error: the path /orchard/north does not exist.", "/orchard/north"),
        ("cat: /orchard/north/oak.txt: No such file or directory", None),
        ("cat: /old/orchard/north: No such file or directory", None),
        ("cat: /orchards: No such file or directory", None),
        ("cat: '/orchard/north': Permission denied", None),
    ],
)
def test_only_the_path_itself_or_a_folder_that_it_lies_in_counts(answer: str, absent: str | None) -> None:
    records = missing(("look /orchard/north", answer))
    assert (records[0][1] if records else None) == absent


def test_what_the_agent_may_have_removed_or_says_itself_does_not_count() -> None:
    look = ("ls /orchard/north", GONE)
    assert missing(("rm -r /orchard", ""), look) is None
    assert missing(("cd /orchard/north", ""), look) is None, "it was there"
    assert missing(("rm -r /tmp/old", ""), look) is not None, "something else was removed"
    assert missing(("rm -r /orchard; ls /orchard", GONE)) is None
    assert missing(("rm -r /orchard", "rm: cannot remove '/orchard': No such file or directory")) is not None
    find = "find: '/orchard': No such file or directory"
    assert missing(("find /orchard -empty -delete", find)) is not None
    assert missing(("find /orchard -exec rm -r {} ;", find)) is None, "find comes back to what it had removed"
    assert missing(("test -d /orchard || echo /orchard does not exist", "/orchard does not exist")) is None


@pytest.mark.parametrize(
    "asked",
    [
        "Write the number of trees to /orchard/north.",
        "Count the trees. Save them in the file /orchard/north, one a line.",
        "Rename the folder to /orchard/north.",
        "Read /orchard/north and put what is left into '/orchard/north'.",
    ],
)
def test_a_path_that_the_task_asks_to_make_does_not_count(asked: str) -> None:
    assert rollout(("ls /orchard/north", GONE), asked=asked) == {}


def test_nothing_but_the_error_in_the_answer_that_counts() -> None:
    look, other = ("ls /orchard/north", GONE), ("pwd", "/")
    assert [record[4] for record in missing(other, look)] == [1], "the last answer"
    assert [record[4] for record in missing(look, other)] == [0]
    assert [record[4] for record in missing(("ls /orchard/north | wc -l", f"{GONE}\n0"))] == [0]
    best = {"turn_rewards": [1.0, 0.5]}
    assert [record[4] for record in missing(look, other, verifier=best)] == [1], "the best-scored step"
    more = {"turn_rewards": [1.0, 0.5, 0.5]}
    assert [record[4] for record in missing(look, other, verifier=more)] == [0], "these are not the scores of the calls"


def test_a_path_that_is_there_later_is_marked() -> None:
    look = ("ls /orchard/north", GONE)
    assert [record[5] for record in missing(look, ("mkdir -p /orchard/north", ""), ("ls /orchard/north", "oak"))] == [1]
    assert [record[5] for record in missing(look, ("ls -d /orchard/north", "sh: syntax error"))] == [0]


def test_a_path_that_a_call_may_have_made_is_not_called_present() -> None:
    assert rollout(("echo oak > /orchard/north", "")) == {}
    assert rollout(("ls", "tools"), ("cat /orchard/north", "oak")) == {"present_paths": ["/orchard/north"]}

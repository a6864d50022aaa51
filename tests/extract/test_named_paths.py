"""Paths and hosts that the task names, calls that end in one complaint, and calls that are made once more."""

from __future__ import annotations

from typing import Any

from tests.gym_rows import request, response, row
from tests.questions.made_cases import called

from blade.extract.attempt import Attempt
from blade.extract.going_round import going_round
from blade.extract.named_paths import named_hosts, named_paths
from blade.extract.same_complaint import same_complaint

GONE = "ls: cannot access '/orchard': No such file or directory"


def rollout(*calls: tuple[str, str], asked: str = "Count the trees in /orchard/north and print them.") -> Attempt:
    items: list[Any] = [item for command, answer in calls for item in called("bash", {"command": command}, answer)]
    return Attempt(row(0, 0, 0.0, response=response(*items), responses_create_params=request(asked)))


def test_a_path_of_the_task_is_there_or_not_when_it_is_first_looked_at() -> None:
    assert named_paths(rollout(("ls /orchard/north", "oak\npear"))) == {"named_paths": [["/orchard/north", 1]]}
    assert named_paths(rollout(("ls /orchard/north", GONE))) == {"named_paths": [["/orchard/north", 0]]}
    assert named_paths(rollout(("ls /orchard/north", GONE.replace("orchard", "orchards")))) == {}


def test_what_the_agent_makes_itself_or_comes_to_late_says_nothing() -> None:
    assert named_paths(rollout(("mkdir -p /orchard/north", ""))) == {}
    assert named_paths(rollout(("ls", "tools"), ("rm -r tools", ""), ("ls /orchard/north", GONE))) == {}
    assert named_paths(rollout(("ls /orchard/north", "oak"), asked="Count the trees.")) == {}


def hosts(*calls: tuple[str, str]) -> Any:
    asked = "Read orchard.csv, then fetch the prices from fruit.example.org on port 80."
    return named_hosts(rollout(*calls, asked=asked)).get("named_hosts")


def test_a_host_of_the_task_is_reached_or_no_call_gets_through() -> None:
    lost = ("curl fruit.example.org", "curl: (6) Could not resolve host: fruit.example.org")
    assert hosts(lost, lost) == [["fruit.example.org", 0]]
    assert hosts(lost, ("curl -4 fruit.example.org", "pear 3")) == [["fruit.example.org", 1]]
    assert hosts(("cat orchard.csv", "oak"), ("curl nuts.example.org", lost[1])) is None
    other = "ssh: connect to host localhost port 22: Connection refused"
    assert hosts(("curl fruit.example.org; ssh localhost", other)) != [["fruit.example.org", 0]], "another host"
    assert hosts(("nc fruit.example.org 80", "Command timed out")) is None, "it may have waited for an answer"


def complaints(*answers: str, command: str = "trim --edge {}") -> Any:
    calls = [(command.format(number), answer) for number, answer in enumerate(answers)]
    return same_complaint(rollout(*calls)).get("same_complaint")


def test_four_different_calls_with_one_complaint_to_the_last() -> None:
    words = "trim: option requires an argument"
    assert complaints("leaves", *[words] * 4) == [4, words]
    assert complaints(*[words] * 3) is None, "three are a search"
    assert complaints(*[words] * 4, "leaves") is None, "it was overcome"
    assert complaints(*[words] * 4, command="trim") is None, "one call again and again is another thing"


def test_one_answer_that_is_no_complaint_is_how_the_tool_speaks() -> None:
    assert complaints(*["saved"] * 5) is None
    assert complaints(*["note: all leaves are cut"] * 5) is None, "no program of that name was called"


def test_a_line_that_all_answers_share_is_one_complaint_whatever_else_they_say() -> None:
    rows = ("oak", "pear", "ash", "elm")
    answers = [f"sh: line {len(tree)}: TREE: command not found\n{tree}" for tree in rows]
    assert complaints("leaves", *answers) == [4, "sh: line 3: TREE: command not found"]
    options = [f"trim: unrecognized option '--edge={edge}'\nsee the manual" for edge in ("all", "n", "s", "w")]
    assert complaints("leaves", *options) == [4, "trim: unrecognized option '--edge=w'"]


def test_answers_that_share_only_how_errors_are_told_are_different_complaints() -> None:
    kinds = ("KeyError: 'oak'", "ValueError: no pear", "TypeError: ash", "KeyError: 'elm'")
    answers = [f'Traceback (most recent call last):\n  File "count.py", line 3\n{kind}' for kind in kinds]
    assert complaints(*answers, command="python count.py {}") is None


def round_of(*commands: str, answer: str = "oak") -> Any:
    return going_round(rollout(*((command, f"{answer} {command}") for command in commands))).get("going_round")


def test_a_later_half_of_calls_that_were_all_made_before_goes_round() -> None:
    cycle = ("ls", "cat trees", "count trees", "submit 3")
    assert round_of(*cycle, *cycle) == [4, 4]
    assert round_of(*cycle, "ls", "cat pears", "count pears", "submit 4") is None, "it went on to something else"
    assert round_of(*cycle, "ls", "cat trees", "count trees", "submit 4") == [3, 4]
    assert round_of("ls", "cat trees", "ls", "cat trees") is None, "too short to tell"


def test_a_call_that_gets_another_answer_or_differs_a_little_is_no_repeat() -> None:
    calls = [("count trees", f"{number} trees") for number in range(8)]
    assert going_round(rollout(*calls)) == {}
    assert going_round(rollout(*((f"submit {number}", "wrong") for number in range(8)))) == {}


def test_hosts_are_told_from_addresses_of_people_and_from_files() -> None:
    asked = (
        "Mail pears@fruit.example.org, see <http://Trees.Example.COM/list>, (plum.example.net), data.csv and a.company."
    )
    calls = [(f"curl {host}", "pears") for host in ("Trees.Example.COM", "plum.example.net", "fruit.example.org")]
    assert named_hosts(rollout(*calls, asked=asked)) == {
        "named_hosts": [["Trees.Example.COM", 1], ["plum.example.net", 1]]
    }

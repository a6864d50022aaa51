"""What is lost between the model and the environment is told by run, outcome and example."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.gym_rows import Json, analysed, write
from tests.questions.made_cases import called, said, task_row, words

from blade.document import Quote
from blade.questions import failed_calls, sent_calls

MISSED = "bash: -c: line 1: unexpected EOF while looking for matching `\"'"


def _row(task: int, *commands: str, passed: bool, answers: tuple[str, ...] = (), instruction: str = "") -> Json:
    texts = [*answers, *("" if text.startswith("#") else "a jar" for text in commands[len(answers) :])]
    calls = [called("bash", {"command": text}, answer) for text, answer in zip(commands, texts, strict=True)]
    return task_row(task, *calls, said("Done."), passed=passed, instruction=instruction)


def _plain(tasks: range, *, passed: bool) -> list[Json]:
    return [_row(task, f"ls {task}", "cat Lid", "wc -l Jar", "ls", passed=passed) for task in tasks]


def _answer(folder: Path, rows: list[Json], question: str = "sent_calls") -> Mapping[str, Any] | None:
    return analysed(write(folder / "one.jsonl", rows)).investigation.get(question)


def _lost_breaks() -> list[Json]:
    rows = [
        _row(task, f"ls {task}", "# Look. cat jar", "echo 1 > b.py python3 b.py", passed=False) for task in range(8)
    ]
    rows += [_row(8, "ls 8", "# Just a thought", passed=False)]
    return rows + _plain(range(10, 34), passed=True)


def test_lost_line_breaks_are_told_with_calls_outcomes_and_an_example_of_each(tmp_path: Path) -> None:
    rows = _lost_breaks()
    answer = _answer(tmp_path, rows)
    assert answer is not None
    blocks = sent_calls.tell(answer)
    told = words(blocks)
    assert "Line breaks may be lost between the model and the environment: no call has one, yet a comment" in told
    assert (
        "one: of 122 calls 8 with a command behind a comment and 8 with one behind another command, in 8 of 9 failures "
        "and 0 of 24 passes (exact test p = " in told
    )
    assert [block.text for block in blocks if isinstance(block, Quote)] == [
        '{"command": "# Look. cat jar"}',
        '{"command": "echo 1 > b.py python3 b.py"}',
    ]
    (brief,) = sent_calls.brief(answer)
    assert "commands seem to arrive without their line breaks" in brief.text
    (advice,) = sent_calls.advise(answer)
    assert (advice.kind, advice.change, advice.rollouts) == (
        "harness",
        "Hand the model's commands on with their line breaks",
        8,
    )


def test_a_comment_that_swallows_a_command_is_not_called_nothing_but_a_comment(tmp_path: Path) -> None:
    failed = _answer(tmp_path, _lost_breaks(), "failed_calls")
    assert failed is None or failed_calls.COMMENT not in [entry["sign"] for entry in failed["signs"]]


def test_one_call_with_a_line_break_shows_that_they_arrive(tmp_path: Path) -> None:
    assert _answer(tmp_path, [*_lost_breaks(), _row(40, "cd jars\nls", passed=True)]) is None


def test_few_calls_say_nothing_of_line_breaks(tmp_path: Path) -> None:
    assert _answer(tmp_path, _lost_breaks()[:20]) is None


def test_quotes_that_the_shell_misses_are_told(tmp_path: Path) -> None:
    quoted = "awk '{print \" \"}' Jar"
    rows = [_row(task, quoted, quoted, passed=False, answers=(MISSED, MISSED)) for task in range(3)]
    answer = _answer(tmp_path, rows + _plain(range(3, 9), passed=True))
    assert answer is not None
    told = words(sent_calls.tell(answer))
    assert "Quotes may be taken off, or set around commands once more, between the model and the shell" in told
    assert "one: 6 of 30 calls, in 3 of 3 failures and 0 of 6 passes (0, 1 and 2)." in told
    assert list(sent_calls.brief(answer)) == []


def test_capital_letters_made_small_are_held_against_the_other_runs(tmp_path: Path) -> None:
    task = "Copy the file JamJar.txt into the folder of the cellar."
    small = [
        _row(place, *["ls jars"] * 20, "cp jamjar.txt cellar", passed=place > 3, instruction=task) for place in range(6)
    ]
    as_written = [_row(place, "cp JamJar.txt cellar", passed=True, instruction=task) for place in range(6)]
    paths = write(tmp_path / "small.jsonl", small), write(tmp_path / "other.jsonl", as_written)
    answer = analysed(*paths).investigation["sent_calls"]
    told = words(sent_calls.tell(answer))
    assert "a name that the task writes with them (such as “JamJar.txt”) stands in small letters in a call" in told
    assert "Of 6 rollouts of the other runs 6 have one." in told
    assert (
        "small: 0 of 6 rollouts with a capital letter in a call; such a name made small in 4 of 4 failures and 2 of 2 "
        "passes (0, 1, 2 and 3)." in told
    )


def test_the_environment_s_part_in_a_call_is_told_with_its_mark(tmp_path: Path) -> None:
    made_up = "ls Observation: jar.txt Action: cat jar.txt"
    rows = [_row(task, made_up, f"ls {task}", passed=False) for task in range(10)]
    answer = _answer(tmp_path, rows + _plain(range(10, 30), passed=True))
    assert answer is not None
    told = words(sent_calls.tell(answer))
    assert "Calls hold the environment's part, marked by words such as “Observation:”" in told
    assert (
        "one: 10 of 100 calls, 10 of them the first of a rollout, in 10 of 10 failures and 0 of 20 passes (exact"
        in told
    )
    assert [advice.change for advice in sent_calls.advise(answer)] == [
        "Stop the model, or cut its command, where the environment's part begins"
    ]


def test_the_run_with_most_such_failures_comes_first(tmp_path: Path) -> None:
    made_up = "ls Observation: jar.txt Action: cat jar.txt"
    paths = [
        write(tmp_path / f"{name}.jsonl", [_row(task, made_up, "ls", passed=task >= failures) for task in range(6)])
        for name, failures in (("few", 3), ("many", 5))
    ]
    (loss,) = analysed(*paths).investigation["sent_calls"]["losses"]
    assert [(entry["run"], entry["failures"]) for entry in loss["runs"]] == [("many", 5), ("few", 3)]


def test_commands_that_arrive_as_they_are_say_nothing(tmp_path: Path) -> None:
    assert _answer(tmp_path, [*_plain(range(20), passed=True), *_plain(range(20, 40), passed=False)]) is None


def test_fences_and_sentences_that_are_run_as_commands_are_told_with_what_to_change(tmp_path: Path) -> None:
    missed = ("/bin/bash: line 1: BASH: command not found",)
    fenced = [_row(task, f"```BASH\ncat {task}\n```", passed=False, answers=missed) for task in range(8)]
    spoken = [
        _row(task, "The jar is closed now.", passed=False, answers=("bash: line 1: The: command not found",))
        for task in range(8, 12)
    ]
    answer = _answer(tmp_path, [*fenced, *spoken, *_plain(range(20, 44), passed=True)])
    assert answer is not None
    told = words(sent_calls.tell(answer))
    assert "Calls that fail hold their command inside the fence of a code block or between backticks" in told
    assert "one: 8 of 108 calls, in 8 of 12 failures and 0 of 24 passes (exact test p = " in told
    assert "Sentences are sent as commands" in told
    assert "one: 4 of 108 calls, in 4 of 12 failures and 0 of 24 passes" in told
    fences, sentences = (brief.text for brief in sent_calls.brief(answer))
    assert fences == (
        "one: commands are run with the fence of a code block or the backticks around them, and fail, in 8 of 12 "
        "failures and 0 of 24 passes."
    )
    assert sentences == "one: sentences are sent as commands, and fail, in 4 of 12 failures and 0 of 24 passes."
    assert [(advice.change, advice.rollouts) for advice in sent_calls.advise(answer)] == [
        ("Take fences and backticks off a command before it is run, or ask the model to write none", 8),
        ("Give the model a way to speak or to end beside sending commands, and run no sentence", 4),
    ]


def test_fences_that_a_tool_takes_off_are_no_matter(tmp_path: Path) -> None:
    missed = ("/bin/bash: line 1: cat: command not found",)
    failing = [_row(task, f"```\ncat {task}\n```", passed=False, answers=missed) for task in range(4)]
    well = [_row(task, "```\nls\n```", passed=True, answers=("a jar",)) for task in range(4, 10)]
    assert _answer(tmp_path, [*failing, *well]) is None

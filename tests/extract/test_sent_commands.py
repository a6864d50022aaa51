"""What is missing from single commands, and whose words they hold."""

from __future__ import annotations

from typing import Any

import pytest
from tests.gym_rows import Json
from tests.questions.made_cases import called, task_row

from blade.extract.attempt import Attempt
from blade.extract.sent_calls import environment_mark, is_closed, is_comment, sent_calls


def _sent(*calls: list[Json], **fields: Any) -> Json:
    record: Json = sent_calls(Attempt(task_row(0, *calls, passed=True, **fields))).get("sent", {})
    return record


def _run(command: str, answer: str = "") -> list[Json]:
    return called("bash", {"command": command}, answer)


@pytest.mark.parametrize(
    "command",
    [
        "# The file is there. Let's look. cat jar.txt",
        "# Count the lines  wc -l jar.txt",
        "#!/bin/bash # count lids lids=$(ls lids) echo $lids",
        "# Once more: jarlint --all jar.txt",
    ],
)
def test_a_comment_that_has_a_command_behind_it_swallows_it(command: str) -> None:
    sent = _sent(_run("jarlint jar.txt", "well"), _run(command))
    assert sent["swallowed"][:2] == [1, 2]


@pytest.mark.parametrize(
    "command",
    [
        "# Now I should find all the lids and sort them.",
        "# The jar is full.\ncat jar.txt",
        "cat jar.txt  # look. cat is a program",
        "#!/bin/bash -e",
        "#W1234567",
    ],
)
def test_a_comment_that_hides_no_command_is_none(command: str) -> None:
    assert "swallowed" not in _sent(_run("ls", "jar.txt"), _run(command))


@pytest.mark.parametrize(
    "command",
    ["echo 'print(1)' > lid.py python3 lid.py", "echo 'int main(){}' >lid.c gcc lid.c -o lid", "ls >> ./a.list ls b"],
)
def test_a_command_right_behind_the_file_that_output_goes_to_is_glued_on(command: str) -> None:
    assert _sent(_run(command))["glued"][:2] == [1, 0]


@pytest.mark.parametrize(
    "command",
    [
        "echo 1 > lid.py && python3 lid.py",
        "echo 1 > lid.py; python3 lid.py",
        "echo 1 > lid.py\npython3 lid.py",
        "sort > out.txt < lid.txt",
        "make > out.txt 2>&1 | tail",
        "<p> please find the jar",
    ],
)
def test_commands_with_something_between_them_are_not_glued(command: str) -> None:
    assert "glued" not in _sent(_run(command))


def test_a_block_in_one_line_is_glued_where_the_shell_misses_its_end() -> None:
    block = 'if [ -d jars ]; then echo "yes" else echo "no" fi'
    missed = "bash: -c: line 2: syntax error: unexpected end of file"
    assert _sent(_run(block, missed))["glued"][0] == 1
    assert "glued" not in _sent(_run(block, "yes"))
    assert "glued" not in _sent(_run('if [ -d jars ]; then echo "yes"; else echo "no"; fi', missed))


def test_a_shell_that_misses_a_quote_which_is_there_is_noticed_and_a_script_s_own_fault_is_not() -> None:
    missed = "{}: -c: line 1: unexpected EOF while looking for matching `\"'".format
    assert _sent(_run("awk '{print $1 \" \" $2}' jar.txt", missed("bash")))["unclosed"][0] == 1
    assert "unclosed" not in _sent(_run("awk '{print $1 \" jar.txt", missed("bash")))
    assert "unclosed" not in _sent(_run("```awk '{print $1 \" \" $2}' jar.txt```", missed("bash")))
    assert "unclosed" not in _sent(_run('bash -c "echo \'it"', missed("bash")))
    assert "unclosed" not in _sent(_run('./lid.sh "a"', missed("lid.sh").replace(" -c:", "")))


def test_closed_means_every_quote_and_bracket() -> None:
    assert is_closed('echo "$(ls)"')
    assert is_closed("cut -c 1 'a b'")
    assert not is_closed("echo 'a")
    assert not is_closed("echo $(ls")
    assert not is_closed("echo `ls")
    assert not is_closed("sh -c 'ls'")


@pytest.mark.parametrize(
    ("command", "mark"),
    [
        ("ls Observation: jar.txt Action: cat jar.txt Observation: full", "Observation:"),
        ("ls\nObservation 1: jar.txt\nThought 2: look into it", "Observation 1:"),
        ("ls  Shell Output: jar.txt  Reward: 1", "Output:"),
        ("ls </tool_call>\n<tool_response>jar.txt", "<tool_response>"),
        ("ls <|im_end|>", "<|im_"),
    ],
)
def test_labels_and_tags_mark_the_environment_s_part(command: str, mark: str) -> None:
    assert environment_mark(command) == mark
    assert _sent(_run(command))["answered"][0] == 1


@pytest.mark.parametrize(
    "command",
    [
        "echo 'Observation: full. Action: none'",
        'grep "Observation:" log.txt',
        "cat > notes.md <<EOF\nObservation: full\nAction: none\nEOF",
        "ls # Output: jar.txt",
        "echo Observation: full",
        "User: ann",
    ],
)
def test_what_a_command_writes_or_seeks_is_its_own_part(command: str) -> None:
    assert environment_mark(command) == ""


def test_a_name_of_the_task_in_small_letters_is_noticed_where_no_call_has_a_capital() -> None:
    task = {"instruction": "Copy the file JamJar.txt into the folder LidBox of the cellar."}
    assert _sent(_run("cp jamjar.txt lidbox"), **task)["lowered"] == ["JamJar.txt", 0]
    assert _sent(_run("cp JamJar.txt lidbox"), **task) == {"capitals": 1}
    assert _sent(_run("ls cellar"), **task) == {}


def test_the_shortest_call_is_shown_and_line_breaks_at_the_end_are_none() -> None:
    sent = _sent(_run("# It is a long way round. Try again. cat jar.txt"), _run("# So. cat lid\n"))
    assert sent["swallowed"][:2] == [2, 2]
    assert "breaks" not in sent
    assert _sent(_run("ls\ncat jar.txt"))["breaks"] == 1


def test_an_empty_command_is_no_comment() -> None:
    commands = {"": False, " \n": False, "# a jar": True, "# a\n\n# b": True, "# a\nls": False}
    attempt = Attempt(task_row(0, *(_run(command) for command in commands), passed=True))
    assert [is_comment(call) for call in attempt.calls] == list(commands.values())


@pytest.mark.parametrize(
    ("command", "fenced"),
    [
        ("```bash\nls jars\n```", True),
        ("  `ls jars`", True),
        ("`ls` jars `pwd`", False),
        ("echo `pwd`", False),
        ("``", False),
        ("ls jars", False),
    ],
)
def test_a_command_in_a_fence_that_fails_is_noticed_and_one_that_goes_well_is_counted_apart(
    command: str, fenced: bool
) -> None:
    missed = "/bin/bash: line 1: jars: command not found"
    assert (_sent(_run(command, missed)).get("fenced", [0])[0] == 1) is fenced
    well = _sent(_run(command, "lid.txt"))
    assert "fenced" not in well
    assert (well.get("fenced_well") == 1) is fenced


@pytest.mark.parametrize(
    ("command", "answer", "prose"),
    [
        ("The jars are all closed now.", "bash: line 1: The: command not found", True),
        ("Here's what I would try next: ls", "bash: -c: line 1: unexpected EOF while looking for matching `''", True),
        ("I'm sorry, but I can't open that.", "bash: line 1: Im sorry, but I cant: command not found", True),
        ("The jars (all of them) are closed.", "bash: -c: line 1: syntax error near unexpected token `('", True),
        ("The jars are all closed now.", "Noted.", False),
        ("The jars are all closed now.", "bash: line 1: jars: No such file or directory", False),
        ("Jar.sh all the lids now.", "bash: line 1: Jar.sh: command not found", False),
        ("SELECT all of the jars.", "bash: line 1: SELECT: command not found", False),
        ("Close jars.", "bash: line 1: Close: command not found", False),
    ],
)
def test_a_sentence_sent_as_a_command_is_noticed_where_the_shell_cannot_run_it(
    command: str, answer: str, prose: bool
) -> None:
    assert ("prose" in _sent(_run(command, answer))) is prose

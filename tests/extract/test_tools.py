"""Failed calls are told from the shape of a tool's answer."""

from __future__ import annotations

import pytest

from blade.extract.calls import calls_of, changing_name
from blade.extract.failure import broken_message, failure
from blade.extract.tools import ToolUse, tool_use
from blade.model import Step, StepKind


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Error: no such member", "Error: no such member"),
        ('{"error": "no such member"}', "no such member"),
        ('{"output": {"error": "gone"}}', "gone"),
        ('{"output": "Error: gone"}', "Error: gone"),
        ('{"success": false, "message": "not allowed"}', "not allowed"),
        ('{"isError": true}', "isError is true"),
        ('{"status": "failed"}', "failed"),
        ('{"exit_code": 2, "output": "x"}', "exit code 2"),
        ("ValueError: bad date", "ValueError: bad date"),
        ("Traceback (most recent call last):\n  File x\nKeyError: 'a'", "KeyError: 'a'"),
        ("some output\nCommand exited with code 1", "exited with code 1"),
        ("total 0\nexit code: 127", "exit code: 127"),
        ("total 0\n[rc=127]", "rc=127"),
        ("unknown tool book_it", "unknown tool book_it"),
        ("503 Service Unavailable: no worker", "503 Service Unavailable: no worker"),
        ("/bin/bash: line 1: jar: command not found\n", "/bin/bash: line 1: jar: command not found"),
        ("bash: jar: command not found", "bash: jar: command not found"),
        ("cat: shelf.txt: No such file or directory", "cat: shelf.txt: No such file or directory"),
        (
            "ls: cannot access 'shelf': No such file or directory\nlid",
            "ls: cannot access 'shelf': No such file or directory",
        ),
        ("python3: can't open file '/a/jar.py': [Errno 2]", "python3: can't open file '/a/jar.py': [Errno 2]"),
        ("Name of the jar: Traceback (most recent call last):\n  File x\nEOFError: no line", "EOFError: no line"),
        ("Command timed out", "Command timed out"),
        (
            "jars: -c: line 1: syntax error: unexpected end of file\n",
            "-c: line 1: syntax error: unexpected end of file",
        ),
        (
            "then\n echo lid: -c: line 2: unexpected EOF while looking for matching `''",
            "-c: line 2: unexpected EOF while looking for matching `''",
        ),
        ("awk: line 1: syntax error at or near ,", "awk: line 1: syntax error at or near ,"),
        ("awk: cmd. line:1: unexpected newline", "awk: cmd. line:1: unexpected newline"),
        ("find: paths must precede expression: `lid'", "find: paths must precede expression: `lid'"),
        ("find: missing argument to `-exec'", "find: missing argument to `-exec'"),
        ("cut: option requires an argument -- 'd'", "cut: option requires an argument -- 'd'"),
        ("mkdir: invalid option -- 'x'\nTry 'mkdir --help' for more information.", "mkdir: invalid option -- 'x'"),
        (
            "cut: you must specify a list\nTry 'cut --help' for more information.",
            "cut: you must specify a list",
        ),
        ("/bin/ls: /bin/ls: cannot execute binary file", "/bin/ls: /bin/ls: cannot execute binary file"),
        ("Malformed command", "Malformed command"),
        ("⛔ require() is not allowed in this program.\nUse a tool.", "⛔ require() is not allowed in this program."),
        ("Tool calls are not permitted here", "Tool calls are not permitted here"),
        ("\u274c Jar 4: lid gone\n\u2705 Jar 5", "\u274c Jar 4: lid gone"),
        ("\U0001f6ab denied", "\U0001f6ab denied"),
        ("JAR_LOCKED - somebody else holds this jar", "JAR_LOCKED - somebody else holds this jar"),
        ("LID_NOT_FOUND", "LID_NOT_FOUND"),
        ("ERR 503", "ERR 503"),
        ('{"refused": "the cellar is closed"}', "the cellar is closed"),
        ('{"denied": true, "message": "not your jar"}', "not your jar"),
    ],
)
def test_errors_in_every_shape(text: str, told: str) -> None:
    assert failure(text) == told


@pytest.mark.parametrize(
    "text",
    [
        "",
        "note: nobody can open the jar",
        "\u2705 all jars closed\n\u274c is the sign of a lid that is gone",
        "The guest said that smoking in the rooms upstairs is not allowed.",
        "jar: invalid lids are counted twice",
        "jar.txt:12: syntax errors of the lid",
        "Try 'jar --help' for more information.",
        "line 3: unexpected guests",
        "<returncode>0</returncode>\nall jars\nTraceback (most recent call last):\n  File log\nOSError: no logger",
        "The log says: Traceback (most recent call last) begins it.\nAll jars are closed.",
        "3 members found",
        '{"results": []}',
        '{"error": null, "results": [1]}',
        '{"error": "", "ok": true}',
        '{"success": true}',
        '{"status": "cancelled"}',
        '{"exit_code": 0, "output": "done"}',
        '[{"error_rate": 0.1}]',
        "The log mentions an error on line 3",
        "exit code: 0",
        "No errors found",
        "errors: 0, warnings: 2",
        "404",
        "500, 300 and 200",
        "500 members found",
        "IS_FULL: yes",
        "NO_LIDS: 3",
        "JAR_ID: 12",
        "READ_ME",
        "ERRATA of the book",
        '{"refused": false, "jar": 1}',
        '{"rejected": ["jar 3"], "accepted": ["jar 4"]}',
        "404 rows",
    ],
)
def test_ordinary_answers_stay_quiet(text: str) -> None:
    assert failure(text) is None


def call(name: str, identity: str) -> Step:
    return Step(StepKind.CALL, 0, name=name, arguments='{"b": 1, "a": 2}', call_id=identity)


def answer(text: str, identity: str) -> Step:
    return Step(StepKind.OUTPUT, 0, text, call_id=identity)


def used_by(steps: list[Step]) -> ToolUse:
    return tool_use(calls_of(steps))


def test_a_recovered_tool_is_not_among_the_failed() -> None:
    used = used_by([call("look", "1"), answer("Error: x", "1"), call("look", "2"), answer("fine", "2")])
    assert (used.failures, used.unrecovered, used.last_failed) == (1, set(), False)


def test_an_answer_is_charged_to_its_own_call() -> None:
    used = used_by([call("look", "1"), call("book", "2"), answer("fine", "2"), answer("Error: x", "1")])
    assert used.unrecovered == {"look"}
    assert used.last_failed


def test_an_answer_without_an_id_belongs_to_the_latest_call() -> None:
    assert used_by([call("look", ""), answer("Error: x", "")]).unrecovered == {"look"}


def test_a_tool_out_of_reach_is_said_and_forgotten_once_it_answers() -> None:
    gone = [call("look", "1"), answer("Error: 503 Service Unavailable", "1")]
    assert used_by(gone).unreachable.startswith("look: ")
    assert used_by([*gone, call("look", "2"), answer("fine", "2")]).unreachable == ""
    other = [call("list", "2"), answer("Error: 503 Service Unavailable", "2"), call("list", "3"), answer("fine", "3")]
    assert used_by([*gone, *other]).unreachable.startswith("look: "), (
        "another tool that came back helps this one nothing"
    )


def test_an_action_is_a_tool_with_the_names_of_its_arguments() -> None:
    steps = [
        call("look", "1"),
        Step(StepKind.CALL, 0, name="look", arguments="{broken"),
        Step(StepKind.CALL, 0, name="look", arguments=None),
    ]
    assert [made.action for made in calls_of(steps)] == ["look(a,b)", "look(?)", "look()"]


@pytest.mark.parametrize(
    "text",
    [
        "ConnectTimeout: HTTPSConnectionPool(host='api', port=443)",
        "Cannot connect to host inference:8000 ssl:default",
        "Could not resolve host: tools.some.place.example",
        "Failed to connect to the sandbox: connection refused",
        "Pod runner-3 is not responding",
        "SSL: handshake failure, connection closed by the remote end",
        "the container stopped responding",
        "Server disconnected: connection reset by peer",
    ],
)
def test_a_text_that_is_nothing_but_an_error_of_the_transport(text: str) -> None:
    assert broken_message(text) == text
    made = used_by([Step(StepKind.CALL, 0, name="find", call_id="1"), Step(StepKind.OUTPUT, 1, text, call_id="1")])
    assert made.unreachable == f"find: {text}"


@pytest.mark.parametrize(
    "text",
    [
        "I could not reach a conclusion.",
        "Could not find the member; the list is empty.",
        "The answer is that the connection was refused by the firewall.",
        "The host is Anna, the server is table 4.",
        "Cannot open the attachment before noon, so the answer is 3.",
        "The network has 12 nodes.",
    ],
)
def test_an_answer_in_words_is_no_error_of_the_transport(text: str) -> None:
    assert broken_message(text) is None


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("invoice_set_status", True),
        ("update_info", True),
        ("order_status", False),
        ("get_order_status", False),
        ("refund_info", False),
    ],
)
def test_a_noun_that_sounds_like_reading_gives_way_to_a_plain_verb(name: str, changes: bool | None) -> None:
    assert changing_name(name) is changes

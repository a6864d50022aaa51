"""How the work of a rollout ended."""

from __future__ import annotations

import pytest
from tests.gym_rows import Json, message, response, row

from blade.extract.attempt import Attempt
from blade.extract.endings import cut_short, endings, held_back, settled_claims


@pytest.mark.parametrize(
    "text",
    [
        "Command timed out after 120 seconds",
        "subprocess.TimeoutExpired: Command 'make'",
        "x" * 30_000 + "\nthe time limit was exceeded",
        "Error: context deadline exceeded",
        'printf("timed out")\nCommand timed out',
        '{"error": "the call timed out"}',
    ],
)
def test_an_output_that_tells_of_a_time_limit(text: str) -> None:
    assert cut_short(text)


@pytest.mark.parametrize(
    "text",
    [
        "done in 3 s",
        "timeout=30 was given",
        "usage: timeout DURATION COMMAND",
        'int main() {\n  fprintf(stderr, "%d");\n  printf("Timed out waiting for input\\n");\n}',
        "def stop():\n    print('the time limit was exceeded')",
    ],
)
def test_an_output_that_only_speaks_of_time(text: str) -> None:
    assert not cut_short(text)


def _commands(*commands: str) -> Attempt:
    calls = [
        {"type": "function_call", "call_id": str(place), "name": "run", "arguments": f'{{"command": "{command}"}}'}
        for place, command in enumerate(commands)
    ]
    return Attempt(row(response=response(*calls)))


def test_work_that_is_handed_in_and_gone_on_with_is_told_from_work_that_is_handed_in() -> None:
    assert endings(_commands("ls", "submit jar", "ls", "ls lids")) == {"submitted_before": 1}
    assert endings(_commands("ls", "submit jar", "ls", "submit lid")) == {"submitted": 1}
    assert endings(_commands("ls && submit jar", "ls", "ls lids")) == {"submitted_before": 1}
    assert endings(_commands("ls", "cat jar", "ls", "ls lids")) == {}
    assert endings(_commands("echo I will later submit a jar", "ls", "ls lids")) == {}


def test_the_figures_and_the_submission_at_the_end() -> None:
    items = []
    for number, (name, output) in enumerate(
        [("run", "0.12345678"), ("run", "mean 11.428571428571429"), ("submit", "ok")]
    ):
        items.append({"type": "function_call", "call_id": str(number), "name": name, "arguments": "{}"})
        items.append({"type": "function_call_output", "call_id": str(number), "output": output})
    found = endings(Attempt(row(response=response(*items, message("It is 11.428571428571429, about 11.43.")))))
    assert found == {"submitted": 1, "values": ["11.428571428571429"]}


def _late(*items: Json) -> list[str]:
    return settled_claims(Attempt(row(response=response(*items), verifier={"failure_mode": "agent_timeout"})))


@pytest.mark.parametrize("end", ["root@1a2b3c:/app#", "(venv) me@host.local:~/work$ "])
def test_a_shell_that_waits_on_the_last_screen_shows_an_end(end: str) -> None:
    assert _late(message(f"the server stops\n{end}")) == ["timed_out|ended|verifier.failure_mode|agent_timeout"]


@pytest.mark.parametrize("end", ["the server answers 200 OK", "root@1a2b3c:/app# make", "Issue #", "costs 5 $"])
def test_a_screen_at_work_shows_none(end: str) -> None:
    assert _late(message(f"the server starts\n{end}")) == ["timed_out|soft|verifier.failure_mode|agent_timeout"]


def test_a_prompt_behind_the_output_of_a_tool_shows_none_and_handing_in_does() -> None:
    call = {"type": "function_call", "call_id": "1", "name": "run", "arguments": "{}"}
    output = {"type": "function_call_output", "call_id": "1", "output": "2 files\nroot@1a2b3c:/app#"}
    assert _late(call, output) == ["timed_out|soft|verifier.failure_mode|agent_timeout"]
    assert _late(call | {"name": "submit"}, output) == ["timed_out|ended|verifier.failure_mode|agent_timeout"]


def _throttled(*lines: str, word: str = "agent_timeout") -> bool:
    log = "\n".join(f'12:0{n}:30 - worker:INFO: relay.py:88 - "POST /step HTTP/1.1" 200 OK' for n in range(4))
    made = row(response=response(message("\n".join((log, *lines)))), verifier={"failure_mode": word})
    return "throttled" in held_back(Attempt(made))


def test_a_screen_that_ends_on_a_rate_limit_was_held_back_by_the_provider() -> None:
    last = "12:05:30 - worker:INFO: control.py:57 - state of the agent: RUNNING to"
    assert _throttled(last, "RATE_LIMITED")
    assert _throttled("12:05:30 - worker:ERROR: relay.py:90 - HTTP 429 Too Many Requests")
    assert not _throttled(last, "RATE_LIMITED", word="unset"), "nobody says that time ran out"
    assert not _throttled(
        "12:05:30 - worker:INFO: rate limit met, waiting", *["12:06:30 - worker:INFO: x.py:1 - on"] * 3
    )

"""Kills that the agent sends itself: the exit code after its last one is no claim of infrastructure."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.gym_rows import ABSENT, Json, analysed, message, read, response, row, states, write
from tests.questions.made_cases import called, words

from blade.detectors import out_of_memory_or_disk
from blade.extract.attempt import Attempt
from blade.extract.endings import endings
from blade.extract.own_kills import KILL, TERM, sent_signals
from blade.findings import State
from blade.sections import attempt_audit


@pytest.mark.parametrize(
    ("command", "signals"),
    [
        ("kill 4", [TERM]),
        ("kill -9 4", [KILL]),
        ("kill -s KILL 4", [KILL]),
        ("kill -- -55", [TERM]),
        ("kill -0 4", []),
        ("kill -HUP 4", []),
        ("kill -l", []),
        ("pkill -f press; sleep 1", [TERM]),
        ("pkill -P 5 --signal KILL", [KILL]),
        ("killall -SIGKILL press", [KILL]),
        ("ps aux | grep press | awk '{print $2}' | xargs -r kill -9", [KILL]),
        ("for p in 1 2; do kill $p; done", [TERM]),
        ("bash -c 'kill $$'", [TERM]),
        ("python3 -c 'import os, signal; os.kill(7, signal.SIGKILL)'", [KILL]),
        ("fuser -k 80/tcp", [KILL]),
        ("sudo systemctl stop press", [KILL, TERM]),
        ("docker stop press", [KILL, TERM]),
        ("echo kill the press", []),
        ("grep 'kill' notes", []),
        ("systemctl status press", []),
        ("timeout -s KILL 5 press", []),
    ],
)
def test_the_signals_that_a_command_sends(command: str, signals: list[str]) -> None:
    assert list(sent_signals(command)) == signals


def open_call(command: str) -> list[Json]:
    """A call that got no answer."""
    return called("bash", {"command": command}, "")[:1]


def broken(*parts: list[Json], code: int = 143, **fields: Any) -> Json:
    items = [item for part in parts for item in part]
    return row(0, 0, 0.0, response=response(*items), agent_exit_code=code, **fields)


LOOK = called("bash", {"command": "ps aux"}, "press 7")


def claims(*parts: list[Json], code: int = 143) -> list[str]:
    return [text for text in Attempt(broken(*parts, code=code)).signals if "agent_exit_code" in text]


def test_a_last_kill_of_the_same_signal_is_the_agents_own_act() -> None:
    assert claims(LOOK, open_call("pkill -f press")) == ["error|own|agent_exit_code|143"]
    assert claims(LOOK, open_call("pkill -9 -f press"), code=137) == ["error|own|agent_exit_code|137"]
    killed = called("bash", {"command": "kill 7"}, "Terminated")
    assert claims(LOOK, killed) == ["error|own|agent_exit_code|143"]


def test_the_command_is_kept_for_the_rollout_that_it_ended() -> None:
    own = Attempt(broken(LOOK, open_call("pkill -f \\\n press")))
    assert endings(own) == {"own_end": "pkill -f \\ press"}
    assert endings(Attempt(broken(LOOK, open_call("pkill -f press"), code=0))) == {}, "nothing tells of a kill"


def test_everything_else_stays_a_claim_of_infrastructure() -> None:
    theirs = ["infrastructure|soft|agent_exit_code|143"]
    assert claims(called("bash", {"command": "kill 7"}, ""), LOOK) == theirs, "another process, long before the end"
    assert claims(called("bash", {"command": "kill 7"}, "done")) == theirs, "it was answered"
    assert claims(open_call("kill 7"), [message("It is gone.")]) == theirs, "the model went on"
    assert claims(LOOK, open_call("press --all")) == theirs
    assert claims(LOOK, open_call("pkill -9 press")) == theirs, "that signal ends with another code"
    assert claims() == theirs, "no transcript"
    assert claims(LOOK, open_call("pkill press"), code=137) == ["infrastructure|soft|agent_exit_code|137"]


def test_the_detector_of_killed_processes_leaves_the_agents_own_kill_alone() -> None:
    own = out_of_memory_or_disk.detect(Attempt(broken(LOOK, open_call("pkill -9 press"), code=137)))
    other = out_of_memory_or_disk.detect(Attempt(broken(LOOK, open_call("press --all"), code=137)))
    assert (own.state, other.state) == (State.CLEAN, State.FIRED)


def test_a_call_that_ends_by_its_own_kill_is_no_trouble_of_the_machine() -> None:
    answer = "Error: process exited on SIGKILL"
    own = Attempt(broken(called("bash", {"command": "timeout -s KILL 5 press"}, answer), code=0))
    other = Attempt(broken(called("bash", {"command": "press --all"}, answer), code=0))
    assert [trouble.topic for trouble in own.troubles] == []
    assert [trouble.topic for trouble in other.troubles] == ["memory"]


def rollouts(last: list[Json]) -> list[Json]:
    fine = [row(task, 0, float(task % 2), agent_exit_code=0) for task in range(1, 8)]
    return [broken(LOOK, last), *fine]


def test_such_a_rollout_counts_as_judged_and_its_reason_says_why(tmp_path: Path) -> None:
    path = write(tmp_path / "own.jsonl", rollouts(open_call("kill $(pgrep press)")))
    (run,) = read(path)
    assert states(run)[0] == "ok"
    assert run.facts.sort("file", "line")["reason"][0] == (
        "agent_exit_code: 143, the agent's own command ended its process"
    )
    analysis = analysed(path)
    assert analysis.runs[0].reasons == (
        {
            "status": "ok",
            "reason": "agent_exit_code: 143, the agent's own command ended its process",
            "rollouts": 1,
            "passed": 0,
            "passed_all_the_same": 0,
        },
    )


def test_a_rollout_that_something_else_killed_stays_with_the_infrastructure(tmp_path: Path) -> None:
    (run,) = read(write(tmp_path / "other.jsonl", rollouts(open_call("press --all"))))
    assert states(run)[0] == "infrastructure"


@pytest.mark.parametrize("rows", [1, 2])
def test_a_word_that_a_single_one_of_several_broken_rows_has_is_not_called_their_label(
    rows: int, tmp_path: Path
) -> None:
    plain: Json = {"expected_answer": ABSENT, "extracted_answer": ABSENT}
    lost = []
    for task in range(2):
        label: Json = {"press": "jammed"} if task < rows else {}
        lost.append(broken(LOOK, open_call("press --all"), _ng_task_index=task, **plain, **label))
    fine = [row(task, 0, float(task % 2), agent_exit_code=0, **plain) for task in range(2, 12)]
    run = analysed(write(tmp_path / "run.jsonl", [*lost, *fine])).runs[0]
    assert run.audit is not None
    labels = [group["status"] for group in run.audit["groups"]]
    assert labels == ([{"field": "press", "values": {"jammed": 2}}] if rows == 2 else [None])


TESTED: Json = {"verifier": {"test_results": {"test_press": "failed", "test_ink": "passed"}}}


def test_a_kill_by_nobody_that_is_recorded_leaves_a_full_verdict_as_it_is(tmp_path: Path) -> None:
    killed = broken(LOOK, open_call("press --all"), code=137, **TESTED)
    fine = [row(task, 0, float(task % 2), agent_exit_code=0, **TESTED) for task in range(1, 8)]
    path = f"run={write(tmp_path / 'run.jsonl', [killed, *fine])}"
    (run,) = read(path)
    assert states(run)[0] == "ok"
    analysis = analysed(path)
    (reason,) = analysis.runs[0].reasons
    assert reason["reason"] == "agent_exit_code: 137, killed, by whom is not recorded"
    assert out_of_memory_or_disk.detect(Attempt(killed)).state is State.CLEAN
    assert (
        "1 rollout of run was ended by a signal (agent_exit_code: 137); who sent it is not recorded, and every check "
        "was run: it counts as judged (0 passed)."
    ) in words(attempt_audit.build(analysis))


@pytest.mark.parametrize(
    "fields",
    [
        {"verifier": {"test_results": None}},
        TESTED | {"reward": None},
        TESTED | {"error": "the container ran out of memory"},
        {**TESTED, "agent_exit_code": 0, "verifier_exit_code": 137},
    ],
)
def test_a_kill_stays_with_the_infrastructure_where_something_tells_of_it_or_the_verdict_is_not_whole(
    fields: Json,
) -> None:
    signals = Attempt(broken(LOOK, open_call("press --all"), code=137) | fields).signals
    assert not [text for text in signals if "|unowned|" in text]
    assert [text for text in signals if text.startswith("infrastructure|")]

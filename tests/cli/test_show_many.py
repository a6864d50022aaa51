"""`blade show` of several tasks and runs: one list of changes, the instruction, the verifier's log, no prompt twice."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from tests.command_line import blade
from tests.gym_rows import message, request, response, row, write

POLICY = "You are the agent of a hotel. " * 40
TOLD = "You are Ann. You want to move your booking to room B, and you do not know its number. " * 2
LOG = "\n".join([*(f"test_{number} ok" for number in range(20)), "ssh: unsupported option no-p"])


def attempt(task: int, rooms: list[str]) -> dict[str, Any]:
    steps: list[Any] = []
    for number, room in enumerate(rooms):
        arguments = f'{{"room": "{room}"}}'
        answer = "Error: no such room" if room == "C" else "moved"
        steps += [
            {"type": "function_call", "name": "move_booking", "arguments": arguments, "call_id": f"c{number}"},
            {"type": "function_call_output", "call_id": f"c{number}", "output": answer},
        ]
    good = rooms == ["B"]
    return row(
        task,
        0,
        float(good),
        task_id=f"desk-{task}",
        responses_create_params={**request(f"Move {task}."), "instructions": POLICY},
        response=response(*steps, message("Done.")),
        metadata={"user_instruction": TOLD},
        verifier={
            "expected_actions": [{"name": "move_booking", "arguments": {"room": "B"}}],
            "test_output_tail": LOG,
        },
    )


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("show")
    made = {"right": ["B"], "other": ["A"], "refused": ["C", "A"]}
    return [
        write(folder / f"{name}.jsonl", [attempt(task, rooms) for task in range(3)]) for name, rooms in made.items()
    ]


def test_the_changes_of_all_runs_stand_in_one_list(runs: list[Path]) -> None:
    told = blade("show", *runs, "desk-1", "desk-2", "--writes", "--no-cache").stdout.splitlines()
    place = told.index("task desk-1: passes in right; fails in other and refused")
    assert "task desk-2: passes in right; fails in other and refused" in told
    assert told[place + 1].startswith("asked: You are Ann.")
    assert told[place + 2 : place + 8] == [
        'expected: move_booking {"room":"B"}',
        "  made by right; not made by other and refused",
        'not expected: move_booking {"room": "A"}',
        "  made by other and refused",
        'not expected: move_booking {"room": "C"}',
        "  tried and refused for refused",
    ]


def test_runs_that_lack_an_expected_change_are_counted_where_they_are_many(tmp_path: Path) -> None:
    rooms = {"right": "B", "east": "A", "north": "A", "south": "A", "west": "A"}
    many = [write(tmp_path / f"{name}.jsonl", [attempt(0, [room])]) for name, room in rooms.items()]
    shown = blade("show", *many, "desk-0", "--writes", "--no-cache").stdout.splitlines()
    assert "  made by right; not by the other 4" in shown
    others = blade("show", *many[1:], "desk-0", "--writes", "--no-cache").stdout.splitlines()
    assert others[0] == "task desk-0: fails in all"
    assert "  not made by all" in others


def test_many_tasks_are_skimmed_a_line_for_each_step(runs: list[Path]) -> None:
    shown = blade("show", *runs, "desk-*", "--brief", "--no-cache").stdout.splitlines()
    assert [line.partition(":")[0] for line in shown if line.startswith("task ")] == [
        "task desk-0",
        "task desk-1",
        "task desk-2",
    ]
    place = next(number for number, line in enumerate(shown) if line.startswith("task desk-1: You are Ann."))
    assert shown[place + 1 : place + 6] == [
        "  right, attempt 0: passes, score 1, ok",
        "    1. B → moved",
        "    2. says: Done.",
        next(line for line in shown if line.startswith("    log ends: ")),
        "  other, attempt 0: fails, score 0, ok",
    ]
    assert "    1. C → Error: no such room" in shown
    assert all("You are the agent" not in line for line in shown)


def test_what_a_skim_has_no_room_for_is_said(runs: list[Path]) -> None:
    shown = blade("show", *runs, "desk-*", "--brief", "--no-cache", "--tokens", "400").stdout
    assert "task desk-0" in shown
    assert "task desk-1: " not in shown
    assert shown.splitlines()[-1] == ("2 tasks left out, from desk-1 on: --tokens 1201, or name fewer tasks or one run")
    alone = blade("show", *runs, "desk-*", "--brief", "--no-cache", "--tokens", "400", "--run", "other").stdout
    assert alone.count("other, attempt 0") == 3
    missing = blade("show", runs[0], "nowhere-*", "--brief", "--no-cache")
    assert (missing.returncode, "No rollout of a task 'nowhere-*'" in missing.stderr) == (2, True)


def test_what_tasks_ask_is_shown_alone(runs: list[Path]) -> None:
    shown = blade("show", *runs, "desk-*", "--request", "--no-cache").stdout
    assert shown.count(TOLD.strip()) == 3
    assert shown.splitlines()[0] == "task desk-0:"
    assert all(words not in shown for words in ("passes", "moved", "You are the agent"))


def test_a_long_request_keeps_both_ends_and_says_what_it_leaves_out(tmp_path: Path) -> None:
    row = attempt(0, ["A"])
    row["metadata"]["user_instruction"] = "First words. " + 400 * "middle " + "Last words."
    path = write(tmp_path / "long.jsonl", [row])
    shown = blade("show", path, "desk-0", "--request", "--no-cache", "--tokens", "200").stdout
    assert "First words." in shown
    assert "Last words." in shown
    assert re.search(r"^  \[… 2,\d{3} letters left out: --tokens\]$", shown, re.MULTILINE)
    whole = blade("show", path, "desk-0", "--request", "--no-cache").stdout
    assert row["metadata"]["user_instruction"] in whole


def test_of_a_long_transcript_a_skim_leaves_out_the_middle(tmp_path: Path) -> None:
    rooms = [f"room {number} of a long corridor" for number in range(60)]
    path = write(tmp_path / "long.jsonl", [attempt(0, rooms)])
    shown = blade("show", path, "desk-0", "--brief", "--no-cache", "--tokens", "500").stdout.splitlines()
    left = next(line for line in shown if line.startswith("    … "))
    numbers = [int(line.split(".")[0]) for line in shown if line.strip()[:1].isdigit()]
    assert numbers[0] == 1
    assert numbers[-1] == 61
    assert len(numbers) + int(left.split()[1]) == 61


def test_every_run_and_task_is_shown_with_its_instruction_and_without_the_prompt(runs: list[Path]) -> None:
    told = blade("show", *runs[:2], "desk-0", "desk-2", "--no-cache").stdout
    assert [line for line in told.splitlines() if " · task " in line] == [
        "right · task desk-0 · attempt 0",
        "other · task desk-0 · attempt 0",
        "right · task desk-2 · attempt 0",
        "other · task desk-2 · attempt 0",
    ]
    assert told.count("prompt: row.metadata.user_instruction") == 4
    assert "You are the agent of a hotel" not in told
    assert told.count(f"{len(POLICY):,} characters (--prompt shows them)") == 4
    assert "You are the agent" in blade("show", runs[0], "desk-0", "--prompt", "--no-cache").stdout


def test_the_end_of_the_verifiers_log_is_shown_and_all_of_it_when_asked(runs: list[Path]) -> None:
    told = blade("show", runs[1], "desk-0", "--tail", "1", "--no-cache").stdout
    assert "verifier: row.verifier.test_output_tail" in told
    assert "9 lines before (--verifier shows all)" in told
    assert "ssh: unsupported option no-p" in told
    assert "test_0 ok" not in told
    assert "test_0 ok" in blade("show", runs[1], "desk-0", "--verifier", "--no-cache").stdout


def test_a_run_alone_is_no_question(runs: list[Path]) -> None:
    done = blade("show", runs[0])
    assert (done.returncode, "Give a run and a task." in done.stderr) == (2, True)


def test_long_names_are_letters_and_void_attempts_stand_apart(runs: list[Path], tmp_path: Path) -> None:
    long_name = "a_run_with_a_very_long_name"
    broken = attempt(1, []) | {"response": response(status="failed", error={"code": "x", "message": "502 Bad Gateway"})}
    other = write(tmp_path / f"{long_name}.jsonl", [attempt(0, ["A"]), broken, attempt(2, ["B"])])
    told = blade("show", runs[1], other, "desk-1", "--writes", "--no-cache").stdout.splitlines()
    assert told[:3] == ["A = other", f"B = {long_name}", "task desk-1: fails in A; void in B"]
    assert "  not made by A" in told


@pytest.fixture(scope="module")
def retried(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Two runs with long names; attempt 0 of the one task is void, 1 passes, 2 fails."""
    broken = attempt(1, []) | {"response": response(status="failed", error={"code": "x", "message": "502 Bad Gateway"})}
    rows = [
        one | {"_ng_rollout_index": number} for number, one in enumerate([broken, attempt(1, ["B"]), attempt(1, ["A"])])
    ]
    folder = tmp_path_factory.mktemp("retried")
    return [write(folder / f"{agent}__some-long-model.jsonl", rows) for agent in ("door-keeper", "night-porter")]


def test_a_judged_failure_is_preferred_and_void_attempts_are_named(retried: list[Path]) -> None:
    told = blade("show", retried[0], "desk-1", "--tail", "1", "--no-cache").stdout.splitlines()
    assert told[0].endswith("task desk-1 · attempt 2")
    assert "attempts of this task: 0: void, 1: pass, 2: fail" in told
    assert "void attempts did not run or were not judged (--attempt N shows one)" in told


def test_a_void_attempt_is_no_failure_and_says_which_were_judged(retried: list[Path]) -> None:
    lines = blade("show", retried[0], "desk-1", "--attempt", "0", "--no-cache").stdout.splitlines()
    assert lines[1] == "void, score 0, status infrastructure"
    assert "it did not run or was not judged: it does not measure the model; attempts 1 and 2 were judged" in lines


def test_runs_of_one_folder_are_named_by_their_short_names(retried: list[Path]) -> None:
    shown = blade("show", retried[0].parent, "desk-1", "--run", "night-porter", "--no-cache").stdout
    assert shown.startswith("night-porter (night-porter__some-long-model) · task desk-1 · attempt 2")
    counted = blade(
        "count", "failed and run = 'night-porter'", retried[0].parent, "--no-cache", "--no-keep"
    ).stdout.splitlines()
    assert [line.split()[:4] for line in counted[1:3]] == [
        ["door-keeper__some-long-model", "0", "of", "3"],
        ["night-porter__some-long-model", "2", "of", "3"],
    ]
    refused = blade("count", "failed", retried[0].parent, "--run", "porter-night", "--no-cache")
    assert (refused.returncode, refused.stderr.splitlines()[0]) == (2, "blade: No run is named 'porter-night'.")


def test_long_names_are_shown_as_the_report_shortens_them(retried: list[Path]) -> None:
    told = blade("show", *retried, "desk-1", "--tail", "1", "--no-cache").stdout
    assert "door-keeper (door-keeper__some-long-model) · task desk-1" in told
    table = blade("show", *retried, "desk-1", "--writes", "--no-cache").stdout.splitlines()
    assert table[:2] == [
        "door-keeper = door-keeper__some-long-model",
        "night-porter = night-porter__some-long-model",
    ]
    assert table[2].startswith("task desk-1: passes in door-keeper #1 and night-porter #1; fails in door-keeper #2")


def test_a_long_rollout_is_shown_within_its_tokens_with_both_ends(tmp_path: Path) -> None:
    steps: list[Any] = []
    for number in range(80):
        steps += [
            {"type": "function_call", "name": "look", "arguments": f'{{"page": {number}}}', "call_id": f"c{number}"},
            {"type": "function_call_output", "call_id": f"c{number}", "output": f"page {number} " + "noise " * 400},
        ]
    one = row(0, 0, 0.0, task_id="desk-0", response=response(*steps, message("The last word is kept.")))
    path = write(tmp_path / "run.jsonl", [one, attempt(1, ["B"])])
    text = blade("show", path, "desk-0", folder=tmp_path).stdout
    assert len(text) <= 4 * 4_000
    assert "What is 0 and 0?" in text
    assert "The last word is kept." in text
    assert "parts left out here: --tokens 16000 shows more, --tail N the last, --full all" in text
    whole = blade("show", path, "desk-0", "--full", folder=tmp_path).stdout
    assert "left out" not in whole
    assert all(f"page {number} noise" in whole for number in range(80))
    short = blade("show", path, "desk-0", "--tokens", "1000", folder=tmp_path).stdout
    assert len(short) <= 4 * 1_000
    assert "The last word is kept." in short


def test_a_name_that_is_too_long_for_a_file_is_a_task(tmp_path: Path) -> None:
    path = write(tmp_path / "run.jsonl", [row(0, 0, 0.0)])
    done = blade("show", path, "(" * 5_000, "--no-cache")
    assert (done.returncode, "No rollout of a task '((((" in done.stderr) == (2, True)


def test_the_prompt_is_called_by_its_name(runs: list[Path]) -> None:
    shown = blade("show", runs[1], "desk-0", "--prompt", "--no-cache").stdout.splitlines()
    assert "prompt: user" in shown
    assert not [line for line in shown if line.strip().startswith("[-")]

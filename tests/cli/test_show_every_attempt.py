"""`blade show --brief --attempt all` skims every attempt; `--verifier` folds nothing that the verifier left."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.command_line import Done, blade
from tests.gym_rows import Json, message, response, row, write

ATTEMPTS = 3


def jar(task: int, attempt: int, **fields: Json) -> Json:
    reward = float(attempt == 1)
    said = response(message(f"Jar {task}.{attempt} is packed."))
    return row(task, attempt, reward, task_id=f"jar-{task}", response=said, **fields)


@pytest.fixture(scope="module")
def paths(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Two runs; the second one tried the first task once."""
    folder = tmp_path_factory.mktemp("every")
    rows = [jar(task, attempt) for task in range(2) for attempt in range(ATTEMPTS)]
    return [write(folder / "early.jsonl", rows), write(folder / "late.jsonl", [jar(0, 0), *rows[ATTEMPTS:]])]


def show(*names: str | Path) -> Done:
    return blade("show", *names, "--no-cache")


def test_every_attempt_of_every_run_stands_below_its_task(paths: list[Path]) -> None:
    lines = show(*paths, "jar-*", "--brief", "--attempt", "all").stdout.splitlines()
    assert [line.partition(",")[0] if line.startswith("task") else line for line in lines if line] == [
        "task jar-0: What is 0 and 0?",
        "  early, attempt 0: fails, score 0, ok; 1 of its 3 attempts pass",
        "    1. says: Jar 0.0 is packed.",
        "  early, attempt 1: passes, score 1, ok; 1 of its 3 attempts pass",
        "    1. says: Jar 0.1 is packed.",
        "  early, attempt 2: fails, score 0, ok; 1 of its 3 attempts pass",
        "    1. says: Jar 0.2 is packed.",
        "  late, attempt 0: fails, score 0, ok",
        "    1. says: Jar 0.0 is packed.",
        "task jar-1: What is 1 and 1?",
        *(
            line
            for run in ("early", "late")
            for attempt, words in enumerate(("fails, score 0", "passes, score 1", "fails, score 0"))
            for line in (
                f"  {run}, attempt {attempt}: {words}, ok; 1 of its 3 attempts pass",
                f"    1. says: Jar 1.{attempt} is packed.",
            )
        ),
    ]


def test_one_run_and_one_attempt_can_still_be_named(paths: list[Path]) -> None:
    alone = show(*paths, "jar-1", "--brief", "--attempt", "all", "--run", "late").stdout
    assert [alone.count(f"{run}, attempt") for run in ("early", "late")] == [0, ATTEMPTS]
    second = show(*paths, "jar-1", "--brief", "--attempt", "2").stdout
    assert [line.partition(":")[0] for line in second.splitlines() if ", attempt" in line] == [
        "  early, attempt 2",
        "  late, attempt 2",
    ]
    usual = show(paths[0], "jar-1", "--brief").stdout
    assert usual.count(", attempt ") == 1


def test_attempts_share_the_tokens(paths: list[Path]) -> None:
    """Twelve rollouts of 500 letters need 1,500 tokens: with fewer the second task has no room."""
    enough = show(*paths, "jar-*", "--brief", "--attempt", "all", "--tokens", "1500").stdout
    assert enough.count("task jar-") == 2
    short = show(*paths, "jar-*", "--brief", "--attempt", "all", "--tokens", "1499").stdout.splitlines()
    assert sum(line.startswith("task jar-") for line in short) == 1
    assert short[-1].startswith("1 task left out, from jar-1 on: --tokens 2999")
    one_each = show(*paths, "jar-*", "--brief", "--tokens", "500").stdout
    assert one_each.count("task jar-") == 2


@pytest.mark.parametrize(("tokens", "tasks"), [("750", 2), ("749", 1)])
def test_of_one_run_the_task_with_most_attempts_tells_the_share(
    paths: list[Path], tmp_path: Path, tokens: str, tasks: int
) -> None:
    named = show(
        *paths, "jar-*", "--brief", "--attempt", "all", "--run", "early", "--tokens", tokens
    ).stdout.splitlines()
    assert sum(line.startswith("task jar-") for line in named) == tasks
    uneven = write(tmp_path / "uneven.jsonl", [jar(0, 0), *(jar(1, attempt) for attempt in range(ATTEMPTS))])
    alone = show(uneven, "jar-*", "--brief", "--attempt", "all", "--tokens", tokens).stdout.splitlines()
    assert sum(line.startswith("task jar-") for line in alone) == tasks


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (["--attempt", "all"], "--attempt all is for --brief: a line for each step of every attempt."),
        (["--attempt", "all", "--twin"], "--attempt all is for --brief: a line for each step of every attempt."),
        (
            ["--attempt", "each", "--brief"],
            "Invalid value for '--attempt': 'each' is no number of an attempt, and not 'all'.",
        ),
        (["--attempt", "1.5"], "Invalid value for '--attempt': '1.5' is no number of an attempt, and not 'all'."),
    ],
)
def test_all_without_a_skim_and_other_words_are_refused(paths: list[Path], words: list[str], error: str) -> None:
    done = show(paths[0], "jar-1", *words)
    assert (done.returncode, done.stdout, done.stderr.splitlines()[-1]) == (2, "", f"Error: {error}")


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A row with forty short fields of the verifier, and a task with a prompt as long."""
    record: Json = {f"rule_{number:02}": f"rule {number} was looked at and holds of this jar" for number in range(40)}
    asked = {"input": [{"role": "user", "type": "message", "content": "Pack this jar. " * 200}]}
    fields: Json = {"verifier": record, "responses_create_params": asked}
    return write(tmp_path_factory.mktemp("recorded") / "jars.jsonl", [jar(0, 0, **fields), jar(1, 1)])


def test_with_the_verifier_its_record_is_not_folded(recorded: Path) -> None:
    folded = show(recorded, "jar-0").stdout
    whole = show(recorded, "jar-0", "--verifier").stdout
    rules = [f"rule {number} was looked at and holds of this jar" for number in range(40)]
    assert not all(rule in folded for rule in rules)
    assert all(rule in whole for rule in rules)
    _, _, record = whole.partition("row: fields beside the transcript")
    assert record
    assert "(--full shows all)" not in record
    assert "(--full shows all)" in folded.partition("row: fields beside the transcript")[2]


def test_with_the_verifier_all_other_parts_are_folded_as_before(recorded: Path) -> None:
    whole = show(recorded, "jar-0", "--verifier").stdout
    assert "(--full shows all)" in whole.partition("row: fields beside the transcript")[0]
    assert whole.count("Pack this jar.") < 200
    assert show(recorded, "jar-0", "--full").stdout.count("Pack this jar.") >= 200

"""Failed calls are counted by outcome, with what the tools answered and in which tasks."""

from __future__ import annotations

from pathlib import Path

from tests.gym_rows import Json, analysed, write
from tests.questions.made_cases import called, said, task_row, words

from blade.questions import failed_calls


def _row(task: int, *answers: str, passed: bool) -> Json:
    calls = [called("change", {"at": task, "step": place}, answer) for place, answer in enumerate(answers)]
    return task_row(task, *calls, said("Done."), passed=passed)


def test_failed_calls_are_counted_in_passes_and_in_failures(tmp_path: Path) -> None:
    closed = "Error: a closed order cannot be changed"
    one = [_row(task, closed, closed, passed=False) for task in range(3)]
    one += [_row(3, closed, "changed", passed=True)] + [_row(task, "changed", passed=True) for task in range(4, 8)]
    two = [_row(task, "changed", passed=True) for task in range(7)] + [_row(7, closed, passed=False)]
    paths = write(tmp_path / "one.jsonl", one), write(tmp_path / "two.jsonl", two)
    answer = analysed(*paths).investigation["failed_calls"]
    told = words(failed_calls.tell(answer))
    assert (
        "Rollouts in which a call fails: 4 of 8 of one (3 of 3 failures, 1 of 5 passes; 7 calls) and "
        "1 of 8 of two (1 of 1 failure, 0 of 7 passes; 1 call). By calls, 7 of 12 of one and 1 of 8 of two fail. The "
        "answer in which they differ most, in calls of each: change: “Error: a closed order cannot be changed” (7 and "
        "1)." in told
    )
    assert "change: “Error: a closed order cannot be changed” | 4 (3 fail): 0, 1, 2 and 3 | 1 (1 fails): 7" in told


def test_of_two_runs_with_keys_the_refused_changes_are_counted_apart(tmp_path: Path) -> None:
    def keyed(task: int, answer: str, *, passed: bool) -> Json:
        key = {"expected_actions": [{"name": "change_order", "arguments": {"at": task}}]}
        calls = [called("get_order", {"at": task}, "open"), called("change_order", {"at": task}, answer)]
        return task_row(task, *calls, said("Done."), passed=passed, verifier=key)

    one = [keyed(task, "Error: it is closed", passed=False) for task in range(3)] + [keyed(3, "changed", passed=True)]
    two = [keyed(task, "changed", passed=True) for task in range(4)]
    paths = write(tmp_path / "one.jsonl", one), write(tmp_path / "two.jsonl", two)
    told = words(failed_calls.tell(analysed(*paths).investigation["failed_calls"]))
    assert (
        "By calls, 3 of 8 of one and 0 of 8 of two fail; of calls that change something 3 of 4 and 0 of 4. The answer "
        "in which they differ most, in calls of each: change_order: “Error: it is closed” (3 and 0)." in told
    )
    whole = analysed(*paths, write(tmp_path / "three.jsonl", two)).investigation["failed_calls"]
    assert "By calls" not in words(failed_calls.tell(whole))


def test_a_failed_call_here_and_there_is_not_told(tmp_path: Path) -> None:
    rows = [_row(task, "changed", passed=True) for task in range(8)] + [_row(8, "Error: no", passed=False)]
    assert "failed_calls" not in analysed(write(tmp_path / "one.jsonl", rows)).investigation


def test_tools_that_say_one_thing_to_every_call_told_the_model_nothing(tmp_path: Path) -> None:
    def served(task: int, answer: str) -> Json:
        calls = [called(tool, {"at": task}, answer) for tool in ("look", "change")[: 1 + task % 2]]
        return task_row(task, *calls, said("Done."), passed=task > 1)

    rows = [served(task, "Nobody is here") for task in range(6)]
    answer = analysed(write(tmp_path / "one.jsonl", rows)).investigation["failed_calls"]
    assert words(failed_calls.tell(answer)) == (
        "Every call in one is answered “Nobody is here”, whatever is called: 9 calls of 2 tools in 6 rollouts, of "
        "which 4 pass. The tools told the model nothing, so what it does after a call says little of it."
    )
    numbers = [served(task, f"There are {task}") for task in range(6)]
    assert "failed_calls" not in analysed(write(tmp_path / "two.jsonl", numbers)).investigation


def test_answers_that_differ_are_counted_by_what_they_have_in_common(tmp_path: Path) -> None:
    rows = [_row(task, f"Error: item {task}7 is gone", "Error: no room", passed=False) for task in range(3)]
    told = words(failed_calls.tell(analysed(write(tmp_path / "one.jsonl", rows)).investigation["failed_calls"]))
    assert "change: “Error: item … is gone” (such as “Error: item 07 is gone”) | 3 (3 fail)" in told
    assert "change: “Error: no room” | 3 (3 fail)" in told


def test_an_exit_code_alone_is_told_from_one_with_words(tmp_path: Path) -> None:
    silent, loud = (f"<returncode>1</returncode>\n<output>\n{text}</output>" for text in ("", "no\n"))
    rows = [_row(task, silent, passed=False) for task in range(3)] + [_row(3, loud, passed=False)]
    answer = analysed(write(tmp_path / "one.jsonl", rows)).investigation["failed_calls"]
    assert [(one["words"], one["rollouts"]) for one in answer["answers"]] == [("exit code 1 and no words", 3)]


def test_empty_answers_and_comments_that_run_nothing_are_told_where_they_go_with_failing(tmp_path: Path) -> None:
    def row_of(task: int, *commands: str, passed: bool) -> Json:
        calls = [called("bash", {"command": text}, "" if text.startswith("#") else "a jar") for text in commands]
        flags = [not text.startswith("#") for text in commands]
        return task_row(task, *calls, said("Done."), passed=passed, verifier={"valid_step": flags, "checks": [True]})

    rows = [row_of(task, f"ls {task}", "# look into it", "# try again", passed=False) for task in range(10)]
    rows += [row_of(task, f"ls {task}", f"cat {task}", passed=True) for task in range(10, 20)]
    answer = analysed(write(tmp_path / "one.jsonl", rows)).investigation["failed_calls"]
    assert [entry["sign"] for entry in answer["signs"]] == ["empty", "comment", "verifier.valid_step"]
    told = words(failed_calls.tell(answer))
    assert "Rollouts in which a call fails" not in told
    assert (
        "one: a command is nothing but a comment, which runs nothing, in 10 of 10 failures and 0 of 10 passes (exact "
        "test p = 1.1e-05): 20 of the 30 calls of failures and 0 of the 20 of passes (0, 1, 2" in told
    )
    assert "one: at least two calls get an empty answer in 10 of 10 failures and 0 of 10 passes" in told
    assert "one: verifier.valid_step is false for a step of 10 of 10 failures and 0 of 10 passes" in told


def test_a_field_that_affirms_steps_that_run_nothing_is_told_to_be_like_an_exit_status(tmp_path: Path) -> None:
    def row_of(task: int, *commands: str, passed: bool, affirms: bool) -> Json:
        answers = {"ls": "a jar"}
        calls = [called("bash", {"command": text}, answers.get(text, "")) for text in commands]
        flags = [text == "ls" or (affirms and text in {"", "# look"}) for text in commands]
        return task_row(task, *calls, said("Done."), passed=passed, verifier={"valid_step": flags})

    def told(affirms: bool) -> str:
        rows = [row_of(task, "ls", "# look", "", "grep lid", passed=False, affirms=affirms) for task in range(10)]
        rows += [row_of(task, "ls", "ls", passed=True, affirms=affirms) for task in range(10, 20)]
        name = "one" if affirms else "two"
        answer = analysed(write(tmp_path / f"{name}.jsonl", rows)).investigation["failed_calls"]
        return words(failed_calls.tell(answer))

    assert (
        "It is true for 20 of 20 calls that run nothing, being empty or a comment, and false for 10 with an empty "
        "answer: like an exit status, it does not tell whether a step does anything." in told(affirms=True)
    )
    assert "exit status" not in told(affirms=False)


def test_empty_answers_that_passes_get_too_are_not_told(tmp_path: Path) -> None:
    rows = [_row(task, "", "", "", passed=task % 2 == 0) for task in range(20)]
    assert "failed_calls" not in analysed(write(tmp_path / "one.jsonl", rows)).investigation

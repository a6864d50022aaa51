"""All arguments that differ from the key count, and values that failures of a task share against it are told."""

from __future__ import annotations

from pathlib import Path

from tests.gym_rows import Json, analysed, write
from tests.questions.made_cases import called, said, task_row, words

from blade.questions import unlike_arguments


def _row(task: int, attempt: int, *made: Json, passed: bool = False, seen: str = "") -> Json:
    wanted = {"book": f"b{task}", "fees": [{"card": "card_7001", "amount": 5}], "days": 0}
    key = {"expected_actions": [{"name": "lend_book", "arguments": wanted}]}
    calls = [called("show_cards", {"reader": "r1"}, seen)] if seen else []
    calls += [called("lend_book", {"book": f"b{task}", **arguments}, '{"ok": true}') for arguments in made]
    return task_row(task, *calls, said("Done."), passed=passed, verifier=key) | {"_ng_rollout_index": attempt}


RIGHT = {"fees": [{"card": "card_7001", "amount": 5}], "days": 0}


def test_an_argument_behind_the_first_difference_counts_and_what_all_failures_share_leads(tmp_path: Path) -> None:
    wrong = [{"fees": [{"card": "card_7001", "amount": amount}], "days": 1} for amount in (55, 55, 5, 70)]
    rows = [_row(1, attempt, arguments) for attempt, arguments in enumerate(wrong)]
    rows += [_row(2, attempt, RIGHT, passed=True) for attempt in range(4)]
    answer = analysed(write(tmp_path / "one.jsonl", rows)).investigation["unlike_arguments"]
    text = words(unlike_arguments.tell(answer))
    assert (
        "4 of 4 judged failures make an expected change with other arguments, counted by all that differ: “days” in 4 "
        "(1) and “fees” in 3 (1). In 1 a single value differs: “days” 1." in text
    ), text
    assert "Task 1: in 4 of 4 failures days of lend_book is “1” (key: “0”)." in text, text


def test_a_key_that_only_passes_were_shown_is_told_with_the_passes(tmp_path: Path) -> None:
    other = {"fees": [{"card": "card_9002", "amount": 5}], "days": 0}
    shown = '{"cards": ["card_7001", "card_9002"]}'
    rows = [_row(1, attempt, RIGHT, passed=True, seen=shown) for attempt in range(2)]
    rows += [_row(1, attempt, other) for attempt in (2, 3)]
    rows += [_row(2, 0, other | {"days": 4}, seen=shown), *(_row(3, attempt, RIGHT, passed=True) for attempt in (0, 1))]
    answer = analysed(write(tmp_path / "one.jsonl", rows)).investigation["unlike_arguments"]
    text = words(unlike_arguments.tell(answer))
    assert (
        "Task 1: in 2 of 2 failures fees.0.card of lend_book is “card_9002” (key: “card_7001”, which these rollouts "
        "were never shown); 2 rollouts of this task pass." in text
    ), text
    assert "Task 2" not in text, "one failure agrees with nobody"


def test_two_failures_are_too_few(tmp_path: Path) -> None:
    rows = [_row(1, attempt, {"days": 1}) for attempt in range(2)]
    rows += [_row(2, attempt, RIGHT, passed=True) for attempt in range(4)]
    assert "unlike_arguments" not in analysed(write(tmp_path / "one.jsonl", rows)).investigation


def test_a_change_that_the_environment_refuses_is_expected_of_nobody(tmp_path: Path) -> None:
    wrong = {"fees": [{"card": "card_7001", "amount": 5}], "days": 1}
    rows = [_row(1, attempt, wrong) for attempt in range(3)]
    refused = _row(1, 3, RIGHT)
    refused["response"]["output"][1]["output"] = "Error: b1 is lost"
    rows += [refused, *(_row(2, attempt, RIGHT, passed=True) for attempt in range(4))]
    assert "unlike_arguments" not in analysed(write(tmp_path / "one.jsonl", rows)).investigation


def _written(task: int, book: str, *, passed: bool) -> Json:
    key = {"expected_actions": [{"name": "lend_book", "arguments": {"book": f"book_{task}00", "desk": "east"}}]}
    call = called("lend_book", {"book": book, "desk": "east"}, '{"ok": true}')
    return task_row(task, call, said("Done."), passed=passed, verifier=key)


def test_one_constant_in_place_of_different_values_is_told_once(tmp_path: Path) -> None:
    failing = [_written(task, "book_0001" if task < 4 else "book_777", passed=False) for task in range(5)]
    passing = [_written(task, f"book_{task}00", passed=True) for task in range(5, 9)]
    answer = analysed(write(tmp_path / "one.jsonl", [*failing, *passing])).investigation["unlike_arguments"]
    assert (
        "In 4 of the 5 failures with another value of “book” it is “book_0001” (one 4; 0, 1, 2 and 3), where the keys "
        "have 4 different ones, and no pass writes it: one constant, right in none of these tasks."
        in words(unlike_arguments.tell(answer))
    )
    passing[0] = _written(5, "book_0001", passed=True)
    answer = analysed(write(tmp_path / "two.jsonl", [*failing, *passing])).investigation["unlike_arguments"]
    assert not answer["constants"], "what a pass writes, too, may be right"
    answer = analysed(write(tmp_path / "few.jsonl", failing[2:])).investigation["unlike_arguments"]
    assert not answer["constants"], "two tasks are too few"


def test_a_right_value_in_other_blanks_is_the_verifiers_matter(tmp_path: Path) -> None:
    """The tool takes the number in groups; the verifier compares the text."""

    def spaced(task: int, attempt: int, card: str, *, passed: bool) -> Json:
        wanted = {"book": f"b{task}", "card": f"89441103{task}5528"}
        key = {"expected_actions": [{"name": "lend_book", "arguments": wanted}]}
        call = called("lend_book", {"book": f"b{task}", "card": card}, '{"ok": true}')
        return task_row(task, call, said("Done."), passed=passed, verifier=key) | {"_ng_rollout_index": attempt}

    rows = [spaced(task, 0, f"8944 1103 {task}552 8", passed=False) for task in range(4)]
    rows += [spaced(task, 1, f"89441103{task}5528", passed=True) for task in range(4)]
    rows += [spaced(task, 2, "17", passed=False) for task in range(2)]
    analysis = analysed(write(tmp_path / "one.jsonl", rows))
    answer = analysis.investigation["unlike_arguments"]
    assert (answer["written"]["rollouts"], answer["written"]["nothing_else"]) == (4, 4)
    (told,) = unlike_arguments.brief(answer)
    assert told.text == (
        "4 failures (one 4; 0, 1, 2 and 3) write the key's value of “card” with other blanks, marks or letter case "
        "(“8944 1103 0552 8” for “8944110305528” in task 0); in 4 of them no other value differs: the verifier "
        "compares how it is written."
    ), told.text
    (step,) = unlike_arguments.advise(answer)
    assert step.change.startswith("Compare “card” without blanks, marks and letter case")


def test_a_sign_or_a_point_makes_another_number() -> None:
    written = unlike_arguments._is_written_otherwise
    assert written("AB-12", "ab12")
    assert written("12 34", "1234")
    assert not any(written(*pair) for pair in (("-5", "5"), ("1.5", "15"), ("b1", "b2"), ("--", "..")))

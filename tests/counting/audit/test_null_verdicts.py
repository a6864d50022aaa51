"""Rows whose verdict is null beside one and the same text were not judged; those without a word never started."""

from __future__ import annotations

from pathlib import Path

from tests.gym_rows import Json, analysed, message, response, row, write


def ruled(task: int, *, passed: bool, down: bool = False, words: str = "") -> Json:
    ruling = None if down else "agrees" if passed else "departs"
    grounds = words or ("no ruling after 30 s" if down else f"The reply on {'ABCDEFGH'[task % 8]} is read so.")
    says = response(message(f"The sum of {task} is known."))
    return row(task, reward=float(passed), response=says, arbiter={"ruling": ruling, "grounds": grounds})


def test_a_null_verdict_with_one_text_is_no_verdict(tmp_path: Path) -> None:
    rows = [ruled(task, passed=task % 2 == 0) for task in range(40)]
    rows += [ruled(task, passed=False, down=True) for task in range(40, 46)]
    (run,) = analysed(write(tmp_path / "one.jsonl", rows)).runs
    assert run.audit["not_judged"] == 6


def test_a_null_verdict_with_words_of_its_own_may_be_the_answers_fault(tmp_path: Path) -> None:
    rows = [ruled(task, passed=task % 2 == 0) for task in range(40)]
    names = ("ash", "birch", "cedar", "elm", "fir", "hazel")
    rows += [ruled(40 + at, passed=False, down=True, words=f"Reads {name}.") for at, name in enumerate(names)]
    (run,) = analysed(write(tmp_path / "one.jsonl", rows)).runs
    assert run.audit["not_judged"] == 0


def silent_at(places: range) -> list[Json]:
    rows = [row(task, attempt, float(task % 2)) for task in range(24) for attempt in range(3)]
    for place in places:
        task, attempt = divmod(place, 3)
        usage = {"input_tokens": 40, "output_tokens": 0, "total_tokens": 40}
        rows[place] = row(task, attempt, 0.0, response=response(usage=usage))
    return rows


def test_many_rows_without_a_word_of_one_attempt_index_never_started(tmp_path: Path) -> None:
    (run,) = analysed(write(tmp_path / "one.jsonl", silent_at(range(2, 72, 6)))).runs
    assert run.audit["not_started"] == 12


def test_rows_without_a_word_of_all_attempts_may_be_the_models(tmp_path: Path) -> None:
    (run,) = analysed(write(tmp_path / "one.jsonl", silent_at(range(0, 48, 4)))).runs
    assert run.audit["not_started"] == 0

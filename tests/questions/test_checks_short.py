"""Failures by how many of their checks they miss."""

from __future__ import annotations

from pathlib import Path

from tests.gym_rows import Json, analysed, row, write
from tests.questions.made_cases import words

from blade.questions import checks_short


def _row(task: int, *verdicts: str) -> Json:
    results = {f"test_{place}": verdict for place, verdict in enumerate(verdicts)}
    reward = float(all(verdict == "passed" for verdict in verdicts))
    return row(task, reward=reward, expected_answer=None, extracted_answer=None, verifier={"test_results": results})


def test_failures_are_counted_by_the_checks_they_miss(tmp_path: Path) -> None:
    rows = [_row(task, "passed", "passed", "passed") for task in range(3)]
    rows += [_row(task, "failed", "failed", "failed") for task in range(3, 5)]
    rows += [_row(5, "passed", "failed", "failed"), _row(6, "passed", "passed", "failed")]
    rows += [_row(7, "failed", "passed", "passed"), _row(8, "failed")]
    answer = analysed(write(tmp_path / "one.jsonl", rows)).investigation["checks_short"]
    assert words(checks_short.tell(answer)) == (
        "one: of 5 judged failures that miss some of several named checks, none is met in 2 and some in 3; a single "
        "check is missed in 2 (6 and 7)."
    )


def test_few_failures_with_checks_are_not_told(tmp_path: Path) -> None:
    rows = [_row(task, "passed", "failed") for task in range(4)] + [_row(4, "passed", "passed")]
    assert "checks_short" not in analysed(write(tmp_path / "one.jsonl", rows)).investigation


def test_verdicts_of_two_parts_are_left_to_what_is_told_of_their_parts(tmp_path: Path) -> None:
    rows = [_row(task, "passed", "failed" if task < 8 else "passed") for task in range(12)]
    assert "checks_short" not in analysed(write(tmp_path / "two.jsonl", rows)).investigation
    rows.append(_row(12, "passed", "passed", "passed"))
    assert "checks_short" in analysed(write(tmp_path / "three.jsonl", rows)).investigation


def test_checks_in_several_sets_are_counted_together(tmp_path: Path) -> None:
    """The largest set is met as a whole; what is missed stands in the other."""

    def judged(task: int, *missed: str) -> Json:
        new = {"success": [name for name in ("n1", "n2") if name not in missed], "failure": list(missed)}
        old = {"success": ["o1", "o2", "o3"], "failure": []}
        return row(task, reward=float(not missed), expected_answer=None, verifier={"tests": {"new": new, "old": old}})

    rows = [judged(task) for task in range(3)] + [judged(task, "n1", "n2") for task in range(3, 6)]
    rows += [judged(task, "n2") for task in range(6, 8)]
    (entry,) = analysed(write(tmp_path / "one.jsonl", rows)).investigation["checks_short"]["runs"]
    assert (entry["failures"], entry["none_met"], entry["partly"], entry["single"]) == (5, 0, 5, 2)
    assert entry["single_tasks"] == ["6", "7"]


def test_a_whole_set_that_fails_among_narrow_failures_may_not_have_run(tmp_path: Path) -> None:
    def judged(task: int, due: int, missed: int) -> Json:
        names = [f"due_{place}" for place in range(due)]
        status = {
            "due": {"success": names[missed:], "failure": names[:missed]},
            "kept": {"success": ["a"], "failure": []},
        }
        return row(task, reward=float(not missed), expected_answer=None, verifier={"tests_status": status})

    rows = [judged(task, 2, 0) for task in range(4)] + [judged(task, 2, 1) for task in range(4, 14)]
    whole = analysed(write(tmp_path / "one.jsonl", [*rows, judged(14, 9, 9)])).investigation["checks_short"]
    assert (
        "In 1 task every check of a set of 8 or more fails (14 with 9): these tests may not have run at all, or "
        "need a name that the task does not say." in words(checks_short.tell(whole))
    )
    often = [judged(task, 9, 9) for task in range(20, 32)]
    usual = analysed(write(tmp_path / "two.jsonl", [*rows, *often])).investigation["checks_short"]
    assert "every check of a set" not in words(checks_short.tell(usual))
    solved = [*rows, judged(14, 9, 9), judged(14, 9, 0) | {"_ng_rollout_index": 1}]
    passed = analysed(write(tmp_path / "three.jsonl", solved)).investigation["checks_short"]
    assert "every check of a set" not in words(checks_short.tell(passed)), "its tests run, as some rollout passes them"


def _counted(task: int, passed: int, total: int = 4, reward: float | None = None) -> Json:
    verdict = float(passed == total) if reward is None else reward
    details = {"tests_passed": passed, "tests_total": total}
    return row(task, reward=verdict, expected_answer=None, extracted_answer=None, verifier={"details": details})


def test_numbers_of_checks_without_names_count_too(tmp_path: Path) -> None:
    rows = [_counted(task, passed) for task, passed in enumerate((4, 4, 4, 0, 0, 1, 2, 3, 3))]
    rows.append(_counted(9, 0, total=1))
    answer = analysed(write(tmp_path / "one.jsonl", rows)).investigation["checks_short"]
    assert words(checks_short.tell(answer)) == (
        "one: of 6 judged failures that miss some of several checks, which are counted and not named, none is met in 2 "
        "and some in 4; a single check is missed in 2 (7 and 8)."
    )


def test_numbers_that_do_not_decide_the_verdict_are_no_checks_of_it(tmp_path: Path) -> None:
    rows = [_counted(task, task % 4, reward=1.0) for task in range(4)]
    rows += [_counted(task, task % 4, reward=0.0) for task in range(4, 12)]
    assert "checks_short" not in analysed(write(tmp_path / "one.jsonl", rows)).investigation


def test_runs_that_are_alike_share_a_sentence(tmp_path: Path) -> None:
    numbers = {"one": (4, 4, 4, 0, 0, 0, 0, 0), "two": (4, 4, 0, 0, 0, 0, 0, 3)}
    runs = [
        f"{name}={write(tmp_path / f'{name}.jsonl', [_counted(task, passed) for task, passed in enumerate(passes)])}"
        for name, passes in numbers.items()
    ]
    answer = analysed(*runs).investigation["checks_short"]
    assert words(checks_short.tell(answer)) == (
        "Failures mostly meet nothing, in each of 2 runs: of 11 judged failures that miss some of several checks, "
        "which are counted and not named, none is met in 10 (one 5 of 5 and two 5 of 6) and some in 1 (two: 7); a "
        "single check is missed in 1."
    )

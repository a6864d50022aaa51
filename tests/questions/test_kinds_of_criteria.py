"""Kinds of criteria, by how they begin, in which two runs lie apart."""

from __future__ import annotations

from pathlib import Path

from tests.gym_rows import ABSENT, Json, analysed, message, response, row, write
from tests.questions.made_cases import words

from blade.extract.attempt import Attempt
from blade.extract.rubric_criteria import rubric_criteria
from blade.questions import kinds_of_criteria

TASKS, ATTEMPTS = 12, 3


def advised(task: int, attempt: int, model: str, *, dated: bool) -> Json:
    """Four criteria: one about a date, and three others of which one is met in two of three attempts."""
    texts = [
        f"Gives the last date: jar {task} is good for {task} weeks",
        f"Names jar {task} and what it holds",
        f"Says where shelf {task} stands in the larder",
        f"Tells how lid {task} is to be closed",
    ]
    rubric = [{"cid": f"j{task}-{place}", "text": text, "pts": 4} for place, text in enumerate(texts)]
    met = [dated, True, attempt > 0, True]
    verdicts = [{"cid": entry["cid"], "met": flag} for entry, flag in zip(rubric, met, strict=True)]
    return row(
        task,
        attempt,
        float(all(met)),
        response=response(message(f"Jar {task}, said {attempt}."), model=model),
        rubric=rubric,
        grading={"verdicts": verdicts},
        expected_answer=ABSENT,
        extracted_answer=ABSENT,
    )


def run_of(path: Path, dated_of_ten: int) -> Path:
    rows = [
        advised(task, attempt, path.stem, dated=(ATTEMPTS * task + attempt) % 10 < dated_of_ten)
        for task in range(TASKS)
        for attempt in range(ATTEMPTS)
    ]
    return write(path, rows)


def test_the_kind_that_one_run_misses_is_told_with_all_others_beside_it(tmp_path: Path) -> None:
    paths = [f"{name}={run_of(tmp_path / f'{name}.jsonl', share)}" for name, share in (("old", 1), ("new", 9))]
    answer = analysed(*paths).investigation["kinds_of_criteria"]
    (kind,) = answer["kinds"]
    assert (kind["words"], kind["tasks"]) == ("Gives the last date jar", 12)
    text = words(kinds_of_criteria.tell(answer))
    assert text.startswith(
        "Criteria that begin “Gives the last date jar …” (12 tasks): new meets 33 of 36 (91.7%), old 4 of 36 (11.1%); "
        "of all other criteria 88.9% and 88.9% (exact test by criterion, corrected: p = "
    ), text


def test_runs_that_meet_the_same_kinds_are_not_told_apart(tmp_path: Path) -> None:
    paths = [f"{name}={run_of(tmp_path / f'{name}.jsonl', 5)}" for name in ("old", "new")]
    assert "kinds_of_criteria" not in analysed(*paths).investigation


def test_names_of_tests_are_no_sentences() -> None:
    tests = {"checks": {"test_lid": True, "test_jar": False}}
    assert rubric_criteria(Attempt(row(1, verifier=tests))) == {}

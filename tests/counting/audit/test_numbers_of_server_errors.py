"""In a stretch where every call fails the number of a server error tells of a machine."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.gym_rows import ABSENT, Json, message, only_run, response, row, write
from tests.questions.made_cases import called

from blade.counting.audit.windows import _is_outage
from blade.extract.trouble import tells_of_an_outage


@pytest.mark.parametrize(
    "text",
    [
        "shelf 3 says 503",
        "500 is what shelf 3 says",
        "(502)",
        "599: shelf 3",
        "429 for shelf 3",
        "OSError: [Errno 107]",
    ],
)
def test_such_a_message_tells_of_an_outage(text: str) -> None:
    if "Errno" not in text:
        assert not tells_of_an_outage(text), "its words alone do not"
    assert _is_outage(text)


@pytest.mark.parametrize(
    "text",
    [
        *("", "shelf 3 is not a shelf", "404", "shelf 428", "430", "499", "600", "1503", "5030", "A-503", "503-b"),
        *("x503", "503x", "503.2 g", "1.503 g", "1,503 jars", "503,2 g"),
    ],
)
def test_other_numbers_tell_of_none(text: str) -> None:
    assert not _is_outage(text)


def looked(task: int, attempt: int, reward: float, answers: list[str]) -> Json:
    calls = [item for number, text in enumerate(answers) for item in called("look", {"at": f"{task}.{number}"}, text)]
    output = response(*calls, message(f"Shelf {task} was looked at."), created_at=1000 + 10 * task + attempt)
    return row(task, attempt, reward, response=output, expected_answer=ABSENT, extracted_answer=ABSENT)


def broken(folder: Path, error: str, *, outage: range, telling: int = 2) -> int:
    """The rows of 60 that were broken off, where the calls of some tasks fail; `telling` of both attempts say why."""
    rows: list[Json] = []
    for task in range(30):
        for attempt in range(2):
            if task in outage:
                text = error if attempt < telling else f"Error: shelf {task} is none of these"
                rows.append(looked(task, attempt, 0.0, [text] * 3))
            else:
                rows.append(looked(task, attempt, float(task % 2), [f"shelf {task} holds jars"]))
    return int(only_run(write(folder / "jars.jsonl", rows)).audit["broken"])


@pytest.mark.parametrize(
    ("error", "number"),
    [("Error: shelf 3 says 503", 14), ("Error: shelf 3 says 404", 0), ("Error: shelf A-503 is no shelf", 0)],
)
def test_rows_of_a_stretch_are_broken_off_by_it(tmp_path: Path, error: str, number: int) -> None:
    assert broken(tmp_path, error, outage=range(10, 17)) == number


def test_some_rows_of_the_stretch_tell_for_all(tmp_path: Path) -> None:
    assert broken(tmp_path, "Error: shelf 3 says 503", outage=range(10, 17), telling=1) == 14
    assert broken(tmp_path, "Error: shelf 3 says 503", outage=range(10, 17), telling=0) == 0


def test_rows_here_and_there_with_such_a_number_are_judged(tmp_path: Path) -> None:
    assert broken(tmp_path, "Error: shelf 3 says 503", outage=range(0, 30, 7)) == 0

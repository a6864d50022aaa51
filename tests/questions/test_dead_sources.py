"""Tasks that nobody can pass because their source is gone are told, with who still states a value."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.gym_rows import Json, analysed, row, write
from tests.gym_rows import response as made_response
from tests.questions.made_cases import called, said, words

from blade.extract.failure import failure
from blade.questions import dead_sources

GONE = ("HTTP 404 Not Found", "410 Gone: removed by the publisher", "404: the document does not exist here")


def _key(task: int) -> str:
    return str(40_721 + 311 * task)


def _row(task: int, attempt: int, page: str, given: str) -> Json:
    made = row(task, attempt, reward=float(given == _key(task)))
    made["responses_create_params"]["input"] = [{"role": "user", "content": f"How many visitors came to {task}?"}]
    made["response"] = made_response(*called("open_page", {"url": "a.example"}, page), *said(f"Answer: {given}"))
    return made | {"expected_answer": _key(task), "extracted_answer": given}


def _others(attempts: int = 3) -> list[Json]:
    tasks = [(task, attempt) for task in range(2, 12) for attempt in range(attempts)]
    return [
        _row(task, attempt, f"It had {_key(task)} visitors.", _key(task) if attempt else "61733")
        for task, attempt in tasks
    ]


def _lost(given: str) -> list[Json]:
    return [_row(task, attempt, GONE[attempt], given) for task in range(2) for attempt in range(3)]


def _asked(tmp_path: Path, **runs: list[Json]) -> Any:
    paths = [write(tmp_path / f"{name}.jsonl", rows) for name, rows in runs.items()]
    return analysed(*paths).investigation.get("dead_sources")


def test_dead_sources_are_told_with_the_values_that_nothing_shows(tmp_path: Path) -> None:
    answer = _asked(tmp_path, bold=[*_lost("93518"), *_others()], shy=[*_lost("could not be found"), *_others()])
    assert (answer["tasks"], answer["told"], answer["attempts"]) == (["0", "1"], 12, 12)
    told = words(dead_sources.tell(answer))
    assert told == (
        "At 2 tasks (0 and 1), which no run passes, 12 of 12 judged attempts are told by open_page that what they open "
        "is not there (“404: the document does not exist here”, “410 Gone: removed by the publisher” and “HTTP 404 Not "
        "Found”), against none of 60 at all other tasks: the source of these tasks is gone, and no tool shows the "
        "expected answer. 6 of them still state a value that no tool's answer holds (bold 6 of 6 and shy 0 of "
        "6; e.g. “93518”). 6 say that the answer could not be found (shy 6)."
    ), told
    assert set(dead_sources.faults(answer)) == {"0", "1"}
    (advice,) = dead_sources.advise(answer)
    assert advice.change == (
        "Give tasks 0 and 1 a source that can be opened, such as a kept copy, or leave them out of the score"
    )


def test_one_task_is_told_in_the_singular(tmp_path: Path) -> None:
    lost = [_row(0, attempt, GONE[attempt % 3], "unknown") for attempt in range(6)]
    told = words(dead_sources.tell(_asked(tmp_path, run=[*lost, *_others()])))
    assert told.startswith("At 1 task (0), which no run passes, 6 of 6 judged attempts are told by open_page"), told
    assert "the source of this task is gone" in told


def test_what_is_gone_everywhere_is_no_sign(tmp_path: Path) -> None:
    rows = _lost("93518")
    for task in range(2, 12):
        rows += [_row(task, attempt, GONE[attempt], "61733" if attempt else _key(task)) for attempt in range(3)]
    assert _asked(tmp_path, run=rows) is None


def test_a_key_that_a_tool_shows_is_no_dead_source(tmp_path: Path) -> None:
    shown = [_row(task, 3, f"It had {_key(task)} visitors.", "93518") for task in range(2)]
    more = [_row(task, attempt, GONE[0], "93518") for task in range(2) for attempt in range(4, 9)]
    assert _asked(tmp_path, run=[*_lost("93518"), *shown, *more, *_others()]) is None


@pytest.mark.parametrize(
    "text", [*GONE, "HTTP/1.1 503 Service Unavailable", "This domain is parked.", "Page not found", "HTTP error 403"]
)
def test_pages_that_are_gone_are_failed_calls(text: str) -> None:
    assert failure(text) == text


@pytest.mark.parametrize(
    "text", ["404 results found", "410 m above sea", "404: 17", "HTTP/1.1 200 OK", "HTTP 500 errors"]
)
def test_figures_are_no_failed_calls(text: str) -> None:
    assert failure(text) is None

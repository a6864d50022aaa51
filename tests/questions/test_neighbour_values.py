"""Failures that take a value beside the right one, out of the same answer of a tool, are told from those without it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.gym_rows import Json, analysed, row, write
from tests.gym_rows import response as made_response
from tests.questions.made_cases import called, said, words

from blade.questions import neighbour_values


def _value(task: int, year: int) -> int:
    return 41_003 + 977 * task + 1_409 * (year - 2010)


def _table(task: int) -> str:
    lines = [f"{year} | {_value(task, year):,} | +1.5 %" for year in range(2012, 2020)]
    return "\n".join(("Year | tonnes | change", *lines, "Figures as published."))


def _row(task: int, attempt: int, page: str, given: str, *, key: str = "", tool_argument: str = "a.example") -> Json:
    right = key or str(_value(task, 2015))
    made = row(task, attempt, reward=float(given == right))
    question = f"What was the number of tonnes of works {chr(65 + task)}?"
    made["responses_create_params"]["input"] = [{"role": "user", "content": question}]
    made["response"] = made_response(*called("open_page", {"url": tool_argument}, page), *said(f"Answer: {given}"))
    return made | {"expected_answer": right, "extracted_answer": given}


def _asked(tmp_path: Path, **runs: list[Json]) -> Any:
    paths = [write(tmp_path / f"{name}.jsonl", rows) for name, rows in runs.items()]
    return analysed(*paths).investigation.get("neighbour_values")


def _next(task: int, attempt: int) -> Json:
    return _row(task, attempt, _table(task), f"{_value(task, 2014 + 2 * (attempt % 2)):,}")


def test_the_wrong_line_of_a_table_is_told_by_run(tmp_path: Path) -> None:
    hasty = [_next(task, attempt) for task in range(4) for attempt in range(2)]
    careful = [_row(task, attempt, _table(task), str(_value(task, 2015))) for task in range(4) for attempt in range(2)]
    careful[0] = _row(0, 0, "Nothing is known of it.", "77777")
    answer = _asked(tmp_path, hasty=hasty, careful=careful)
    assert (answer["rollouts"], answer["tasks"], answer["how"]) == (8, ["0", "1", "2", "3"], {"next": 8})
    told = words(neighbour_values.tell(answer))
    assert (
        "8 judged failures of 4 tasks give a value that stands next to the expected one in an answer of open_page: the "
        "right place was found and another value taken ("
    ) in told, told
    assert "hasty in 8 of 8 attempts" in told
    assert "careful in 0 of 8 attempts" in told
    assert " for hasty against the others)" in told
    assert "The two values stand in neighbouring lines of a table in 8 of them." in told
    assert (
        "For instance the answer is 46,639, the key 48048, and open_page shows “2014 | 46,639 | +1.5 % / 2015 | 48,048 "
        "| +1.5 %” ("
    ) in told, told
    assert "Of 1 other failure at these tasks 1 was never shown the expected value by a tool." in told
    assert "At all tasks 1 failure was never shown it (careful 1): these are another matter." in told
    (advice,) = neighbour_values.advise(answer)
    assert (advice.kind, advice.rollouts) == ("prompt", 8)


def test_a_key_that_most_attempts_contradict_is_no_wrong_line(tmp_path: Path) -> None:
    rows = [_row(task, attempt, _table(task), str(_value(task, 2016))) for task in range(4) for attempt in range(4)]
    assert _asked(tmp_path, run=rows) is None


def test_far_apart_in_a_text_or_small_is_not_told(tmp_path: Path) -> None:
    rows = []
    for task in range(6):
        far = f"It was {_value(task, 2015)} once.\n" + "Words.\n" * 40 + f"Elsewhere {_value(task, 2016)}."
        rows.append(_row(task, 0, far, str(_value(task, 2016))))
        rows.append(_row(task + 6, 0, "2015 | 41\n2016 | 42\n", "42", key="41"))
    assert _asked(tmp_path, run=rows) is None


def test_what_the_call_itself_holds_is_no_reading(tmp_path: Path) -> None:
    rows = []
    for task in range(6):
        given = str(_value(task, 2016))
        graded = f"Wrong: {given} is not {_value(task, 2015)}."
        rows.append(_row(task, 0, graded, given, tool_argument=given))
    assert _asked(tmp_path, run=rows) is None

"""Runs that end their failures, without an error, long before passes at the same tasks do."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from tests.gym_rows import Json, analysed, response, row, write
from tests.questions.made_cases import causes, words

from blade.questions import early_stops

TASKS = 24
Attempt = tuple[int, bool]
"""How many turns it takes, and whether it passes."""


def made(path: Path, attempt_at: Callable[[int, int], Attempt]) -> str:
    """Rows without a transcript that count their turns: two attempts at each task, in two parts."""
    rows: list[Json] = []
    for task in range(TASKS):
        for attempt in range(2):
            turns, passed = attempt_at(task, attempt)
            rows.append(
                row(
                    task,
                    attempt,
                    float(passed),
                    response=response(),
                    expected_answer=None,
                    extracted_answer=None,
                    metadata={"turn_count": turns, "service": "mail" if task < 8 else "files"},
                )
            )
    return f"{path.stem}={write(path, rows)}"


def steady(path: Path) -> list[str]:
    """Two runs that take 10 turns or more and fail a sixth of the tasks once."""
    return [
        made(path / "calm.jsonl", lambda task, attempt: (10 + task % 3, task % 6 > 0 or attempt > 0)),
        made(path / "even.jsonl", lambda task, attempt: (11 + task % 2, task % 6 != 1 or attempt < 1)),
    ]


def hasty(task: int, _attempt: int) -> Attempt:
    """Fails all of the first part in 2 turns, and one task more; passes take as long as those of the others."""
    return (2 if task < 8 or task == 9 else 11), task > 12


def test_a_run_that_stops_early_is_told_beside_the_others(tmp_path: Path) -> None:
    answer = analysed(*steady(tmp_path), made(tmp_path / "hasty.jsonl", hasty)).investigation["early_stops"]
    (entry,) = answer["runs"]
    assert (entry["run"], entry["early"], entry["failures"], entry["early_passes"]) == ("hasty", 18, 26, 0)
    told = words(early_stops.tell(answer))
    assert "18 of 26 failures and 0 of 22 passes of hasty take less than half of it (0, 1, 2, 3, 4 and 4 more;" in told
    assert "Most often where metadata.service is mail: 16 of 16 rollouts, elsewhere 2 of 32 (rank test" in told
    assert "The other 2 runs: 0 of 8 failures and 0 of 88 passes." in told
    assert "The shortest of all 110 passes takes 10 turns; 18 failures end by themselves with fewer: hasty 18." in told
    (sentence,) = early_stops.brief(answer)
    assert sentence.text == (
        "18 of 26 failures and 0 of 22 passes of hasty end, without an error, before half of the turns that passes at "
        "the same task usually take."
    )
    (advice,) = early_stops.advise(answer)
    assert advice.change.startswith("Read how hasty ends its short failures; have the model check its work")


def test_failures_whose_row_tells_of_an_error_did_not_end_by_themselves(tmp_path: Path) -> None:
    path = made(tmp_path / "hasty.jsonl", hasty).partition("=")[2]
    rows = [json.loads(line) for line in Path(path).read_text().splitlines()]
    for line in rows:
        if line["metadata"]["service"] == "mail":
            line["verifier"] = {"error_message": "BadRequestError: Provider returned error"}
    write(Path(path), rows)
    answer = analysed(*steady(tmp_path), f"hasty={path}").investigation.get("early_stops")
    assert answer is None, "two short failures without an error are left"


def test_a_run_whose_passes_are_as_short_only_counts_otherwise(tmp_path: Path) -> None:
    terse = made(tmp_path / "terse.jsonl", lambda task, attempt: (2, (task + attempt) % 2 > 0))
    assert "early_stops" not in analysed(*steady(tmp_path), terse).investigation


def test_a_few_short_failures_and_single_passes_say_nothing(tmp_path: Path) -> None:
    few = made(tmp_path / "few.jsonl", lambda task, attempt: (2 if task < 4 and attempt else 11, task > 12))
    assert "early_stops" not in analysed(*steady(tmp_path), few).investigation
    alone = made(tmp_path / "alone.jsonl", lambda task, attempt: (2 if attempt else 11 + task, not attempt))
    assert "early_stops" not in analysed(alone).investigation


def test_early_failures_get_their_label(tmp_path: Path) -> None:
    analysis = analysed(*steady(tmp_path), made(tmp_path / "hasty.jsonl", hasty))
    assert causes(analysis.investigation["early_stops"]) == [
        ("BI", "ends by itself before half of the turns that passes at this task usually take", 18)
    ]

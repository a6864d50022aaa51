"""A word for a time limit, in a run that shows how its rollouts ended and in one that does not."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.gym_rows import Json, analysed, response, row, write
from tests.questions.made_cases import called, words

from blade.model import Analysis
from blade.sections import denominator, dominant_failure_modes, executive_summary

TASKS = 12


def late(task: int, attempt: int, *output: Json, passed: bool, word: str = "agent_timeout") -> Json:
    results = {"check_a": "passed", "check_b": "passed" if passed else "failed"}
    verifier = {"failure_mode": word, "results": results}
    return row(task, attempt, float(passed), response=response(*output), verifier=verifier, extracted_answer=None)


def unseen() -> list[Json]:
    """No row keeps an output; nearly all failures bear the word."""
    rows = [late(task, attempt, passed=False) for task in range(TASKS) for attempt in range(3)]
    return [*rows, *(late(task, 3, passed=True, word="unset") for task in range(TASKS))]


def shown() -> list[Json]:
    """As many bear the word, passes among them; most had handed in, some failures stop on the way."""
    look, submit = called("look", {"at": 1}, "nothing yet"), called("submit", {}, "done")
    rows = [late(task, 0, *look, *submit, passed=True) for task in range(TASKS)]
    rows += [late(task, attempt, *look, *submit, passed=False) for task in range(TASKS) for attempt in (1, 2)]
    return [
        *rows,
        *(late(task, 3, *look, passed=False, word="agent_timeout" if task < 4 else "unset") for task in range(TASKS)),
    ]


@pytest.fixture(scope="module")
def analysis(tmp_path_factory: pytest.TempPathFactory) -> Analysis:
    folder = tmp_path_factory.mktemp("late")
    paths = [write(folder / f"{name}.jsonl", rows) for name, rows in (("a", unseen()), ("c", shown()), ("b", shown()))]
    return analysed(*(f"{path.stem}={path}" for path in paths))


def test_rows_that_are_seen_to_be_cut_count_and_no_label_goes_away(analysis: Analysis) -> None:
    assert [run.statuses.get("timed_out", 0) for run in analysis.runs] == [36, 4, 4]
    (mode,) = [mode for mode in analysis.modes if mode.detector == "agent_timeout"]
    assert (mode.trend, mode.shift) == (None, None), "one run tells it by a word, the other by how its rows end"
    told = words(dominant_failure_modes.build(analysis))
    assert "Gone in" not in told
    assert "agent timeout | a limit of turns or time | 36 by the rows' own label alone | 4 | 4" in told
    summary = words(executive_summary.build(analysis))
    assert "agent timeout, by the rows' own label alone (36)" in summary
    assert "out of time (36 →" not in summary


def test_of_many_runs_each_tells_how_many_failures_count_under_a_sign(analysis: Analysis) -> None:
    told = words(dominant_failure_modes.build(analysis))
    assert ">Ceiling" not in told
    assert "Points are of the change" not in told
    for mode in analysis.modes:
        for counts in mode.runs.values():
            if counts["rollouts"] != counts["any_rollouts"] and not counts["by_word"] and counts["recorded"]:
                assert f"{counts['any_rollouts']} ({counts['rollouts']})" in told


def test_signs_that_passes_show_as_readily_are_no_unknown_pattern(tmp_path: Path) -> None:
    rows = [late(task, 0, passed=False, word="agent_timeout" if task < 12 else "unset") for task in range(20)]
    rows += [late(task, 1, passed=True, word="agent_timeout" if task < 2 else "unset") for task in range(8)]
    for one in rows:
        del one["verifier"]["results"]
    told = words(dominant_failure_modes.build(analysed(write(tmp_path / "a.jsonl", rows))))
    assert (
        "has 20 failed rollouts; 8 of them show no known failure mode; 12 more show only symptoms that passes show "
        "as often." in told
    )


def test_rarer_reasons_are_counted_in_the_table_of_statuses(tmp_path: Path) -> None:
    rows = [row(task, 0, 1.0) for task in range(8)]
    broken = [
        f"HTTP {code}: service {word} unavailable"
        for code, word in zip((500, 502, 503, 504, 529, 429, 500), "abcdefg", strict=True)
    ]
    rows += [row(8 + at, 0, 0.0, error=text) for at, text in enumerate(broken)]
    found = analysed(write(tmp_path / "a.jsonl", rows))
    (run,) = found.runs
    kept = sum(item["rollouts"] for item in run.reasons)
    assert kept < run.statuses["infrastructure"] == 7
    assert f"infrastructure | {7 - kept} |  | rarer reasons" in words(denominator.build(found))

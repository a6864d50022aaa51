"""An attempt index that breaks off in an outage is told, by what was under way when the last rollout started."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.counting.audit.test_attempts import VOCABULARIES, acted, never_started, told
from tests.gym_rows import Json, analysed, message, row, write
from tests.questions.made_cases import words

from blade.counting.audit.lost_index import broke_off, lost_index
from blade.model import Analysis
from blade.sections import attempt_audit, benchmark_health

TASKS = 12


def between(one: Json, start: str | None, end: str | None) -> Json:
    day = "2026-03-02T"
    return one | {"metadata": {"started_at": start and day + start, "ended_at": end and day + end}}


def unjudged(task: int, log: str) -> Json:
    made = row(task, 1, 0.0, **told(message(log)))
    made["verifier"] = {"test_results": None, "error": "evaluation timed out"}
    return made


def broken_run(log: str) -> list[Json]:
    """All of attempt 0 runs; of attempt 1 three are judged, two hang when the third starts, seven never run."""
    rows = [
        between(acted(task, 0, float(task % 2)), f"10:{task:02}:00", f"10:{task + 2:02}:00") for task in range(TASKS)
    ]
    rows += [between(acted(task, 1, 1.0), f"11:0{task}:00", f"11:0{task + 2}:00") for task in range(3)]
    rows += [between(unjudged(task, log), f"11:0{task + 2}:30", f"11:3{task}:00") for task in (3, 4)]
    return rows + [between(row(task, 1, 0.0, **told(tests={})), None, None) for task in range(5, TASKS)]


@pytest.fixture(scope="module")
def outage(tmp_path_factory: pytest.TempPathFactory) -> Analysis:
    log = "Fetching shelf list\nErr: could not resolve host shelves.example\n4% [Working]"
    path = write(tmp_path_factory.mktemp("outage") / "run.jsonl", broken_run(log))
    return analysed(f"run={path}")


def test_what_was_under_way_when_the_last_rollout_started(outage: Analysis) -> None:
    (run,) = outage.runs
    first, second = run.audit["by_attempt"]
    assert "under_way" not in first
    assert (second["no_trial"], second["last_start"]) == (7, "2026-03-02T11:06:30")
    assert second["under_way"] == {
        "tasks": ["3", "4"],
        "hung": 2,
        "lines": [
            {"task": "3", "line": "Err: could not resolve host shelves.example"},
            {"task": "4", "line": "Err: could not resolve host shelves.example"},
        ],
    }


def test_the_report_states_the_outage_and_calls_no_check_of_it_clean(outage: Analysis) -> None:
    audited = words(attempt_audit.build(outage))
    assert "was mostly lost: 7 of its 12 rollouts never ran, and none starts after 2026-03-02T11:06:30." in audited
    assert (
        "The 2 rollouts under way at that moment (3 and 4) never came to a verdict and hung: each took at least twice "
        "as long as most. So it looks like an outage of the network: their logs say “Err: could not resolve host"
    ) in audited
    found = {item["check"]: item["statement"] for item in outage.health}
    assert found["outage_window"].startswith(
        "Attempt 1 of run broke off: 7 rollouts never ran, and none starts after 2026-03-02T11:06:30. The 2 rollouts"
    )
    assert "Attempt 1 of run was mostly lost: 9 of its 12 rollouts were no" in found["lost_attempt_index"]
    *_, closing = benchmark_health.build(outage)
    assert "outage window" not in "".join(sentence.text for sentence in getattr(closing, "sentences", ()))


def test_no_network_is_named_that_no_log_names(tmp_path: Path) -> None:
    run = analysed(write(tmp_path / "run.jsonl", broken_run("Fetching shelf list\n4% [Working]"))).runs[0]
    then = run.audit["by_attempt"][1]["under_way"]
    assert (then["hung"], then["lines"]) == (2, [])
    assert broke_off(then).endswith("never came to a verdict and hung: each took at least twice as long as most.")


def test_an_index_whose_last_rollouts_were_judged_did_not_break_off_in_them(tmp_path: Path) -> None:
    rows = broken_run("4% [Working]")
    rows[15] = between(acted(3, 1, 0.0), "11:05:30", "11:33:00")
    run = analysed(write(tmp_path / "run.jsonl", rows)).runs[0]
    assert run.audit["by_attempt"][1]["under_way"] is None


@pytest.mark.parametrize(("lost", "found"), [((1, 7), 1), ((4, 7), None), ((0, 5), None)])
def test_an_index_is_lost_only_beside_others_that_are_not(lost: tuple[int, int], found: int | None) -> None:
    entries = [
        {"attempt": at, "rows": 12, "no_trial": many, "not_started": 0, "not_ended": 0, "not_judged": 0}
        for at, many in enumerate(lost)
    ]
    entry = lost_index(entries, ("no_trial",))
    assert (entry and entry["attempt"]) == found


def test_an_index_that_never_ran_is_found_though_half_of_all_others_never_started(tmp_path: Path) -> None:
    lines = VOCABULARIES["queue"]
    rows = [between(acted(task, 0, float(task % 2)), f"10:0{task}:00", f"10:1{task}:00") for task in range(6)]
    rows += [between(never_started(task, 0, lines), "10:30:00", "10:31:00") for task in range(6, TASKS)]
    rows += [between(acted(task, 1, 1.0), f"11:0{task}:00", f"11:1{task}:00") for task in range(5)]
    rows += [between(row(task, 1, 0.0, **told(tests={})), None, None) for task in range(5, TASKS)]
    analysis = analysed(f"run={write(tmp_path / 'run.jsonl', rows)}")
    (found,) = [item["statement"] for item in analysis.health if item["check"] == "lost_attempt_index"]
    assert found.startswith("Attempt 1 of run was mostly lost: 7 of its 12 rollouts never ran.")
    assert "was mostly lost: 7 of its 12 rollouts never ran" in words(attempt_audit.build(analysis))

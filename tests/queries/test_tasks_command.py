"""Tasks against runs: the matrix, its filters, and what it leaves out."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.queries.conftest import Asker


def tasks_in(text: str) -> list[str]:
    return [line.split()[0] for line in text.splitlines() if line.startswith("desk-")]


def test_a_cell_counts_judged_attempts_and_marks_void_ones_apart(ask: Asker) -> None:
    told = ask("tasks").stdout.splitlines()
    assert told[0] == "4 tasks of 4; passes/judged attempts, v: void attempts"
    assert [line.split() for line in told[1:7]] == [
        ["task", "early", "late"],
        ["desk-0", "2/2", "2/2"],
        ["desk-1", "2/2", "0/2"],
        ["desk-2", "0/2", "2/2"],
        ["desk-3", "0/2", "0/1", "v1"],
        ["together", "4/8", "4/7", "v1"],
    ]


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        (("--lost",), ["desk-1"]),
        (("--won",), ["desk-2"]),
        (("--lost", "--pair", "late", "early"), ["desk-2"]),
        (("--never",), ["desk-3"]),
        (("--bucket", "always"), ["desk-0", "desk-1", "desk-2"]),
        (("--bucket", "always", "--run", "late"), ["desk-0", "desk-2"]),
        (("--status", "infrastructure"), ["desk-3"]),
        (("--label", "IR"), ["desk-3"]),
        (("--mode", "failing calls of a tool", "--run", "late"), ["desk-1", "desk-3"]),
        (("--slice", "difficulty=hard"), ["desk-2", "desk-3"]),
        (("--where", "grep('cannot search', 'model') and run = 'early'"), ["desk-2", "desk-3"]),
        (("--task", "desk-1"), ["desk-1"]),
        (("--sort", "change"), ["desk-1", "desk-0", "desk-3", "desk-2"]),
        (("--sort", "rate"), ["desk-3", "desk-1", "desk-2", "desk-0"]),
        (("--sort", "spread"), ["desk-1", "desk-2", "desk-0", "desk-3"]),
    ],
)
def test_filters_and_orders(ask: Asker, words: tuple[str, ...], wanted: list[str]) -> None:
    assert tasks_in(ask("tasks", *words).stdout) == wanted


def test_json_and_csv_hold_everything(ask: Asker) -> None:
    told = json.loads(ask("tasks", "--json", "--never").stdout)
    assert told["of_tasks"] == 4
    assert [(one["task"], one["runs"]["late"]) for one in told["tasks"]] == [
        ("desk-3", {"passes": 0, "judged": 1, "void": 1})
    ]
    lines = ask("tasks", "--csv").stdout.splitlines()
    assert lines[0] == "task,run,passes,judged,void"
    assert "desk-3,late,0,1,1" in lines
    assert len(lines) == 9


def test_what_does_not_fit_is_said_with_the_way_to_get_it(pair: tuple[Path, Path]) -> None:
    from blade.queries.page import fitting  # noqa: PLC0415 - the only test of a piece

    lines = [f"line {number} of many" for number in range(100)]
    kept, left = fitting(lines, 50)
    assert len(kept) + left == 100
    assert sum(len(line) + 1 for line in kept) <= 4 * 50


def test_mistakes_end_in_one_line_and_a_way_out(ask: Asker) -> None:
    done = ask("tasks", "--run", "nobody")
    assert (done.returncode, done.stderr.splitlines()[0]) == (2, "blade: No run is named 'nobody'.")
    assert "Runs here: early, late." in done.stderr
    assert "No field is named 'colour'" in ask("tasks", "--slice", "colour=red").stderr

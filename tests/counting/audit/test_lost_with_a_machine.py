"""Rows without results are lost with a machine where nearly all of them stand on one that serves few others."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.gym_rows import ABSENT, Json, analysed, message, only_run, response, row, write
from tests.questions.made_cases import words

from blade.counting.audit.lost_with_a_machine import lost_with_a_machine
from blade.counting.columns import Column
from blade.sections import attempt_audit


def field(name: str, values: Sequence[Any]) -> Column:
    """A field that stands on every row."""
    different = list(dict.fromkeys(values))
    return Column(name, different, np.arange(len(values)), np.array([different.index(value) for value in values]))


def lost_rows(name: str, east: int, west: int, judged_on_east: int) -> set[int]:
    """Rows without results on two machines, the first ones on the east, and judged ones on the east and elsewhere."""
    machines = ["east"] * east + ["west"] * west + ["east"] * judged_on_east + ["north"] * 10
    return lost_with_a_machine(set(range(east + west)), [field(name, machines)])


@pytest.mark.parametrize(
    ("east", "west", "judged_on_east", "lost"),
    [
        (4, 0, 0, True),
        (3, 0, 0, False),  # so few may share a machine by chance
        (9, 1, 0, True),
        (8, 1, 0, False),  # 8 of 9 are less than nine tenths
        (4, 0, 4, True),
        (4, 0, 5, False),  # the machine serves more rows that were judged
    ],
)
def test_nearly_all_stand_on_a_machine_with_few_other_rows(
    east: int, west: int, judged_on_east: int, *, lost: bool
) -> None:
    assert lost_rows("harness.machine", east, west, judged_on_east) == (set(range(east)) if lost else set())


@pytest.mark.parametrize(
    ("name", "is_machine"),
    [
        ("harness.worker", True),
        ("harness.execHost", True),
        ("lane", True),
        ("harness.region", False),
        ("machine.region", False),
        ("harness.machine_kind", False),
    ],
)
def test_only_a_field_that_names_a_machine_shows_it(name: str, *, is_machine: bool) -> None:
    assert lost_rows(name, 5, 0, 0) == (set(range(5)) if is_machine else set())


def test_a_machine_that_all_rows_share_or_that_is_not_named_lost_none() -> None:
    assert lost_with_a_machine({0, 1, 2, 3}, [field("machine", ["east"] * 5)]) == set()
    assert lost_with_a_machine({0, 1, 2, 3}, [field("machine", [None] * 4 + ["east"] * 4)]) == set()
    assert lost_with_a_machine({0, 1, 2, 3}, [field("machine", [""] * 4 + ["east"] * 4)]) == set()


def test_a_later_field_shows_it_where_the_first_does_not() -> None:
    spread = field("host", list("abcdefgh"))
    together = field("worker", ["w7"] * 4 + ["w8"] * 4)
    assert lost_with_a_machine({0, 1, 2, 3}, [spread, together]) == {0, 1, 2, 3}


def judged(task: int, attempt: int, reward: float, machine: str, *, has_results: bool = True) -> Json:
    look = {"type": "function_call", "name": "look", "arguments": f'{{"at": {task}}}', "call_id": f"c{attempt}"}
    shelf = {"type": "function_call_output", "call_id": f"c{attempt}", "output": f"shelf {task} holds {7 * task} jars"}
    results = {"test_jars": "passed" if reward else "failed", "test_lids": "passed"} if has_results else None
    return row(
        task,
        attempt,
        reward,
        response=response(look, shelf, message(f"There are {7 * task} jars on shelf {task}.")),
        verifier={"test_results": results},
        harness={"machine": machine},
        expected_answer=ABSENT,
        extracted_answer=ABSENT,
    )


@pytest.mark.parametrize(("machines", "unjudged"), [(("east",), 5), (("east", "west", "north"), 0)])
def test_rows_that_a_machine_lost_were_never_judged(tmp_path: Path, machines: Sequence[str], unjudged: int) -> None:
    rows = [judged(task, attempt, float(task % 2), "ab"[attempt]) for task in range(12) for attempt in range(2)]
    rows += [judged(task, 2, 0.0, machines[task % len(machines)], has_results=False) for task in range(5)]
    path = write(tmp_path / "jars.jsonl", rows)
    audit = only_run(path).audit
    assert (audit["not_judged"], audit["unjudged"], audit["judged_failures"]) == (unjudged, 5 - unjudged, 12)
    shown = words(attempt_audit.build(analysed(path)))
    assert ("5 rollouts of jars (5 tasks) were never judged: the verifier left no results." in shown) is bool(unjudged)
    assert ("“east” in 5" in shown) is bool(unjudged)

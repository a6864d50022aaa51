"""Marks of rows against their outcomes, the strata kept apart."""

from __future__ import annotations

import random
from collections import Counter

import numpy as np
import pytest

from blade.stats.marks import Rows, separating_marks
from blade.stats.strata import exact_p, risk_difference

TASKS, ATTEMPTS = 12, 4


def rows(marks: list[list[int]], passed: list[bool], strata: list[int] | None = None, limit: int = 10**6) -> Rows:
    tasks = [place // ATTEMPTS for place in range(len(marks))]
    found = [np.array(sorted(one), np.uint32) for one in marks]
    return Rows(found, [limit] * len(marks), strata or tasks, tasks, passed)


def test_a_mark_that_goes_with_failing_inside_tasks_is_found() -> None:
    passed = [attempt < 2 for _ in range(TASKS) for attempt in range(ATTEMPTS)]
    marks = [[1] if passes else [1, 7] for passes in passed]
    ((found,),) = separating_marks([rows(marks, passed)], 0.01)
    assert (found.mark, len(found.rows), found.effect) == (7, TASKS * 2, -1.0)
    assert found.p < found.q + 1e-18 < 1e-6


def test_a_mark_of_hard_tasks_says_nothing_inside_tasks() -> None:
    passed = [task < TASKS // 2 for task in range(TASKS) for _ in range(ATTEMPTS)]
    marks = [[] if passes else [7] for passes in passed]
    assert separating_marks([rows(marks, passed)], 0.01) == [[]]
    assert separating_marks([rows(marks, passed, strata=[0] * len(passed))], 0.01)[0][0].mark == 7


def test_a_row_that_may_miss_a_mark_is_in_none_of_its_tables() -> None:
    passed = [attempt < 2 for _ in range(TASKS) for attempt in range(ATTEMPTS)]
    marks = [[] if passes else [7] for passes in passed]
    assert separating_marks([rows(marks, passed, limit=8)], 0.01)[0]
    unknown = rows(marks, passed)
    hidden = Rows(unknown.marks, [10 if m else 5 for m in marks], unknown.strata, unknown.tasks, passed)
    assert separating_marks([hidden], 0.01) == [[]], "no pass is known to lack it"


def test_a_mark_is_told_from_the_rows_that_know_it_in_every_stratum() -> None:
    chance = random.Random(4)
    many, mark = 120, 7
    passed = [chance.random() < 0.5 for _ in range(many)]
    marks = [sorted({mark} if passes != (chance.random() < 0.85) else set()) for passes in passed]
    limits = [chance.choice([mark, 100]) if not one else 100 for one in marks]
    strata = [chance.randrange(9) for _ in range(many)]
    of_rows = Rows([np.array(one, np.uint32) for one in marks], limits, strata, list(range(many)), passed)
    ((found,),) = separating_marks([of_rows], 1.0)
    tables = []
    for stratum in range(9):
        known = [place for place in range(many) if strata[place] == stratum and limits[place] > mark]
        cells = Counter((bool(marks[place]), passed[place]) for place in known)
        tables.append((cells[True, True], cells[True, False], cells[False, True], cells[False, False]))
    assert found.rows == tuple(place for place in range(many) if marks[place])
    assert (found.p, found.effect) == (exact_p(tables), risk_difference(tables))


def test_too_few_rows_or_tasks_are_not_tested() -> None:
    passed = [attempt < 2 for _ in range(TASKS) for attempt in range(ATTEMPTS)]
    marks = [[7] if not passes and place < 8 else [] for place, passes in enumerate(passed)]
    assert separating_marks([rows(marks, passed, strata=[0] * len(passed))], 1.0) == [[]]


def test_shuffled_outcomes_show_nothing() -> None:
    chance = np.random.default_rng(5)
    showing = 0
    for _ in range(20):
        marks = [np.flatnonzero(chance.random(150) < 0.3).tolist() for _ in range(TASKS * ATTEMPTS)]
        passed = (chance.random(TASKS * ATTEMPTS) < 0.5).tolist()
        showing += bool(separating_marks([rows(marks, passed, strata=[0] * len(passed))], 0.01)[0])
    assert showing <= 1


def test_marks_are_tested_alike_in_blocks_and_all_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    chance = random.Random(7)
    passed = [chance.random() < 0.5 for _ in range(TASKS * ATTEMPTS)]
    marks = [sorted({mark for mark in range(40) if chance.random() < (0.9 if passes else 0.4)}) for passes in passed]
    whole = separating_marks([rows(marks, passed)], 0.01)
    assert len(whole[0]) > 5
    monkeypatch.setattr("blade.stats.marks.LARGEST_BLOCK", 50)
    assert separating_marks([rows(marks, passed)], 0.01) == whole


def test_marks_are_sorted_alike_in_ranges_and_all_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    chance = random.Random(8)
    passed = [chance.random() < 0.5 for _ in range(TASKS * ATTEMPTS)]
    large = [chance.randrange(1 << 32) for _ in range(40)]
    marks = [sorted({mark for mark in large if chance.random() < (0.9 if passes else 0.4)}) for passes in passed]
    whole = separating_marks([rows(marks, passed, limit=1 << 32)], 0.01)
    assert len(whole[0]) > 5
    monkeypatch.setattr("blade.stats.marks.MOST_SORTED", 100)
    assert separating_marks([rows(marks, passed, limit=1 << 32)], 0.01) == whole

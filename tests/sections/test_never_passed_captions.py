"""The chance that a task which never passed can be passed stands above the table only where it is one for all."""

from __future__ import annotations

from pathlib import Path

from tests.gym_rows import analysed, row, write

from blade.document import Table
from blade.sections import task_outcome_buckets

CHANCE = "For each of these the chance of a true pass rate above 10% is"


def _captions(path: Path, attempts: dict[int, int]) -> list[str]:
    rows = [row(task, attempt, 0.0) for task, many in attempts.items() for attempt in range(many)]
    rows += [row(90, attempt, 1.0) for attempt in range(max(attempts.values()))]
    blocks = task_outcome_buckets.build(analysed(write(path, rows)))
    return [block.caption for block in blocks if isinstance(block, Table)]


def test_one_chance_stands_above_the_table(tmp_path: Path) -> None:
    assert sum(CHANCE in caption for caption in _captions(tmp_path / "one.jsonl", {1: 4, 2: 4})) == 1


def test_several_chances_stand_in_it(tmp_path: Path) -> None:
    assert not any(CHANCE in caption for caption in _captions(tmp_path / "two.jsonl", {1: 4, 2: 9, 3: 16}))

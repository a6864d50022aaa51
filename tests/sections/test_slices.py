"""The fields stand in one order, whatever order a set of names has."""

from __future__ import annotations

from types import SimpleNamespace

from blade.document import Heading
from blade.sections import slices


def test_fields_that_part_the_tasks_alike_stand_by_name() -> None:
    names = [f"field_{number}" for number in (4, 2, 5, 1, 3)]
    lines = [
        {"field": name, "level": level, "score": score, "tasks": 3, "interval": None}
        for name in names
        for level, score in (("x", 0.0), ("y", 1.0))
    ]
    run = SimpleNamespace(name="a", slices=tuple(lines), scale=None)
    made = slices.build(SimpleNamespace(runs=(run,)))  # type: ignore[arg-type]
    titles = [block.text for block in made if isinstance(block, Heading)]
    assert titles == sorted(names)

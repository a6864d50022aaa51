"""How the changes that were made differ from those that were expected."""

from __future__ import annotations

import json

import pytest
from tests.detectors.attempts import call, say
from tests.gym_rows import response, row

from blade.extract.attempt import Attempt
from blade.extract.failure_shape import EXTRA, OMISSION, RIGHT
from blade.extract.observed import observed


def _shape(*made: tuple[str, int], expected: tuple[tuple[str, int], ...]) -> object:
    calls = [call(name, {"order": number}, "ok", f"call_{place}") for place, (name, number) in enumerate(made)]
    items = [item for pair in calls for item in pair]
    key = [{"name": name, "arguments": {"order": number}} for name, number in expected]
    rollout = row(0, 0, 0.0, response=response(*items, say("Done.")), expected_actions=key, expected_answer=None)
    return json.loads(observed(Attempt(rollout)) or "{}")["shape"]


@pytest.mark.parametrize(
    ("made", "shape"),
    [
        ((("update_order", 1), ("update_order", 1)), OMISSION),
        ((("update_order", 1), ("update_order", 2), ("update_order", 1)), RIGHT),
        ((("update_order", 1), ("update_order", 2), ("update_order", 3)), EXTRA),
    ],
)
def test_what_is_set_twice_is_no_second_change(made: tuple[tuple[str, int], ...], shape: str) -> None:
    assert _shape(*made, expected=(("update_order", 1), ("update_order", 2))) == shape


def test_what_is_added_twice_is_one_too_many() -> None:
    assert _shape(("add_order", 1), ("add_order", 1), expected=(("add_order", 1),)) == EXTRA

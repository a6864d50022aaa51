"""Where a value of a call could have come from."""

from __future__ import annotations

import pytest
from tests.detectors.attempts import attempt, call, say, user

from blade.extract.grounding import stands_before

MADE = attempt(call("look", {}, "id AB-77"), say("So."), user("And İ-99, too"), call("act", {}, "ZZ-11"), prompt="p-1")


@pytest.mark.parametrize(
    ("text", "place", "given"),
    [
        ("P-1", 0, True),
        ("AB-77", 0, False),
        ("AB-77", 1, False),
        ("AB-77", 2, True),
        ("ab-77", 2, True),
        ("-99", 3, False),
        ("-99", 4, True),
        ("TOO", 4, True),
        ("ZZ-11", 5, False),
        ("zz-11", 6, True),
        ("p-1\nid", 6, False),
        ("77So", 6, False),
    ],
)
def test_what_was_given_before_a_step(text: str, place: int, given: bool) -> None:
    assert stands_before(MADE, text, place) is given


def test_places_hold_where_no_letter_becomes_two() -> None:
    made = attempt(call("look", {}, "Ref QX-5 ΑΣ"), call("act", {}, "TU-6"))
    assert stands_before(made, "qx-5", 2)
    assert not stands_before(made, "tu-6", 3)
    assert stands_before(made, "tu-6", 4)

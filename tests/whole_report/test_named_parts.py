"""A part of a change is named in `analysis.json` only where it is significant and tells a cause."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from tests.whole_report.reading import Told

from blade.renderers.json import change_data


@pytest.mark.parametrize(
    ("significant", "blame", "named"),
    [(True, "model", True), (True, "unexplained", False), (False, "model", False), (True, "", True)],
)
def test_what_is_unexplained_is_never_named(outage: Told, significant: bool, blame: str, named: bool) -> None:
    (change,) = outage.analysis.changes
    part = replace(change.parts[0], named=significant, blame=blame)
    (kept,) = list[dict[str, Any]](change_data(replace(change, parts=(part,)))["parts"])
    assert (kept["significant"], kept["named"]) == (significant, named)

"""What is written as JSON has the digits it means: another processor writes the same."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from typing import Any

import pytest
from tests.made_demo import Demo

from blade.anchors.anchor import Anchor, Anchors, Predicate, dump
from blade.renderers.json import plain
from blade.stats.rounding import FITTED, WRITTEN, significant


def numbers(value: Any, at: str = "") -> Iterator[tuple[str, float]]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from numbers(inner, f"{at}.{key}")
    elif isinstance(value, list):
        for place, inner in enumerate(value):
            yield from numbers(inner, f"{at}[{place}]")
    elif isinstance(value, float):
        yield at, value


@pytest.fixture(scope="module")
def written_files(demo: Demo) -> dict[str, Any]:
    paths = [demo.folder / "analysis.json", *sorted((demo.folder / "metrics").glob("*.json"))]
    assert len(paths) == 3
    return {path.name: json.loads(path.read_text()) for path in paths}


def test_every_number_of_every_file_has_twelve_significant_digits(written_files: dict[str, Any]) -> None:
    values = list(numbers(written_files))
    assert len(values) > 500
    assert [(at, value) for at, value in values if significant(value, WRITTEN) != value] == []


def test_what_was_fitted_has_six(written_files: dict[str, Any]) -> None:
    fits = [run["metrics"]["beta_binomial"] for run in written_files["analysis.json"]["runs"]]
    values = [fit[name] for fit in fits for name in ("mu", "rho")]
    assert len(values) == 4
    assert [value for value in values if significant(value, FITTED) != value] == []


def test_the_parts_as_written_add_up_to_the_change_as_written(written_files: dict[str, Any]) -> None:
    change = written_files["analysis.json"]["change"]
    assert len(change["parts"]) > 2
    assert math.fsum(part["points"] for part in change["parts"]) == pytest.approx(change["delta"], abs=1e-9, rel=0.0)


def test_counts_and_names_stay_whole() -> None:
    assert plain({"n": 12345678901234567, "half": 0.5, "id": "0.1234567890123456"}) == {
        "n": 12345678901234567,
        "half": 0.5,
        "id": "0.1234567890123456",
    }
    assert plain((math.inf, math.nan, 1 << 64, {1: "\ud800"})) == [None, None, float(1 << 64), {"1": "?"}]


def test_anchor_facts_are_rounded_at_the_same_door() -> None:
    predicate = Predicate({"run": "a"}, "share", "==", 5 / 6)
    text = dump(Anchors("b", "m", "runs", "2031-01-01", (Anchor("A1", "a fact", predicate=predicate),)))
    assert json.loads(text)["anchor_facts"][0]["predicate"]["value"] == 0.833333333333

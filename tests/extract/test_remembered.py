"""What is remembered from row to row has an end, and never changes what another row says."""

from __future__ import annotations

import importlib
import pkgutil
from functools import _lru_cache_wrapper
from typing import Any

import orjson
import pytest
from tests import gym_rows as gym

import blade.extract
import blade.questions
from blade.engine.rows import NO_INPUTS, FlawTally, read_lines
from blade.extract.declared import NOTHING
from blade.files.lines import Line


def _remembering(package: Any) -> list[Any]:
    modules = [
        importlib.import_module(f"{package.__name__}.{one.name}") for one in pkgutil.iter_modules(package.__path__)
    ]
    return [
        value
        for module in modules
        for value in vars(module).values()
        if isinstance(value, _lru_cache_wrapper) and value.__module__ == module.__name__
    ]


@pytest.mark.parametrize("package", [blade.extract, blade.questions])
def test_everything_that_is_remembered_is_bounded(package: Any) -> None:
    found = _remembering(package)
    assert found
    assert all(one.cache_parameters()["maxsize"] is not None for one in found)


def _facts(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    for one in _remembering(blade.extract):
        one.cache_clear()
    lines = [Line(number, 0, orjson.dumps(row)) for number, row in enumerate(rows)]
    known = read_lines(lines, "rollouts", (NOTHING, NO_INPUTS), FlawTally())
    return [{name: value for name, value in one.items() if name != "line"} for one in known]


def test_rows_say_the_same_in_any_order() -> None:
    ends = "Traceback (most recent call last):\n" + "  frame\n" * 300 + "ConnectionError: the host is unreachable"
    longer = ends.replace("  frame\n", "  another frame\n")
    rows = [
        gym.row(0, 0, 0.0, error=ends, responses_create_params=gym.request("Give the set of all roots, verbatim.")),
        gym.row(0, 1, 0.0, error=longer, responses_create_params=gym.request("Sort the roots.")),
        gym.row(1, 0, 1.0, response=gym.response(gym.message("The answer is 4. The call timed out."))),
    ]
    together = _facts(rows)
    assert together == list(reversed(_facts(list(reversed(rows)))))
    assert together == [fact for row in rows for fact in _facts([row])]

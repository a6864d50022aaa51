"""A way of failing may become commoner while the score stays: the modes say so, task by task."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.gym_rows import row, write

import blade
from blade.model import Analysis


def analysed(tmp_path: Path, base: list[str], candidate: list[str]) -> Analysis:
    """One failing attempt a task, each with what the verifier said."""
    paths = [
        write(tmp_path / f"{name}.jsonl", [row(task, reward=0.0, error_type=told) for task, told in enumerate(said)])
        for name, said in (("a", base), ("b", candidate))
    ]
    return blade.analyze(*paths, options=blade.Options(cache=False))


def test_failures_that_change_their_form_are_told_though_no_point_moves(tmp_path: Path) -> None:
    analysis = analysed(tmp_path, ["wrong unit"] * 20, ["wrong unit"] * 6 + ["wrong sign"] * 14)
    moved = {mode.name: mode.shift for mode in analysis.modes}
    unit, sign = moved["the verifier says: wrong unit"], moved["the verifier says: wrong sign"]
    assert unit is not None
    assert (unit["more"], unit["fewer"], unit["beyond_chance"]) == (0, 14, True)
    assert unit["beyond_chance"] is True  # a plain one: what numpy calls true is no boolean in JSON
    assert unit["p"] == pytest.approx(2 * 0.5**14)
    assert unit["p_adjusted"] == pytest.approx(4 * 0.5**14)
    assert sign is not None
    assert (sign["more"], sign["fewer"]) == (14, 0)
    text = blade.render(blade.report(analysis))
    assert "Beyond chance, 'the verifier says: wrong sign' became more common: 0 rollouts in `a`, 14 in `b`." in text
    assert (
        "Failures changed their form beyond chance from `a` to `b`: "
        "the verifier says: wrong unit (20 → 6 rollouts); the verifier says: wrong sign (0 → 14 rollouts)." in text
    )
    assert analysis.changes[0].delta == 0


def test_what_chance_explains_is_not_told(tmp_path: Path) -> None:
    analysis = analysed(tmp_path, ["wrong unit"] * 20, ["wrong unit"] * 16 + ["wrong sign"] * 4)
    assert [mode.shift["beyond_chance"] for mode in analysis.modes if mode.shift] == [False, False]
    assert "Beyond chance" not in blade.render(blade.report(analysis))


def test_one_run_has_nothing_to_compare(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", [row(task, reward=0.0) for task in range(4)])
    (mode,) = blade.analyze(path, options=blade.Options(cache=False)).modes
    assert mode.shift is None

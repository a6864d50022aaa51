"""A way of failing may become commoner while the score stays: the modes say so, task by task."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.diagnosis.made_cases import case, run_of
from tests.gym_rows import row, write

import blade
from blade.diagnosis.modes import find_modes
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
    unit, sign = moved["verifier message: wrong unit"], moved["verifier message: wrong sign"]
    assert unit is not None
    assert (unit["more"], unit["fewer"], unit["beyond_chance"]) == (0, 14, True)
    assert unit["beyond_chance"] is True  # a plain one: what numpy calls true is no boolean in JSON
    assert unit["p"] == pytest.approx(2 * 0.5**14)
    assert unit["p_adjusted"] == pytest.approx(4 * 0.5**14)
    assert sign is not None
    assert (sign["more"], sign["fewer"]) == (14, 0)
    text = blade.render(blade.report(analysis))
    assert (
        "Significant: 'verifier message: wrong sign' became more common: 0 rollouts of `a` show it, 14 of `b`." in text
    )
    assert (
        "Symptoms whose number of rollouts changed significantly from `a` to `b`: verifier message: wrong unit (20 "
        "→ 6); verifier message: wrong sign (0 → 14)." in text
    )
    assert analysis.changes[0].delta == 0


def test_a_mode_that_gave_way_to_a_nearer_one_is_neither_gone_nor_rarer() -> None:
    """Every rollout shows both signs: what is counted under one of them only moves from one name to the other."""
    base = run_of(*(case(f"t{n}", 0, 0.0, fired=["wrong_answer"]) for n in range(90)))
    both = ["wrong_answer", "unknown_tool"]
    after = run_of(*(case(f"t{n}", 0, 0.0, "b", fired=both) for n in range(90)), name="b")
    found = {mode.id: mode for mode in find_modes([base, after])}
    (old, new), name = (found["wrong_answer"].runs[run] for run in "ab"), "any_rollouts"
    assert (old["rollouts"], new["rollouts"]) == (90, 0)
    assert (old[name], new[name], new["any_failed"], new["any_tasks"]) == (90, 90, 90, 90)
    assert found["wrong_answer"].trend == "persisting"
    assert found["wrong_answer"].shift == {"more": 0, "fewer": 0, "p": 1.0, "p_adjusted": 1.0, "beyond_chance": False}
    assert found["unknown_tool"].trend == "new"


def test_a_sign_on_passes_counts_as_shown_and_not_as_a_failure() -> None:
    base = run_of(case("t", 0, 1.0, fired=["unknown_tool"]), case("u", 0, 1.0))
    after = run_of(case("t", 0, 0.0, "b", fired=["unknown_tool"]), case("u", 0, 1.0, "b"), name="b")
    (mode,) = find_modes([base, after])
    assert [mode.runs[run]["rollouts"] for run in "ab"] == [0, 1]
    assert [(mode.runs[run]["any_rollouts"], mode.runs[run]["any_failed"]) for run in "ab"] == [(1, 0), (1, 1)]
    assert mode.trend == "persisting"


def test_what_chance_explains_is_not_told(tmp_path: Path) -> None:
    analysis = analysed(tmp_path, ["wrong unit"] * 20, ["wrong unit"] * 16 + ["wrong sign"] * 4)
    assert [mode.shift["beyond_chance"] for mode in analysis.modes if mode.shift] == [False, False]
    assert "Significant: " not in blade.render(blade.report(analysis))


def test_one_run_has_nothing_to_compare(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", [row(task, reward=0.0) for task in range(4)])
    (mode,) = blade.analyze(path, options=blade.Options(cache=False)).modes
    assert mode.shift is None

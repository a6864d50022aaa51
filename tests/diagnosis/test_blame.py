"""Every mode says whose doing it is, and a shape blames nobody."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests.gym_rows import analysed, row, write

from blade.diagnosis import blame as module
from blade.diagnosis.blame import SHAPES, UNEXPLAINED, blame
from blade.diagnosis.remedies import remedy
from blade.findings import Mode
from blade.model import Change, Part
from blade.registry import plugins
from blade.summary.change_words import BLAMED, attributed_to, cause_words, named_parts


def part(mode: str, whose: str, *, points: float = 0.1, named: bool = True) -> Part:
    where = {"mode": mode}
    return Part("behaviour", mode, points, None, "assumed", named, (), 3, where, blame=whose)


@pytest.mark.parametrize(
    ("detector", "kind", "whose"),
    [
        ("missing_action", "behaviour", "unexplained"),
        ("wrong_answer", "knowledge", "unexplained"),
        ("partial_credit", "unknown", "unexplained"),
        ("user_ends_early", "verifier", "simulated user"),
        ("tool_keeps_failing", "behaviour", "tool"),
        ("turn_limit", "behaviour", "harness"),
        ("gave_up", "behaviour", "model"),
        ("equal_but_zero", "verifier", "verifier"),
        ("malformed_key", "data", "data"),
        ("sandbox_failure", "infrastructure", "infrastructure"),
        (None, "unknown", "unexplained"),
    ],
)
def test_a_mode_blames_whom_its_rule_tells_of(detector: str | None, kind: str, whose: str) -> None:
    assert blame(detector, kind) == whose


def test_every_detector_blames_somebody_who_has_words() -> None:
    for name, rule in plugins("detectors").items():
        assert blame(name, rule.KIND) in BLAMED
    known = set(plugins("detectors"))
    assert known >= SHAPES
    assert known >= set(module._OF_RULES)


def test_the_words_never_blame_the_model_for_a_shape_or_for_the_user() -> None:
    assert cause_words(part("leaves out an action", UNEXPLAINED)) == "unexplained failures (leaves out an action)"
    assert cause_words(part("ends early", "simulated user")) == "the simulated user (ends early)"
    assert cause_words(part("gives up", "model")) == "model behaviour (gives up)"


def test_only_parts_with_a_cause_are_named(change: Change) -> None:
    parts = (part("gives up", "model"), part("leaves out", UNEXPLAINED), part("noise", "model", named=False))
    named, unexplained = named_parts(replace(change, parts=parts))
    assert [one.sub for one in named] == ["gives up"]
    assert [one.sub for one in unexplained] == ["leaves out"]


@pytest.fixture
def change() -> Change:
    return Change(
        *("a", "b", 3, 0.1, 0.1, 0.1, None, 0.01, "exact", 0.1, "real", "", None, None, None),
        separable=True,
        confounded_with=(),
        shared_outputs={"same_runs": False},
        parts=(),
        flips=(),
        flips_expected=None,
        slices=(),
        passport=(),
    )


def test_the_simulated_user_has_a_remedy_of_its_own() -> None:
    """Nobody is told to mend the verifier or the key because a simulated user left too early."""
    names = {
        "user_ends_early": "early_end",
        "simulated_user_fault": "simulated_user",
        "user_invents_lookup": "user_values",
    }
    for rule, name in names.items():
        mode = Mode(rule, rule, "verifier", "verifier", rule, {}, {}, (), None, blame="simulated user")
        assert attributed_to(mode) == "the simulated user"
        helps = remedy(mode)
        assert helps is not None
        assert helps.name == name, "who invents a value has agreed to nothing: waiting would not help"
        assert "simulated user" in helps.change


@pytest.mark.parametrize(("passes", "explains"), [(0, True), (4, False)])
def test_a_clock_that_passes_bear_as_well_explains_no_failure(tmp_path: Path, passes: int, explains: bool) -> None:
    rows = [row(task, 0, float(task < passes), failure_mode="agent_timeout") for task in range(20)]
    rows += [row(task, 0, 1.0) for task in range(20, 30)]
    modes = {mode.id for mode in analysed(write(tmp_path / "one.jsonl", rows)).modes}
    assert ("agent_timeout" in modes) is explains

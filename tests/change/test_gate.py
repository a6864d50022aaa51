"""The gate: what is allowed, how sure it must be, and what is said."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests.gym_rows import message, response, row, write

from blade import api
from blade.change.gate import GateRule, judge_gate
from blade.errors import InputError
from blade.model import Analysis, Change
from blade.options import Options
from blade.stats.intervals import at_level, t_interval, unanimous_interval
from blade.stats.paired import paired_t

UNCACHED = Options(cache=False)


@pytest.fixture(scope="module")
def fallen(tmp_path_factory: pytest.TempPathFactory) -> Analysis:
    """Of 20 tasks all pass, then 12: a fall of 40 points that no chance explains."""
    folder = tmp_path_factory.mktemp("gate")
    base = write(folder / "base.jsonl", [row(task, attempt) for task in range(20) for attempt in range(2)])
    other = response(message("Let me see."))
    rows = [row(task, attempt, float(task < 12), response=other) for task in range(20) for attempt in range(2)]
    return api.compare_paths(base, write(folder / "candidate.jsonl", rows), UNCACHED)


def judged(analysis: Analysis, allowed: float = 0.0, confidence: float | None = None) -> tuple[bool, str]:
    found = api.gate_of(analysis, GateRule(allowed, confidence))
    return found.crossed, found.statement


def test_a_fall_crosses_the_gate_as_far_as_it_is_not_allowed(fallen: Analysis) -> None:
    assert judged(fallen) == (True, "The gate is crossed: the score fell by 40.0 pp, and no fall is allowed.")
    crossed, words = judged(fallen, 39)
    assert crossed
    assert words.endswith("and a fall of up to 39.0 pp is allowed.")
    assert judged(fallen, 40)[0] is False


def test_a_sure_fall_must_be_larger_than_what_is_allowed_by_its_whole_interval(fallen: Analysis) -> None:
    (change,) = fallen.changes
    assert change.interval is not None
    sure = -100 * change.interval[1]
    assert judged(fallen, sure - 0.1, 0.95)[0] is True
    crossed, words = judged(fallen, sure + 0.1, 0.95)
    assert crossed is False
    assert words.startswith("The gate is not crossed: the score fell by 40.0 pp, but it is not sure that it fell by ")
    assert judged(fallen, sure + 0.1, 0.9)[0] is True
    assert judged(fallen, sure - 0.1, 0.999)[0] is False


def test_at_the_confidence_of_the_verdict_the_verdict_decides(fallen: Analysis) -> None:
    (change,) = fallen.changes
    rule = GateRule(0.0, 0.95)
    assert change.verdict == "real"
    assert _crosses(change, rule)
    assert not _crosses(replace(change, verdict="inconclusive"), rule)
    doubtful = replace(change, p=0.08, verdict="inconclusive")
    assert _crosses(doubtful, GateRule(0.0, 0.9))
    assert not _crosses(doubtful, GateRule(0.0, 0.95))
    assert not _crosses(replace(change, delta=0.0), rule)
    assert not _crosses(replace(change, verdict="not_comparable"), rule)


def _crosses(change: Change, rule: GateRule) -> bool:
    found = judge_gate(change, "unit", rule)
    assert found is not None
    return found.crossed


def test_points_are_units_of_scores_on_a_scale_of_their_own(fallen: Analysis) -> None:
    (change,) = fallen.changes
    moved = replace(change, delta=-3.0)
    found = judge_gate(moved, "native", GateRule(2.5))
    assert found is not None
    assert (found.crossed, found.statement.split(": ")[1]) == (
        True,
        "the score fell by 3, and a fall of up to 2.5 is allowed.",
    )


def test_a_run_without_a_score_is_no_pass(tmp_path: Path) -> None:
    base = write(tmp_path / "base.jsonl", [row(task) for task in range(6)])
    empty = write(tmp_path / "candidate.jsonl", [row(task, reward=None) for task in range(6)])
    analysis = api.compare_paths(base, empty, UNCACHED)
    with pytest.raises(InputError, match=r"The gate cannot be judged: candidate has no score\."):
        api.gate_of(analysis, GateRule())


def test_an_interval_at_another_level_is_the_one_computed_there() -> None:
    changes = [0.0, -0.5, -1.0, 0.25, -0.75, -0.5]
    mean = paired_t(changes)
    assert mean is not None
    assert mean.interval is not None
    assert mean.se is not None
    assert at_level(mean.interval, mean.delta, 6, 0.9) == pytest.approx(t_interval(mean.delta, mean.se, 5, 0.9))
    alike = unanimous_interval(-0.5, 6, 1.0)
    assert at_level(alike, -0.5, 6, 0.99) == pytest.approx(unanimous_interval(-0.5, 6, 1.0, 0.99))

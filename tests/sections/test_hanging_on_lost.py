"""A change that is real only while lost rollouts count as 0 is told so."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from blade.summary import lost_words


def _alone(monkeypatch: pytest.MonkeyPatch, passes: list[int], **change: Any) -> float | None:
    pair = {"runs": ["a", "b"], "passes": passes, "rollouts": [100, 100]}
    analysis: Any = SimpleNamespace(investigation={"like_for_like": {"pairs": [pair]}})
    made: dict[str, Any] = {
        "base": "a",
        "candidate": "b",
        "verdict": "real",
        "delta": -0.06,
        "interval": (-0.12, -0.01),
    }
    monkeypatch.setattr(lost_words, "scored_over", lambda *_: change.pop("over", "lost as 0"))
    return lost_words.hangs_on_lost(analysis, SimpleNamespace(**made | change))  # type: ignore[arg-type]


def test_the_difference_of_judged_rollouts_is_given_where_the_moved_interval_holds_zero(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert _alone(monkeypatch, [60, 56]) == pytest.approx(-0.04)
    assert _alone(monkeypatch, [60, 62]) == pytest.approx(0.02)


def test_nothing_is_said_where_it_stays_beyond_chance_or_nothing_was_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    assert _alone(monkeypatch, [60, 54]) is None
    assert _alone(monkeypatch, [60, 56], verdict="inconclusive") is None
    assert _alone(monkeypatch, [60, 56], over="") is None
    assert _alone(monkeypatch, [60, 56], candidate="c") is None

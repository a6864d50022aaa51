"""What is remembered by name, or worked out for several tasks at once, is what each row and task tells by itself."""

from __future__ import annotations

import numpy as np
import pytest

from blade.counting.durations import durations
from blade.counting.metrics import TaskRows, _variances


def test_a_known_name_says_nothing_of_the_value_in_another_row() -> None:
    times = {"run.started_at": "2026-01-01T10:00:00", "run.ended_at": "2026-01-01T10:00:09"}
    for _ in range(2):
        assert durations({"agent_seconds": 4, **times}) == {"agent_seconds": 4.0, "run": 9.0}
        assert durations({"agent_seconds": "4", "run.started_at": times["run.started_at"]}) == {}
        assert durations({"agent_seconds": True, "seconds_in": -1}) == {}


@pytest.mark.parametrize("most", [3, 20])
def test_tasks_of_as_many_attempts_have_each_their_own_variance(most: int) -> None:
    drawn = np.random.default_rng(most)
    rewards = [tuple(drawn.random(int(many)).tolist()) for many in drawn.integers(1, most, 40)]
    found = _variances([TaskRows(str(place), values, None, ()) for place, values in enumerate(rewards)])
    assert found.tolist() == [float(np.var(values, ddof=1)) if len(values) > 1 else 0.0 for values in rewards]

"""How long the parts of an attempt took."""

from __future__ import annotations

from blade.counting.durations import durations


def test_seconds_by_name_and_between_two_times() -> None:
    fields = {
        "verifier.duration": 3,
        "elapsed_seconds": 2.5,
        "seconds_hand": "red",
        "metadata.agent_started_at": "2025-08-08T03:59:17+00:00",
        "metadata.agent_ended_at": "2025-08-08T04:00:18+00:00",
        "start_time": "2025-08-08T03:59:17",
        "end_time": "2025-08-08T03:59:27",
        "trial_started_at": "2025-08-08T03:59:17",
    }
    assert durations(fields) == {
        "verifier.duration": 3.0,
        "elapsed_seconds": 2.5,
        "metadata.agent": 61.0,
        "the attempt": 10.0,
    }


def test_thousandths_of_a_second_are_read_as_such() -> None:
    assert durations({"timing.generation_ms": 1500, "terms": 3}) == {"timing.generation_ms": 1.5}

from __future__ import annotations

import pytest
from hypothesis import settings

settings.register_profile("no clock", deadline=None)  # a busy machine is not a failure
settings.load_profile("no clock")


@pytest.fixture
def cvdp() -> dict[tuple[int, int], int]:
    """302 tasks with five rows each, by their number of passes: a published distribution with known metrics."""
    return {(5, passes): tasks for passes, tasks in enumerate([160, 34, 25, 26, 27, 30])}

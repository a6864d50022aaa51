"""How many examples a property is tried on."""

from __future__ import annotations

from hypothesis import settings


def examples(many: int) -> settings:
    """So many in `make test-all`; in `make test` a seventh, the same ones every time."""
    return settings(max_examples=max(4, many * settings().max_examples // 100))

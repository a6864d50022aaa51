"""Who made a row: the names of models and agents as they can be compared."""

from __future__ import annotations

from blade.late_regex import late_regex

AGENT_FIELDS = ("agent", "metadata.agent", "harness", "metadata.harness", "metadata.strategy")
"""Where rows name their harness if Gym stamped none."""
_VERSION = late_regex(r"[-_:@](\d{4}-\d{2}-\d{2}|\d{8}|\d{6}|\d{4}|latest|preview)$")


def family(name: str) -> str:
    """A model's name without path, version and date: `org/model-a-2024-05-01` → `model-a`."""
    short = name.rstrip("/").rsplit("/", 1)[-1].lower()
    while (shortened := _VERSION.sub("", short)) and shortened != short:
        short = shortened
    return short

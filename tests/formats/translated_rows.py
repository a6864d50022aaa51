"""The rows that the runs at some paths are translated into."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import orjson

from blade.engine.discover import discover

Rows = dict[str, list[dict[str, Any]]]


def translated_rows(*paths: Path) -> Rows:
    """Run → its rows."""
    made: Rows = {}
    for plan in discover(paths):
        assert plan.translated is not None
        with plan.translated.path.open("rb") as stream:
            made[plan.name] = [orjson.loads(line) for line in stream]
    return made

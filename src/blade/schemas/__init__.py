"""What other programs may rely on: a JSON Schema per file that BLADE writes."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any


def load(name: str) -> dict[str, Any]:
    """The schema of that name, as data: `load("analysis")` is the one of analysis.json."""
    text = files(__name__).joinpath(f"{name}.schema.json").read_text(encoding="utf-8")
    return json.loads(text)  # type: ignore[no-any-return]

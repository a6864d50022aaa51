"""Lists that the verifier left on the row: how many entries each has, and the first one in words.

A verifier may list what should not be there: `extra_changes`, `violations`, `unexpected_files`. That such a list holds
something in failures alone is seen over all rollouts.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from blade.extract.attempt import Attempt
from blade.extract.text import clip, squeeze

DEEPEST, WIDEST, MOST, LONGEST = 2, 40, 8, 120
_NO_VERDICT = frozenset({"responses_create_params", "response", "tools", "messages", "config"})


def verifier_lists(attempt: Attempt) -> dict[str, Any]:
    """`verifier_lists`: by dotted name the number of entries, and the first one."""
    lists = {
        name: [len(entries), _words(entries[0]) if entries else ""]
        for (name, entries), _ in zip(_lists(attempt.row, "", 0), range(MOST), strict=False)
    }
    return {"verifier_lists": lists} if lists else {}


def _lists(holder: Mapping[str, Any], prefix: str, depth: int) -> Iterator[tuple[str, list[Any]]]:
    for place, (key, value) in enumerate(holder.items()):
        if place >= WIDEST or key in _NO_VERDICT or key.startswith("_"):
            continue
        if isinstance(value, list):
            yield prefix + key, value
        elif isinstance(value, dict) and depth < DEEPEST:
            yield from _lists(value, f"{prefix}{key}.", depth + 1)


def _words(entry: Any) -> str:
    if not isinstance(entry, str):
        entry = json.dumps(entry, ensure_ascii=False, separators=(",", ":"), default=str)
    return clip(squeeze(entry), LONGEST)

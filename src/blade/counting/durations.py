"""How long the parts of an attempt took, where the row tells: seconds by name, or a start and an end."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from functools import lru_cache
from typing import Any

_SECONDS = re.compile(
    r"(?:^|[._])(?:duration|elapsed|seconds|runtime|wall_?time)(?:[._]|$)|_(?:seconds|secs?|duration)$"
)
_START = re.compile(r"start(?:ed)?(?=_at|_time|ed|$|_)")
_AGENT = re.compile(r"agent|generation|rollout|model")
_SET_UP = re.compile(r"set_?up|install|build|download|prepar|boot")
_ENDS = ("ended", "end", "finished", "finish", "completed", "stopped")


def durations(fields: Mapping[str, Any]) -> dict[str, float]:
    """Seconds by the name of what took them: the field, or what its start and its end have in common."""
    return dict(_named(fields)) | dict(_between(fields))


def agent_seconds(fields: Mapping[str, Any]) -> float:
    """The time in which the agent worked, where a part is named so, else of the longest part; its set-up is no work."""
    parts = {name: seconds for name, seconds in durations(fields).items() if not _SET_UP.search(name)}
    own = [seconds for name, seconds in parts.items() if _AGENT.search(name)]
    return max(own or parts.values(), default=0.0)


def _named(fields: Mapping[str, Any]) -> Iterator[tuple[str, float]]:
    for name, value in fields.items():
        if isinstance(value, (int, float)) and not isinstance(value, bool) and value >= 0 and _tells_seconds(name):
            yield name, float(value)


@lru_cache(maxsize=4096)
def _tells_seconds(name: str) -> bool:
    """All rows of a run have the same names."""
    return _SECONDS.search(name) is not None


@lru_cache(maxsize=4096)
def _start_word(name: str) -> tuple[int, int] | None:
    found = _START.search(name)
    return found.span() if found else None


def _between(fields: Mapping[str, Any]) -> Iterator[tuple[str, float]]:
    for name, value in fields.items():
        span = _start_word(name)
        if span is None or (start := _moment(value)) is None:
            continue
        for word in _ENDS:
            end = _moment(fields.get(name[: span[0]] + word + name[span[1] :]))
            if end is not None and end >= start:
                yield name[: span[0]].rstrip("._") or "the attempt", end - start
                break


def _moment(value: Any) -> float | None:
    if isinstance(value, str) and len(value) >= 16 and value[:4].isdecimal():
        try:
            return datetime.fromisoformat(value).timestamp()
        except ValueError:
            return None
    return None

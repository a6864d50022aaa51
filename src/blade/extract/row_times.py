"""When a rollout came about: the time of its response, else the first time that the row itself records."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from blade.extract.numbers import number

_NAMES = (
    *("created_at", "ended_at", "end_time", "finished_at", "completed_at", "started_at", "start_time", "timestamp"),
    *("time", "date"),
)
_HOLDERS = ("metadata", "timing", "timings")
_LONG_AGO = 1e8
"""Seconds since 1970: a smaller number is a duration."""
_THOUSANDTHS = 1e11


def row_time(row: Mapping[str, Any], response: Mapping[str, Any]) -> float | None:
    """Seconds since 1970; None where nothing tells it."""
    stated = number(response.get("created_at"))
    if stated is not None:
        return stated
    for holder in (row, *(row.get(name) for name in _HOLDERS)):
        if isinstance(holder, dict):
            for name in _NAMES:
                if name in holder and (moment := _moment(holder[name])) is not None:
                    return moment
    return None


def _moment(value: Any) -> float | None:
    if isinstance(value, str):
        if len(value) < 16 or not value[:4].isdecimal():
            return None
        try:
            moment = datetime.fromisoformat(value)
            return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
        except (ValueError, OverflowError):
            return None
    seconds = number(value)
    if seconds is None or seconds < _LONG_AGO:
        return None
    return seconds / 1000 if seconds > _THOUSANDTHS else seconds

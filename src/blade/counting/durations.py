"""How long the parts of an attempt took, where the row tells: seconds by name, or a start and an end."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from functools import lru_cache
from typing import Any

from blade.late_regex import late_regex

_SECONDS = late_regex(
    r"(?:^|[._])(?:duration|dur|elapsed|seconds|runtime|wall_?time|wall_s|secs)(?:[._]|$)|_(?:seconds|secs?|duration)$|_ms$"
)
_THOUSANDTHS = "_ms"
_START = late_regex(r"start(?:ed)?(?=_at|_time|ed|$|_)|beg[au]n(?=_at|$)")
_AGENT = late_regex(r"agent|generation|rollout|model")
_SET_UP = late_regex(r"set_?up|install|build|download|prepar|boot")
_ENDS = ("ended", "end", "finished", "finish", "completed", "stopped")


def durations(fields: Mapping[str, Any]) -> dict[str, float]:
    """Seconds by the name of what took them: the field, or what its start and its end have in common."""
    seconds, starts = _telling(tuple(fields))
    if not seconds and not starts:
        return {}
    return dict(_named_seconds(fields, seconds)) | {name: end - start for name, (start, end) in spans(fields)}


def agent_seconds(fields: Mapping[str, Any]) -> float:
    """The time in which the agent worked, where a part is named so, else of the longest part; its set-up is no work."""
    parts = {name: seconds for name, seconds in durations(fields).items() if not _SET_UP.search(name)}
    agent_parts = [seconds for name, seconds in parts.items() if _AGENT.search(name)]
    return max(agent_parts or parts.values(), default=0.0)


def moments(names: Iterable[str]) -> set[str]:
    """Of the names of fields those that may tell a start, and the ends that belong to them."""
    starts = _telling(tuple(names))[1]
    ends = {name[:first] + word + name[last:] for name, first, last in starts for word in _ENDS}
    return {name for name, _, _ in starts} | ends


@lru_cache(maxsize=4096)
def _telling(names: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[tuple[str, int, int], ...]]:
    """The names that tell seconds, and those that tell a start, with the place of that word. Rows have few sets."""
    starts = ((name, _START.search(name)) for name in names)
    return (
        tuple(name for name in names if _SECONDS.search(name)),
        tuple((name, *match.span()) for name, match in starts if match),
    )


def _named_seconds(fields: Mapping[str, Any], names: Iterable[str]) -> Iterator[tuple[str, float]]:
    for name in names:
        value = fields[name]
        if isinstance(value, (int, float)) and not isinstance(value, bool) and value >= 0:
            yield name, float(value) / (1000 if name.endswith(_THOUSANDTHS) else 1)


def spans(fields: Mapping[str, Any]) -> Iterator[tuple[str, tuple[float, float]]]:
    """When every part with a start and an end began and ended, in seconds of one clock."""
    for name, first, last in _telling(tuple(fields))[1]:
        start = _moment(fields[name])
        if start is None:
            continue
        for word in _ENDS:
            end = _moment(fields.get(name[:first] + word + name[last:]))
            if end is not None and end >= start:
                yield name[:first].rstrip("._") or "the attempt", (start, end)
                break


def _moment(value: Any) -> float | None:
    if isinstance(value, str) and len(value) >= 16 and value[:4].isdecimal():
        try:
            return datetime.fromisoformat(value).timestamp()
        except ValueError:
            return None
    return None

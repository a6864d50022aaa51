"""Regular expressions that are compiled when they are first used: a small analysis uses a fifth of the 700 it loads.

To compile all of them as the modules are loaded takes a tenth of that analysis.
"""

from __future__ import annotations

import re
from typing import Any, AnyStr, cast

_USES = ("search", "match", "fullmatch", "finditer", "findall", "sub", "subn", "split", "flags", "groups", "groupindex")


class LatePattern:
    """Answers as the compiled pattern would: once anything of it is asked for, it takes over all that that one has."""

    __slots__ = ("_flags", "pattern", *_USES)

    def __init__(self, source: str | bytes, flags: int) -> None:
        self.pattern = source
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        if name not in _USES:
            raise AttributeError(name)
        compiled = re.compile(self.pattern, self._flags)
        for use in _USES:
            setattr(self, use, getattr(compiled, use))
        return getattr(compiled, name)


def late_regex(source: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """As `re.compile`, for a pattern that a module holds: to search with it is no faster and no slower."""
    return cast("re.Pattern[AnyStr]", LatePattern(source, flags))

"""What a command prints, as the screen would show it: taken first, so that it can be kept."""

from __future__ import annotations

import os
import shutil
from io import StringIO
from typing import TextIO

SETTINGS = ("NO_COLOR", "FORCE_COLOR", "COLORTERM", "TERM")
"""What else decides how a screen shows a text."""


class ScreenText(StringIO):
    """Takes text for a stream, with its manners: whether it is a terminal, and its letters."""

    def __init__(self, stream: TextIO) -> None:
        super().__init__()
        self._is_terminal = stream.isatty()
        self._encoding = getattr(stream, "encoding", None) or "utf-8"

    def isatty(self) -> bool:
        return self._is_terminal

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return self._encoding


def screen_shape(stream: TextIO) -> list[object]:
    """All that decides how a text looks there."""
    if not stream.isatty():
        return [getattr(stream, "encoding", None)]
    return [stream.encoding, shutil.get_terminal_size().columns, *(os.environ.get(name) for name in SETTINGS)]

"""Opens a place in a rollout file: one seek in a plain file, one pass in a compressed one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from blade.errors import InputError, NotFound
from blade.lines import UNREADABLE, open_bytes, parse
from blade.model import Source


def open_bytes_at(source: Source) -> bytes:
    """The bytes of one line."""
    path = Path(source.file)
    if not path.exists():
        raise NotFound(f"{path}: the file is no longer there.", "Analyze the run where it stands now.")
    try:
        with open_bytes(path) as stream:
            stream.seek(source.offset)
            return stream.read(source.length)
    except UNREADABLE as error:
        raise InputError(f"{path}:{source.line}: cannot be read ({error}).", "Check the file.") from None


def open_row(source: Source) -> dict[str, Any]:
    """The row at a place, parsed; a file that changed since it was read is said to have changed."""
    value = parse(open_bytes_at(source)).value
    if not isinstance(value, dict):
        hint = "The file has changed since it was read: analyze it again."
        raise InputError(f"{source.file}:{source.line}: no row stands here any more.", hint)
    return value

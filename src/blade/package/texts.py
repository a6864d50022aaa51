"""Reads the small files of a package. They come from others: size and form are checked before anything is believed."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from blade.files.lines import parse
from blade.files.sniff import not_utf8, wide_encoding
from blade.frozen import frozen

LARGEST = 20 << 20
_HEADING = re.compile(r"^(#{1,6})[ \t]+(.*?)[ \t]*#*[ \t]*$")
FENCE = re.compile(r"^[ \t]{0,3}(`{3,}|~{3,})")


@frozen
class Read:
    """A file's content, or the reason why there is none."""

    value: Any = None
    problem: str = ""


@frozen
class HeadingPart:
    """A heading of a Markdown text and the lines below it, up to the next heading."""

    level: int
    title: str
    lines: tuple[str, ...]


def read_text(path: Path) -> Read:
    """A text file as text; bytes that are none, and files too large for a person to read, are refused."""
    try:
        if path.stat().st_size > LARGEST:
            return Read(problem=f"is larger than {LARGEST >> 20} MB")
        content = path.read_bytes()
        if encoding := wide_encoding(content[:1024]):
            return Read(problem=f"is {not_utf8(encoding)}")
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return Read(problem="is not text (UTF-8)")
    except OSError as error:
        return Read(problem=f"cannot be read ({(error.strerror or str(error)).lower()})")
    return Read(problem="is not text (it holds zero bytes)") if "\0" in text else Read(text)


def read_object(path: Path) -> Read:
    """A JSON file that holds an object or a list."""
    text = read_text(path)
    if text.problem:
        return text
    parsed = parse(text.value.encode())
    if not isinstance(parsed.value, (dict, list)):
        return Read(problem=f"is {parsed.problem or 'no JSON object'}")
    return Read(parsed.value)


def parts(text: str) -> list[HeadingPart]:
    """The headings of a Markdown text, each with its own lines; what stands in a code block is no heading."""
    result: list[HeadingPart] = []
    title, level, lines = "", 0, list[str]()
    fence = ""
    for line in text.splitlines():
        mark = FENCE.match(line)
        if mark and (not fence or mark[1].startswith(fence)):
            fence = "" if fence else mark[1]
        heading = None if fence or mark else _HEADING.match(line)
        if heading is None:
            lines.append(line)
            continue
        result.append(HeadingPart(level, title, tuple(lines)))
        title, level, lines = heading[2], len(heading[1]), []
    result.append(HeadingPart(level, title, tuple(lines)))
    return result


def words_of(title: str) -> str:
    """A title in plain small words: numbering, marks and case do not count."""
    return " ".join(re.findall(r"[a-z@]+", title.lower()))

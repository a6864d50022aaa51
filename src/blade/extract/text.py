"""Text of a content value in any of its dialects, and hashes that do not depend on how it was written down."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any

import orjson
from xxhash import xxh3_64_intdigest

from blade.extract.prefilter import holds_any

THINK_CLOSE = "</think>"
_THINK_OPEN = ("<think>", "<thinking>")
BLOCK = 1 << 20
KEPT = 20_000
NO_JSON = object()
_RARE_SPACES = "\t\r\x0b\x0c\x1c\x1d\x1e\x1f"
"""With the space and the end of a line all white space of ASCII."""


def content_text(content: Any) -> str:
    """The text of a message's content: a string, a list of parts, one part, or nothing."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        if len(content) == 1:
            part = content[0]
            text = part.get("text") if isinstance(part, dict) else None
            return text if isinstance(text, str) else part_text(part)
        return "\n".join(text for part in content if (text := part_text(part)))
    if isinstance(content, dict):
        return part_text(content)
    return ""


def part_text(part: Any) -> str:
    """The text of one part; pictures, sound and files stand as a short mark, not as their bytes."""
    if isinstance(part, str):
        return part
    if not isinstance(part, dict):
        return ""
    value = part.get("text")
    if isinstance(value, str):
        return value
    for key in ("refusal", "reasoning_text", "input_text"):
        value = part.get(key)
        if isinstance(value, str):
            return value
    for key in ("image_url", "file_data", "input_audio", "audio", "data", "file_id", "file_url", "video_url"):
        value = part.get(key)
        if value:
            return f"[{part.get('type', key)} {hash_value(value):016x}]"
    return ""


def parsed(text: str) -> Any:
    """The value of a text of JSON, `NO_JSON` where it is none. Several parts ask for the same tool's answer."""
    return _parsed(text) if len(text) <= KEPT else _parse(text)


def _parse(text: str) -> Any:
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        return NO_JSON


_parsed = lru_cache(maxsize=1024)(_parse)


def visible(text: str) -> str:
    """Text after the last closing think tag: what a reader or an answer extractor should see."""
    if "<" not in text:  # one character is found far sooner than a word
        return text
    at = text.rfind(THINK_CLOSE)
    return text if at < 0 else text[at + len(THINK_CLOSE) :]


def only_thinks(text: str) -> bool:
    """Whether a text begins to think and never ends it: it says nothing to anybody."""
    return text.lstrip().startswith(_THINK_OPEN) and THINK_CLOSE not in text and "</thinking>" not in text


def squeeze(text: str) -> str:
    """White space folded, ends trimmed. Long texts go in blocks: a list of all their words would be far larger."""
    if len(text) <= KEPT:
        return _folded(text)
    if len(text) <= BLOCK:
        return " ".join(text.split())
    pieces: list[str] = []
    for start in range(0, len(text), BLOCK):
        block = text[start : start + BLOCK]
        folded = " ".join(block.split())
        joins = start and not (block[0].isspace() or text[start - 1].isspace())
        if folded:
            pieces.append(folded if joins or not pieces else f" {folded}")
    return "".join(pieces)


@lru_cache(maxsize=256)
def _folded(text: str) -> str:
    """Prompts repeat from row to row."""
    return " ".join(text.split())


def in_one_line(text: str) -> str:
    """White space folded, ends trimmed. A text in ASCII with single spaces alone is not taken apart for that."""
    if "\n" in text or not text.isascii() or "  " in text or holds_any(text, _RARE_SPACES):
        return " ".join(text.split())
    return text.strip(" ")


def clip(text: str, size: int) -> str:
    """At most `size` characters, with a mark where something was cut; lone surrogates replaced."""
    if len(text) > size:
        text = text[: size - 1] + "…"
    return text if text.isascii() else clean(text)


def clean(text: str) -> str:
    """Text that can be written as UTF-8."""
    if text.isascii():
        return text
    return text.encode("utf-8", errors="replace").decode("utf-8")


def hash_text(text: str) -> int:
    return xxh3_64_intdigest(text.encode("utf-8", errors="replace"))


def hash_value(value: Any) -> int:
    """Hash of a JSON value: equal values hash equally whatever their key order."""
    if isinstance(value, str):
        return hash_text(value)
    return xxh3_64_intdigest(canonical(value))


def canonical(value: Any) -> bytes:
    """Canonical bytes of a JSON value (sorted keys).

    The slow writer takes what the fast one does not: lone surrogates, whole numbers of any size.
    """
    try:
        return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
    except (TypeError, ValueError):
        return json.dumps(value, sort_keys=True, ensure_ascii=False).encode("utf-8", errors="replace")

"""Ways in which a run's files are damaged or written by somebody who means harm, each drawn by a seeded random.

A tree of files is a mapping from relative path to bytes. Every way changes the tree and says in words what it did.
"""

from __future__ import annotations

import copy
import gzip
import io
import json
import math
import random
import re
import struct
import tomllib
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import zstandard

DEEP, TWICE = "<deep>", "<twice>"
"""Texts that stand for what no JSON value can be: a nesting without end, a key written twice."""
DEPTHS = (150, 300, 900, 20_000)
HOSTILE: tuple[Any, ...] = (
    None, True, False, 0, -1, 7, 1.5, -0.0, 1e308, math.nan, math.inf, -math.inf, 1 << 63, -(1 << 64), 10**400,
    "", " ", "x", "\ud800", "\x00", "\u2028", "a\r\nb", "../../etc/passwd", "/", "~", ".", "{field}", "NaN", "1e999",
    "null", "-1", "9" * 5000, "é" * 70_000, "attachment://0", "2026-99-99T99:99:99Z", [], {}, [[]], [None], [{}],
    ["x", 7], {"a": [1]}, {"": None}, {"type": "text", "text": 7}, {"role": 7, "content": {"x": 1}}, list(range(2000)),
    DEEP, TWICE,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder where a file should stand."""


@dataclass(frozen=True, slots=True)
class Link:
    """A link where a file should stand."""

    target: str


Entry = bytes | Folder | Link
Tree = dict[str, Entry]


@dataclass(frozen=True, slots=True)
class Damage:
    """What was done to a tree. `within` says that it changed values only: every record is still there."""

    text: str
    within: bool = False


def damage(tree: Tree, draw: random.Random, strange: Tree) -> list[Damage]:
    """Damage a tree in one to three ways; `strange` holds files of another format that may stand in it."""
    done = []
    for _ in range(draw.choice((1, 1, 1, 2, 3))):
        way = draw.choice(_WAYS)
        file = draw.choice([name for name, content in tree.items() if isinstance(content, bytes)] or [""])
        if not file:
            break
        try:
            done.append(way(tree, file, draw, strange))
        except RecursionError:  # what was nested deeply before
            done.append(Damage(f"{file}: too deep to be changed again"))
    return done


def _values(tree: Tree, file: str, draw: random.Random, _: Tree) -> Damage:
    """Another value, a missing key, a swapped type, somewhere in a JSON document, line or member."""
    content = _bytes(tree, file)
    if content.startswith(b"PK\x03\x04"):
        inside = zip_members(content)
        name = draw.choice(sorted(inside))
        inside[name], text, within = _json_damage(inside[name], draw)
        tree[file] = zip_of(inside)
        return Damage(f"{file}: {name}: {text}", within)
    way = _toml_damage if file.endswith(".toml") else _word_damage if file.endswith(".md") else _json_damage
    tree[file], text, within = way(content, draw)
    return Damage(f"{file}: {text}", within)


def _json_damage(content: bytes, draw: random.Random) -> tuple[bytes, str, bool]:
    try:
        whole = json.loads(content)
    except (ValueError, RecursionError):
        return _line_damage(content, draw)
    changed, text, within = _changed(whole, draw)
    return _written(changed, draw), text, within


def _line_damage(content: bytes, draw: random.Random) -> tuple[bytes, str, bool]:
    lines = content.split(b"\n")
    rows = [place for place, line in enumerate(lines) if line.startswith(b"{")]
    if not rows:
        return _text_damage(content, draw)
    place = draw.choice(rows)
    try:
        row = json.loads(lines[place])
    except (ValueError, RecursionError):
        return content, "", False
    changed, text, within = _changed(row, draw)
    lines[place] = _written(changed, draw)
    return b"\n".join(lines), f"line {place + 1}: {text}", within


def _text_damage(content: bytes, draw: random.Random) -> tuple[bytes, str, bool]:
    """A text that is no JSON: a line is gone, stands twice or elsewhere, or has something else in a word's place."""
    lines = content.decode("utf-8", errors="replace").split("\n")
    place, way = draw.randrange(len(lines)), draw.randrange(4)
    if way == 0:
        del lines[place]
    elif way == 1:
        lines[place] = "\n".join([lines[place]] * draw.choice((2, 500)))
    elif way == 2:
        lines.insert(draw.randrange(len(lines)), lines.pop(place))
    else:
        words = lines[place].split(" ")
        words[draw.randrange(len(words))] = draw.choice((*_TEXTS, str(draw.choice(HOSTILE))))
        lines[place] = " ".join(words)
    text = "\n".join(lines).encode("utf-8", errors="surrogatepass")
    return text, f"line {place + 1}, way {way} of a changed text", False


def _word_damage(content: bytes, draw: random.Random) -> tuple[bytes, str, bool]:
    """A report in which a number, a name, a quote or a citation is another one, stands twice or is gone."""
    text = content.decode("utf-8", errors="replace")
    words = list(_WORDS.finditer(text))
    if not words or draw.random() < 0.4:
        return _text_damage(content, draw)
    for _ in range(draw.choice((1, 1, 2, 5))):
        word, other = draw.choice(words)[0], draw.choice(words)[0]
        text = text.replace(word, draw.choice(("", word * 2, word + " " + other, other, other, draw.choice(_TEXTS))), 1)
    return text.encode("utf-8", errors="surrogatepass"), "other words", False


_WORDS = re.compile(r"\[[^\]\n]*\]|`[^`\n]*`|\"[^\"\n]*\"|[-−+]?\d[\d.,/]*(?: %)?|[A-Za-z]+|[|*#>.]+")


def _toml_damage(content: bytes, draw: random.Random) -> tuple[bytes, str, bool]:
    """Settings with another value, key or type; what TOML cannot hold is written as it comes."""
    try:
        settings = tomllib.loads(content.decode("utf-8"))
    except (ValueError, RecursionError):
        return _text_damage(content, draw)
    if draw.random() < 0.3:
        return _text_damage(content, draw)
    changed, text, _ = _changed(settings, draw)
    lines = [f"{_toml(key)} = {_toml(value)}" for key, value in changed.items()] if isinstance(changed, dict) else []
    return "\n".join(lines or [_toml(changed)]).encode("utf-8", errors="surrogatepass"), text, False


def _toml(value: Any) -> str:
    """A value in one line; texts and numbers are written as in JSON."""
    if isinstance(value, dict):
        return f"{{ {', '.join(f'{_toml(str(key))} = {_toml(inner)}' for key, inner in value.items())} }}"
    if isinstance(value, list):
        return f"[{', '.join(map(_toml, value))}]"
    if value == DEEP:
        return "[" * 3_000 + "]" * 3_000
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return hex(value) if isinstance(value, int) and value > 1 << 70 else json.dumps(value)


_TEXTS = (
    *("1e999", "-0", "9" * 400, "0/0", "100.0 %", "7 of 0", "(((((" * 2000, "|" * 3000, "`" * 999, "# " * 500, "[^1]:"),
    *(
        "<!-- ",
        "---",
        "```",
        "~~~",
        "\x1b]52;c;eA==\x07",
        "\u202e",
        "\x00",
        "![a](b)",
        "&#0;",
        "{{ 7 }}",
        "%s%n",
        "...",
    ),
)


def _written(value: Any, draw: random.Random) -> bytes:
    text = json.dumps(value, ensure_ascii=draw.random() < 0.9)
    if f'"{DEEP}"' in text:
        sign, end = draw.choice((("[", "]"), ('{"a":', "}")))
        depth = draw.choice(DEPTHS)
        text = text.replace(f'"{DEEP}"', sign * depth + "1" + end * depth, 1)
    text = text.replace(f'"{TWICE}"', '{"id": 1, "id": [2], "id": null}')
    return text.encode("utf-8", errors="surrogatepass")


def _places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in inner:
        yield (*path, key)
        yield from _places(child, (*path, key))


def _changed(whole: Any, draw: random.Random) -> tuple[Any, str, bool]:
    """The value with one place changed, in words, and whether all its records are still there.

    A list that is no list any more may have been of records, a text in a list may have been the id of one, and an
    object that is gone may have been one.
    """
    places = list(_places(whole))
    if not places or draw.random() < 0.01:
        other = draw.choice(HOSTILE)
        return other, f"the whole is {_short(other)}", False
    path = draw.choice(places)
    holder = _at(whole, path[:-1])
    key = path[-1]
    where = "/".join(map(str, path))
    way = draw.choice(_VALUE_WAYS)
    within = not isinstance(holder[key], list) and not (isinstance(holder, list) and isinstance(holder[key], str))
    within = within and not (way is _gone and isinstance(holder[key], dict))
    return whole, f"/{where} {way(holder, key, whole, places, draw)}", within


def _at(value: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        value = value[key]
    return value


def _other(holder: Any, key: Any, _whole: Any, _places: list[tuple[Any, ...]], draw: random.Random) -> str:
    holder[key] = copy.deepcopy(draw.choice(HOSTILE))
    return f"is {_short(holder[key])}"


def _gone(holder: Any, key: Any, whole: Any, places: list[tuple[Any, ...]], draw: random.Random) -> str:
    if isinstance(holder, list):  # an item less is a record less
        return _other(holder, key, whole, places, draw)
    del holder[key]
    return "is gone"


def _renamed(holder: Any, key: Any, whole: Any, places: list[tuple[Any, ...]], draw: random.Random) -> str:
    if isinstance(holder, list):
        return _other(holder, key, whole, places, draw)
    name = draw.choice(("", "id", "reward", "score", f"{key}s", str(key).upper(), "\ud800"))
    holder[name] = holder.pop(key)
    return f"is called {name!r}"


def _of_another_type(holder: Any, key: Any, _whole: Any, _places: list[tuple[Any, ...]], _draw: random.Random) -> str:
    value = holder[key]
    if isinstance(value, dict):
        holder[key] = list(value.values())
    elif isinstance(value, list):
        holder[key] = {str(place): one for place, one in enumerate(value)}
    elif isinstance(value, str):
        holder[key] = [value]
    else:
        holder[key] = str(value)
    return "is of another type"


def _exchanged(holder: Any, key: Any, whole: Any, places: list[tuple[Any, ...]], draw: random.Random) -> str:
    path = draw.choice(places)
    holder[key] = copy.deepcopy(_at(whole, path))
    return f"is a copy of /{'/'.join(map(str, path))}"


_VALUE_WAYS = (_other, _other, _other, _gone, _renamed, _of_another_type, _exchanged)


def _short(value: Any) -> str:
    return repr(value)[:40]


def _cut(tree: Tree, file: str, draw: random.Random, _: Tree) -> Damage:
    content = _bytes(tree, file)
    size = draw.randrange(len(content) + 1)
    tree[file] = content[:size]
    return Damage(f"{file}: cut to {size} bytes")


def _flipped(tree: Tree, file: str, draw: random.Random, _: Tree) -> Damage:
    content = bytearray(_bytes(tree, file))
    places = [draw.randrange(len(content)) for _ in range(draw.choice((1, 1, 4, 32)))] if content else []
    for place in places:
        content[place] ^= 1 << draw.randrange(8)
    tree[file] = bytes(content)
    return Damage(f"{file}: bits flipped at {places[:4]}")


def _spliced(tree: Tree, file: str, draw: random.Random, _: Tree) -> Damage:
    """Bytes go, stand twice, or others come between."""
    content = _bytes(tree, file)
    start, end = sorted((draw.randrange(len(content) + 1), draw.randrange(len(content) + 1)))
    middle = draw.choice(
        (b"", content[start:end] * 2, draw.randbytes(20), b"\x00" * 50, b"\xff\xfe", b"\n", b'"', b"}", b"[" * 9)
    )
    tree[file] = content[:start] + middle + content[end:]
    return Damage(f"{file}: bytes {start} to {end} became {_short(middle)}")


def _dressed(tree: Tree, file: str, draw: random.Random, _: Tree) -> Damage:
    """As other programs write or pack it: a byte order mark, other line ends, compressed, compressed and cut."""
    content = _bytes(tree, file)
    packed = draw.choice((gzip.compress(content, 1), zstandard.ZstdCompressor().compress(content)))
    tree[file] = draw.choice(
        (
            b"\xef\xbb\xbf" + content,
            content.replace(b"\n", b"\r\n"),
            content + b"\n\n\n",
            content + content,
            packed,
            packed[: len(packed) // 2],
        )
    )
    return Damage(f"{file}: written in another way")


def _elsewhere(tree: Tree, file: str, draw: random.Random, strange: Tree) -> Damage:
    """A file is missing, empty, a folder, a link that leads nowhere or round, another format's, or stands twice."""
    name, other = draw.choice(sorted(strange)), draw.choice(sorted(tree))
    folder = file.rpartition("/")[0]
    what = draw.randrange(9)
    if what == 0 and len(tree) > 1:
        del tree[file]
    elif what == 1:
        tree[file] = b""
    elif what == 2:
        tree[file] = Folder()
    elif what == 3:
        tree[file] = Link(draw.choice(("nowhere", ".", "..", file.rpartition("/")[2])))
    elif what == 4:
        tree[file] = strange[name]
    elif what == 5:
        tree[f"{folder}/{name}".lstrip("/")] = strange[name]
    elif what == 6:
        tree[f"{folder}/copy-{file.rpartition('/')[2]}".lstrip("/")] = tree[file]
    elif what == 7:
        tree[file] = tree[other]
    else:
        tree[f"{folder}/{draw.choice(_NAMES)}".lstrip("/")] = tree.pop(file)
    return Damage(f"{file}: way {what} of standing elsewhere ({name}, {other})")


_NAMES = (
    "x",
    "results.jsonl",
    "result.json",
    "output.jsonl",
    "a!b.json",
    "metrics.json",
    "ü\u2028.jsonl",
    "r.eval",
    "0.json",
)


def _archive(tree: Tree, file: str, draw: random.Random, _: Tree) -> Damage:
    """A zip file as no honest program writes it; any other file is cut."""
    content = _bytes(tree, file)
    if not content.startswith(b"PK\x03\x04"):
        return _flipped(tree, file, draw, _)
    inside = zip_members(content)
    name = draw.choice(sorted(inside))
    way = draw.randrange(8)
    if way == 0:
        del inside[name]
    elif way == 1:
        inside[name] = b""
    elif way == 2:
        inside[draw.choice(("../../x_epoch_1.json", "/etc/samples/x_epoch_1.json", "samples/../../x_epoch_1.json"))] = (
            b"{}"
        )
    elif way == 3:
        inside["samples/bomb_epoch_1.json"] = b" " * (70 << 20) + b"{}"
    packed = bytearray(zip_of(inside))
    directory = packed.rfind(b"PK\x01\x02")
    if way == 4:  # another size than the member has
        struct.pack_into("<I", packed, directory + 24, draw.choice((0, 1, 1 << 31, 0xFFFFFFFF)))
    elif way == 5:  # another compression, or encrypted
        struct.pack_into("<H", packed, directory + draw.choice((8, 10)), draw.choice((1, 12, 93, 99)))
    elif way == 6:  # a member that stands nowhere
        struct.pack_into("<I", packed, directory + 42, draw.randrange(1 << 32))
    elif way == 7:
        place = draw.randrange(max(len(packed) - 300, 0), len(packed))
        packed[place] ^= 0xFF
    tree[file] = bytes(packed)
    return Damage(f"{file}: way {way} of a strange archive ({name})")


_WAYS: tuple[Callable[[Tree, str, random.Random, Tree], Damage], ...] = (
    *(_values,) * 10, _cut, _flipped, _flipped, _spliced, _spliced, _dressed, _elsewhere, _elsewhere, _archive,
)  # fmt: skip


def _bytes(tree: Tree, file: str) -> bytes:
    content = tree[file]
    return content if isinstance(content, bytes) else b""


def zip_members(content: bytes) -> dict[str, bytes]:
    """The members that the standard library can unpack, and those in Zstandard frames."""
    found = {}
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            for info in archive.infolist():
                start = info.header_offset + 30 + len(info.filename.encode()) + len(info.extra)
                packed = content[start : start + info.compress_size]
                if info.compress_type == 93:
                    with zstandard.ZstdDecompressor().stream_reader(packed, read_across_frames=True) as reader:
                        found[info.filename] = reader.read()
                else:
                    found[info.filename] = archive.read(info)
    except (zipfile.BadZipFile, zlib.error, zstandard.ZstdError, OSError, ValueError, RuntimeError, EOFError):
        pass  # what is damaged already is not damaged again from within
    return found or {"header.json": b"{}"}


def zip_of(inside: dict[str, bytes]) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in inside.items():
            archive.writestr(name, content)
    return made.getvalue()

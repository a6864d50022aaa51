"""Parses rows whose parts repeat: the attempts at a task carry the same request, and every row the same tools.

What repeats is parsed once and then shared: nobody may change a parsed row. The bytes of a known part are replaced by
a number, the rest is parsed, and the part is put where the number stands. Where it does not stand at the one place
where it should, the row is parsed as a whole, so what comes out is always what a plain parse gives. The response is
parsed by itself: what is left then is short, so that to see whether a key stands there twice costs little.
"""

from __future__ import annotations

import json
import threading
from dataclasses import dataclass, field
from typing import Any

import orjson
from xxhash import xxh3_128_digest

REQUEST, RESPONSE, TOOLS = "responses_create_params", "response", "tools"
_REQUEST_KEY, _RESPONSE_KEY, _TOOLS_KEY = b'"responses_create_params":', b'"response":', b'"tools":'
_NEAR = 4096
_REQUEST_MARK, _RESPONSE_MARK, _TOOLS_MARK = (
    8_305_174_996_120_733_521,
    8_305_174_996_120_733_522,
    8_305_174_996_120_733_523,
)
_REQUEST_BYTES, _RESPONSE_BYTES, _TOOLS_BYTES = (
    str(mark).encode() for mark in (_REQUEST_MARK, _RESPONSE_MARK, _TOOLS_MARK)
)
MOST_BYTES = 4 << 20
MOST_LISTS = 16
_SHORTEST_LIST = 400
_PATIENCE = 16
_LARGEST_FRAME = 0.5
"""What stands around request and response is written once more where it is no more than this of a row."""
_SPACE = b" \t\r\n"


@dataclass(slots=True)
class SharedRequest:
    """A request that several rows share. `once` keeps what has been worked out of it, by name."""

    request: dict[str, Any]
    size: int
    once: dict[str, Any] = field(default_factory=dict)


class Repeats:
    """The requests and the lists of tools met lately, at most `MOST_BYTES` of each."""

    def __init__(self) -> None:
        self._requests: dict[bytes, SharedRequest] = {}
        self._by_id: dict[int, SharedRequest] = {}
        self.held = 0
        self._after = _RESPONSE_KEY  # the key that follows the request
        self._behind = b""  # the key that follows the response; empty where that does not follow the request
        self._failed = 0  # rows since a request was found
        self._lists: list[tuple[bytes, list[Any]]] = []
        self._unmet = 0  # lists that were new since one was met again
        self._echoed = True  # whether the last response repeated the tools of its request
        self._trust = 8  # how often lists of tools may still turn up elsewhere before none is looked for
        self._frame_trust = 8  # how often a response may still end elsewhere before all rows are parsed with theirs
        self._written_once = 0  # the id of the last row, where each of its keys is known to be written once

    def loads(self, data: bytes) -> Any:
        """What `orjson.loads` gives."""
        self._written_once = 0
        start = data.find(_REQUEST_KEY, 0, _NEAR) + len(_REQUEST_KEY)
        end = data.find(self._after, start) if start >= len(_REQUEST_KEY) and self._worth_trying() else -1
        request = self._request(data[start:end]) if end > start else None
        if request is None:
            self._failed += 1
            return self._whole(data)
        self._failed = 0
        if self._behind and self._frame_trust:
            row = self._framed(data, start, end, request)
            if row is not None:
                return row
            self._frame_trust -= 1
        row = self._with_response(data, start, end, request)
        if not self._behind and self._after == _RESPONSE_KEY and isinstance(row, dict):
            names = iter(row)
            any(name == RESPONSE for name in names)
            self._behind = orjson.dumps(next(names, "")) + b":"
        return row

    def _framed(self, data: bytes, start: int, end: int, request: dict[str, Any]) -> dict[str, Any] | None:
        """The row, its response parsed by itself; None where that is not sure to be all between its key and the next.

        What is left of the row without the two is short: written once more it is the same, or a key stood there twice.
        """
        behind = data.rfind(self._behind, end)
        begin = end + len(_RESPONSE_KEY)
        response_end = _end_before_comma(data, begin, behind)
        if response_end < 0:
            return None
        marks = _REQUEST_BYTES + b"," + _RESPONSE_KEY + _RESPONSE_BYTES + b","
        frame = data[:start] + marks + data[behind:]
        try:
            row = orjson.loads(frame)
            if not isinstance(row, dict) or row.get(REQUEST) != _REQUEST_MARK or row.get(RESPONSE) != _RESPONSE_MARK:
                return None
            response = self._response(data[begin:response_end])
        except orjson.JSONDecodeError:
            return None
        if len(frame) < _LARGEST_FRAME * len(data) and _is_as_written(row, frame):
            self._written_once = id(row)
        row[REQUEST] = request
        row[RESPONSE] = response
        return row

    def _response(self, raw: bytes) -> Any:
        """The value of a response; its list of tools is mostly that of a request."""
        tools = self._tools(raw, raw.rfind(_TOOLS_KEY)) if self._echoed else None
        response = _loaded(raw, tools)
        offered = response.get(TOOLS) if isinstance(response, dict) else None
        if tools is not None and offered is not tools[1]:
            self._trust -= 1
        self._echoed = bool(offered) and self._trust > 0
        return response

    def _with_response(self, data: bytes, start: int, end: int, request: dict[str, Any]) -> Any:
        """The row, whose response is parsed with all the rest."""
        view = memoryview(data)
        pieces: list[bytes | memoryview] = [view[:start], _REQUEST_BYTES, b","]
        tools = self._tools(data, data.rfind(_TOOLS_KEY, end)) if self._echoed else None
        if tools is None:
            pieces.append(view[end:])
        else:
            raw, offered, place = tools
            pieces += [view[end:place], _TOOLS_BYTES, view[place + len(raw) :]]
        try:
            row = orjson.loads(b"".join(pieces))
        except orjson.JSONDecodeError:
            return orjson.loads(data)
        if not isinstance(row, dict) or row.get(REQUEST) != _REQUEST_MARK:
            return orjson.loads(data)
        row[REQUEST] = request
        response = row.get(RESPONSE)
        holder: dict[str, Any] = response if isinstance(response, dict) else {}
        self._echoed = bool(holder.get(TOOLS)) and self._trust > 0
        if tools is not None:
            if holder.get(TOOLS) != _TOOLS_MARK:
                self._trust -= 1
                return orjson.loads(data)
            holder[TOOLS] = offered
        return row

    def _worth_trying(self) -> bool:
        """Where requests could not be told apart from what follows them, only now and then."""
        return self._failed < _PATIENCE or self._failed % _PATIENCE == 0

    def is_written_once(self, row: dict[str, Any]) -> bool:
        """Whether the row that was parsed last is known to write each of its own keys once."""
        return self._written_once == id(row)

    def once(self, request: Any) -> dict[str, Any] | None:
        """Where to keep what is worked out of a request, None where the request is not shared."""
        shared = self._by_id.get(id(request))
        return shared.once if shared is not None else None

    def place(self, request: Any, data: bytes) -> tuple[int, int] | None:
        """Where a shared request stands in its line: no more than that, where arrays were cut out of it first."""
        shared = self._by_id.get(id(request))
        at = data.find(_REQUEST_KEY, 0, _NEAR) if shared is not None else -1
        if shared is None or at < 0:
            return None
        start = at + len(_REQUEST_KEY)
        return start, start + shared.size

    def _whole(self, data: bytes) -> Any:
        """A row parsed as it stands; the key after its request tells where the requests of such rows end."""
        row = orjson.loads(data)
        if isinstance(row, dict) and REQUEST in row:
            names = iter(row)
            any(name == REQUEST for name in names)
            self._after = orjson.dumps(next(names, RESPONSE)) + b":"
            self._behind = orjson.dumps(next(names, "")) + b":" if self._after == _RESPONSE_KEY else b""
        return row

    def _request(self, piece: bytes) -> dict[str, Any] | None:
        """The request in a piece that ends with the comma after it; None where the piece is something else."""
        key = xxh3_128_digest(piece)
        request = self._requests.get(key)
        if request is not None:
            return request.request
        raw = piece.rstrip()
        if not raw.endswith(b","):
            return None
        try:
            value = _loaded(raw[:-1], self._tools(raw[:-1], raw.find(_TOOLS_KEY)))
        except orjson.JSONDecodeError:
            return None
        if not isinstance(value, dict):
            return None
        self._requests[key] = self._by_id[id(value)] = SharedRequest(value, len(piece))
        self.held += len(piece)
        while self.held > MOST_BYTES:
            oldest = self._requests.pop(next(iter(self._requests)))
            del self._by_id[id(oldest.request)]
            self.held -= oldest.size
        return value

    def _tools(self, data: bytes, key: int) -> tuple[bytes, list[Any], int] | None:
        """The list of tools after a key: its bytes, its value and its place."""
        if key < 0:
            return None
        place = data.find(b"[", key + len(_TOOLS_KEY), key + len(_TOOLS_KEY) + 3)
        if place < 0 or data[place + 1 : place + 2] == b"]":
            return None
        for index, (raw, offered) in enumerate(self._lists):
            if data.startswith(raw, place):
                if index:
                    self._lists.insert(0, self._lists.pop(index))
                self._unmet = 0
                return raw, offered, place
        self._unmet += 1
        learned = self._learned(data, place) if self._unmet < _PATIENCE or self._unmet % _PATIENCE == 0 else None
        return (*learned, place) if learned else None

    def _learned(self, data: bytes, place: int) -> tuple[bytes, list[Any]] | None:
        text = data[place:].decode("utf-8", errors="replace")
        try:
            end = json.JSONDecoder().raw_decode(text)[1]
            raw = text[:end].encode()
            offered = orjson.loads(raw)
        except (ValueError, RecursionError):
            return None
        if len(raw) < _SHORTEST_LIST or not data.startswith(raw, place):
            return None
        self._lists.insert(0, (raw, offered))
        del self._lists[MOST_LISTS:]
        while sum(len(raw) for raw, _ in self._lists) > MOST_BYTES:
            self._lists.pop()
        return raw, offered


def _loaded(raw: bytes, tools: tuple[bytes, list[Any], int] | None) -> Any:
    """What `orjson.loads` gives of bytes in which a known list of tools may stand."""
    if tools is not None:
        listed, offered, place = tools
        value = orjson.loads(raw[:place] + _TOOLS_BYTES + raw[place + len(listed) :])
        if isinstance(value, dict) and value.get(TOOLS) == _TOOLS_MARK:
            value[TOOLS] = offered
            return value
    return orjson.loads(raw)


def _end_before_comma(data: bytes, begin: int, key: int) -> int:
    """Where a value ends that a comma parts from the key behind it; -1 where none does."""
    end = key
    while end > begin and data[end - 1] in _SPACE:
        end -= 1
    return end - 1 if end > begin and data.startswith(b",", end - 1) else -1


def _is_as_written(row: dict[str, Any], data: bytes) -> bool:
    """Whether a parsed row, written once more, gives its bytes, so that no key stands twice in it.

    Spaces do not count: many writers put them between, and without those in its texts a row has as many keys.
    """
    try:
        return orjson.dumps(row).translate(None, b" ") == data.translate(None, b" ")
    except orjson.JSONEncodeError:
        return False


class _Own(threading.local):
    """Each thread has its own: none waits for another."""

    def __init__(self) -> None:
        self.repeats = Repeats()


_OWN = _Own()


def loads(data: bytes) -> Any:
    """What `orjson.loads` gives; parts that rows have in common are the same objects."""
    return _OWN.repeats.loads(data)


def is_written_once(row: dict[str, Any]) -> bool:
    """Whether a row that was just parsed is known to write each of its own keys once."""
    return _OWN.repeats.is_written_once(row)


def once(request: Any) -> dict[str, Any] | None:
    """Where to keep what is worked out of the request of a row, None where the request is not shared."""
    return _OWN.repeats.once(request)


def place(request: Any, data: bytes) -> tuple[int, int] | None:
    """Where the request of a row stands in the bytes of its line, None where the request is not shared."""
    return _OWN.repeats.place(request, data)

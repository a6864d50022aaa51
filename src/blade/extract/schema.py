"""The tools a row offers, and whether a call keeps to what they ask."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import field
from typing import Any, TypeVar

import orjson
from xxhash import xxh3_64_intdigest

from blade.extract.text import hash_value
from blade.frozen import frozen
from blade.shared_json import once
from blade.wording import LONGEST_NAME

T = TypeVar("T")

REMEMBERED = 1024
_KNOWN: dict[int, dict[str, Tool]] = {}
_LAST: list[tuple[list[Any], int]] = []
_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list,),
    "object": (dict,),
}


@frozen
class Tool:
    """One tool that was offered. `parameters` is its JSON Schema, empty where there is none."""

    name: str
    description: str
    parameters: dict[str, Any]
    known: dict[Any, Any] = field(default_factory=dict, repr=False, compare=False)

    @property
    def properties(self) -> dict[str, Any]:
        properties = self.parameters.get("properties")
        return properties if isinstance(properties, dict) else {}

    @property
    def required(self) -> list[str]:
        names = self.parameters.get("required")
        return [name for name in names if isinstance(name, str)] if isinstance(names, list) else []

    def once(self, work: Callable[[Tool], T]) -> T:
        """What a rule works out of the tool alone: the same tools stand on every row, so it is worked out once."""
        if work not in self.known:
            self.known[work] = work(self)
        return self.known[work]  # type: ignore[no-any-return]


def of_all(tools: dict[str, Tool], work: Callable[[dict[str, Tool]], T]) -> T:
    """What a rule works out of all the tools offered, once for each list of them: it is kept with the first."""
    memo = next(iter(tools.values())).known
    if work not in memo:
        memo[work] = work(tools)
    return memo[work]  # type: ignore[no-any-return]


def offered_tools(request: Any) -> dict[str, Tool] | None:
    """The tools of a request by name; None where there are none. Runs offer the same list on every row."""
    memo = once(request)
    if memo is None:
        return _offered(request)
    if "tools" not in memo:
        memo["tools"] = _offered(request)
    return memo["tools"]  # type: ignore[no-any-return]


def _offered(request: Any) -> dict[str, Tool] | None:
    tools = request.get("tools") if isinstance(request, dict) else None
    if not isinstance(tools, list) or not tools:
        return None
    key = tools_key(tools)
    if key not in _KNOWN:
        if len(_KNOWN) >= REMEMBERED:
            _KNOWN.clear()
        _KNOWN[key] = {tool.name: tool for tool in map(_tool, tools) if tool is not None}
    return _KNOWN[key] or None


def tools_key(tools: list[Any]) -> int:
    """A number for a list of tools as it is written. The list of the last row is remembered: two parts ask for it."""
    if _LAST and _LAST[0][0] is tools:
        return _LAST[0][1]
    try:
        key = xxh3_64_intdigest(orjson.dumps(tools))
    except (TypeError, ValueError):
        key = hash_value(tools)
    _LAST[:] = [(tools, key)]
    return key


def _tool(definition: Any) -> Tool | None:
    if not isinstance(definition, dict):
        return None
    inner = definition.get("function")
    shape = inner if isinstance(inner, dict) else definition
    name = shape.get("name")
    if not isinstance(name, str) or not name:
        return None
    parameters = shape.get("parameters", shape.get("input_schema", shape.get("inputSchema")))
    described = shape.get("description")
    return Tool(
        name[:LONGEST_NAME],
        described if isinstance(described, str) else "",
        parameters if isinstance(parameters, dict) else {},
    )


def violations(tool: Tool, arguments: Any) -> Iterator[tuple[str, str]]:
    """(argument, what is wrong) for every way in which the arguments break the tool's schema."""
    if not isinstance(arguments, dict):
        return
    for name in tool.required:
        if name not in arguments:
            yield name, "is required and missing"
    closed = tool.parameters.get("additionalProperties") is False
    for name, value in arguments.items():
        shape = tool.properties.get(name)
        if shape is None:
            if closed or tool.properties:
                yield name, "is not a parameter of the tool"
            continue
        if isinstance(shape, dict):
            yield from ((name, wrong) for wrong in _wrong(shape, value))


def _wrong(shape: dict[str, Any], value: Any) -> Iterator[str]:
    allowed = shape.get("enum")
    if isinstance(allowed, list) and allowed and value not in allowed and value is not None:
        yield "is none of the values the tool allows"
    kinds = shape.get("type")
    names = [kinds] if isinstance(kinds, str) else kinds if isinstance(kinds, list) else []
    if value is None or not names or ("null" in names and value is None):
        return
    if not any(_is(value, name) for name in names):
        yield f"should be {' or '.join(map(str, names))}"


def _is(value: Any, name: Any) -> bool:
    if name not in _TYPES:
        return True
    if isinstance(value, bool) and name != "boolean":
        return False
    return isinstance(value, _TYPES[name]) or (name == "integer" and isinstance(value, float) and value.is_integer())

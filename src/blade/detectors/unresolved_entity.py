"""An address or identifier made up from a name in the prompt, though a tool to look it up was offered.

The address was in nobody's words before, and no look-up was made for that name; or the bare name stands where the tool
asks for an address. A made-up address in a search counts: it finds nothing, or the wrong records. Guarded (G1) where
the expected actions hold the same call: the guess was right.

False alarms: organisations whose addresses follow a rule that the agent was told in other words.
"""

from __future__ import annotations

import re

from blade.extract.attempt import Attempt
from blade.extract.calls import Call, changing_name
from blade.extract.grounding import is_id_name, stands_before
from blade.extract.json_spans import Path, dotted
from blade.extract.names import words
from blade.extract.prefilter import holds_any
from blade.extract.schema import Tool, of_all
from blade.findings import CLEAN, NOT_APPLICABLE, Cite, Sighting, fired, guarded
from blade.late_regex import late_regex

ID = ""
FAMILY = "behaviour"
TITLE = "made-up address instead of a look-up"
KIND = "behaviour"
EXPLAINS = 56
NAMES = "argument"
SUPPORTS = {"BI": 2.0}
RELIABILITY = 0.8
READS = ("task", "model", "verifier")
NEEDS = "calls"
_ADDRESS = late_regex(r"([A-Za-z][\w.+-]{1,60})@[\w-]+(?:\.[\w-]+)*")
_PART = late_regex(r"[A-Za-z]{2,}")
_NAME = late_regex(r"[A-Z][a-z]+(?: [A-Z][a-z]+){1,2}")
_ADDRESSES = frozenset("email mail address addresses emails".split())
_FINDS = frozenset("find search lookup look get list query fetch directory resolve".split())
_WHO = frozenset(
    "directory contact contacts people person user users employee employees customer customers member members staff "
    "email emails address account accounts profile client clients name names team".split()
)
_BOOKS = frozenset("directory contact contacts people staff employee employees".split())
_BY = frozenset("name names query q keyword keywords search text term person user email filter".split())


def detect(attempt: Attempt) -> Sighting:
    tools = attempt.tools
    if not tools or not attempt.calls:
        return NOT_APPLICABLE
    finders = of_all(tools, _finders)
    if not finders:
        return NOT_APPLICABLE
    for call in attempt.calls:
        tool = tools.get(call.name)
        address_parameters = tool.once(_addresses) if tool else set()
        for path, value in call.plain:
            if not isinstance(value, str) or not ("@" in value or is_id_name(path) or path[0] in address_parameters):
                continue
            name = _unresolved(attempt, call, path, value)
            if name is not None:
                return _sighting(attempt, call, path, str(value), name, _best(finders))
    return CLEAN


def _finders(tools: dict[str, Tool]) -> list[Tool]:
    return [tool for tool in tools.values() if _finds_people(tool)]


def _unresolved(attempt: Attempt, call: Call, path: Path, value: str) -> Cite | None:
    """The name in the prompt that an argument was made from, where nobody looked it up before or after."""
    parts = _name_parts(path, value)
    if parts and stands_before(attempt, value, call.place):
        return None
    if not parts and _wants_address(attempt, call, path):
        parts = value.lower().split() if _NAME.fullmatch(value.strip()) else []
    if not parts or holds_any(attempt.once(_looked_up), parts):
        return None
    return _name_in_prompt(attempt, parts)


def _wants_address(attempt: Attempt, call: Call, path: Path) -> bool:
    """Whether the tool says that it wants an address here."""
    tool = (attempt.tools or {}).get(call.name)
    return bool(path) and tool is not None and str(path[0]) in tool.once(_addresses)


def _addresses(tool: Tool) -> set[str]:
    """The parameters that want an address, by their names and descriptions."""
    texts = {
        name: f"{name} {shape.get('description', '')} {shape.get('format', '')}"
        for name, shape in tool.properties.items()
        if isinstance(shape, dict)
    }
    return {name for name, text in texts.items() if {word.lower() for word in _PART.findall(text)} & _ADDRESSES}


def _sighting(attempt: Attempt, call: Call, path: Path, value: str, name: Cite, finder: Tool) -> Sighting:
    called = any(call_made.name == finder.name for call_made in attempt.calls)
    lookup = (
        f"'{finder.name}' was asked for others, never for this name" if called else f"'{finder.name}' was never asked"
    )
    detail = (
        f"calls '{call.name}' with {dotted(path)} '{value[:60]}', made up from the name '{name.quote[:40]}'; {lookup}"
        if value != name.quote
        else f"calls '{call.name}' with the name '{name.quote[:40]}' where {dotted(path)} wants an address; {lookup}"
    )
    sighting = fired(name, attempt.cite_value(call, path), detail=detail, value=f"{call.name}.{dotted(path)}")
    different = attempt.deviation is not None and attempt.deviation.call is call
    right = attempt.reference is not None and not call.failed and not different and _expected(attempt, call)
    return guarded(sighting, "G1") if right else sighting


def _expected(attempt: Attempt, call: Call) -> bool:
    return any(action == (call.name, call.arguments) for action in (attempt.reference or ("", []))[1])


def _finds_people(tool: Tool) -> bool:
    have = set(words(tool.name))
    if not have & _FINDS or changing_name(tool.name) is True or not have & _WHO:
        return False
    return any(set(words(name)) & _BY for name in tool.properties)


def _best(finders: list[Tool]) -> Tool:
    """The tool that is made for it: a directory, or one that takes a name."""

    def fits(tool: Tool) -> tuple[bool, bool, bool]:
        tool_words = {word.lower() for word in _PART.findall(f"{tool.name} {tool.description}".replace("_", " "))}
        name_words = set(words(tool.name))
        return bool(name_words & _BOOKS), bool(tool_words & _ADDRESSES), "name" in tool.properties

    return max(finders, key=fits)


def _name_parts(path: Path, value: str) -> list[str]:
    """The words of an address before its @, or of an identifier made of words."""
    if len(value) > 100:
        return []
    address = _ADDRESS.fullmatch(value.strip()) if "@" in value else None
    if address:
        return [part.lower() for part in _PART.findall(address.group(1))]
    if is_id_name(path) and " " not in value:
        parts = _PART.findall(value)
        return [part.lower() for part in parts] if len(parts) >= 2 else []
    return []


def _name_in_prompt(attempt: Attempt, parts: list[str]) -> Cite | None:
    """The capitalised name in the user's words that the parts were taken from."""
    pattern = re.compile(r"(?:\b|_)" + r"[ ._-]{1,2}".join(map(re.escape, parts)) + r"\b", re.IGNORECASE)
    for step in reversed(attempt.prompt):
        if step.role == "system":
            continue
        for match in pattern.finditer(step.text[:20_000]):
            if match.group(0)[:1].isupper() or len(parts) > 1:
                return attempt.cite(step, match.start(), match.end())
    return None


def _looked_up(attempt: Attempt) -> str:
    """All that look-ups asked for, in lower case: not by an address, which would be made up too."""
    return "\n".join(
        value.lower()
        for call in attempt.calls
        if not call.changes
        for path, value in call.plain
        if isinstance(value, str)
        and "@" not in value
        and not _wants_address(attempt, call, path)
        and not is_id_name(path)
    )

"""The declared types of the parameters that a rollout's calls fill, and how the values are written.

Only calls that nothing answers are read: there the call itself is judged. Where a tool answers, it took the value or
said what is wrong with it. Calls stand in the record of calls or, where there is none, are all that a message holds.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

import orjson

from blade.extract.attempt import Attempt
from blade.extract.schema import Tool, of_all
from blade.extract.text import clip
from blade.extract.text_calls import ARGUMENT_KEYS, NAME_KEYS, OF_TEXT
from blade.frozen import frozen
from blade.late_regex import late_regex

LONGEST = 20_000
LONGEST_VALUE = 80
SHORT = 200
"""A longer text is no number, word or name."""
MOST_CALLS = 40
NUMBER, SUFFIXED, LOWER, CAPITAL, NOTHING = "number", "suffixed", "true", "True", "nothing"
LIST, OBJECT, TUPLE, NAME, EXPRESSION, TEXT = "list", "object", "tuple", "name", "expression", "text"
QUOTED = "quoted "
"""So the form of a value begins that is written in quotes although it is more than a text."""
_TEXT_TYPES = frozenset("string str text".split())
_BRACKETS = {"[": ("]", LIST), "{": ("}", OBJECT), "(": (")", TUPLE)}
_WORDS = {"true": LOWER, "false": LOWER, "True": CAPITAL, "False": CAPITAL}
_NOTHINGS = frozenset("None null nil undefined".split())
_NUMBER = late_regex(r"[+-]?(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][+-]?\d+)?([LlFfDdn]?)")
_NAME = late_regex(r"[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*")
_NO_LETTER = late_regex(r"\W+")
_OPENING = late_regex(r"(?:\s|[\[('\"]|```\w*\n)*")
_CALLED = late_regex(r"([A-Za-z_][\w.-]{0,99})\(")
_BETWEEN = late_regex(r"(?:[\s,;'\"\[\])`]|\\n)*")
_LITERAL = late_regex(r"\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'", re.DOTALL)
_MARK = late_regex(r"\"(?:\\.|[^\"\\])*\"?|'(?:\\.|[^'\\])*'?|[\[\](){},]", re.DOTALL)
"""A text in quotes, be it closed or not, or a mark that opens, closes or parts values."""
_JSON = late_regex(r"[\[{].*[\]}]", re.DOTALL)
_KEYWORD = late_regex(r"\s*([A-Za-z_$][\w$]*)\s*=(?!=)\s*")


@frozen
class TypedValue:
    """A value that a call gives to a declared parameter."""

    parameter: str
    type: str
    form: str
    words: str


def argument_types(attempt: Attempt) -> dict[str, Any]:
    """`argument_types`: per declared type, how often its values are written in which form."""
    tools = attempt.tools
    if not tools or attempt.answered:
        return {}
    forms: dict[str, Counter[str]] = {}
    for value in typed_values(attempt):
        forms.setdefault(value.type, Counter())[value.form] += 1
    return {"argument_types": forms} if forms else {}


def typed_values(attempt: Attempt) -> Iterator[TypedValue]:
    """The values that the calls of a rollout give to parameters whose type is declared."""
    tools = attempt.tools
    if not tools:
        return
    types = of_all(tools, _types)
    if attempt.calls:
        if any(
            call.step.call_id.startswith(OF_TEXT) and not isinstance(call.step.arguments, str) for call in attempt.calls
        ):
            return  # what was written is not known any more
        for call in attempt.calls[:MOST_CALLS]:
            yield from _of_values(types.get(_plain(call.name), {}), call.arguments)
        return
    text = attempt.final_text
    if len(text) <= LONGEST and ("(" in text or "{" in text):
        yield from _of_text(types, text)


Types = Mapping[str, Mapping[str, str]]


def _types(tools: dict[str, Tool]) -> Types:
    """Per tool, by its name without marks, the declared type of each parameter."""
    return {_plain(tool.name): _of_tool(tool) for tool in tools.values()}


def _of_tool(tool: Tool) -> dict[str, str]:
    types = {}
    for name, shape in tool.properties.items():
        declared = shape.get("type") if isinstance(shape, dict) else None
        names = [declared] if isinstance(declared, str) else declared if isinstance(declared, list) else []
        if names and all(isinstance(part, str) for part in names):
            types[name] = clip(" or ".join(names), LONGEST_VALUE)
    return types


def _plain(name: str) -> str:
    """Interfaces that allow no dots in a name write a line instead."""
    return _NO_LETTER.sub("_", name)


def _of_values(types: Mapping[str, str], arguments: Any) -> Iterator[TypedValue]:
    """The values of a call whose arguments are JSON."""
    for name, value in arguments.items() if isinstance(arguments, dict) else ():
        if name in types:
            form = TEXT if isinstance(value, str) and _is_text(types[name]) else _form_of_value(value)
            yield TypedValue(name, types[name], form, _shown(value))


def _shown(value: Any) -> str:
    try:
        return clip(orjson.dumps(value).decode(), LONGEST_VALUE)
    except (TypeError, ValueError):
        return ""


def _form_of_value(value: Any) -> str:
    if isinstance(value, str):
        return _quoted(value)
    if value is None:
        return NOTHING
    if isinstance(value, bool):
        return LOWER
    return LIST if isinstance(value, list) else OBJECT if isinstance(value, dict) else NUMBER


def _is_text(declared: str) -> bool:
    return not _TEXT_TYPES.isdisjoint(declared.lower().split())


def _quoted(content: str) -> str:
    """The form of what stands in quotes: a text, unless it is written like another kind of value."""
    form = _bare(content.strip())
    return TEXT if form == EXPRESSION else QUOTED + form


def _bare(text: str) -> str:
    """The form of what stands without quotes."""
    if len(text) > 1 and text[0] in _BRACKETS:
        closing, form = _BRACKETS[text[0]]
        return form if text[-1] == closing else EXPRESSION
    if not text or len(text) > SHORT:
        return EXPRESSION
    if text in _WORDS or text in _NOTHINGS:
        return _WORDS.get(text, NOTHING)
    number = _NUMBER.fullmatch(text)
    if number:
        return SUFFIXED if number[1] else NUMBER
    return NAME if _NAME.fullmatch(text) else EXPRESSION


def _form_of_text(text: str) -> str:
    """The form of a value as it is written in code."""
    return _quoted(text[1:-1]) if len(text) > 1 and _LITERAL.fullmatch(text) else _bare(text)


def _of_text(types: Types, text: str) -> Iterator[TypedValue]:
    """The values of the calls that a message begins with, written as code or as JSON."""
    start = _OPENING.match(text)
    place = start.end() if start else 0
    if text.startswith("{", place):
        yield from _of_json(types, text)
        return
    for _ in range(MOST_CALLS):
        match = _CALLED.match(text, place)
        if match is None or _plain(match[1]) not in types:
            return
        in_quotes = match.start() > 0 and text[match.start() - 1] in "'\""
        if in_quotes:  # what a text holds has its quotes escaped
            text = text[: match.end()] + text[match.end() :].replace("\\'", "'").replace('\\"', '"')
        parts, place = _arguments(text, match.end())
        declared = types[_plain(match[1])]
        for part in parts:
            keyword = _KEYWORD.match(part)
            if keyword and keyword[1] in declared:
                words = part[keyword.end() :].strip()
                form = _form_of_text(words)
                plain_text = _is_text(declared[keyword[1]]) and (form == TEXT or form.startswith(QUOTED))
                yield TypedValue(
                    keyword[1], declared[keyword[1]], TEXT if plain_text else form, clip(words, LONGEST_VALUE)
                )
        between = _BETWEEN.match(text, place)
        place = between.end() if between else place


def _of_json(types: Types, text: str) -> Iterator[TypedValue]:
    """The values of calls that are a JSON object, or a list of them, and nothing else."""
    content = _JSON.search(text)
    try:
        loaded = orjson.loads(content[0]) if content else None
    except ValueError:
        return
    for item in (loaded if isinstance(loaded, list) else [loaded])[:MOST_CALLS]:
        if not isinstance(item, dict):
            continue
        name = next((item[key] for key in NAME_KEYS if isinstance(item.get(key), str)), "")
        arguments = next((item[key] for key in ARGUMENT_KEYS if isinstance(item.get(key), dict)), None)
        yield from _of_values(types.get(_plain(name), {}), arguments)


def _arguments(text: str, start: int) -> tuple[list[str], int]:
    """The arguments of a call, from behind its bracket, as they are written; and where the call ends."""
    parts, depth = [], 0
    for match in _MARK.finditer(text, start):
        mark = match[0]
        if mark in "([{":
            depth += 1
        elif depth and mark in ")]}":
            depth -= 1
        elif not depth and mark in ",)":
            parts.append(text[start : match.start()])
            start = match.end()
            if mark == ")":
                return parts, start
    return [*parts, text[start:]], len(text)

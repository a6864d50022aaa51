"""An identifier in a call that nobody had given: not in the prompt, not in a user's words, not in a tool's answer.

Guarded (G1) where the tool rejected it and a later call went well. Not applicable where the row does not record what
was asked.

False alarms: identifiers that can be worked out from given parts; the new identifier of something that the call
creates is left out. A stub that knows the solution passes with such calls.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import chain
from typing import Any

from blade.extract.attempt import Attempt
from blade.extract.calls import Call
from blade.extract.grounding import is_id_name, shows_request, stands_before
from blade.extract.json_spans import Path, dotted
from blade.extract.names import words
from blade.extract.schema import Tool
from blade.findings import CLEAN, NOT_APPLICABLE, Sighting, fired, guarded
from blade.late_regex import late_regex

ID = "T07"
FAMILY = "tool"
TITLE = "identifier that nobody gave"
KIND = "behaviour"
EXPLAINS = 40
NAMES = "argument"
SUPPORTS = {"BI": 1.4}
RELIABILITY = 0.8
READS = ("task", "model", "tool", "user")
NEEDS = "calls"
_NUMBERS = late_regex(r"\d{5,}")
_IdArgument = tuple[Call, Path, str]
_MAKES = frozenset("create add insert register new open start begin save write log".split())


def detect(attempt: Attempt) -> Sighting:
    id_arguments = [(call, path, value) for call in attempt.calls for path, value in _ids(attempt, call)]
    if not id_arguments or not shows_request(attempt):
        return NOT_APPLICABLE
    invented = _telling_most(attempt, id_arguments)
    if invented is None:
        return CLEAN
    call, path, value = invented
    cites = [attempt.cite_value(call, path)]
    if call.failed:
        cites += attempt.cite_problem(call)
    statement = f"calls '{call.name}' with {dotted(path)} '{value[:60]}', which nothing before had given"
    detail = statement + (", and it fails" if call.failed else "")
    sighting = fired(*cites, detail=detail, value=f"{call.name}.{dotted(path)}")
    return guarded(sighting, "G1") if call.failed and attempt.recovered(call) else sighting


def _telling_most(attempt: Attempt, id_arguments: list[_IdArgument]) -> _IdArgument | None:
    """The invented identifier that tells most: in a call that failed for good, else in one that went well.

    Where a value stands first is what counts. The calls that tell most are looked at first: to search for a value in
    all that was given is dear, and one that was invented is enough.
    """
    first_arguments: dict[str, _IdArgument] = {}
    for argument in id_arguments:
        first_arguments.setdefault(argument[2], argument)
    ranks: tuple[list[_IdArgument], ...] = ([], [], [])
    for argument in first_arguments.values():
        call = argument[0]
        ranks[1 if not call.failed else 2 if attempt.recovered(call) else 0].append(argument)
    for argument in chain(*ranks):
        if not _stands_before_call(attempt, argument[2], argument[0].place):
            return argument
    return None


def _stands_before_call(attempt: Attempt, value: str, place: int) -> bool:
    """Whether it was given before, as a whole or by its number: letters before it may be told apart from it.

    Where most of it is its number, that is looked for alone: it stands wherever the whole does.
    """
    number = max(_NUMBERS.findall(value), key=len) if _NUMBERS.search(value) else ""
    return stands_before(attempt, number if 2 * len(number) > len(value) else value, place)


def _ids(attempt: Attempt, call: Call) -> list[tuple[Path, str]]:
    """Arguments named as identifiers whose value looks like one: with a digit in it, and not tiny."""
    if not call.plain or _makes(call.name):
        return []
    ids = [(path, text) for path, value in call.plain if is_id_name(path) and (text := _id_text(value))]
    tool = (attempt.tools or {}).get(call.name) if ids else None
    if tool is None:
        return ids
    shapes = tool.once(_id_shapes)
    return [(path, text) for path, text in ids if (shape := shapes.get(str(path[0]))) is None or text not in shape]


@lru_cache(maxsize=4096)
def _makes(name: str) -> bool:
    return not _MAKES.isdisjoint(words(name))


def _id_shapes(tool: Tool) -> dict[str, str]:
    """What the tool says of each parameter: an identifier that stands there was given."""
    return {name: str(shape) for name, shape in tool.properties.items() if shape is not None}


def _id_text(value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, (str, int)):
        return ""
    text = str(value).strip()
    return text if 3 < len(text) <= 80 and " " not in text and any(map(str.isdigit, text)) else ""

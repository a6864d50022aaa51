"""The forms in which a rollout writes the arguments of its calls: a date with a zone or without, an id or a name.

A form is the value without its letters and digits: what two values share that are written alike. A text of many words
has none, nor has a command, whose words are the work.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import islice
from typing import Any

from blade.extract.attempt import Attempt
from blade.extract.prefilter import holds_any
from blade.extract.text import clip
from blade.extract.workspace_actions import command_of
from blade.late_regex import late_regex

LONGEST, MOST_WORDS = 48, 4
LONGEST_EXAMPLE = 32
MOST_ARGUMENTS, MOST_FORMS = 24, 4
MOST_CALLS = 60
ABSENT = ""
EMPTY = "nothing"
_WORD = late_regex(r"[^\W\d_]+|\d+")
_AGAIN = late_regex(r"(Aa|a|9)(?:([ ,;]+)\1)+")
_BETWEEN = " ,;"
Forms = Sequence[tuple[str, str]]
"""Forms, each with a value that is so written."""


def value_forms(attempt: Attempt) -> dict[str, Any]:
    """`forms`: tool → argument → form → the first value so written.

    An argument that some calls of a tool leave out has the empty form, too.
    """
    forms: dict[str, dict[str, dict[str, str]]] = {}
    callers: dict[str, list[frozenset[str]]] = {}
    for call in attempt.calls[:MOST_CALLS]:
        if not call.name or not isinstance(call.arguments, dict):
            continue
        if command_of(call):
            continue
        callers.setdefault(call.name, []).append(frozenset(call.arguments))
        of_tool = forms.setdefault(call.name, {})
        for name, value in islice(call.arguments.items(), MOST_ARGUMENTS):
            if not (written := _forms_of(value)):
                continue
            of_argument = of_tool.setdefault(name, {})
            for form, text in written:
                if len(of_argument) < MOST_FORMS:
                    of_argument.setdefault(form, text)
    for tool, sets in callers.items():
        for name in frozenset.union(*sets) - frozenset.intersection(*sets):
            forms[tool].setdefault(name, {})[ABSENT] = ""
    nonempty = {tool: of_tool for tool, of_tool in forms.items() if of_tool}
    return {"forms": nonempty} if nonempty else {}


def _forms_of(value: Any) -> Forms:
    if isinstance(value, str):
        return _forms_of_text(value) if len(value) <= LONGEST else ()
    if isinstance(value, bool) or value is None:
        return ((str(value), str(value)),)
    if isinstance(value, (int, float)):
        return _forms_of_number(f"{value}")
    if isinstance(value, list):
        plain = (inner for inner in value[:MOST_FORMS] if not isinstance(inner, (list, dict)))
        return [form for inner in plain for form in _forms_of(inner)]
    return ()


@lru_cache(maxsize=65536)
def _forms_of_text(text: str) -> Forms:
    """The form of a short text beside the text as it is shown; none of a text of many words."""
    if text.count(" ") >= MOST_WORDS or "\n" in text:
        return ()
    return ((_form(text) or EMPTY, clip(text, LONGEST_EXAMPLE)),)


@lru_cache(maxsize=4096)
def _forms_of_number(text: str) -> Forms:
    return ((f"number {_form(text)}", text),) if len(text) <= LONGEST else ()


def _form(text: str) -> str:
    masked = _WORD.sub(_mask, text)
    return _AGAIN.sub(r"\1\2…", masked) if holds_any(masked, _BETWEEN) else masked


def _mask(match: Any) -> str:
    word: str = match.group()
    if word.isdigit():
        return "9"
    if word.islower():
        return "a"
    return "A" if word.isupper() else "Aa" if word.istitle() else "aA"

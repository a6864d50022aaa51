"""Answers of tools that say that there is more ("page 1 of 3", `"has_more": true`), and whether more was fetched."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from blade.extract.attempt import Attempt
from blade.extract.calls import Call
from blade.extract.prefilter import holds_any, lowered
from blade.late_regex import late_regex

READ_FROM_EACH_END = 600
_PAGE = late_regex(r"\bpage (\d{1,4}) ?(?:/|of) ?(\d{1,4})\b")
_SHOWN = late_regex(r"\b(?:showing|results|items|rows|entries) (?:\d+ ?(?:-|–|to) ?)?(\d{1,6}) (?:of|/) (\d{1,7})\b")
_FLAG = late_regex(
    r"[\"'](?:has_?more|has_?next(?:_?page)?|more_?(?:available|results))[\"'] ?: ?true|"
    r"[\"']next_?(?:page|cursor|page_?token)[\"'] ?: ?(?:[\"'][^\"']|\d)"
)
_LEFT = late_regex(r"\b\d+ more (?:results|rows|items|entries|records)\b")
"""All in small letters, each tried where its first words stand."""


def unread_pages(attempt: Attempt) -> dict[str, Any]:
    """`unread_pages`: per tool that says that there is more, whether a later call of it fetched more."""
    calls = attempt.calls
    tools: dict[str, bool] = {}
    for place, call in enumerate(calls):
        if call.answer is not None and _has_more(call.answer.text):
            tools[call.name] = tools.get(call.name, True) and any(_goes_on(call, calls[place + 1 :]))
    return {"unread_pages": tools} if tools else {}


def _has_more(answer: str) -> bool:
    is_short = len(answer) <= 2 * READ_FROM_EACH_END
    text = lowered(answer if is_short else answer[:READ_FROM_EACH_END] + answer[-READ_FROM_EACH_END:])
    pages = list(_PAGE.finditer(text)) if "page " in text else []
    if " of " in text or " / " in text:
        pages += _SHOWN.finditer(text)
    if any(int(match[1]) < int(match[2]) for match in pages):
        return True
    if holds_any(text, ("has", "more", "next")) and _FLAG.search(text):
        return True
    return " more " in text and _LEFT.search(text) is not None


def _goes_on(first: Call, later: Sequence[Call]) -> Iterator[bool]:
    """Whether each later call asks the same tool for the same with one argument more or with another value."""
    asked = first.arguments if isinstance(first.arguments, dict) else {}
    for call in later:
        if call.name == first.name and call.key != first.key and isinstance(call.arguments, dict):
            names = {name for name in {*asked, *call.arguments} if asked.get(name) != call.arguments.get(name)}
            yield len(names) == 1

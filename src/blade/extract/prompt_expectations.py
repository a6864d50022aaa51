"""A test that wants something else than the task's own text says of the same call, and gets just what the text says."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from blade.extract.attempt import Attempt
from blade.extract.comparisons import GOT, HINTS, compared_lines, may_compare
from blade.extract.prefilter import holds_any
from blade.extract.text import clip
from blade.late_regex import late_regex

ABOVE = 4
"""So many lines above a comparison the call stands that it is about."""
NEAR = 80
"""What a text calls right stands so many letters behind the word that calls it so."""
SHORTEST = 4
LONGEST = 80
_CALL = late_regex(r"[A-Za-z_][\w.:!?]*\((?:[^()\n]|\([^()\n]*\)){1,80}\)")
_CALLS_RIGHT = late_regex(
    r"\b(?:expect(?:ed|s)?|wants?|wanted|should (?:be|give|return|print|yield|become)|must (?:be|give|return)|correct|"
    r"becomes?|right (?:is|answer|result)|the answer is)\b",
    re.IGNORECASE,
)
_WRONG = late_regex(
    r"\b(?:actual|got|gets|gives?|returns?|returned|instead of|but|not|today|currently|wrong)\b", re.IGNORECASE
)
"""Between that word and a value: then the value is what comes out now."""
_MARKS = "`'\"*<> "


def prompt_expectation(attempt: Attempt) -> dict[str, Any]:
    """`against_prompt`: the call, what the test wants, and what the prompt calls right and the test got."""
    if not attempt.once(may_compare):
        return {}
    prompt = ""
    for text in attempt.texts():
        if not holds_any(text.text, HINTS):
            continue
        lines = text.text.split("\n")
        for place, result, sign, target in compared_lines(lines):
            if sign not in {"==", GOT} or len(_bare(result)) < SHORTEST or _bare(result) == _bare(target):
                continue
            prompt = prompt or attempt.task_text
            above = lines[max(place - ABOVE, 0) : place + 1]
            call = next((call for call in _calls_of(above) if call in prompt and call not in result + target), "")
            if call and _is_called_right(prompt, result) and not _is_called_right(prompt, target):
                return {"against_prompt": [clip(value, LONGEST) for value in (call, _bare(target), _bare(result))]}
    return {}


def _calls_of(lines: Sequence[str]) -> Iterator[str]:
    """The calls that some lines show, the last line first, each with those inside of it."""
    for line in reversed(lines):
        for match in _CALL.finditer(line):
            call = match.group(0)
            yield from (call, *_CALL.findall(call[call.find("(") + 1 : -1]))


def _bare(value: str) -> str:
    return value.strip(_MARKS + ".,;")


def _is_called_right(prompt: str, value: str) -> bool:
    """Whether the prompt says, near a word such as "expected", that this value is the right one."""
    bare = _bare(value)
    start = prompt.find(bare)
    while start >= 0:
        before = prompt[max(start - NEAR, 0) : start]
        is_whole = not (before[-1:] + prompt[start + len(bare) : start + len(bare) + 1]).strip(
            " .,;:\n\t" + _MARKS + "()[]"
        )
        cue = max((match.end() for match in _CALLS_RIGHT.finditer(before)), default=-1)
        if is_whole and cue >= 0 and _WRONG.search(before, cue) is None:
            return True
        start = prompt.find(bare, start + 1)
    return False

"""What a simulated user says of its task: the turn nearest to its instruction, and what it has to do with a call."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from blade.extract.attempt import Attempt
from blade.extract.endings import END_MARK
from blade.extract.task_text import instruction
from blade.extract.text import clip

LONGEST = 200
FEWEST_SHARED = 3
AGREES = re.compile(
    r"^\W*(?:yes|yep|yeah|yup|sure|okay|ok|correct|right|exactly|perfect|absolutely|certainly|of course|agreed|"
    r"confirm(?:ed)?|i (?:do )?(?:confirm|agree|accept)|(?:that|this|it) (?:is|sounds|looks|works)|that['’]s|"
    r"sounds|looks good|go ahead|please (?:do|go|proceed)|let['’]s (?:do|go|proceed)|do it|proceed|fine|"
    r"(?:just )?use)\b",
    re.IGNORECASE,
)
"""How a turn begins that agrees."""
NAMES_FIRST, AGREES_TO = "names it first", "agrees to it"
_WORD = re.compile(r"[^\W_]{4,}|\d{2,}")


def user_part(row: dict[str, Any], item: int, values: Iterable[str]) -> str:
    """What the user has to do with a call: it names one of its values first, or agrees; empty where it does neither.

    First is who names a value that no message of the model held before. To say it again, or to agree in the turn right
    before the call, is to agree to what the model proposed.
    """
    attempt = Attempt(row)
    turns = [(step.item, step.text) for _, step in attempt.users if step.item is not None and step.item < item]
    if not turns:
        return ""
    opening = [(-1, step.text) for step in attempt.prompt if step.role == "user"]
    proposed = [(step.item, step.text) for step in attempt.messages if step.item is not None and step.item < item]
    named = [(value, at) for value in values for at, text in (*opening, *turns) if value in text]
    if any(not any(value in text for before, text in proposed if before < at) for value, at in named):
        return NAMES_FIRST
    return AGREES_TO if named or AGREES.match(turns[-1][1]) else ""


def nearest_turn(row: dict[str, Any]) -> str:
    """The user's turn in the conversation that shares the most words with its instruction; empty where hardly any does.

    Of turns that share as many the last is taken: that is where the user makes up its mind.
    """
    instruction_words = set(_WORD.findall(instruction(row).lower()))
    best, most_shared = "", FEWEST_SHARED - 1
    for _, step in Attempt(row).users:
        text = END_MARK.sub("", step.text).strip()
        shared = len(instruction_words & set(_WORD.findall(text.lower())))
        if shared > most_shared or (best and shared == most_shared):
            best, most_shared = text, shared
    return clip(" ".join(best.split()), LONGEST)

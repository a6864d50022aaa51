"""What a simulated user says of its task: the turn nearest to its instruction, and what it has to do with a call."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from blade.extract.attempt import Attempt
from blade.extract.endings import END_MARK
from blade.extract.names import words
from blade.extract.task_text import instruction
from blade.extract.text import clip
from blade.late_regex import late_regex

LONGEST = 200
FEWEST_SHARED = 3
SHORTEST_WORD = 4
FEWEST_NAME_WORDS = 2
AGREES = late_regex(
    r"^\W*(?:yes|yep|yeah|yup|sure|okay|ok|correct|right|exactly|perfect|absolutely|certainly|of course|agreed|"
    r"confirm(?:ed)?|i (?:do )?(?:confirm|agree|accept)|(?:that|this|it) (?:is|sounds|looks|works)|that['’]s|"
    r"sounds|looks good|go ahead|please (?:do|go|proceed)|let['’]s (?:do|go|proceed)|do it|proceed|fine|"
    r"(?:just )?use)\b",
    re.IGNORECASE,
)
"""How a turn begins that agrees."""
NAMES_FIRST, AGREES_TO = "names it first", "agrees to it"
_WORD = late_regex(r"[^\W_]{4,}|\d{2,}")


def user_part(row: dict[str, Any], item: int, values: Mapping[str, str]) -> str:
    """What the user has to do with a call: it names one of its values first, or agrees; empty where it does neither.

    `values` are those in question, each with the name of its argument. First is who names a value that no message of
    the model held before. To say it again, or to agree in the turn right before the call to a message that names the
    value or its argument, is to agree to what the model proposed. Where no value is in question, any agreement counts.
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
    if named:
        return AGREES_TO
    answered = next((text for before, text in reversed(proposed) if before < turns[-1][0]), "")
    concerns = not values or any(_names(answered, *pair) for pair in values.items())
    return AGREES_TO if concerns and AGREES.match(turns[-1][1]) else ""


def _names(text: str, value: str, argument: str) -> bool:
    """Whether a text holds a value, or speaks of its argument by the words of its name; a single word is too common."""
    argument_words = [word for word in words(argument) if len(word) >= SHORTEST_WORD]
    low = text.lower()
    return value in text or (len(argument_words) >= FEWEST_NAME_WORDS and all(word in low for word in argument_words))


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

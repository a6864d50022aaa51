"""What a simulated user says of its task: the turn nearest to its instruction, and whether it leads to a call."""

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
_WORD = re.compile(r"[^\W_]{4,}|\d{2,}")


def leads_to(row: dict[str, Any], item: int, values: Iterable[str]) -> bool:
    """Whether the user names one of the values of a call before it, or agrees in its turn right before."""
    turns = [step.text for _, step in Attempt(row).users if step.item is not None and step.item < item]
    if not turns:
        return False
    return AGREES.match(turns[-1]) is not None or any(value in turn for value in values for turn in turns)


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

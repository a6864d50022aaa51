"""What a simulated user says of its task: the turn that comes nearest to its instruction."""

from __future__ import annotations

import re
from typing import Any

from blade.extract.attempt import Attempt
from blade.extract.endings import END_MARK
from blade.extract.task_text import instruction
from blade.extract.text import clip

LONGEST = 200
FEWEST_SHARED = 3
_WORD = re.compile(r"[^\W_]{4,}|\d{2,}")


def nearest_turn(row: dict[str, Any]) -> str:
    """The user's turn in the conversation that shares the most words with its instruction; empty where hardly any does.

    Of turns that share as many the last is taken: that is where the user makes up its mind.
    """
    told = set(_WORD.findall(instruction(row).lower()))
    best, most = "", FEWEST_SHARED - 1
    for _, step in Attempt(row).users:
        text = END_MARK.sub("", step.text).strip()
        shared = len(told & set(_WORD.findall(text.lower())))
        if shared > most or (best and shared == most):
            best, most = text, shared
    return clip(" ".join(best.split()), LONGEST)
